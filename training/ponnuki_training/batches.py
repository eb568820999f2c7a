"""Batches for training and evaluation: records of one size as tensors."""

from __future__ import annotations

import functools
import sys
import time
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from tqdm import tqdm

from . import katago, shards, symmetry
from .refusal import refuse

Size = tuple[int, int]
"""Columns and rows of a board."""

LABELS = ("policy", "result", "score", "ownership")
"""The fields of a record that a teacher fills in."""

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
        # The number of the present pass, what it has drawn from each section, and in which
        # order it goes through those from which it has drawn.
        self.number = 0
        self.drawn: dict[str, int] = {}
        self.orders: dict[str, np.ndarray] = {}
        # What the checkpoint of an earlier version calls sections, where it calls them otherwise:
        # their order in the present pass depends on that.
        self.called: dict[str, str] = {}

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
                self.orders.clear()
                self.called.clear()
                continue
            count = min(wanted, int(left.sum()))
            shares = rng.multivariate_hypergeometric(left, count, method="marginals")
            for i in np.flatnonzero(shares):
                name = names[i]
                order = self.order(name, seed)
                begin = self.drawn.get(name, 0)
                end = begin + int(shares[i])
                parts.append(self.sections[name][order[begin:end]])
                self.drawn[name] = end
            wanted -= count
        records = np.concatenate(parts)
        return records[rng.permutation(len(records))]

    def order(self, name: str, seed: int) -> np.ndarray:
        """In which order the present pass goes through a section."""
        count = len(self.sections[name])
        known = self.orders.get(name)
        if known is None or len(known) != count:
            called = self.called.get(name, name)
            key = (seed, self.number, zlib.crc32(called.encode()), *self.size)
            known = np.random.default_rng(key).permutation(count).astype(np.uint32)
            self.orders[name] = known
        return known


class Data:
    """Records of all shards of folders, by size; new shards are found while it runs.

    Of the positions to train on that are decided, this share takes part, and all those of
    games that are over, whose stones are to be counted.
    """

    def __init__(self, folders: list[Path], decided: float = 1.0):
        # A folder is the same one however it is spelled.
        self.folders = [folder.resolve() for folder in folders]
        self.decided = decided
        self.seen: set[Path] = set()
        self.unread: set[Path] = set()
        self.training: dict[Size, Pile] = {}
        self.held_out: dict[Size, list[np.ndarray]] = defaultdict(list)
        self.looked = 0.0

    def look(self, seconds: float = 0.0) -> None:
        """Take in new shards, unless that was done less than so many seconds ago.

        One that cannot be read ends the program at first. Later it may be on its way into the
        folder: it is named once, and tried again.
        """
        if time.monotonic() - self.looked < seconds:
            return
        first = self.looked == 0.0
        self.looked = time.monotonic()
        for folder in self.folders:
            for path in shards.paths(folder):
                if path in self.seen:
                    continue
                try:
                    self.take_in(shards.open_shard(path))
                except (shards.ShardError, OSError) as e:
                    if first:
                        refuse(e)
                    if path not in self.unread:
                        tqdm.write(f"{e}: it is left out until it can be read", file=sys.stderr)
                    self.unread.add(path)
                else:
                    self.seen.add(path)

    def take_in(self, shard: shards.Shard) -> None:
        """Add a shard's sections, if they have labels."""
        if shard.teacher is None:
            return
        for section in shard.sections:
            if shards.is_held_out(shard.path):
                self.held_out[section.size].append(section.records)
            else:
                chosen = self.chosen(section.records, shard.path)
                if len(chosen) > 0:
                    pile = self.training.setdefault(section.size, Pile(section.size))
                    pile.sections[str(shard.path)] = chosen

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
        return {
            size: (pile.number, {pile.called.get(n, n): k for n, k in pile.drawn.items()})
            for size, pile in self.training.items()
        }

    def restore(self, state: dict[Size, tuple[int, dict[str, int]]]) -> int:
        """Go on from a state, as far as the shards are still there, and as large. Returns how
        many sections of which the state knows are not there."""
        missing = 0
        for size, (number, drawn) in state.items():
            pile = self.training.get(size, Pile(size))
            pile.number = number
            pile.drawn = {}
            for called, k in drawn.items():
                name = called
                if name not in pile.sections:
                    # Earlier versions spelled the path as the command line did.
                    path = Path(called)
                    name = str(path.parent.resolve() / path.name)
                if name not in pile.sections:
                    missing += 1
                    continue
                pile.drawn[name] = min(k, len(pile.sections[name]))
                if name != called:
                    pile.called[name] = called
        return missing

    def batch(
        self,
        seed: int,
        rng: np.random.Generator,
        points: int,
        shares: dict[Size, float] | None = None,
    ) -> tuple[Size, np.ndarray]:
        """The next records of one size, of about so many points of the board together.

        Sizes get samples in proportion to `shares`, all of which have positions, or else to
        their positions.
        """
        sizes = sorted(shares or self.training)
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


