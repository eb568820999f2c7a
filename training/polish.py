"""Train only the heads of a network; its trunk stays as it is.

    python polish.py NETWORK.bin.gz OUT.bin.gz --shards FOLDER …

While a network trains, its heads follow a changing trunk. Once the trunk is fixed, its
output for a position needs computing only once, and training the heads alone is cheap. The
outputs are kept in memory: with 64 channels 46 KB per position on 19x19 and 10 KB on 9x9.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from export import write
from ponnuki_training import convert, katago, shards, winograd
from ponnuki_training.batches import Data, Size, batch_size, tensors
from ponnuki_training.losses import losses
from ponnuki_training.refusal import number, refuse, run, whole
from ponnuki_training.student import Student, new_student

Known = dict[str, Tensor]
"""Labels of positions by name, with the trunk's outputs as `trunk`."""


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("network", type=Path, help="exported by export.py")
    p.add_argument("out", type=Path)
    p.add_argument("--shards", nargs="+", type=Path, required=True, help="folders")
    p.add_argument("--shape", default="b10c64", help="architecture of the network")
    p.add_argument(
        "--most", type=whole(1), default=60_000, help="maximum number of positions per size"
    )
    p.add_argument("--epochs", type=whole(1), default=4, help="passes over them")
    p.add_argument(
        "--points", type=whole(1), default=256 * 81, help="points of all boards of a batch"
    )
    p.add_argument("--lr", type=number(0), default=1e-3, help="initial learning rate")
    p.add_argument(
        "--decay", type=number(0, 1), default=0.8, help="final share, with a falling rate"
    )
    p.add_argument("--weight-decay", type=float, default=0.01)
    p.add_argument(
        "--decided",
        type=number(0, 1),
        default=1.0,
        help="share of the decided positions that is used",
    )
    p.add_argument("--bf16", action=argparse.BooleanOptionalAction, default=True)
    p.add_argument("--name", help="name in the file; default: that of the network")
    p.add_argument("--bits", type=whole(1, 23), default=8, help="bits of mantissa of the weights")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--seed", type=int, default=1)
    return p.parse_args()


@torch.no_grad()
def known(student: Student, records: np.ndarray, size: Size, rng: np.random.Generator) -> Known:
    """Records, each in a random symmetry, with the trunk's outputs."""
    parts = defaultdict(list)
    for at in tqdm(range(0, len(records), 128), desc=f"{size[0]}x{size[1]}", unit=" batches"):
        batch = tensors(records[at : at + 128], size, rng)
        batch["trunk"] = student.trunk(batch.pop("planes"), batch["globals"])
        for name, values in batch.items():
            parts[name].append(values)
    return {name: torch.cat(values) for name, values in parts.items()}


def polish(student: Student, data: dict[Size, Known], args: argparse.Namespace) -> None:
    """Train the heads of a student."""
    heads = [*student.policy.parameters(), *student.value.parameters()]
    adam = torch.optim.AdamW(heads, weight_decay=args.weight_decay)
    rng = np.random.default_rng(args.seed)
    for epoch in range(args.epochs):
        batches = []
        for size, positions in data.items():
            order = torch.from_numpy(rng.permutation(len(positions["trunk"])))
            batches += [(size, part) for part in order.split(batch_size(size, args.points))]
        sums: dict[str, float] = defaultdict(float)
        bar = tqdm(rng.permutation(len(batches)), desc=f"epoch {epoch + 1}", unit=" batches")
        for i, at in enumerate(bar):
            left = 1.0 - (epoch + i / len(batches)) / args.epochs
            for group in adam.param_groups:
                group["lr"] = args.lr * min(1.0, left / max(args.decay, 1e-9))
            size, chosen = batches[at]
            batch = {name: values[chosen] for name, values in data[size].items()}
            outputs = (student.policy(batch["trunk"]), *student.value(batch["trunk"]))
            parts = losses(outputs, batch)
            adam.zero_grad()
            sum(parts.values()).backward()
            adam.step()
            for name, loss in parts.items():
                sums[name] += loss.item() * len(chosen)
        count = sum(len(positions["trunk"]) for positions in data.values())
        means = (f"{name} {sums[name] / count:.3f}" for name in ("policy", "value"))
        print(f"epoch {epoch + 1}: {', '.join(means)}")


def main() -> None:
    """See the description above."""
    args = arguments()
    shards.allow_many()
    torch.set_num_threads(args.threads)
    if args.bf16:
        winograd.prepare()
    student = new_student(args.shape, torch.bfloat16 if args.bf16 else torch.float32)
    student = student.to(memory_format=torch.channels_last)
    network = katago.open_network(args.network)
    try:
        convert.load(student, network)
    except ValueError as e:
        refuse(f"{args.network}: {e}")
    found = Data(args.shards, args.decided)
    found.look()
    if not found.training:
        refuse("no labelled shard to learn from in " + ", ".join(map(str, args.shards)))
    rng = np.random.default_rng(args.seed)
    data = {}
    for size, pile in sorted(found.training.items()):
        records = pile.draw(min(args.most, len(pile)), args.seed, rng)
        data[size] = known(student, records, size, rng)
    polish(student, data, args)
    write(convert.network_of(student, args.name or network.name), args.out, args.bits)


if __name__ == "__main__":
    run(main)
