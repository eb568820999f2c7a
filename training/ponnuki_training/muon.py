"""The optimizer for matrices."""

from __future__ import annotations

import math
from collections import defaultdict

import torch
from torch import Tensor


class Muon(torch.optim.Optimizer):
    """Steps along the orthogonalised momentum of matrices (Jordan and others 2024).

    The weights of a convolution are one matrix, output channels by the rest. Steps are
    as large as AdamW's (Liu and others 2025: 0.2 · √(the longer side)).
    """

    def __init__(
        self, params, lr: float | Tensor, momentum: float = 0.95, weight_decay: float = 0.0
    ):
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        """Apply the gradients."""
        for group in self.param_groups:
            # Matrices of one shape share one operation: on a GPU, starting operations takes most
            # of the time.
            shapes = defaultdict(list)
            for p in group["params"]:
                if p.grad is not None:
                    shapes[p.shape].append(p)
                    if not self.state[p]:
                        self.state[p]["momentum"] = torch.zeros_like(p)
            for parameters in shapes.values():
                self.step_alike(parameters, **{k: v for k, v in group.items() if k != "params"})

    def step_alike(
        self, parameters: list[Tensor], lr: float | Tensor, momentum: float, weight_decay: float
    ) -> None:
        """Apply the gradients of parameters of one shape."""
        gradients = [p.grad for p in parameters]
        momenta = [self.state[p]["momentum"] for p in parameters]
        torch._foreach_mul_(momenta, momentum)
        torch._foreach_add_(momenta, gradients)
        ahead = torch._foreach_add(gradients, momenta, alpha=momentum)
        directions = orthogonal(torch.stack([d.flatten(1) for d in ahead]))
        step = 0.2 * math.sqrt(max(directions.shape[1:]))
        decay = weight_decay * torch.stack([p.flatten(1) for p in parameters])
        changes = (step * directions + decay) * -lr
        changes = [d.reshape(p.shape) for d, p in zip(changes, parameters, strict=True)]
        torch._foreach_add_(parameters, changes)


def orthogonal(g: Tensor) -> Tensor:
    """The nearest matrices [batch, rows, columns] with equal singular values, by five
    Newton–Schulz steps."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g.float()
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(5):
        s = x @ x.mT
        x = a * x + (b * s + c * s @ s) @ x
    return x.mT if tall else x