def to_device(array: np.ndarray, device: torch.device) -> Tensor:
    """An array on a device. This process does not wait until it has arrived on a GPU; what is
    asked of the GPU afterwards does."""
    tensor = torch.from_numpy(array)
    if device.type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


@functools.cache
def turns(size: Size, device: torch.device) -> tuple[Tensor, Tensor]:
    """`symmetry.sources` and `symmetry.places` of a size, on a device."""
    tables = symmetry.sources(*size), symmetry.places(*size)
    sources, places = (torch.from_numpy(np.ascontiguousarray(t)).to(device) for t in tables)
    return sources, places


def packed(records: np.ndarray) -> np.ndarray:
    """Records as bytes, [batch, bytes]."""
    return np.ascontiguousarray(records).view(np.uint8).reshape(len(records), -1)


def columns(raw: Tensor, size: Size) -> dict[str, Tensor]:
    """The fields of packed records by name, in the types of the file."""
    kinds = {"u1": torch.uint8, "i1": torch.int8, "f2": torch.float16, "f4": torch.float32}
    found = {}
    for name, (dtype, offset, *_) in shards.record_type(*size).fields.items():
        part = raw[:, offset : offset + dtype.itemsize].clone(memory_format=torch.contiguous_format)
        part = part.view(kinds[dtype.base.str[1:]])
        found[name] = part.reshape(len(raw), *dtype.shape)
    return found


def planes_of(packed: Tensor, size: Size) -> Tensor:
    """The planes of records [batch, points, 3] as the input of a network: [batch, 22, H, W]
    in float32, channels last."""
    width, height = size
    bits = torch.arange(8, dtype=torch.uint8, device=packed.device)
    planes = packed[..., None].bitwise_right_shift(bits).bitwise_and(1).flatten(2)
    planes = planes[:, :, : katago.PLANES].float()
    return planes.view(len(packed), height, width, -1).permute(0, 3, 1, 2)


def stored(said: dict[str, Tensor]) -> dict[str, Tensor]:
    """An evaluation as the fields `LABELS` of records."""
    policy, result, score, ownership = (said[name] for name in LABELS)
    ownership = (ownership * 127.0).round().to(torch.int8)
    return dict(zip(LABELS, (policy.half(), result, score, ownership), strict=True))


def turned(values: Tensor, source: Tensor) -> Tensor:
    """Values of points [batch, points or more, …], each board turned: its point p has what
    was at source[p]. What follows the points (the pass) stays."""
    area = source.shape[1]
    index = source.view(*source.shape, *(1 for _ in values.shape[2:]))
    points = values[:, :area].gather(1, index.expand(-1, -1, *values.shape[2:]))
    return torch.cat((points, values[:, area:]), dim=1) if values.shape[1] > area else points


def sent(
    records: np.ndarray, size: Size, rng: np.random.Generator | None, device: torch.device
) -> tuple[Tensor, Tensor | None]:
    """Packed records on a device, and the number of a random symmetry for each if there is a
    generator."""
    raw = to_device(packed(records), device)
    if rng is None:
        return raw, None
    return raw, to_device(rng.integers(symmetry.count(*size), size=len(records)), device)


def unpacked(raw: Tensor, lots: Tensor | None, size: Size) -> dict[str, Tensor]:
    """Inputs and targets of packed records of one size, in the symmetries `lots` [batch]
    if these are given."""
    said = columns(raw, size)
    planes, policy, ownership = said["planes"], said["policy"].float(), said["ownership"].float()
    if lots is not None:
        source = turns(size, raw.device)[0][lots]
        planes, policy, ownership = (turned(x, source) for x in (planes, policy, ownership))
    return {
        "planes": planes_of(planes, size),
        "globals": said["globals"],
        "policy": policy,
        "result": said["result"].float(),
        "score": said["score"],
        "ownership": ownership / 127.0,
    }


def tensors(
    records: np.ndarray,
    size: Size,
    rng: np.random.Generator | None = None,
    device: torch.device | None = None,
) -> dict[str, Tensor]:
    """Inputs and targets of records of one size, each in a random symmetry if there is
    a generator."""
    return unpacked(*sent(records, size, rng, device or torch.device("cpu")), size)


def divergence(logits: Tensor, target: Tensor) -> Tensor:
    """KL(target ‖ softmax over the legal moves) of each position, in nats."""
    legal = target >= 0.0
    log = F.log_softmax(logits.masked_fill(~legal, -torch.inf), dim=1)
    target = target.clamp(min=0.0)
    target = target / target.sum(1, keepdim=True)
    log = log.masked_fill(~legal, 0.0)
    return (target * (target.clamp(min=1e-12).log() - log)).sum(1)
