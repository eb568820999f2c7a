"""A network file as a torch module for evaluation.

The batch norm that follows a convolution is folded into it. Convolutions of the
trunk run in a chosen type (bfloat16 is several times faster on processors with AMX
and on GPUs), sums along the trunk and the heads stay in float32. All positions of a
batch have boards of one size, so that no mask is needed.
"""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from . import katago


def quick_exp(x: Tensor) -> Tensor:
    """eˣ with a relative error of |x|³ / 393216; x is clamped to −30 … 20.

    (1 + y + y²/2)²⁵⁶ for y = x / 256: ten products that vectorise, where the exact
    function takes a quarter of the time of a whole bfloat16 evaluation.
    """
    y = x.float().clamp(-30.0, 20.0) * (1.0 / 256.0)
    y = 1.0 + y * (1.0 + 0.5 * y)
    return y.pow(16).pow(16)


def activate(x: Tensor, kind: str, exact: bool = True) -> Tensor:
    """Apply an activation of `katago.ACTIVATIONS`."""
    if kind == "relu":
        return torch.relu(x)
    if kind == "mish":
        # x · tanh(ln(1 + eˣ)) with one exponential; beyond 20 it is x.
        e = torch.exp(x.clamp(max=20.0)) if exact else quick_exp(x)
        e = e * (e + 2.0)
        return (x * (e / (e + 2.0))).to(x.dtype)
    if kind == "silu":
        return F.silu(x)
    return x


def pool(x: Tensor) -> Tensor:
    """Global pooling of [batch, C, H, W]: mean, mean · (√A − 14) / 10, maximum."""
    root = math.sqrt(x.shape[2] * x.shape[3]) - 14.0
    mean = x.mean(dim=(2, 3), dtype=torch.float32)
    # Not `amax`: its gradient divides by the number of points that equal the maximum. Compiled
    # code recomputes the points without rounding, and finds none.
    most = x.flatten(2).max(dim=2).values.float()
    return torch.cat((mean, mean * (root / 10.0), most), dim=1)


def pool_value(x: Tensor) -> Tensor:
    """Pooling of the value head; the third is mean · ((√A − 14)² / 100 − 0.1)."""
    root = math.sqrt(x.shape[2] * x.shape[3]) - 14.0
    mean = x.mean(dim=(2, 3), dtype=torch.float32)
    return torch.cat((mean, mean * (root / 10.0), mean * (root * root / 100.0 - 0.1)), dim=1)


def affine(x: Tensor, scale: Tensor, bias: Tensor, kind: str, dtype: torch.dtype) -> Tensor:
    """Scale and bias by channel and an activation; result in the type `dtype`."""
    return activate(x * scale + bias, kind, dtype == torch.float32).to(dtype)


