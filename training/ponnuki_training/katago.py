"""KataGo's network files: the layers as plain numbers, a reader and a writer.

The dataclasses mirror the file field by field, so that reading and writing again
gives the same network. `inference.py` makes a torch module of them.
"""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .refusal import refuse

VERSIONS = range(8, 17)
PLANES = 22
GLOBALS = 19
ACTIVATIONS = ("identity", "relu", "mish", "silu")


class FormatError(Exception):
    """The file is not a network file, or not a supported one."""


@dataclass
class Conv:
    """A convolution with zeros around the board."""

    name: str
    weights: np.ndarray  # [row, column, input channel, output channel]
    dilation: tuple[int, int] = (1, 1)


@dataclass
class Activation:
    """A function applied to each number: one of `ACTIVATIONS`."""

    name: str
    kind: str


@dataclass
class Norm:
    """A batch norm: scale · (x − mean) / √(variance + epsilon) + bias, by channel."""

    name: str
    epsilon: float
    mean: np.ndarray
    variance: np.ndarray
    scale: np.ndarray | None
    bias: np.ndarray | None

    def merged(self) -> tuple[np.ndarray, np.ndarray]:
        """The equivalent scale and bias by channel."""
        scale = 1.0 / np.sqrt(self.variance.astype(np.float64) + self.epsilon)
        if self.scale is not None:
            scale = scale * self.scale
        bias = -self.mean * scale
        if self.bias is not None:
            bias = bias + self.bias
        return scale.astype(np.float32), bias.astype(np.float32)


@dataclass
class MatMul:
    """A matrix product."""

    name: str
    weights: np.ndarray  # [input, output]


@dataclass
class Bias:
    """A bias by channel."""

    name: str
    values: np.ndarray


@dataclass
class OrdinaryBlock:
    """Norm, activation, convolution, twice; added to the input."""

    name: str
    norm1: Norm
    act1: Activation
    conv1: Conv
    norm2: Norm
    act2: Activation
    conv2: Conv


@dataclass
class GlobalPoolBlock:
    """An ordinary block with a bias in its middle that depends on the whole board."""

    name: str
    norm1: Norm
    act1: Activation
    conv1: Conv
    pool_conv: Conv
    pool_norm: Norm
    pool_act: Activation
    pool_bias: MatMul
    norm2: Norm
    act2: Activation
    conv2: Conv


@dataclass
class BottleneckBlock:
    """A 1x1 convolution to fewer channels, blocks there, and one back."""

    name: str
    norm1: Norm
    act1: Activation
    conv1: Conv
    blocks: list
    norm2: Norm
    act2: Activation
    conv2: Conv


Block = OrdinaryBlock | GlobalPoolBlock | BottleneckBlock


@dataclass
class PolicyHead:
    """The policy head."""

    name: str
    conv1: Conv
    pool_conv: Conv
    pool_norm: Norm
    pool_act: Activation
    pool_bias: MatMul
    norm: Norm
    act: Activation
    conv2: Conv
    pass_product: MatMul
    # From version 15 on the pass has a second step: bias, activation, product.
    pass_second: tuple[Bias, Activation, MatMul] | None = None


@dataclass
class ValueHead:
    """The value head."""

    name: str
    conv: Conv
    norm: Norm
    act: Activation
    hidden: MatMul
    hidden_bias: Bias
    hidden_act: Activation
    result: MatMul
    result_bias: Bias
    score: MatMul
    score_bias: Bias
    ownership: Conv


@dataclass
class Trunk:
    """The input layers, the blocks and the final norm."""

    name: str
    channels: int
    # Channels in the middle of blocks: all, regular, dilated and pooled ones.
    # They are stated in the file but nothing depends on them.
    stated: tuple[int, int, int, int]
    planes: Conv
    globals: MatMul
    blocks: list[Block]
    norm: Norm
    act: Activation


