"""3x3 convolutions by Winograd's method for training on a processor with AVX-512 BF16.

PyTorch's direct convolutions in bfloat16 run at the speed of the processor's multiplications
there; these need two to three times fewer. After `prepare`, `convolve` replaces
`torch.nn.functional.conv2d` for arguments that it `fits`.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import torch
from torch import Tensor

SOURCE = Path(__file__).with_name("winograd.c")
LANES = 16
"""Numbers of channels must be multiples of this, and at most CHANNELS."""
CHANNELS = 1024

TILES = (3, 4)
"""Possible sides of a tile, in outputs."""

OPERATORS = hasattr(torch.library, "custom_op")

ready = False
"""Has `prepare` succeeded?"""

_libraries: dict[int, ctypes.CDLL] = {}


def prepare() -> str | None:
    """Compile the C code if necessary, and enable `fits`. Returns the reason that it cannot be used
    on this machine, or None."""
    global ready
    if not OPERATORS:
        return "PyTorch is older than 2.4"
    flags = _flags()
    if "avx512_bf16" not in flags:
        return "the processor has no AVX-512 BF16"
    if "amx_bf16" in flags:
        return "the processor has AMX, with which they are faster"
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return "there is no C compiler"
    try:
        for outputs in TILES:
            _libraries[outputs] = _library(compiler, outputs, flags)
    except (OSError, subprocess.CalledProcessError) as e:
        return f"{SOURCE.name} does not compile: {getattr(e, 'stderr', None) or e}"
    ready = True
    return None


def _flags() -> str:
    """The processor's instruction sets, as Linux lists them. Other lines, such as the clock rate,
    change, and the code would be compiled at every start."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.startswith("flags")), "")


def _library(compiler: str, outputs: int, flags: str) -> ctypes.CDLL:
    """The code for tiles with this side, compiled once per machine."""
    command = [compiler, "-O3", "-march=native", "-fopenmp", "-fPIC", "-shared"]
    command += [f"-DOUT={outputs}", str(SOURCE)]
    key = hashlib.sha256(f"{command} {SOURCE.read_text()} {flags}".encode()).hexdigest()
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "ponnuki"
    path = folder / f"winograd-{key[:16]}.so"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        command += ["-o", str(temporary)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        os.replace(temporary, path)
    return ctypes.CDLL(str(path))


def _tile(height: int, width: int) -> int:
    """The side of the tiles that need the fewest products."""

    def products(m: int) -> int:
        return -(-height // m) * -(-width // m) * (m + 2) ** 2

    return min(TILES, key=products)


def fits(x: Tensor, weight: Tensor) -> bool:
    """Does `convolve` support these images and filters?"""
    outputs, inputs, *sides = weight.shape
    return (
        x.device.type == "cpu"
        and x.dtype == torch.bfloat16
        and sides == [3, 3]
        and weight.dtype == torch.float32
        and outputs % LANES == inputs % LANES == 0
        and max(outputs, inputs) <= CHANNELS
        and ready
    )


def _call(name: str, like: Tensor, arrays: list[Tensor], inputs: int, outputs: int, *more: int):
    images, _, height, width = like.shape
    function = getattr(_libraries[_tile(height, width)], name)
    pointers = [ctypes.c_void_p(a.data_ptr()) for a in arrays]
    threads = torch.get_num_threads()
    if function(*pointers, images, height, width, inputs, outputs, *more, threads):
        raise MemoryError("no memory for a convolution")


def _operator(function):
    """Register a function as an operator, which `torch.compile` does not look into."""
    if not OPERATORS:
        return function
    return torch.library.custom_op(f"ponnuki::{function.__name__}", mutates_args=())(function)


@_operator
def convolve(x: Tensor, weight: Tensor) -> Tensor:
    """Convolve images [batch, inputs, H, W] in bfloat16 with filters [outputs, inputs, 3, 3] in
    float32, with zeros around the board. Returns [batch, outputs, H, W] in bfloat16, channels
    last."""
    outputs, inputs = weight.shape[:2]
    x = x.contiguous(memory_format=torch.channels_last)
    shape = (len(x), outputs, *x.shape[2:])
    y = torch.empty(shape, dtype=x.dtype, memory_format=torch.channels_last)
    _call("convolve", x, [x, weight.contiguous(), y], inputs, outputs, 0)
    return y


@_operator
def convolve_gradients(gradient: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of images and filters, for a gradient of the outputs."""
    outputs, inputs = weight.shape[:2]
    x = x.contiguous(memory_format=torch.channels_last)
    gradient = gradient.to(x.dtype).contiguous(memory_format=torch.channels_last)
    of_x = torch.empty_like(x, memory_format=torch.channels_last)
    of_weight = torch.empty_like(weight, memory_format=torch.contiguous_format)
    _call("convolve", x, [gradient, weight.contiguous(), of_x], outputs, inputs, 1)
    _call("filters_gradient", x, [x, gradient, of_weight], inputs, outputs)
    return of_x, of_weight


def _convolve_fake(x: Tensor, weight: Tensor) -> Tensor:
    shape = (len(x), len(weight), *x.shape[2:])
    return x.new_empty(shape).contiguous(memory_format=torch.channels_last)


def _gradients_fake(gradient: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    x = x.contiguous(memory_format=torch.channels_last)
    return torch.empty_like(x), torch.empty_like(weight, memory_format=torch.contiguous_format)


def _setup(ctx, inputs, output) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx, gradient: Tensor) -> tuple[Tensor, Tensor]:
    return convolve_gradients(gradient, *ctx.saved_tensors)


if OPERATORS:
    convolve.register_fake(_convolve_fake)
    convolve_gradients.register_fake(_gradients_fake)
    convolve.register_autograd(_backward, setup_context=_setup)
