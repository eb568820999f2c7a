"""Pick positions in which small networks misjudge a chain: a large one, one that a ladder
catches, one in seki, or one around a bent four in the corner.

    python hard.py NETWORK.bin.gz … --shards FOLDER … --out FOLDER

From held-out shards it picks the positions in which the teacher is sure who owns a chain and
the networks, on average, disagree. It writes a shard each to `FOLDER/dragons`, `ladders`,
`sekis` and `bent_fours`, for `evaluate.py NETWORK … --least 1 --shards FOLDER/dragons`.
"""

from __future__ import annotations

import argparse
import functools
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from evaluate import evaluations, held_out
from ponnuki_training import katago, shards, symmetry
from ponnuki_training.batches import Size
from ponnuki_training.refusal import refuse, run

OWN, OPPONENT, CAUGHT = 1, 2, 14
"""Planes: stones of the player to move, stones of the opponent, chains caught in a ladder."""
SURE = 0.85
"""Minimum ownership at which the teacher is sure."""
WRONG = {"dragons": 0.8, "ladders": 0.8, "sekis": 0.4, "bent_fours": 0.2}
"""Minimum error in ownership of a misjudged chain. The last two kinds are rare."""
NEUTRAL = 0.5
"""Maximum ownership of a neutral point."""
DRAGON = {9: 8, 13: 10, 19: 12}
"""Minimum number of stones of a large chain, by the side of the board."""
APART = 150
"""Minimum distance of picked records, so that they are from different games."""


Corner = tuple[list[int], int, list[int]]
"""The four points of a bent four, the fifth point of the eye space, and the points around these
five."""


@functools.cache
def neighbours(size: Size) -> list[list[int]]:
    """The neighbours of each point."""
    width, height = size
    found = []
    for y in range(height):
        for x in range(width):
            adjacent = ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1))
            inside = [(v, u) for v, u in adjacent if 0 <= v < height and 0 <= u < width]
            found.append([v * width + u for v, u in inside])
    return found


@functools.cache
def bent_fours(size: Size) -> list[Corner]:
    """All places of a bent four in the corner: every corner, both orientations."""
    adjacent = neighbours(size)
    found = []
    for turn in symmetry.sources(*size):

        def at(x: int, y: int, turn: np.ndarray = turn) -> int:
            return int(turn[y * size[0] + x])

        four = [at(0, 0), at(1, 0), at(2, 0), at(0, 1)]
        for last in (at(3, 0), at(1, 1), at(2, 1), at(0, 2)):
            inside = {*four, last}
            around = {q for p in inside for q in adjacent[p]} - inside
            found.append((four, last, sorted(around)))
    return found


class Board:
    """A record's stones by point, row by row: 1 of the player to move, −1 of the opponent."""

    def __init__(self, planes: np.ndarray, size: Size):
        self.stones = planes[:, OWN].astype(int) - planes[:, OPPONENT]
        self.size = size
        self.adjacent = neighbours(size)

    def chain(self, p: int) -> list[int]:
        """The chain of the stone at a point."""
        found, at = [p], 0
        while at < len(found):
            same = (q for q in self.adjacent[found[at]] if self.stones[q] == self.stones[p])
            found += [q for q in same if q not in found]
            at += 1
        return found

    def chains(self, color: int) -> Iterator[list[int]]:
        """All chains of one player."""
        left = set(np.flatnonzero(self.stones == color).tolist())
        while left:
            chain = self.chain(min(left))
            left.difference_update(chain)
            yield chain

    def touches(self, chain: list[int], color: int) -> set[int]:
        """The neighbours of a chain that are empty (0) or have stones of this player."""
        return {q for p in chain for q in self.adjacent[p] if self.stones[q] == color}

    def lives_without_eyes(self, chain: list[int], label: np.ndarray) -> bool:
        """Does the chain live, by this ownership, with at most one eye and nothing to capture?"""
        color = self.stones[chain[0]]
        own = label * color
        liberties = self.touches(chain, 0)
        eyes = [p for p in liberties if own[p] > NEUTRAL]
        dead = [p for p in self.touches(chain, -color) if own[p] > 0.0]
        lives = own[chain].mean() >= SURE
        return bool(lives and len(eyes) < 2 and len(liberties) <= 3 and not dead)

    def in_seki(self, chain: list[int], label: np.ndarray) -> bool:
        """Is the chain in a seki by this ownership: does an adjacent chain also live without eyes?

        If points in seki do not count, the teacher may give the stones no owner. Those chains are
        not found.
        """
        if not self.lives_without_eyes(chain, label):
            return False
        shared = [p for p in self.touches(chain, 0) if abs(label[p]) < NEUTRAL]
        others = self.touches(shared, -self.stones[chain[0]])
        return any(self.lives_without_eyes(self.chain(q), label) for q in others)

    def around_bent_four(self, chain: list[int]) -> bool:
        """Does the chain enclose three stones that can become a bent four in the corner?"""
        color = self.stones[chain[0]]
        for four, last, around in bent_fours(self.size):
            inside = self.stones[four]
            three = (inside == -color).sum() == 3 and (inside == 0).sum() == 1
            if three and self.stones[last] == 0 and (self.stones[around] == color).all():
                return any(p in chain for p in around)
        return False