def add_affine(
    x: Tensor, y: Tensor, scale: Tensor, bias: Tensor, kind: str, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """x + y, and `affine` of it."""
    x = x + y
    return x, affine(x, scale, bias, kind, dtype)


class Kernels:
    """Pointwise functions that are worth compiling: each is then one pass over memory."""

    affine = staticmethod(affine)
    add_affine = staticmethod(add_affine)
    activate = staticmethod(activate)

    @classmethod
    def compile(cls) -> None:
        """Compile them, for any size; takes a minute the first time."""
        # One function serves many types, activations and shapes of boards.
        torch._dynamo.config.recompile_limit = 100
        for f in (affine, add_affine, activate):
            setattr(cls, f.__name__, staticmethod(torch.compile(f, dynamic=True)))


class Affine(nn.Module):
    """Scale and bias by channel and an activation; result in the type `dtype`."""

    def __init__(self, norm: katago.Norm, act: katago.Activation, dtype: torch.dtype):
        super().__init__()
        scale, bias = (torch.from_numpy(x)[:, None, None] for x in norm.merged())
        self.register_buffer("scale", scale)
        self.register_buffer("bias", bias)
        self.kind = act.kind
        self.dtype = dtype

    def forward(self, x: Tensor) -> Tensor:
        return Kernels.affine(x, self.scale, self.bias, self.kind, self.dtype)

    def after_adding(self, x: Tensor, y: Tensor | None) -> tuple[Tensor, Tensor]:
        """x + y, and the result for this sum."""
        if y is None:
            return x, self(x)
        return Kernels.add_affine(x, y, self.scale, self.bias, self.kind, self.dtype)


class Conv(nn.Module):
    """A convolution, with a batch norm and an activation after it if there are any."""

    def __init__(
        self,
        conv: katago.Conv,
        dtype: torch.dtype,
        norm: katago.Norm | None = None,
        act: katago.Activation | None = None,
    ):
        super().__init__()
        weights = conv.weights
        bias = None
        if norm is not None:
            scale, bias = norm.merged()
            weights = weights * scale
            bias = torch.from_numpy(bias).to(dtype)
        weights = np.ascontiguousarray(weights.transpose(3, 2, 0, 1))
        weights = torch.from_numpy(weights).to(dtype)
        weights = weights.contiguous(memory_format=torch.channels_last)
        self.weight = nn.Parameter(weights, requires_grad=False)
        self.bias = None if bias is None else nn.Parameter(bias, requires_grad=False)
        self.dilation = conv.dilation
        half = [n // 2 for n in conv.weights.shape[:2]]
        self.padding = tuple(n * d for n, d in zip(half, conv.dilation, strict=True))
        self.kind = act.kind if act else "identity"

    def forward(self, x: Tensor) -> Tensor:
        x = F.conv2d(x, self.weight, self.bias, 1, self.padding, self.dilation)
        if self.kind == "identity":
            return x
        if self.kind == "relu":
            return x.relu_()
        return Kernels.activate(x, self.kind, x.dtype == torch.float32)


class Dense(nn.Module):
    """A product with an optional bias and activation, in float32."""

    def __init__(
        self,
        product: katago.MatMul,
        bias: katago.Bias | None = None,
        act: katago.Activation | None = None,
    ):
        super().__init__()
        weights = torch.from_numpy(np.ascontiguousarray(product.weights.T))
        self.weight = nn.Parameter(weights, requires_grad=False)
        values = None if bias is None else torch.from_numpy(bias.values.copy())
        self.bias = None if values is None else nn.Parameter(values, requires_grad=False)
        self.kind = act.kind if act else "identity"

    def forward(self, x: Tensor) -> Tensor:
        return activate(F.linear(x, self.weight, self.bias), self.kind)


class Ordinary(nn.Module):
    """Norm, convolution, norm, convolution, added to the trunk.

    A block takes and returns the trunk as two summands, of which the second may be missing: the
    addition is done together with the next norm.
    """

    def __init__(self, b: katago.OrdinaryBlock, dtype: torch.dtype):
        super().__init__()
        self.before = Affine(b.norm1, b.act1, dtype)
        self.conv1 = Conv(b.conv1, dtype, b.norm2, b.act2)
        self.conv2 = Conv(b.conv2, dtype)

    def forward(self, x: Tensor, y: Tensor | None) -> tuple[Tensor, Tensor]:
        x, y = self.before.after_adding(x, y)
        return x, self.conv2(self.conv1(y))


class GlobalPool(nn.Module):
    """An ordinary block with a bias in its middle that depends on the whole board."""

    def __init__(self, b: katago.GlobalPoolBlock, dtype: torch.dtype):
        super().__init__()
        self.before = Affine(b.norm1, b.act1, dtype)
        self.conv1 = Conv(b.conv1, dtype)
        self.pool_conv = Conv(b.pool_conv, dtype, b.pool_norm, b.pool_act)
        self.pool_bias = Dense(b.pool_bias)
        self.middle = Affine(b.norm2, b.act2, dtype)
        self.conv2 = Conv(b.conv2, dtype)

    def forward(self, x: Tensor, y: Tensor | None) -> tuple[Tensor, Tensor]:
        x, y = self.before.after_adding(x, y)
        bias = self.pool_bias(pool(self.pool_conv(y)))[:, :, None, None]
        _, y = self.middle.after_adding(self.conv1(y), bias)
        return x, self.conv2(y)


class Bottleneck(nn.Module):
    """A 1x1 convolution to fewer channels, blocks there, and one back."""

    def __init__(self, b: katago.BottleneckBlock, dtype: torch.dtype):
        super().__init__()
        self.before = Affine(b.norm1, b.act1, dtype)
        self.conv1 = Conv(b.conv1, dtype)
        self.blocks = nn.ModuleList(block(inner, dtype) for inner in b.blocks)
        self.after = Affine(b.norm2, b.act2, dtype)
        self.conv2 = Conv(b.conv2, dtype)

    def forward(self, x: Tensor, y: Tensor | None) -> tuple[Tensor, Tensor]:
        x, y = self.before.after_adding(x, y)
        inner, part = self.conv1(y), None
        for b in self.blocks:
            inner, part = b(inner, part)
        _, y = self.after.after_adding(inner, part)
        return x, self.conv2(y)


def block(b: katago.Block, dtype: torch.dtype) -> nn.Module:
    """The module of a block."""
    kinds = {
        katago.OrdinaryBlock: Ordinary,
        katago.GlobalPoolBlock: GlobalPool,
        katago.BottleneckBlock: Bottleneck,
    }
    return kinds[type(b)](b, dtype)


class PolicyHead(nn.Module):
    """Logits: [batch, policies, points + 1], the pass last."""

    def __init__(self, head: katago.PolicyHead):
        super().__init__()
        f32 = torch.float32
        self.conv1 = Conv(head.conv1, f32)
        self.pool_conv = Conv(head.pool_conv, f32, head.pool_norm, head.pool_act)
        self.pool_bias = Dense(head.pool_bias)
        self.middle = Affine(head.norm, head.act, f32)
        self.conv2 = Conv(head.conv2, f32)
        steps = [Dense(head.pass_product)]
        if head.pass_second is not None:
            bias, act, product = head.pass_second
            steps = [Dense(head.pass_product, bias, act), Dense(product)]
        self.pass_steps = nn.Sequential(*steps)

    def forward(self, x: Tensor) -> Tensor:
        pooled = pool(self.pool_conv(x))
        y = self.conv1(x) + self.pool_bias(pooled)[:, :, None, None]
        plays = self.conv2(self.middle(y)).flatten(2)
        return torch.cat((plays, self.pass_steps(pooled)[:, :, None]), dim=2)


class ValueHead(nn.Module):
    """Logits of the result [batch, 3], numbers of the score [batch, 4 or 6], and
    ownership before its hyperbolic tangent [batch, points]."""

    def __init__(self, head: katago.ValueHead):
        super().__init__()
        self.conv = Conv(head.conv, torch.float32, head.norm, head.act)
        self.hidden = Dense(head.hidden, head.hidden_bias, head.hidden_act)
        self.result = Dense(head.result, head.result_bias)
        self.score = Dense(head.score, head.score_bias)
        self.ownership = Conv(head.ownership, torch.float32)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        y = self.conv(x)
        hidden = self.hidden(pool_value(y))
        return self.result(hidden), self.score(hidden), self.ownership(y).flatten(1)


class Inference(nn.Module):
    """A whole network.

    Input: planes [batch, 22, H, W] and globals [batch, 19], both float32. Output, all
    float32 and for the player to move: policy logits [batch, policies, H · W + 1],
    result logits [batch, 3], score [batch, 4 or 6], ownership [batch, H · W].
    """

    def __init__(self, network: katago.Network, dtype: torch.dtype = torch.float32):
        super().__init__()
        trunk = network.trunk
        # The first convolution sums up to hundreds of terms, and costs little.
        self.planes = Conv(trunk.planes, torch.float32)
        self.globals = Dense(trunk.globals)
        self.blocks = nn.ModuleList(block(b, dtype) for b in trunk.blocks)
        self.tip = Affine(trunk.norm, trunk.act, torch.float32)
        self.policy = PolicyHead(network.policy)
        self.value = ValueHead(network.value)

    def forward(self, planes: Tensor, globals_: Tensor) -> tuple[Tensor, ...]:
        x = self.planes(planes) + self.globals(globals_)[:, :, None, None]
        y = None
        for b in self.blocks:
            x, y = b(x, y)
        _, x = self.tip.after_adding(x, y)
        return self.policy(x), *self.value(x)


def evaluation(
    outputs: tuple[Tensor, ...],
    allowed: Tensor,
    may_end_without_result: Tensor,
    network: katago.Network,
) -> dict[str, Tensor]:
    """Convert the outputs of a network to an evaluation for the player to move.

    `allowed` [batch, points + 1] marks the legal moves, `may_end_without_result` [batch] the games
    that can end without result. The result has `policy`
    [batch, points + 1] (−1 where not allowed), `result` [batch, 3], `score`
    [batch, 6] (mean, deviation, lead, time left, error of the value, error of
    score; −1 in the last three if the network lacks them), `ownership`
    [batch, points] from −1 to 1.
    """
    logits, result, score, ownership = outputs
    policy = logits[:, 0].masked_fill(~allowed, -torch.inf).softmax(1)
    policy = policy.masked_fill(~allowed, -1.0)
    never = torch.zeros_like(result, dtype=torch.bool)
    never[:, 2] = ~may_end_without_result
    result = result.masked_fill(never, -torch.inf).softmax(1)
    factors = network.multipliers
    counted = 1.0 - result[:, 2]
    mean = score[:, 0] * factors.mean
    deviation = F.softplus(score[:, 1]) * factors.deviation
    # Without result the score is 0.
    expected = mean * counted
    square = (mean * mean + deviation * deviation) * counted
    deviation = (square - expected * expected).clamp(min=0.0).sqrt()
    lead = score[:, 2] * factors.lead * counted
    if network.version < 9:
        unknown = torch.full_like(mean, -1.0)
        rest = [unknown, unknown, unknown]
    else:
        time = F.softplus(score[:, 3]) * factors.time
        rest = [time, *errors(score, network.version, factors)]
    return {
        "policy": policy,
        "result": result,
        "score": torch.stack([expected, deviation, lead, *rest], dim=1),
        "ownership": torch.tanh(ownership),
    }


def errors(score: Tensor, version: int, factors: katago.Multipliers) -> list[Tensor]:
    """Expected short-term errors of the value (win minus loss) and of the score."""
    pair = [(score[:, 4], factors.value_error), (score[:, 5], factors.score_error)]
    if version >= 14:
        return [F.softplus(x * 0.5) * math.sqrt(f) for x, f in pair]
    if version >= 10:
        return [(F.softplus(x) * f).sqrt() for x, f in pair]
    return [F.softplus(pair[0][0]), F.softplus(pair[1][0]) * 10.0]
