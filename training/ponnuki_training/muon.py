"""The optimizer of matrices."""

from __future__ import annotations

import math

import torch
from torch import Tensor


class Muon(torch.optim.Optimizer):
    """Steps along the orthogonalised momentum of matrices (Jordan and others 2024).

    The weights of a convolution are one matrix, output channels by the rest. Steps are
    as large as AdamW's (Liu and others 2025: 0.2 · √(the longer side)).
    """

    def __init__(self, params, lr: float, momentum: float = 0.95, weight_decay: float = 0.0):
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        """Apply the gradients."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["momentum"] = torch.zeros_like(p)
                m = state["momentum"].mul_(group["momentum"]).add_(p.grad)
                direction = orthogonal((p.grad + group["momentum"] * m).flatten(1))
                step = 0.2 * math.sqrt(max(direction.shape)) * group["lr"]
                p.mul_(1.0 - group["lr"] * group["weight_decay"])
                p.sub_(direction.reshape(p.shape), alpha=step)


def orthogonal(g: Tensor) -> Tensor:
    """The nearest matrix with equal singular values, by five Newton–Schulz steps."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g.float()
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.T
    x = x / (x.norm() + 1e-7)
    for _ in range(5):
        s = x @ x.T
        x = a * x + (b * s + c * s @ s) @ x
    return x.T if tall else x
