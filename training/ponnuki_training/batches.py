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
"""A game is decided if the win probability is closer than this to 0 or 1."""


def batch_size(size: Size, points: int) -> int:
    """Number of positions of a batch whose boards have about `points` points in total."""
    return max(8, points // (size[0] * size[1]) // 8 * 8)


class Pile:
    """The training records of one size, drawn in passes without repetition."""

    def __init__(self, size: Size):
        self.size = size
        self.sections: dict[str, np.ndarray] = {}
        # The number of the present pass, the number of records that it has drawn from each
        # section, and the order in which it draws them.
        self.number = 0
        self.drawn: dict[str, int] = {}
        self.orders: dict[str, np.ndarray] = {}
        # Names of sections in a checkpoint of an earlier version, where they differ: the order in
        # the present pass depends on them.
        self.called: dict[str, str] = {}

    def __len__(self) -> int:
        return sum(len(r) for r in self.sections.values())

    def draw(self, wanted: int, seed: int, rng: np.random.Generator) -> np.ndarray:
        """Draw the next records, in random order. Sections added during a pass join the rest of
        it.

        The order of a section depends only on the seed, its path and the pass, so that `number`
        and `drawn` are the whole state.
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
        """The order in which the present pass draws the records of a section."""
        count = len(self.sections[name])
        known = self.orders.get(name)
        if known is None or len(known) != count:
            called = self.called.get(name, name)
            key = (seed, self.number, zlib.crc32(called.encode()), *self.size)
            known = np.random.default_rng(key).permutation(count).astype(np.uint32)
            self.orders[name] = known
        return known


class Data:
    """Records of all shards in some folders, by size. New shards are added while it runs.

    `decided` is the share of the decided training positions that is used. Positions of finished
    games, where stones are counted, are always used.
    """

    def __init__(self, folders: list[Path], decided: float = 1.0):
        # Different spellings of a path name the same folder.
        self.folders = [folder.resolve() for folder in folders]
        self.decided = decided
        self.seen: set[Path] = set()
        self.unread: set[Path] = set()
        self.training: dict[Size, Pile] = {}
        self.held_out: dict[Size, list[np.ndarray]] = defaultdict(list)
        self.looked = 0.0

    def look(self, seconds: float = 0.0) -> None:
        """Add new shards, unless this was done less than `seconds` ago.

        At the first call, an unreadable shard ends the program. Later, it may still be being
        copied: it is reported once and tried again.
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
                        tqdm.write(f"{e}: skipped until it can be read", file=sys.stderr)
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
        """The records to use, always the same ones of a shard."""
        if self.decided >= 1.0:
            return records
        result = records["result"].astype(np.float32)
        sure = np.abs(result[:, 0] + result[:, 2] / 2 - 0.5) > 0.5 - DECIDED
        draws = np.random.default_rng(shards.number(path)).random(len(records))
        return records[~sure | (records["kind"] == shards.LATE) | (draws < self.decided)]

    def count(self) -> int:
        """Number of training positions."""
        return sum(len(p) for p in self.training.values())

    def state(self) -> dict[Size, tuple[int, dict[str, int]]]:
        """The state of the passes: their numbers, and the numbers of drawn records."""
        return {
            size: (pile.number, {pile.called.get(n, n): k for n, k in pile.drawn.items()})
            for size, pile in self.training.items()
        }

    def restore(self, state: dict[Size, tuple[int, dict[str, int]]]) -> int:
        """Restore a state, as far as the shards still exist and are as large. Returns the number
        of its sections that are missing."""
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
        """Draw the next records of one size, with boards of about `points` points in total.

        Sizes get samples in proportion to `shares`, or to their numbers of positions. Each size in
        `shares` must have positions.
        """
        sizes = sorted(shares or self.training)
        counts = [shares[s] if shares else len(self.training[s]) for s in sizes]
        # Batches of large boards hold fewer positions, so there must be more of them.
        batches = [batch_size(s, points) for s in sizes]
        weights = np.array(counts) / np.array(batches)
        i = rng.choice(len(sizes), p=weights / weights.sum())
        return sizes[i], self.training[sizes[i]].draw(batches[i], seed, rng)


def may_end_without_result(globals_: Tensor) -> Tensor:
    """Can the games end without result, by their global features [batch, 19]? Not under area
    scoring with superko. [batch]"""
    return ~((globals_[:, 6] != 0) & (globals_[:, 9] == 0))


def to_device(array: np.ndarray, device: torch.device) -> Tensor:
    """Copy an array to a device. On a GPU the copy is asynchronous: later operations of the GPU
    wait for it, this process does not."""
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


def stored(labels: dict[str, Tensor]) -> dict[str, Tensor]:
    """Convert an evaluation to the fields `LABELS` of records."""
    policy, result, score, ownership = (labels[name] for name in LABELS)
    ownership = (ownership * 127.0).round().to(torch.int8)
    return dict(zip(LABELS, (policy.half(), result, score, ownership), strict=True))


def turned(values: Tensor, source: Tensor) -> Tensor:
    """Turn the boards of values [batch, points or more, …]: point p gets the value at source[p].
    Values after the points (the pass) stay."""
    area = source.shape[1]
    index = source.view(*source.shape, *(1 for _ in values.shape[2:]))
    points = values[:, :area].gather(1, index.expand(-1, -1, *values.shape[2:]))
    return torch.cat((points, values[:, area:]), dim=1) if values.shape[1] > area else points


def sent(
    records: np.ndarray, size: Size, rng: np.random.Generator | None, device: torch.device
) -> tuple[Tensor, Tensor | None]:
    """Copy packed records to a device, with the number of a random symmetry for each if there is
    a generator."""
    raw = to_device(packed(records), device)
    if rng is None:
        return raw, None
    return raw, to_device(rng.integers(symmetry.count(*size), size=len(records)), device)


def unpacked(raw: Tensor, symmetries: Tensor | None, size: Size) -> dict[str, Tensor]:
    """Inputs and targets of packed records of one size, in these symmetries [batch] if given."""
    fields = columns(raw, size)
    planes, policy = fields["planes"], fields["policy"].float()
    ownership = fields["ownership"].float()
    if symmetries is not None:
        source = turns(size, raw.device)[0][symmetries]
        planes, policy, ownership = (turned(x, source) for x in (planes, policy, ownership))
    return {
        "planes": planes_of(planes, size),
        "globals": fields["globals"],
        "policy": policy,
        "result": fields["result"].float(),
        "score": fields["score"],
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
