"""Draw the curves of training runs: KL on held-out positions by size, and the losses.

    python plot.py RUN … OUT.png

RUN is a folder with a log.jsonl of train.py.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

from ponnuki_training import logs  # noqa: E402

SIZES = ("9x9", "13x13", "19x19")
LOSSES = ("policy", "value", "ownership", "lead")


def main() -> None:
    """See the description above."""
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("runs", nargs="+", type=Path)
    p.add_argument("out", type=Path)
    args = p.parse_args()
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5))
    for run in args.runs:
        lines = logs.read(run / "log.jsonl")
        for i, size in enumerate(SIZES):
            points = [
                (line["samples"], line["held_out"][size]["kl"])
                for line in lines
                if size in line.get("held_out", {})
            ]
            if points:
                left.plot(*zip(*points, strict=True), f"C{i}.-", label=f"{run.name} {size}")
        trained = [line for line in lines if "losses" in line]
        samples = [line["samples"] for line in trained]
        for i, name in enumerate(LOSSES):
            losses = [line["losses"][name] for line in trained]
            right.plot(samples, losses, f"C{i}", label=f"{run.name} {name}")
    left.set(xlabel="samples", ylabel="KL(teacher ‖ network), nats", title="held out")
    right.set(xlabel="samples", ylabel="weighted loss", title="training", yscale="log")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(args.out, dpi=100)


if __name__ == "__main__":
    main()
