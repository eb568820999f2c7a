"""Label the positions of shards with a teacher network.

    python teach.py --net FILE.bin.gz UNLABELLED LABELLED

For every shard of the first folder, a labelled shard of the same name is written to the
second. Shards that exist there are skipped, so that an interrupted command can be repeated.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from ponnuki_training import batches, inference, katago, shards
from ponnuki_training.refusal import refuse, run

# Points of a batch: about as much as fits into the cache of one core.
POINTS = {"cpu": 32 * 361, "cuda": 4096 * 361}


class Teacher:
    """A network, and the module that evaluates it."""

    def __init__(self, path: str, device: str, dtype: torch.dtype):
        self.network = katago.open_network(path)
        self.device = torch.device(device)
        self.module = inference.Inference(self.network, dtype).eval().to(device)

    @torch.inference_mode()
    def label(self, records: np.ndarray, size: batches.Size) -> None:
        """Fill in the labels of records of one size."""
        given = batches.columns(batches.to_device(batches.packed(records), self.device), size)
        sources, places = batches.turns(size, self.device)
        turn = given["symmetry"].long() % len(sources)
        source, place = sources[turn], places[turn]
        # The network sees the turned board and the turned legal moves.
        planes = batches.planes_of(batches.turned(given["planes"], source), size)
        labels = inference.evaluation(
            self.module(planes, given["globals"]),
            batches.turned(given["policy"] >= 0, source),
            batches.may_end_without_result(given["globals"]),
            self.network,
        )
        for name in ("policy", "ownership"):
            labels[name] = batches.turned(labels[name], place)
        for name, values in batches.stored(labels).items():
            records[name] = values.cpu().numpy()


class Stop:
    """Tells when to stop: at a signal, or when a file appears."""

    def __init__(self, file: Path):
        self.file = file
        self.signal = 0
        for s in (signal.SIGINT, signal.SIGTERM):
            signal.signal(s, self.on_signal)

    def on_signal(self, number: int, _: object) -> None:
        """Store the signal."""
        self.signal = number

    @property
    def why(self) -> str:
        """The reason to stop."""
        return "a signal" if self.signal else str(self.file)

    @property
    def status(self) -> int:
        """The exit status, which makes a calling script stop: that of the signal in a shell, or
        1."""
        return 128 + self.signal if self.signal else 1

    def __bool__(self) -> bool:
        return self.signal != 0 or self.file.exists()


def teach(
    shard: shards.Shard, teacher: Teacher, out: Path, args: argparse.Namespace, stop: Stop, rates
) -> bool:
    """Label a shard. Returns False and writes nothing if it was stopped before the end."""
    sections = []
    with tqdm(total=shard.count, desc=shard.path.name, unit=" labels", disable=args.quiet) as bar:
        for section in shard.sections:
            records = np.array(section.records)
            size = section.size
            step = batches.batch_size(size, args.points or POINTS[teacher.device.type])
            begin = time.perf_counter(), time.process_time()
            for at in range(0, len(records), step):
                if stop:
                    return False
                part = records[at : at + step]
                teacher.label(part, size)
                bar.update(len(part))
            rates[size] += np.array(
                [len(records), time.perf_counter() - begin[0], time.process_time() - begin[1]]
            )
            sections.append((*size, records))
    shards.write_shard(out, teacher.network.name, shard.games, sections)
    return True


def show_rates(rates: dict) -> None:
    """Print labels per second by size."""
    for (width, height), (n, wall, cpu) in sorted(rates.items()):
        print(
            f"{width}x{height}: {n:.0f} labels, {n / wall:.1f} a second, {n / cpu:.1f} a CPU second"
        )


def main() -> int:
    """See the description above."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("unlabelled", type=Path, help="folder of shards without labels")
    parser.add_argument("labelled", type=Path, help="folder for the same shards with labels")
    parser.add_argument("--net", required=True, help="the teacher, a .bin.gz file of KataGo's")
    parser.add_argument("--follow", action="store_true", help="wait for more shards")
    parser.add_argument(
        "--replace", action="store_true",
        help="replace existing labels, as `ponnuki label --even` writes them",
    )  # fmt: skip
    parser.add_argument("--part", default="1/1", metavar="I/N", help="the I-th of every N shards")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--nice", type=int, default=0, help="lower the priority by this amount")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--precision", choices=["bf16", "f32"], default="bf16")
    parser.add_argument("--points", type=int, help="points of all boards of a batch")
    parser.add_argument("--no-compile", action="store_true", help="slower, but starts at once")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    args = parser.parse_args()
    match = re.fullmatch(r"(\d+)/(\d+)", args.part)
    part, parts = (int(x) for x in match.groups()) if match else (0, 0)
    if not 1 <= part <= parts:
        parser.error(f"--part {args.part}: expected I/N, with I from 1 to N")
    if not args.unlabelled.is_dir():
        refuse(f"no folder {args.unlabelled}")
    os.nice(args.nice)
    torch.set_num_threads(args.threads)
    compiler = os.environ.get("CXX", "g++")
    if args.device == "cpu" and not args.no_compile and shutil.which(compiler) is None:
        print(f"no C++ compiler {compiler}: slower without", file=sys.stderr)
        args.no_compile = True
    if not args.no_compile:
        inference.Kernels.compile()
    dtype = torch.bfloat16 if args.precision == "bf16" else torch.float32
    teacher = Teacher(args.net, args.device, dtype)
    args.labelled.mkdir(parents=True, exist_ok=True)
    for path in shards.paths(args.labelled):
        known = shards.open_shard(path).teacher
        if known != teacher.network.name:
            refuse(f"{path} has labels by {known}, not by {teacher.network.name}")
    stop = Stop(args.labelled / "STOP")
    rates: dict = defaultdict(lambda: np.zeros(3))
    while not stop:
        done = 0
        for path in shards.paths(args.unlabelled):
            out = args.labelled / path.name
            if shards.number(path) % parts != part - 1 or out.exists():
                continue
            shard = shards.open_shard(path)
            if shard.teacher is not None and not args.replace:
                print(f"{path}: already has labels, by {shard.teacher}", file=sys.stderr)
                continue
            if not teach(shard, teacher, out, args, stop, rates):
                break
            done += 1
            show_rates(rates)
        if done == 0:
            if not args.follow:
                break
            for _ in range(10):
                if not stop:
                    time.sleep(1)
    if stop:
        print(f"stopped by {stop.why}", file=sys.stderr)
        return stop.status
    return 0


if __name__ == "__main__":
    run(main)
