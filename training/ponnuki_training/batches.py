"""Batches for training and evaluation: records of one size as tensors."""

from __future__ import annotations

import time
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from . import katago, shards, symmetry

Size = tuple[int, int]
"""Columns and rows of a board."""

DECIDED = 0.02
"""A win probability so near to 0 or 1 says that the game is decided."""


def batch_size(size: Size, points: int) -> int:
    """Positions of a batch whose boards have about so many points together."""
    return max(8, points // (size[0] * size[1]) // 8 * 8)


class Pile:
    """The training records of one size, drawn in passes without repetition."""

    def __init__(self, size: Size):
        self.size = size
        self.sections: dict[str, np.ndarray] = {}
        # The number of the present pass, and what it has drawn from each section.
        self.number = 0
        self.drawn: dict[str, int] = {}

    def __len__(self) -> int:
        return sum(len(r) for r in self.sections.values())

    def draw(self, wanted: int, seed: int, rng: np.random.Generator) -> np.ndarray:
        """The next records, in random order. Sections that are added during a pass take
        part in the rest of it.

        The order of a section depends on the seed, its path and the pass alone, so that
        `number` and `drawn` are all that has to be remembered.
        """
        parts = []
        while wanted > 0:
            names = sorted(self.sections)
            left = np.array([len(self.sections[n]) - self.drawn.get(n, 0) for n in names])
            if left.sum() == 0:
                self.number += 1
                self.drawn.clear()
                continue
            count = min(wanted, int(left.sum()))
            shares = rng.multivariate_hypergeometric(left, count, method="marginals")
            for i in np.flatnonzero(shares):
                name = names[i]
                key = (seed, self.number, zlib.crc32(name.encode()), *self.size)
                order = np.random.default_rng(key).permutation(len(self.sections[name]))
                begin = self.drawn.get(name, 0)
                end = begin + int(shares[i])
                parts.append(self.sections[name][order[begin:end]])
                self.drawn[name] = end
            wanted -= count
        records = np.concatenate(parts)
        return records[rng.permutation(len(records))]


class Data:
    """Records of all shards of folders, by size; new shards are found while it runs.

    Of the positions to train on that are decided, this share takes part, and all those of
    games that are over, whose stones are to be counted.
    """

    def __init__(self, folders: list[Path], decided: float = 1.0):
        self.folders = folders
        self.decided = decided
        self.seen: set[Path] = set()
        self.training: dict[Size, Pile] = {}
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
                for section in shard.sections:
                    if shards.is_held_out(path):
                        self.held_out[section.size].append(section.records)
                    else:
                        chosen = self.chosen(section.records, path)
                        if len(chosen) > 0:
                            pile = self.training.setdefault(section.size, Pile(section.size))
                            pile.sections[str(path)] = chosen

    def chosen(self, records: np.ndarray, path: Path) -> np.ndarray:
        """Those that take part, always the same ones of a shard."""
        if self.decided >= 1.0:
            return records
        result = records["result"].astype(np.float32)
        sure = np.abs(result[:, 0] + result[:, 2] / 2 - 0.5) > 0.5 - DECIDED
        lots = np.random.default_rng(shards.number(path)).random(len(records))
        return records[~sure | (records["kind"] == shards.LATE) | (lots < self.decided)]

    def count(self) -> int:
        """Positions to train on."""
        return sum(len(p) for p in self.training.values())

    def state(self) -> dict[Size, tuple[int, dict[str, int]]]:
        """Where the passes stand: their numbers, and what they have drawn."""
        return {s: (p.number, dict(p.drawn)) for s, p in self.training.items()}

    def restore(self, state: dict[Size, tuple[int, dict[str, int]]]) -> None:
        """Go on from a state, as far as the shards are still there, and as large."""
        for size, (number, drawn) in state.items():
            if size in self.training:
                pile = self.training[size]
                pile.number = number
                sections = pile.sections
                pile.drawn = {
                    n: min(k, len(sections[n])) for n, k in drawn.items() if n in sections
                }

    def batch(
        self,
        seed: int,
        rng: np.random.Generator,
        points: int,
        shares: dict[Size, float] | None = None,
    ) -> tuple[Size, np.ndarray]:
        """The next records of one size, of about so many points of the board together.

        Sizes get samples in proportion to `shares`, or else to their positions.
        """
        sizes = sorted(s for s in self.training if not shares or s in shares)
        if not sizes:
            raise SystemExit("no position of the sizes that are wanted")
        counts = [shares[s] if shares else len(self.training[s]) for s in sizes]
        # Batches of large boards hold fewer positions, so there must be more of them.
        batches = [batch_size(s, points) for s in sizes]
        weights = np.array(counts) / np.array(batches)
        i = rng.choice(len(sizes), p=weights / weights.sum())
        return sizes[i], self.training[sizes[i]].draw(batches[i], seed, rng)


def may_end_without_result(globals_: Tensor) -> Tensor:
    """By the global features [batch, 19]: under area scoring with superko all games have
    a result. [batch]"""
    return ~((globals_[:, 6] != 0) & (globals_[:, 9] == 0))


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
        "globals": torch.from_numpy(records["globals"].astype(np.float32)),
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
