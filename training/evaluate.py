"""Compare networks with a teacher's labels on held-out positions.

    python evaluate.py NETWORK.bin.gz … --shards FOLDER …

prints for each network and size: KL(teacher ‖ network) over the legal moves in nats,
how often both prefer the same move, and mean absolute differences of win rate (a game
without result counts half), ownership (−1 to 1) and lead (points).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ponnuki_training import inference, katago, shards
from ponnuki_training.batches import Size, divergence, may_end_without_result, tensors
from ponnuki_training.refusal import refuse, run, whole

COLUMNS = ("kl", "top1", "win", "ownership", "lead")


def held_out(folders: list[Path], everything: bool, most: int) -> dict[Size, np.ndarray]:
    """Labelled records by size, at most `most` of each size."""
    found = defaultdict(list)
    for folder in folders:
        for path in shards.paths(folder):
            if not everything and not shards.is_held_out(path):
                continue
            shard = shards.open_shard(path)
            if shard.teacher is not None:
                for section in shard.sections:
                    found[section.size].append(section.records)
    return {size: np.concatenate(r)[:most] for size, r in sorted(found.items())}


def evaluations(
    network: katago.Network, records: np.ndarray, size: Size
) -> Iterator[tuple[dict[str, Tensor], Tensor, dict[str, Tensor]]]:
    """Batches of records of one size, each with a network's policy logits [batch, points + 1] and
    its evaluation."""
    module = inference.Inference(network).eval()
    for at in range(0, len(records), 64):
        batch = tensors(records[at : at + 64], size)
        with torch.inference_mode():
            outputs = module(batch["planes"], batch["globals"])
            no_result = may_end_without_result(batch["globals"])
            e = inference.evaluation(outputs, batch["policy"] >= 0.0, no_result, network)
        yield batch, outputs[0][:, 0], e


def differences(batch: dict[str, Tensor], logits: Tensor, e: dict[str, Tensor]):
    """The differences of each position, by the names of COLUMNS: [batch] each."""
    target = batch["policy"]
    legal = target >= 0.0
    wins = e["result"][:, 0] + e["result"][:, 2] / 2
    wanted = batch["result"][:, 0] + batch["result"][:, 2] / 2
    best = logits.masked_fill(~legal, -torch.inf).argmax(1)
    return {
        "kl": divergence(logits, target),
        "top1": (best == target.argmax(1)).float(),
        "win": (wins - wanted).abs(),
        "ownership": (e["ownership"] - batch["ownership"]).abs().mean(1),
        "lead": F.l1_loss(e["score"][:, 2], batch["score"][:, 2], reduction="none"),
    }


def evaluate(path: Path, records: dict[Size, np.ndarray]) -> dict[Size, dict[str, float]]:
    """Means of the differences by size."""
    network = katago.open_network(path)
    found = {}
    for size, all_ in records.items():
        sums: dict[str, float] = defaultdict(float)
        for evaluated in evaluations(network, all_, size):
            for name, x in differences(*evaluated).items():
                sums[name] += x.sum().item()
        found[size] = {name: x / len(all_) for name, x in sums.items()}
    return found


def main() -> None:
    """See the description above."""
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("networks", nargs="+", type=Path)
    p.add_argument("--shards", nargs="+", type=Path, required=True, help="folders")
    p.add_argument("--all", action="store_true", help="use all shards, not only held-out ones")
    p.add_argument(
        "--most", type=whole(1), default=2000, help="maximum number of positions per size"
    )
    p.add_argument(
        "--least", type=whole(1), default=50, help="minimum number of positions per size (50)"
    )
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    shards.allow_many()
    torch.set_num_threads(args.threads)
    records = held_out(args.shards, args.all, args.most)
    if not records:
        refuse("no shard with labels" if args.all else "no held-out shard with labels: see --all")
    records = {size: r for size, r in records.items() if len(r) >= args.least}
    if not records:
        refuse(f"fewer than {args.least} positions of every size: see --least")
    print(f"{'network':<36} {'size':>6} {'n':>6}", *(f"{c:>9}" for c in COLUMNS))
    for path in args.networks:
        for size, means in evaluate(path, records).items():
            numbers = (f"{means[c]:9.4f}" for c in COLUMNS)
            name = path.name.removesuffix(".bin.gz")
            print(f"{name:<36.36} {size[0]:>3}x{size[1]:<2} {len(records[size]):>6}", *numbers)


if __name__ == "__main__":
    run(main)