def ownership(network: katago.Network, size: Size, records: np.ndarray) -> np.ndarray:
    """A network's ownership of the records, for the player to move: [count, points]."""
    parts = [e["ownership"].numpy() for _, _, e in evaluations(network, records, size)]
    return np.concatenate(parts)


def kind_of(board: Board, chain: list[int], label: np.ndarray, caught: np.ndarray) -> str | None:
    """The kind of the chain, if it is of any kind. `label` [points] is the ownership, `caught`
    [points] marks stones caught in a ladder."""
    if board.around_bent_four(chain):
        return "bent_fours"
    if board.in_seki(chain, label):
        return "sekis"
    if caught[chain].any():
        return "ladders"
    return "dragons" if len(chain) >= DRAGON[board.size[0]] else None


def wrong(
    records: np.ndarray, size: Size, predicted: np.ndarray
) -> Iterator[tuple[str, float, int]]:
    """Kind, error and index of each record with a chain that the networks misjudge. `predicted`
    is their mean ownership."""
    least = min(WRONG.values())
    for i, planes in enumerate(shards.planes_of(records)):
        label = records["ownership"][i] / 127.0
        off = np.abs(predicted[i] - label)
        # Most positions have no such point.
        if not ((off > least) & (np.abs(label) > SURE)).any():
            continue
        board = Board(planes, size)
        for color in (1, -1):
            for chain in board.chains(color):
                error = float(off[chain].mean())
                if abs(label[chain].mean()) < SURE or error < least:
                    continue
                kind = kind_of(board, chain, label, planes[:, CAUGHT])
                if kind and error >= WRONG[kind]:
                    yield kind, error, i


def pick(found: list[tuple[float, int]], most: int) -> list[int]:
    """Indices of the worst errors, at most `most`, far from each other."""
    taken: list[int] = []
    for _, i in sorted(found, reverse=True):
        if len(taken) < most and all(abs(i - j) >= APART for j in taken):
            taken.append(i)
    return sorted(taken)


def main() -> None:
    """See the description above."""
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("networks", nargs="+", type=Path)
    p.add_argument("--shards", nargs="+", type=Path, required=True, help="folders")
    p.add_argument("--all", action="store_true", help="use all shards, not only held-out ones")
    p.add_argument("--out", type=Path, required=True, help="folder")
    p.add_argument("--most", type=int, default=10, help="maximum positions per kind and size")
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    shards.allow_many()
    torch.set_num_threads(args.threads)
    paths = (path for folder in args.shards for path in shards.paths(folder))
    teachers = {shards.header(path)["teacher"] for path in paths} - {None}
    if len(teachers) != 1:
        refuse(f"the shards must have one teacher, not {len(teachers)}")
    teacher = teachers.pop()
    networks = [katago.open_network(path) for path in args.networks]
    picked = defaultdict(list)
    for size, records in held_out(args.shards, args.all, 1 << 30).items():
        if size[0] != size[1] or size[0] not in DRAGON:
            continue
        predicted = np.mean([ownership(network, size, records) for network in networks], axis=0)
        found = defaultdict(list)
        for kind, error, i in wrong(records, size, predicted):
            found[kind].append((error, i))
        for kind, places in found.items():
            chosen = pick(places, args.most)
            positions = len({i for _, i in places})
            print(f"{kind} {size[0]}x{size[1]}: {len(chosen)} of {positions}")
            picked[kind].append((*size, records[chosen]))
    for kind, sections in picked.items():
        (args.out / kind).mkdir(parents=True, exist_ok=True)
        shards.write_shard(args.out / kind / "000049.shard", teacher, (0, 0), sections)


if __name__ == "__main__":
    run(main)
