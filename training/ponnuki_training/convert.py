"""Conversion of a student to the layers of a network file, and back."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import torch
from torch import Tensor

from . import katago
from .losses import SOFT_TEMPERATURE
from .student import POLICIES, Bottleneck, Conv, Dense, GlobalPool, Norm, Ordinary, Student

VERSION = 11
"""The oldest version with six score outputs, which most programs read."""

EPSILON = 1e-5

Block = Ordinary | GlobalPool | Bottleneck

KINDS = {
    Ordinary: katago.OrdinaryBlock,
    GlobalPool: katago.GlobalPoolBlock,
    Bottleneck: katago.BottleneckBlock,
}


def _conv(name: str, conv: Conv, channels: slice = slice(None)) -> katago.Conv:
    weights = conv.weight.detach()[channels].float().cpu().numpy()
    return katago.Conv(name, np.ascontiguousarray(weights.transpose(2, 3, 1, 0)))


def _product(name: str, dense: Dense, rows: slice = slice(None)) -> katago.MatMul:
    weights = dense.weight.detach()[rows].float().cpu().numpy()
    return katago.MatMul(name, np.ascontiguousarray(weights.T))


def _bias(name: str, dense: Dense) -> katago.Bias:
    return katago.Bias(name, dense.bias.detach().float().cpu().numpy())


def _norm(name: str, norm: Norm) -> katago.Norm:
    scale = norm.scale.detach().float().cpu().numpy() / math.sqrt(norm.variance)
    bias = norm.bias.detach().float().cpu().numpy()
    channels = len(bias)
    mean = np.zeros(channels, np.float32)
    variance = np.full(channels, 1.0 - EPSILON, np.float32)
    return katago.Norm(name, EPSILON, mean, variance, scale.astype(np.float32), bias)


def _relu(name: str) -> katago.Activation:
    return katago.Activation(name, "relu")


def _block(name: str, block: Block) -> katago.Block:
    def norm(part: str) -> tuple[katago.Norm, katago.Activation]:
        return _norm(f"{name}/{part}", getattr(block, part)), _relu(f"{name}/{part}/act")

    conv1, conv2 = (_conv(f"{name}/{c}", getattr(block, c)) for c in ("conv1", "conv2"))
    if isinstance(block, Bottleneck):
        inner = [_block(f"{name}/b{i}", b) for i, b in enumerate(block.blocks)]
        return katago.BottleneckBlock(name, *norm("norm1"), conv1, inner, *norm("norm2"), conv2)
    if isinstance(block, GlobalPool):
        pool_conv = _conv(f"{name}/pool_conv", block.pool_conv)
        pool_bias = _product(f"{name}/pool_bias", block.pool_bias)
        return katago.GlobalPoolBlock(
            name, *norm("norm1"), conv1, pool_conv, *norm("pool_norm"), pool_bias,
            *norm("norm2"), conv2,
        )  # fmt: skip
    return katago.OrdinaryBlock(name, *norm("norm1"), conv1, *norm("norm2"), conv2)


def network_of(student: Student, name: str) -> katago.Network:
    """The layers of a student, without its soft policy."""
    shape = student.shape
    middle = shape.middle or shape.channels
    stated = (middle, middle - shape.pooled, 0, shape.pooled)
    blocks = [_block(f"block{i}", b) for i, b in enumerate(student.blocks)]
    trunk = katago.Trunk(
        "trunk", shape.channels, stated, _conv("planes", student.planes),
        _product("globals", student.globals), blocks, _norm("tip", student.tip),
        _relu("tip/act"),
    )  # fmt: skip
    p, v = student.policy, student.value
    policy = katago.PolicyHead(
        "policy", _conv("p1", p.conv1), _conv("g1", p.pool_conv), _norm("g1/norm", p.pool_norm),
        _relu("g1/act"), _product("g2", p.pool_bias), _norm("p1/norm", p.norm), _relu("p1/act"),
        _conv("p2", p.conv2, slice(0, 1)), _product("pass", p.pass_product, slice(0, 1)),
    )  # fmt: skip
    value = katago.ValueHead(
        "value", _conv("v1", v.conv), _norm("v1/norm", v.norm), _relu("v1/act"),
        _product("v2", v.hidden), _bias("v2/bias", v.hidden), _relu("v2/act"),
        _product("v3", v.result), _bias("v3/bias", v.result), _product("sv3", v.score),
        _bias("sv3/bias", v.score), _conv("ownership", v.ownership),
    )  # fmt: skip
    return katago.Network(name, VERSION, trunk, policy, value)


@torch.no_grad()
def load(student: Student, network: katago.Network, grow: bool = False) -> None:
    """Load the weights of a network that was exported from a student of this shape. With `grow`,
    the network may have fewer blocks or channels; the larger network has the same outputs at
    first (Chen, Goodfellow and Shlens 2016, Net2Net). Added blocks start as the identity. Added
    channels compute something that no channel of the smaller network reads.

    Network files have no soft policy. It starts as the policy's logits divided by its temperature;
    with undivided logits its gradients would undo the trunk's training.
    Raises ValueError if the shapes differ.
    """
    differs = ValueError(f"{network.name} has another shape than {student.name}")

    def put(to: Tensor, values: np.ndarray) -> None:
        known = torch.from_numpy(np.ascontiguousarray(values))
        pairs = list(zip(to.shape, known.shape, strict=True))
        if any(n < m for n, m in pairs) or pairs[2:] != [(n, n) for n in to.shape[2:]]:
            raise differs
        if not grow and to.shape != known.shape:
            raise differs
        # The rows of channels that were there before read only such channels.
        to[: len(known)] = 0.0
        to[tuple(slice(n) for n in known.shape)] = known

    def put_pooled(to: Dense, of: katago.MatMul) -> None:
        """Weights whose inputs are three poolings of some channels."""
        put(to.weight.unflatten(1, (3, -1)).transpose(1, 2),
            of.weights.T.reshape(of.weights.shape[1], 3, -1).transpose(0, 2, 1))  # fmt: skip

    def put_policy(to: Tensor, values: np.ndarray) -> None:
        """Weights of the policy, and the same for the soft policy."""
        put(to, np.concatenate([values] * POLICIES))

    def conv(to: Conv, of: katago.Conv) -> None:
        put(to.weight, of.weights.transpose(3, 2, 0, 1))

    def product(to: Dense, of: katago.MatMul) -> None:
        put(to.weight, of.weights.T)

    def norm(to: Norm, of: katago.Norm) -> None:
        scale, bias = of.merged()
        put(to.scale, scale * math.sqrt(to.variance))
        put(to.bias, bias)

    def block(to: Block, of: katago.Block) -> None:
        for part in ("norm1", "norm2", "pool_norm"):
            if hasattr(to, part):
                norm(getattr(to, part), getattr(of, part))
        for part in ("conv1", "conv2", "pool_conv"):
            if hasattr(to, part):
                conv(getattr(to, part), getattr(of, part))
        if isinstance(to, GlobalPool):
            put_pooled(to.pool_bias, of.pool_bias)
        if isinstance(to, Bottleneck):
            pairs(to.blocks, of.blocks)

    def alike(to: Block, of: katago.Block) -> bool:
        """Are they of one kind, those within bottlenecks too?"""
        if not isinstance(of, KINDS[type(to)]):
            return False
        inner = zip(to.blocks, of.blocks, strict=True) if isinstance(to, Bottleneck) else ()
        return all(alike(*pair) for pair in inner)

    def pairs(to: torch.nn.Sequential, of: list[katago.Block]) -> None:
        left = list(of)
        for one in to:
            if left and alike(one, left[0]):
                block(one, left.pop(0))
            elif grow:
                one.conv2.weight.zero_()
            else:
                raise differs
        if left:
            raise differs

    trunk, p, v = network.trunk, network.policy, network.value
    conv(student.planes, trunk.planes)
    product(student.globals, trunk.globals)
    pairs(student.blocks, trunk.blocks)
    norm(student.tip, trunk.norm)
    conv(student.policy.conv1, p.conv1)
    conv(student.policy.pool_conv, p.pool_conv)
    norm(student.policy.pool_norm, p.pool_norm)
    product(student.policy.pool_bias, p.pool_bias)
    norm(student.policy.norm, p.norm)
    put_policy(student.policy.conv2.weight, p.conv2.weights.transpose(3, 2, 0, 1))
    put_policy(student.policy.pass_product.weight, p.pass_product.weights.T)
    for logits in (student.policy.conv2, student.policy.pass_product):
        logits.weight[1:] /= SOFT_TEMPERATURE
    conv(student.value.conv, v.conv)
    norm(student.value.norm, v.norm)
    for name in ("hidden", "result", "score"):
        dense = getattr(student.value, name)
        product(dense, getattr(v, name))
        put(dense.bias, getattr(v, f"{name}_bias").values)
    conv(student.value.ownership, v.ownership)


def averaged(networks: list[katago.Network], weights: list[float], name: str) -> katago.Network:
    """The weighted mean of networks of one shape, number by number.

    The mean of networks that were trained from the same one on different data is often better
    than each (Wortsman et al. 2022, Model soups). The weights need not sum to 1.
    Raises ValueError if the shapes or the activations differ.
    """
    others = "networks of different shapes have no mean"

    def mean(parts: list):
        first = parts[0]
        if any(type(p) is not type(first) for p in parts):
            raise ValueError(others)
        if isinstance(first, np.ndarray):
            if any(p.shape != first.shape for p in parts):
                raise ValueError(others)
            return np.average(parts, axis=0, weights=weights).astype(np.float32)
        if isinstance(first, list | tuple):
            if any(len(p) != len(first) for p in parts):
                raise ValueError(others)
            return type(first)(mean(list(p)) for p in zip(*parts, strict=True))
        if dataclasses.is_dataclass(first):
            numbers = [f.name for f in dataclasses.fields(first) if f.name != "name"]
            means = {f: mean([getattr(p, f) for p in parts]) for f in numbers}
            return dataclasses.replace(first, **means)
        if any(p != first for p in parts):
            raise ValueError(others)
        return first

    return dataclasses.replace(mean(networks), name=name)


def rounded(network: katago.Network, bits: int, head_bits: int | None = None) -> katago.Network:
    """Round the weights of convolutions and products to `bits` bits of mantissa.

    Rounded weights compress better: at 8 bits a file is about 40 % smaller. The heads and the
    pooling biases, a small part of the weights, may keep more bits, `head_bits`. Biases and norms
    keep their precision. Changes the given network and returns it.
    """
    trunk, p, v = network.trunk, network.policy, network.value

    if head_bits is None:
        head_bits = bits

    def layers(blocks: list[katago.Block]) -> list:
        found = []
        for b in blocks:
            found += [(b.conv1, bits), (b.conv2, bits)]
            if isinstance(b, katago.GlobalPoolBlock):
                found += [(b.pool_conv, bits), (b.pool_bias, head_bits)]
            if isinstance(b, katago.BottleneckBlock):
                found += layers(b.blocks)
        return found

    heads = [p.conv1, p.pool_conv, p.pool_bias, p.conv2, p.pass_product]
    heads += [v.conv, v.hidden, v.result, v.score, v.ownership]
    body = [(trunk.planes, bits), (trunk.globals, bits), *layers(trunk.blocks)]
    for layer, kept in [*body, *((head, head_bits) for head in heads)]:
        mantissa, exponent = np.frexp(layer.weights)
        mantissa = np.rint(np.ldexp(mantissa, kept + 1))
        layer.weights = np.ldexp(mantissa, exponent - kept - 1).astype(np.float32)
    return network
