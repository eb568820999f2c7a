"""Train a small network on label shards. `python train.py --help` lists the options."""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from ponnuki_training import logs, shards, winograd
from ponnuki_training.batches import Data, Size
from ponnuki_training.refusal import number, refuse, whole
from ponnuki_training.trainer import Trainer, open_checkpoint

CHECKPOINT_SECONDS = 60.0


def save(path: Path, state: dict) -> None:
    """Replace the file atomically, so that a kill leaves a complete checkpoint."""
    temporary = path.with_suffix(".part")
    torch.save(state, temporary)
    os.replace(temporary, path)


def share(text: str) -> tuple[Size, float]:
    """Parse a size and its share of the samples: `9x9=0.4`."""
    size, part = text.split("=")
    width, height = size.split("x")
    if not 0 < float(part) < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: a share must be more than 0")
    return (int(width), int(height)), float(part)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("shards", nargs="+", type=Path, help="folders of labelled shards")
    p.add_argument("--out", type=Path, required=True, help="folder of the checkpoint and the log")
    p.add_argument(
        "--init-from",
        type=Path,
        help="start from an exported network, which may have fewer blocks and channels",
    )
    p.add_argument("--shape", default="b10c64", help="architecture: b10c64, b8c128nbt64, …")
    p.add_argument("--samples", type=number(1), default=4e6, help="length of the schedule")
    p.add_argument(
        "--until", type=number(1), help="stop after this many samples, to continue later"
    )
    p.add_argument("--minutes", type=number(0), help="end the schedule after this time, if earlier")
    p.add_argument(
        "--points", type=whole(1), default=256 * 81, help="points of all boards of a batch"
    )
    p.add_argument("--lr", type=number(0), default=2e-3, help="learning rate after warm-up")
    p.add_argument("--warmup", type=whole(0), default=200, help="steps")
    p.add_argument(
        "--decay",
        type=number(0, 1),
        default=0.4,
        help="final share of the samples, with a falling rate",
    )
    p.add_argument("--weight-decay", type=float, default=0.02)
    p.add_argument(
        "--average", type=number(0, 1), default=0.998, help="decay of the averaged weights"
    )
    p.add_argument("--clip", type=float, default=10.0, help="maximum norm of the gradient")
    p.add_argument("--bf16", action=argparse.BooleanOptionalAction, default=True)
    p.add_argument(
        "--winograd", action=argparse.BooleanOptionalAction, default=True,
        help="faster convolutions in bfloat16 by AVX-512 BF16; needs a C compiler",
    )  # fmt: skip
    p.add_argument(
        "--sizes",
        nargs="+",
        metavar="WxH=SHARE",
        type=share,
        help="shares of the samples; default: as in the shards",
    )
    p.add_argument(
        "--decided",
        type=number(0, 1),
        default=1.0,
        help="share of the decided positions that is used",
    )
    p.add_argument("--compile", action="store_true", help="faster after a minute; needs C++")
    p.add_argument(
        "--graphs", action=argparse.BooleanOptionalAction, default=True,
        help="on a GPU: record the operations of a step once for each size",
    )  # fmt: skip
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--nice", type=int, default=0, help="lower the priority by this amount")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument(
        "--evaluate", type=whole(0), default=1000, help="steps between evaluations; 0: at the end"
    )
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


def resume(trainer: Trainer, data: Data, args: argparse.Namespace, checkpoint: Path) -> None:
    """Continue from a checkpoint."""
    state = open_checkpoint(checkpoint, args.device)
    if state["shape"] != args.shape:
        refuse(f"{checkpoint} is a {state['shape']}, not a {args.shape}")
    trainer.restore(state)
    unused = "; --init-from is not used" if args.init_from else ""
    print(f"resuming {checkpoint} after {trainer.samples} samples{unused}", flush=True)
    # Checkpoints of earlier versions lack the state of the passes.
    missing = data.restore(state.get("drawn", {}))
    if missing:
        print(f"{missing} of the sections that it has used are missing", flush=True)


def main() -> int:
    args = arguments()
    if args.init_from and not args.init_from.is_file():
        refuse(f"--init-from {args.init_from}: no such file")
    shards.allow_many()
    os.nice(args.nice)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    if args.winograd and args.bf16 and args.device == "cpu":
        missing = winograd.prepare()
        if missing:
            print(f"using direct convolutions: {missing}")
    trainer = Trainer(args, torch.device(args.device))
    checkpoint, log_path = args.out / "checkpoint.pt", args.out / "log.jsonl"
    data = Data(args.shards, args.decided)
    data.look()
    if not data.training:
        refuse("no labelled shard to learn from in " + ", ".join(map(str, args.shards)))
    shares = dict(args.sizes) if args.sizes else None
    absent = [f"{w}x{h}" for w, h in shares or () if (w, h) not in data.training]
    if absent:
        refuse(f"--sizes: there is no position of {', '.join(absent)} to train on")
    if checkpoint.exists():
        resume(trainer, data, args, checkpoint)
    elif args.init_from:
        trainer.begin_with(args.init_from)
    if log_path.exists():
        logs.trim(log_path, trainer.samples if checkpoint.exists() else math.inf)
    if args.compile:
        if not hasattr(torch, "compile"):
            refuse("--compile needs PyTorch 2")
        trainer.student.compile_parts()
    stopped_by = 0

    def end(number: int, _: object) -> None:
        nonlocal stopped_by
        stopped_by = number

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    bar = tqdm(total=int(args.samples), initial=trainer.samples, unit=" samples", smoothing=0.02)
    saved = before = time.monotonic()
    summed = 0
    with log_path.open("a") as log:

        def note(**what: object) -> None:
            log.write(json.dumps({"step": trainer.step, "samples": trainer.samples, **what}) + "\n")
            log.flush()

        def why_over() -> str:
            """The reason that training is finished; empty if it is not."""
            if trainer.done() >= 1.0:
                return "the schedule has ended"
            return "--until is reached" if args.until and trainer.samples >= args.until else ""

        if why_over():
            print(f"{why_over()}: nothing left to do", flush=True)
        try:
            while not why_over() and not stopped_by:
                trainer.seconds += time.monotonic() - before
                before = time.monotonic()
                data.look(30.0)
                # A batch depends on the seed, the step, and the state of the passes.
                rng = np.random.default_rng((args.seed, trainer.step))
                size, records = data.batch(args.seed, rng, args.points, shares)
                trainer.train(size, records, rng)
                summed += 1
                bar.update(len(records))
                if summed == 100:
                    means = trainer.means(summed)
                    note(losses=means, rate=trainer.rate(), positions=data.count())
                    bar.set_postfix_str(f"policy {means['policy']:.3f} value {means['value']:.3f}")
                    summed = 0
                if args.evaluate > 0 and trainer.step % args.evaluate == 0:
                    note(held_out=trainer.evaluate(data))
                if time.monotonic() - saved > CHECKPOINT_SECONDS:
                    save(checkpoint, {**trainer.state(), "drawn": data.state()})
                    saved = time.monotonic()
        finally:
            # Save after an error, too.
            save(checkpoint, {**trainer.state(), "drawn": data.state()})
        note(held_out=trainer.evaluate(data))
    bar.close()
    # The status of the signal in a shell, which makes a calling script stop.
    return 128 + stopped_by if stopped_by else 0


if __name__ == "__main__":
    sys.exit(main())
