"""Batches for training and evaluation: records of one size as tensors."""

from __future__ import annotations

import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from . import katago, shards, symmetry

Size = tuple[int, int]
"""Columns and rows of a board."""


class Data:
    """Records of all shards of folders, by size; new shards are found while it runs."""

    def __init__(self, folders: list[Path]):
        self.folders = folders
        self.seen: set[Path] = set()
        self.training: dict[Size, list[np.ndarray]] = defaultdict(list)
        self.held_out: dict[Size, list[np.ndarray]] = defaultdict(list)
        self.looked = 0.0

    def look(self, seconds: float = 0.0) -> None:
        """Take in new shards, unless that was done less than so many seconds ago."""
        if time.monotonic() - self.looked < seconds:
            return
        self.looked = time.monotonic()
        for folder in self.folders:
            for path in shards.paths(folder):
                if path in self.seen:
                    continue
                self.seen.add(path)
                shard = shards.open_shard(path)
                if shard.teacher is None:
                    continue
                to = self.held_out if shards.is_held_out(path) else self.training
                for section in shard.sections:
                    to[section.size].append(section.records)

    def count(self) -> int:
        """Positions to train on."""
        return sum(len(r) for all_ in self.training.values() for r in all_)

    def batch(self, rng: np.random.Generator, points: int) -> tuple[Size, np.ndarray]:
        """Random records of one size, of about so many points of the board together.

        Positions are drawn evenly, whatever their size.
        """
        sizes = list(self.training)
        counts = [sum(len(r) for r in self.training[s]) for s in sizes]
        # Batches of large boards hold fewer positions, so there must be more of them.
        weights = np.array([n * s[0] * s[1] for s, n in zip(sizes, counts, strict=True)])
        size = sizes[rng.choice(len(sizes), p=weights / weights.sum())]
        wanted = max(16, points // (size[0] * size[1]) // 8 * 8)
        pieces = self.training[size]
        lengths = np.array([len(r) for r in pieces])
        taken = rng.choice(len(pieces), wanted, p=lengths / lengths.sum())
        rows = [pieces[i][rng.integers(lengths[i])] for i in taken]
        return size, np.array(rows, dtype=pieces[0].dtype)


def tensors(
    records: np.ndarray, size: Size, rng: np.random.Generator | None = None
) -> dict[str, Tensor]:
    """Inputs and targets of records of one size, each in a random symmetry if there is
    a generator."""
    width, height = size
    n, area = len(records), width * height
    planes = shards.planes_of(records)[:, :, : katago.PLANES]
    policy = records["policy"].astype(np.float32)
    ownership = records["ownership"].astype(np.float32) / 127.0
    if rng is not None:
        turns = rng.integers(symmetry.count(width, height), size=n)
        source = symmetry.sources(width, height)[turns]
        planes = np.take_along_axis(planes, source[:, :, None], 1)
        policy[:, :area] = np.take_along_axis(policy[:, :area], source, 1)
        ownership = np.take_along_axis(ownership, source, 1)
    # Channels last, as the records have them.
    planes = torch.from_numpy(planes.astype(np.float32))
    return {
        "planes": planes.view(n, height, width, -1).permute(0, 3, 1, 2),
        "globals": torch.from_numpy(records["globals"].copy()),
        "policy": torch.from_numpy(policy),
        "result": torch.from_numpy(records["result"].astype(np.float32)),
        "score": torch.from_numpy(records["score"].copy()),
        "ownership": torch.from_numpy(ownership),
    }


def divergence(logits: Tensor, target: Tensor) -> Tensor:
    """KL(target ‖ softmax over the legal moves) of each position, in nats."""
    legal = target >= 0.0
    log = F.log_softmax(logits.masked_fill(~legal, -torch.inf), dim=1)
    target = target.clamp(min=0.0)
    target = target / target.sum(1, keepdim=True)
    log = log.masked_fill(~legal, 0.0)
    return (target * (target.clamp(min=1e-12).log() - log)).sum(1)