@dataclass
class Multipliers:
    """Factors of the value head's outputs; the defaults are those of old files."""

    time_difference: float = 20.0
    mean: float = 20.0
    deviation: float = 20.0
    lead: float = 20.0
    time: float = 40.0
    value_error: float = 0.25
    score_error: float = 30.0

    def listed(self) -> list[float]:
        """List the factors in the order of the file."""
        return [
            self.time_difference,
            self.mean,
            self.deviation,
            self.lead,
            self.time,
            self.value_error,
            self.score_error,
        ]


@dataclass
class Network:
    """The contents of a network file."""

    name: str
    version: int
    trunk: Trunk
    policy: PolicyHead
    value: ValueHead
    multipliers: Multipliers = field(default_factory=Multipliers)
    # Compute unconditionally alive areas as if suicide were legal?
    area_with_suicide: int = 0


class _Reader:
    """Tokens of a file, one after the other."""

    def __init__(self, data: bytes, binary: bool):
        self.data = data
        self.at = 0
        self.binary = binary
        self.version = 0
        self.place = "the network"

    def error(self, what: str) -> FormatError:
        return FormatError(f"{self.place}: {what}")

    def word(self) -> str:
        data, at = self.data, self.at
        while at < len(data) and data[at : at + 1].isspace():
            at += 1
        start = at
        while at < len(data) and not data[at : at + 1].isspace():
            at += 1
        if start == at:
            raise self.error("the file ends too early")
        self.at = at
        try:
            return data[start:at].decode("ascii")
        except UnicodeDecodeError:
            raise self.error("expected a word, not binary numbers") from None

    def name(self) -> str:
        self.place = self.word()
        return self.place

    def whole(self) -> int:
        word = self.word()
        try:
            return int(word)
        except ValueError:
            raise self.error(f"expected a whole number, not {word}") from None

    def size(self) -> int:
        number = self.whole()
        if not 1 <= number <= 8192:
            raise self.error(f"a size of {number}")
        return number

    def number(self) -> float:
        word = self.word()
        try:
            return float(word)
        except ValueError:
            raise self.error(f"a number was expected, not {word}") from None

    def zeros(self, count: int) -> None:
        for _ in range(count):
            if self.number() != 0:
                raise self.error("an option that is not supported")

    def floats(self, *shape: int) -> np.ndarray:
        count = int(np.prod(shape))
        if self.binary:
            start = self.data.find(b"@BIN@", self.at, self.at + 64)
            end = start + 5 + 4 * count
            if start < 0 or self.data[self.at : start].strip() or end > len(self.data):
                raise self.error(f"{count} binary numbers are missing")
            numbers = np.frombuffer(self.data, "<f4", count, start + 5)
            self.at = end
        else:
            numbers = np.array([self.number() for _ in range(count)], np.float32)
        if not np.isfinite(numbers).all():
            raise self.error("a number is not finite")
        return numbers.reshape(shape).astype(np.float32)

    def conv(self) -> Conv:
        name = self.name()
        rows, columns, inputs, outputs = (self.size() for _ in range(4))
        dilation = (self.size(), self.size())
        return Conv(name, self.floats(rows, columns, inputs, outputs), dilation)

    def norm(self) -> Norm:
        name = self.name()
        channels = self.size()
        epsilon = self.number()
        has_scale, has_bias = self.whole(), self.whole()
        mean = self.floats(channels)
        variance = self.floats(channels)
        scale = self.floats(channels) if has_scale else None
        bias = self.floats(channels) if has_bias else None
        return Norm(name, epsilon, mean, variance, scale, bias)

    def activation(self) -> Activation:
        name = self.name()
        if self.version < 11:
            return Activation(name, "relu")
        word = self.word()
        kind = word.removeprefix("ACTIVATION_").lower()
        if kind not in ACTIVATIONS or not word.startswith("ACTIVATION_"):
            raise self.error(f"the activation {word} is not supported")
        return Activation(name, kind)

    def matmul(self) -> MatMul:
        name = self.name()
        inputs, outputs = self.size(), self.size()
        return MatMul(name, self.floats(inputs, outputs))

    def bias(self) -> Bias:
        name = self.name()
        return Bias(name, self.floats(self.size()))

    def blocks(self, count: int) -> list[Block]:
        return [self.block() for _ in range(count)]

    def block(self) -> Block:
        kind = self.word()
        name = self.name()
        if kind == "ordinary_block":
            return OrdinaryBlock(
                name,
                self.norm(),
                self.activation(),
                self.conv(),
                self.norm(),
                self.activation(),
                self.conv(),
            )
        if kind == "gpool_block":
            return GlobalPoolBlock(
                name,
                self.norm(),
                self.activation(),
                self.conv(),
                self.conv(),
                self.norm(),
                self.activation(),
                self.matmul(),
                self.norm(),
                self.activation(),
                self.conv(),
            )
        if kind == "nested_bottleneck_block":
            count = self.size()
            return BottleneckBlock(
                name,
                self.norm(),
                self.activation(),
                self.conv(),
                self.blocks(count),
                self.norm(),
                self.activation(),
                self.conv(),
            )
        raise self.error(f"blocks of the kind {kind} are not supported")

    def network(self) -> Network:
        name = self.name()
        self.version = self.whole()
        if self.version not in VERSIONS:
            raise self.error(
                f"networks of version {self.version} are not supported, "
                f"only {VERSIONS.start} to {VERSIONS.stop - 1}"
            )
        inputs = (self.whole(), self.whole())
        if inputs != (PLANES, GLOBALS):
            raise self.error(f"a network for {inputs[0]} planes and {inputs[1]} numbers")
        multipliers = Multipliers()
        if self.version >= 13:
            multipliers = Multipliers(*(self.number() for _ in range(7)))
        area_with_suicide = 0
        if self.version >= 15:
            if self.whole() != 0:
                raise self.error("metadata encoders (human style) are not supported")
            area_with_suicide = self.whole()
            self.zeros(6)
        trunk = self.trunk()
        policy = self.policy()
        value = self.value()
        if self.data[self.at :].strip():
            raise self.error("there is more in the file than the network")
        return Network(name, self.version, trunk, policy, value, multipliers, area_with_suicide)

    def trunk(self) -> Trunk:
        name = self.name()
        count, channels = self.size(), self.size()
        stated = tuple(self.whole() for _ in range(4))
        if self.version >= 15:
            if self.whole() != 0:
                raise self.error("a tip of RMS norm (transformers) is not supported")
            self.zeros(5)
        return Trunk(
            name,
            channels,
            stated,
            self.conv(),
            self.matmul(),
            self.blocks(count),
            self.norm(),
            self.activation(),
        )

    def policy(self) -> PolicyHead:
        head = PolicyHead(
            self.name(),
            self.conv(),
            self.conv(),
            self.norm(),
            self.activation(),
            self.matmul(),
            self.norm(),
            self.activation(),
            self.conv(),
            self.matmul(),
        )
        if self.version >= 15:
            head.pass_second = (self.bias(), self.activation(), self.matmul())
        return head

    def value(self) -> ValueHead:
        return ValueHead(
            self.name(),
            self.conv(),
            self.norm(),
            self.activation(),
            self.matmul(),
            self.bias(),
            self.activation(),
            self.matmul(),
            self.bias(),
            self.matmul(),
            self.bias(),
            self.conv(),
        )


