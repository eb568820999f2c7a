"""The network to train: KataGo's residual architecture without batch statistics.

A batch holds boards of one size, and the statistics of small boards do not fit large ones.
So the norms have fixed statistics: the trunk's variance grows
by one with each block, and block k divides by √(k + 1); scale and bias are learned.
They are exported as batch norms of mean 0 and that variance. (Zhang, Dauphin and Ma
2019, Fixup; KataGo's "fixscale" is of the same kind.)
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from . import winograd
from .inference import pool, pool_value
from .katago import GLOBALS, PLANES
from .refusal import refuse

POLICIES = 2
"""Policy and soft policy. The second is not exported."""
SCORES = 6


@dataclass(frozen=True)
class Shape:
    """The architecture that a name like `b10c64` or `b8c128nbt64` stands for."""

    blocks: int
    channels: int
    middle: int
    """Channels within nested bottlenecks; 0 for ordinary blocks."""

    @staticmethod
    def of(name: str) -> Shape:
        """Parse `b<blocks>c<channels>[nbt<middle>]`; ValueError for other names."""
        match = re.fullmatch(r"b([1-9]\d*)c([1-9]\d*)(?:nbt([1-9]\d*))?", name)
        if not match:
            raise ValueError(f"{name} is not an architecture such as b10c64 or b8c128nbt64")
        shape = Shape(*(int(n or 0) for n in match.groups()))
        if shape.pooling and (shape.middle or shape.channels) <= shape.pooled:
            raise ValueError(f"{name} has too few channels: {shape.pooled} are pooled")
        return shape

    @property
    def pooling(self) -> set[int]:
        """Blocks with global pooling: every third block, but not the last block."""
        return {i for i in range(2, self.blocks, 3) if i < self.blocks - 1}

    @property
    def pooled(self) -> int:
        """Pooled channels of a pooling block: a quarter, rounded down to a multiple of 16."""
        inner = self.middle or self.channels
        return max(16, inner // 4 // 16 * 16)


class Norm(nn.Module):
    """(x / √variance) · scale + bias by channel, then ReLU."""

    def __init__(self, channels: int, variance: float = 1.0):
        super().__init__()
        # A tensor, so that blocks of other variances share their compiled code.
        self.register_buffer("variance", torch.tensor(variance), persistent=False)
        self.scale = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x: Tensor) -> Tensor:
        scale = (self.scale * self.variance.rsqrt()).to(x.dtype)[:, None, None]
        return torch.relu(torch.addcmul(self.bias.to(x.dtype)[:, None, None], x, scale))


def convolution(x: Tensor, weight: Tensor) -> Tensor:
    """Convolve images with filters, with zeros around the board, in the type of the images."""
    if winograd.fits(x, weight):
        return winograd.convolve(x, weight)
    return F.conv2d(x, weight.to(x.dtype), None, 1, weight.shape[2] // 2)


class Conv(nn.Conv2d):
    """A convolution with zeros around the board; initial weights by He, times `gain`."""

    def __init__(self, inputs: int, outputs: int, side: int, gain: float = 1.0):
        super().__init__(inputs, outputs, side, padding=side // 2, bias=False)
        std = gain * math.sqrt(2.0 / (inputs * side * side))
        nn.init.trunc_normal_(self.weight, std=std, a=-2 * std, b=2 * std)

    def forward(self, x: Tensor) -> Tensor:
        return convolution(x, self.weight)


class Dense(nn.Linear):
    """A product in float32."""

    def __init__(self, inputs: int, outputs: int, bias: bool = True, gain: float = 1.0):
        super().__init__(inputs, outputs, bias)
        nn.init.normal_(self.weight, std=gain / math.sqrt(inputs))
        if bias:
            nn.init.zeros_(self.bias)


class Ordinary(nn.Module):
    """Norm, convolution, norm, convolution."""

    def __init__(self, channels: int, variance: float, inner: int = 0):
        super().__init__()
        self.norm1 = Norm(channels, variance)
        self.conv1 = Conv(channels, channels, 3)
        self.norm2 = Norm(channels)
        self.conv2 = Conv(channels, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv2(self.norm2(self.conv1(self.norm1(x))))


class GlobalPool(nn.Module):
    """An ordinary block with a bias in the middle that depends on the whole board."""

    def __init__(self, channels: int, variance: float, pooled: int):
        super().__init__()
        regular = channels - pooled
        self.norm1 = Norm(channels, variance)
        self.conv1 = Conv(channels, regular, 3)
        self.pool_conv = Conv(channels, pooled, 3)
        self.pool_norm = Norm(pooled)
        self.pool_bias = Dense(3 * pooled, regular, bias=False, gain=0.5)
        self.norm2 = Norm(regular)
        self.conv2 = Conv(regular, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        # Both convolutions have the same input, and one merged convolution is faster.
        weights = torch.cat((self.conv1.weight, self.pool_conv.weight))
        y = convolution(self.norm1(x), weights)
        y, pooled = y.split((len(self.conv1.weight), len(self.pool_conv.weight)), dim=1)
        bias = self.pool_bias(pool(self.pool_norm(pooled)))
        y = y + bias.to(y.dtype)[:, :, None, None]
        return x + self.conv2(self.norm2(y))


class Bottleneck(nn.Module):
    """A 1x1 convolution to fewer channels, two blocks there, and one back."""

    def __init__(self, channels: int, middle: int, variance: float, pooled: int):
        super().__init__()
        self.norm1 = Norm(channels, variance)
        self.conv1 = Conv(channels, middle, 1)
        first = GlobalPool(middle, 1.0, pooled) if pooled else Ordinary(middle, 1.0)
        self.blocks = nn.Sequential(first, Ordinary(middle, 2.0))
        self.norm2 = Norm(middle, 3.0)
        self.conv2 = Conv(middle, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.conv2(self.norm2(self.blocks(self.conv1(self.norm1(x)))))


class PolicyHead(nn.Module):
    """Logits [batch, POLICIES, points + 1], the pass last."""

    def __init__(self, channels: int, head: int):
        super().__init__()
        self.conv1 = Conv(channels, head, 1)
        self.pool_conv = Conv(channels, head, 1)
        self.pool_norm = Norm(head)
        self.pool_bias = Dense(3 * head, head, bias=False, gain=0.5)
        self.norm = Norm(head)
        self.conv2 = Conv(head, POLICIES, 1, gain=0.5)
        self.pass_product = Dense(3 * head, POLICIES, bias=False, gain=0.3)

    def forward(self, x: Tensor) -> Tensor:
        pooled = pool(self.pool_norm(self.pool_conv(x)))
        y = self.conv1(x) + self.pool_bias(pooled).to(x.dtype)[:, :, None, None]
        plays = self.conv2(self.norm(y).float()).flatten(2)
        return torch.cat((plays, self.pass_product(pooled)[:, :, None]), dim=2)


class ValueHead(nn.Module):
    """Logits of the result [batch, 3], numbers of the score [batch, 6], ownership before
    its hyperbolic tangent [batch, points]."""

    def __init__(self, channels: int, head: int, hidden: int):
        super().__init__()
        self.conv = Conv(channels, head, 1)
        self.norm = Norm(head)
        self.hidden = Dense(3 * head, hidden, gain=1.4)
        self.result = Dense(hidden, 3, gain=0.5)
        self.score = Dense(hidden, SCORES, gain=0.5)
        self.ownership = Conv(head, 1, 1, gain=0.5)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        y = self.norm(self.conv(x))
        hidden = torch.relu(self.hidden(pool_value(y)))
        owners = self.ownership(y.float()).flatten(1)
        return self.result(hidden), self.score(hidden), owners


class Student(nn.Module):
    """A whole network. Its trunk computes in the type `dtype`.

    Input: planes [batch, 22, H, W] and globals [batch, 19], float32. Output, for the
    player to move: policy logits [batch, 2, H · W + 1], result logits [batch, 3], score
    [batch, 6], ownership [batch, H · W].
    """

    def __init__(self, name: str, dtype: torch.dtype = torch.float32):
        super().__init__()
        shape = Shape.of(name)
        self.name = name
        self.shape = shape
        self.dtype = dtype
        c = shape.channels
        # The planes are sparse: about four of 22 are set at a point.
        self.planes = Conv(PLANES, c, 5, gain=1.2)
        self.globals = Dense(GLOBALS, c, bias=False)
        blocks = []
        for i in range(shape.blocks):
            variance = i + 1.0
            pooled = shape.pooled if i in shape.pooling else 0
            if shape.middle:
                blocks.append(Bottleneck(c, shape.middle, variance, pooled))
            elif pooled:
                blocks.append(GlobalPool(c, variance, pooled))
            else:
                blocks.append(Ordinary(c, variance))
        self.blocks = nn.Sequential(*blocks)
        self.tip = Norm(c, shape.blocks + 1.0)
        self.policy = PolicyHead(c, 32)
        self.value = ValueHead(c, 32, 64)

    def compile_parts(self, backend: str = "inductor") -> None:
        """Compile blocks and heads, each kind once for boards of any size.

        It takes a minute, and makes bfloat16 training on a CPU 1.5 times as fast: the operations
        between convolutions become one pass over memory.
        """
        # Square boards, oblong boards and each kind of block have their own code.
        torch._dynamo.config.recompile_limit = 100
        for part in (*self.blocks, self.tip, self.policy, self.value):
            part.compile(dynamic=True, backend=backend)

    def trunk(self, planes: Tensor, globals_: Tensor) -> Tensor:
        """Compute the input of the heads: [batch, channels, H, W] in the type of the trunk."""
        x = self.planes(planes.to(self.dtype)).float()
        x = (x + self.globals(globals_)[:, :, None, None]).to(self.dtype)
        return self.tip(self.blocks(x))

    def forward(self, planes: Tensor, globals_: Tensor) -> tuple[Tensor, ...]:
        x = self.trunk(planes, globals_)
        return self.policy(x), *self.value(x)


def new_student(name: str, dtype: torch.dtype) -> Student:
    """A student with initial weights. Exits with a message if the name is not an architecture."""
    try:
        return Student(name, dtype)
    except ValueError as e:
        refuse(e)
