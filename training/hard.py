"""Pick positions in which small networks are wrong about a large chain or a ladder.

    python hard.py NETWORK.bin.gz … --shards FOLDER … --out FOLDER

From held-out shards, the positions in which the teacher is sure who owns a chain and the
networks, on average, say otherwise: `FOLDER/dragons` and `FOLDER/ladders` get a shard each,
for `evaluate.py NETWORK … --all --least 1 --shards FOLDER/dragons`.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from evaluate import evaluations, held_out
from ponnuki_training import katago, shards
from ponnuki_training.batches import Size

OWN, OPPONENT, CAUGHT = 1, 2, 14
"""Planes: stones of the player to move, of the other, chains that a ladder catches."""
SURE = 0.85
"""Ownership of which a teacher is sure."""
WRONG = 0.8
"""How far off a network is, at least, that is wrong about it."""
DRAGON = {9: 8, 13: 10, 19: 12}
"""Stones of a large chain, by the side of the board."""
APART = 150
"""Records between two that are picked, so that they are of different games."""


def chains(stones: np.ndarray) -> Iterator[np.ndarray]:
    """The chains of a board [height, width] of one colour, as indices of points."""
    height, width = stones.shape
    left = {(y, x) for y, x in zip(*np.nonzero(stones), strict=True)}
    while left:
        open_ = [left.pop()]
        found = list(open_)
        while open_:
            y, x = open_.pop()
            for q in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if q in left:
                    left.remove(q)
                    open_.append(q)
                    found.append(q)
        yield np.array([y * width + x for y, x in found])


def ownership(network: katago.Network, size: Size, records: np.ndarray) -> np.ndarray:
    """What a network says of the records: [count, points], for the player to move."""
    said = [e["ownership"].numpy() for _, _, e in evaluations(network, records, size)]
    return np.concatenate(said)


def wrong(records: np.ndarray, size: Size, said: np.ndarray) -> Iterator[tuple[str, float, int]]:
    """Kind, error and place of the records with a chain of which the networks, who say so
    much on average, are wrong."""
    width, height = size
    for i, planes in enumerate(shards.planes_of(records)):
        label = records["ownership"][i] / 127.0
        off = np.abs(said[i] - label)
        # Most positions have no such point.
        if not ((off > WRONG) & (np.abs(label) > SURE)).any():
            continue
        for color in (OWN, OPPONENT):
            for chain in chains(planes[:, color].reshape(height, width)):
                error = float(off[chain].mean())
                if abs(label[chain].mean()) < SURE or error < WRONG:
                    continue
                if planes[chain, CAUGHT].any():
                    yield "ladders", error, i
                elif len(chain) >= DRAGON[width]:
                    yield "dragons", error, i


def pick(found: list[tuple[float, int]], most: int) -> list[int]:
    """Places of the worst, at most so many, far from each other."""
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
    p.add_argument("--all", action="store_true", help="every shard, not only those held out")
    p.add_argument("--out", type=Path, required=True, help="folder")
    p.add_argument("--most", type=int, default=10, help="positions of a kind and size")
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    found_shards = [shards.open_shard(q) for folder in args.shards for q in shards.paths(folder)]
    teachers = {shard.teacher for shard in found_shards if shard.teacher is not None}
    if len(teachers) != 1:
        raise SystemExit(f"one teacher is wanted, not {len(teachers)}")
    teacher = teachers.pop()
    networks = [katago.read_network(path) for path in args.networks]
    picked = defaultdict(list)
    for size, records in held_out(args.shards, args.all, 1 << 30).items():
        if size[0] != size[1] or size[0] not in DRAGON:
            continue
        said = np.mean([ownership(network, size, records) for network in networks], axis=0)
        found = defaultdict(list)
        for kind, error, i in wrong(records, size, said):
            found[kind].append((error, i))
        for kind, places in found.items():
            chosen = pick(places, args.most)
            print(f"{kind} {size[0]}x{size[1]}: {len(chosen)} of {len(places)}")
            picked[kind].append((*size, records[chosen]))
    for kind, sections in picked.items():
        (args.out / kind).mkdir(parents=True, exist_ok=True)
        shards.write_shard(args.out / kind / "000049.shard", teacher, (0, 0), sections)


if __name__ == "__main__":
    main()