def read_network(path: str | Path) -> Network:
    """Read a `.bin.gz`, `.txt.gz`, `.bin` or `.txt` file.

    Raises FormatError if it is not a network file, or not a supported one.
    """
    data = Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as e:
            raise FormatError(f"{path}: {e}") from None
    try:
        return _Reader(data, b"@BIN@" in data).network()
    except FormatError as e:
        raise FormatError(f"{path}: {e}") from None


def open_network(path: str | Path) -> Network:
    """Read a network. Exits with a message if the file cannot be read."""
    try:
        return read_network(path)
    except (FormatError, OSError) as e:
        refuse(e)


class _Writer:
    """Assembles a file."""

    def __init__(self, version: int):
        self.version = version
        self.parts: list[bytes] = []

    def line(self, *words: object) -> None:
        self.parts.append((" ".join(str(w) for w in words) + "\n").encode("ascii"))

    def lines(self, *words: object) -> None:
        for word in words:
            self.line(word)

    def floats(self, numbers: np.ndarray) -> None:
        if not np.isfinite(numbers).all():
            raise FormatError("a weight is not finite")
        self.parts += [b"@BIN@", np.ascontiguousarray(numbers, "<f4").tobytes(), b"\n"]

    def item(self, x: object) -> None:
        """Write a layer."""
        match x:
            case Conv():
                self.lines(x.name, *x.weights.shape, *x.dilation)
                self.floats(x.weights)
            case Norm():
                has = [int(v is not None) for v in (x.scale, x.bias)]
                self.lines(x.name, len(x.mean), repr(float(x.epsilon)), *has)
                for v in (x.mean, x.variance, x.scale, x.bias):
                    if v is not None:
                        self.floats(v)
            case Activation():
                self.line(x.name)
                if self.version >= 11:
                    self.line("ACTIVATION_" + x.kind.upper())
                elif x.kind != "relu":
                    raise FormatError(f"version {self.version} knows ReLU only")
            case MatMul():
                self.lines(x.name, *x.weights.shape)
                self.floats(x.weights)
            case Bias():
                self.lines(x.name, len(x.values))
                self.floats(x.values)
            case OrdinaryBlock():
                self.line("ordinary_block", x.name)
                self.items(x.norm1, x.act1, x.conv1, x.norm2, x.act2, x.conv2)
            case GlobalPoolBlock():
                self.line("gpool_block", x.name)
                self.items(x.norm1, x.act1, x.conv1, x.pool_conv, x.pool_norm)
                self.items(x.pool_act, x.pool_bias, x.norm2, x.act2, x.conv2)
            case BottleneckBlock():
                self.line("nested_bottleneck_block", x.name, len(x.blocks))
                self.items(x.norm1, x.act1, x.conv1, *x.blocks)
                self.items(x.norm2, x.act2, x.conv2)
            case _:
                raise TypeError(type(x))

    def items(self, *layers: object) -> None:
        for layer in layers:
            self.item(layer)

    def network(self, n: Network) -> bytes:
        if n.version not in VERSIONS:
            raise FormatError(f"version {n.version} is not supported")
        self.lines(n.name, n.version, PLANES, GLOBALS)
        if n.version >= 13:
            self.lines(*n.multipliers.listed())
        if n.version >= 15:
            self.lines(0, n.area_with_suicide, *[0] * 6)
        t, p, v = n.trunk, n.policy, n.value
        self.line(t.name)
        self.lines(len(t.blocks), t.channels, *t.stated)
        if n.version >= 15:
            self.lines(*[0] * 6)
        self.items(t.planes, t.globals, *t.blocks, t.norm, t.act)
        self.line(p.name)
        self.items(p.conv1, p.pool_conv, p.pool_norm, p.pool_act, p.pool_bias)
        self.items(p.norm, p.act, p.conv2, p.pass_product)
        if (p.pass_second is not None) != (n.version >= 15):
            raise FormatError(f"the pass of version {n.version} has another number of steps")
        if p.pass_second is not None:
            self.items(*p.pass_second)
        self.line(v.name)
        self.items(v.conv, v.norm, v.act, v.hidden, v.hidden_bias, v.hidden_act)
        self.items(v.result, v.result_bias, v.score, v.score_bias, v.ownership)
        return b"".join(self.parts)


def write_network(network: Network, path: str | Path) -> None:
    """Write a `.bin.gz` file, which is replaced atomically."""
    data = _Writer(network.version).network(network)
    path = Path(path)
    temporary = path.with_name(path.name + ".tmp")
    # No time stamp, so that the same weights make the same file.
    temporary.write_bytes(gzip.compress(data, compresslevel=9, mtime=0))
    temporary.replace(path)
