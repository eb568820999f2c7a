"""Label shards: the format of DATA.md."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

try:
    import resource
except ImportError:  # Windows has no such limits.
    resource = None

MAGIC = b"PONNUKI1"
ALIGNMENT = 64
LATE = 3
"""The kind of positions after a pass or the end of the game."""


class ShardError(Exception):
    """The file is not a shard, or not a supported one."""


@functools.cache
def record_type(width: int, height: int) -> np.dtype:
    """The fields of a record of a board of this size."""
    area = width * height
    return np.dtype(
        [
            ("planes", "u1", (area, 3)),
            ("globals", "<f4", 19),
            ("symmetry", "u1"),
            ("kind", "u1"),
            ("policy", "<f2", area + 1),
            ("result", "<f2", 3),
            ("score", "<f4", 6),
            ("ownership", "i1", area),
        ]
    )


@dataclass
class Section:
    """The records of one size of a shard, mapped into memory."""

    width: int
    height: int
    records: np.ndarray  # [count] of record_type(width, height)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self.width, self.height


@dataclass
class Shard:
    """A shard file."""

    path: Path
    teacher: str | None
    games: tuple[int, int]
    sections: list[Section]

    @property
    def count(self) -> int:
        """Number of records in all sections."""
        return sum(len(s.records) for s in self.sections)


def number(path: Path) -> int:
    """The number in a shard's name."""
    return int(path.stem)


def is_held_out(path: Path) -> bool:
    """Is the shard kept for evaluation? Every fiftieth is."""
    return number(path) % 50 == 49


def paths(folder: str | Path) -> list[Path]:
    """The shards of a folder, in order of their numbers."""
    found = (p for p in Path(folder).glob("*.shard") if p.stem.isdigit())
    return sorted(found, key=number)


def allow_many() -> None:
    """Raise the limit on open files, often 1024, as far as the system allows: each shard needs
    one."""
    if resource:
        # macOS reports no limit, but refuses to set that.
        with suppress(ValueError, OSError):
            _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def header(path: str | Path) -> dict:
    """The JSON of a shard's header."""
    with open(path, "rb") as file:
        start = file.read(len(MAGIC) + 4)
        if len(start) < len(MAGIC) + 4 or not start.startswith(MAGIC):
            raise ShardError(f"{path}: not a shard")
        length = int.from_bytes(start[len(MAGIC) :], "little")
        try:
            found = json.loads(file.read(length))
        except ValueError as e:
            raise ShardError(f"{path}: {e}") from None
    if (found.get("format"), found.get("features")) != (1, 7):
        raise ShardError(f"{path}: another format or version of the features")
    return found


def open_shard(path: str | Path) -> Shard:
    """Open a shard. Only its header is read at once.

    Raises ShardError if the file is not a shard, or shorter than its header says.
    """
    head = header(path)
    # One mapping for all sections, because each mapping holds a file open.
    mapped = np.memmap(path, np.uint8, "r")
    sections = []
    for s in head["sections"]:
        kind = record_type(s["width"], s["height"])
        if kind.itemsize != s["record"]:
            raise ShardError(f"{path}: records of {s['record']} bytes, not {kind.itemsize}")
        end = s["offset"] + s["count"] * kind.itemsize
        if end > len(mapped):
            raise ShardError(f"{path}: shorter than its header says")
        if s["count"] == 0:
            continue
        sections.append(Section(s["width"], s["height"], mapped[s["offset"] : end].view(kind)))
    return Shard(Path(path), head["teacher"], tuple(head["games"]), sections)


def write_shard(
    path: str | Path,
    teacher: str | None,
    games: Sequence[int],
    sections: Sequence[tuple[int, int, np.ndarray]],
) -> None:
    """Write sections of (width, height, records). The file is replaced atomically."""

    def text(begin: int) -> bytes:
        described = []
        offset = begin
        for width, height, records in sections:
            size = record_type(width, height).itemsize
            described.append(
                {
                    "width": width,
                    "height": height,
                    "offset": offset,
                    "count": len(records),
                    "record": size,
                }
            )
            offset += size * len(records)
        head = {
            "format": 1,
            "features": 7,
            "teacher": teacher,
            "games": list(games),
            "sections": described,
        }
        return json.dumps(head).encode()

    before = len(MAGIC) + 4
    begin = ALIGNMENT
    while before + len(text(begin)) > begin:
        begin += ALIGNMENT
    path = Path(path)
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "wb") as file:
        file.write(MAGIC + (begin - before).to_bytes(4, "little"))
        file.write(text(begin).ljust(begin - before))
        for width, height, records in sections:
            file.write(records.astype(record_type(width, height), copy=False).tobytes())
    temporary.replace(path)


def planes_of(records: np.ndarray) -> np.ndarray:
    """The planes of records as [count, points, 24] of 0 and 1; the last two are 0."""
    bits = np.unpackbits(records["planes"], axis=2, bitorder="little")
    return bits.reshape(len(records), -1, 24)
