"""Train a small network on label shards. `python train.py --help` lists the options."""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from ponnuki_training import batches, convert, katago, winograd
from ponnuki_training.batches import Data, Size, divergence, tensors
from ponnuki_training.losses import losses, result_logits
from ponnuki_training.muon import Muon
from ponnuki_training.student import Student

CHECKPOINT_SECONDS = 60.0


class Trainer:
    """A student, its optimizers, its average and where it stands."""

    def __init__(self, args: argparse.Namespace, device: torch.device):
        torch.manual_seed(args.seed)
        self.args = args
        self.device = device
        dtype = torch.bfloat16 if args.bf16 else torch.float32
        self.student = Student(args.shape, dtype).to(device, memory_format=torch.channels_last)
        matrices = [
            p
            for n, p in self.student.blocks.named_parameters()
            if p.ndim >= 2 and "pool_bias" not in n
        ]
        chosen = {id(p) for p in matrices}
        rest = [p for p in self.student.parameters() if id(p) not in chosen]
        # What changes from step to step lies on the device, where graphs read it.
        self.lr = torch.zeros((), device=device)
        self.newness = torch.zeros((), device=device)
        self.finite = torch.ones((), dtype=torch.bool, device=device)
        self.sums: dict[str, Tensor] = {}
        self.muon = Muon(matrices, lr=self.lr, weight_decay=args.weight_decay)
        self.adam = torch.optim.AdamW(
            rest, lr=self.lr, betas=(0.9, 0.98), weight_decay=args.weight_decay / 2,
            capturable=device.type == "cuda",
        )  # fmt: skip
        self.average = {n: p.detach().clone() for n, p in self.student.named_parameters()}
        self.step = 0
        self.samples = 0
        self.seconds = 0.0
        graphs = args.graphs and device.type == "cuda"
        self.on_device = Graphs(self.step_on_device) if graphs else self.step_on_device

    def begin_with(self, path: Path) -> None:
        """Take the weights of an exported network, of this shape or of fewer blocks."""
        network = katago.open_network(path)
        try:
            convert.load(self.student, network, grow=True)
        except ValueError as e:
            raise SystemExit(f"{path}: {e}") from None
        for n, p in self.student.named_parameters():
            self.average[n].copy_(p.detach())

    def rate(self) -> float:
        """Factor of the learning rate: warm-up, plateau, linear decay (trapezoid)."""
        warm = min(1.0, (self.step + 1) / max(1, self.args.warmup))
        left = 1.0 - self.done()
        return warm * min(1.0, max(0.0, left) / max(self.args.decay, 1e-9))

    def done(self) -> float:
        """Share of the schedule that is behind: of the samples, or of the time if that is
        shorter."""
        timed = self.seconds / (60.0 * self.args.minutes) if self.args.minutes else 0.0
        return max(self.samples / self.args.samples, timed)

    def train(self, size: Size, records: np.ndarray, rng: np.random.Generator) -> None:
        """One step."""
        raw, lots = batches.packed(records), batches.lots(size, len(records), rng)
        self.lr.fill_(self.args.lr * self.rate())
        self.step += 1
        self.samples += len(records)
        self.newness.fill_(max(1.0 - self.args.average, 1.0 / (1.0 + self.step / 4.0)))
        self.on_device(*(batches.to_device(x, self.device) for x in (raw, lots)), size)

    def step_on_device(self, raw: Tensor, lots: Tensor, size: Size) -> None:
        """What happens in a step on the device. Nothing here waits for it."""
        batch = batches.unpacked(raw, size, lots)
        parts = losses(self.student(batch["planes"], batch["globals"]), batch)
        sum(parts.values()).backward()
        norm = torch.nn.utils.clip_grad_norm_(self.student.parameters(), self.args.clip)
        self.finite &= torch.isfinite(norm)
        for optimizer in (self.muon, self.adam):
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            averages = [self.average[n] for n, _ in self.student.named_parameters()]
            changes = torch._foreach_sub(list(self.student.parameters()), averages)
            torch._foreach_mul_(changes, self.newness)
            torch._foreach_add_(averages, changes)
            for name, loss in parts.items():
                if name not in self.sums:
                    self.sums[name] = torch.zeros((), device=self.device)
                self.sums[name] += loss.detach()

    def means(self, steps: int) -> dict[str, float]:
        """Losses of the last so many steps, since they were last asked for."""
        self.check()
        found = {k: round(v.item() / steps, 5) for k, v in self.sums.items()}
        for v in self.sums.values():
            v.zero_()
        return found

    def check(self) -> None:
        """End the program if a gradient was not finite: the weights are spoilt since."""
        if not self.finite:
            raise SystemExit(f"a gradient was not finite, some steps before step {self.step}")

    def state(self) -> dict:
        """All that another process needs to go on."""
        self.check()
        return {
            "shape": self.args.shape,
            "student": self.student.state_dict(),
            "average": self.average,
            "muon": self.muon.state_dict(),
            "adam": self.adam.state_dict(),
            "step": self.step,
            "samples": self.samples,
            "seconds": self.seconds,
        }

    def restore(self, state: dict) -> None:
        """Go on from a state."""
        self.student.load_state_dict(state["student"])
        for n, p in state["average"].items():
            self.average[n].copy_(p)
        self.muon.load_state_dict(state["muon"])
        self.adam.load_state_dict(state["adam"])
        for optimizer in (self.muon, self.adam):
            for group in optimizer.param_groups:
                group["lr"] = self.lr
        self.step = state["step"]
        self.samples = state["samples"]
        # Checkpoints of earlier versions do not know their time.
        self.seconds = state.get("seconds", 0.0)

    @torch.compiler.set_stance("force_eager")  # It would be compiled anew for no gradients.
    @torch.no_grad()
    def evaluate(self, data: Data, most: int = 1024) -> dict[str, dict[str, float]]:
        """The averaged weights on held-out positions, by size."""
        kept = {n: p.detach().clone() for n, p in self.student.named_parameters()}
        self.load_average()
        found = {}
        for size, pieces in sorted(data.held_out.items()):
            records = np.concatenate([p[:most] for p in pieces])[:most]
            if len(records) < 100:
                continue
            sums: dict[str, float] = defaultdict(float)
            for at in range(0, len(records), 128):
                batch = tensors(records[at : at + 128], size, device=self.device)
                logits, result, score, ownership = self.student(batch["planes"], batch["globals"])
                target = batch["policy"]
                sums["kl"] += divergence(logits[:, 0], target).sum().item()
                best = logits[:, 0].masked_fill(target < 0.0, -torch.inf).argmax(1)
                sums["top1"] += (best == target.argmax(1)).sum().item()
                won = result_logits(result, batch["globals"]).softmax(1)
                wanted = batch["result"]
                winning = won[:, 0] + won[:, 2] / 2 - wanted[:, 0] - wanted[:, 2] / 2
                sums["win"] += winning.abs().sum().item()
                off = (torch.tanh(ownership) - batch["ownership"]).abs().mean(1)
                sums["ownership"] += off.sum().item()
            name = f"{size[0]}x{size[1]}"
            found[name] = {k: v / len(records) for k, v in sums.items()}
        for n, p in self.student.named_parameters():
            p.copy_(kept[n])
        return found

    @torch.no_grad()
    def load_average(self) -> None:
        """Put the averaged weights in place of the present ones."""
        for n, p in self.student.named_parameters():
            p.copy_(self.average[n])


class Graphs:
    """Steps on a GPU as one operation for each size of board.

    A step is two thousand small operations, and to start them one by one takes several
    times as long as they do.
    """

    def __init__(self, step: Callable[[Tensor, Tensor, Size], None]):
        self.step = step
        self.known: dict[Size, tuple[torch.cuda.CUDAGraph, tuple[Tensor, Tensor]]] = {}
        self.seen: dict[Size, int] = defaultdict(int)
        # Nothing outlives a step, so that all graphs can use the same memory.
        self.pool = torch.cuda.graph_pool_handle()
        # What is recorded must not run on the default stream, nor have begun there.
        torch.cuda.synchronize()
        torch.cuda.set_stream(torch.cuda.Stream())

    def __call__(self, raw: Tensor, lots: Tensor, size: Size) -> None:
        if size in self.known:
            graph, inputs = self.known[size]
            for old, new in zip(inputs, (raw, lots), strict=True):
                old.copy_(new)
            graph.replay()
        elif self.seen[size] < 3:
            # The first steps compile, and make what the optimizers remember.
            self.seen[size] += 1
            self.step(raw, lots, size)
        else:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, self.pool, torch.cuda.current_stream()):
                self.step(raw, lots, size)
            self.known[size] = graph, (raw, lots)
            graph.replay()


def save(path: Path, state: dict) -> None:
    """Write beside and rename, so that a kill leaves a whole checkpoint."""
    beside = path.with_suffix(".part")
    torch.save(state, beside)
    os.replace(beside, path)


def share(text: str) -> tuple[Size, float]:
    """A size and its share of the samples: `9x9=0.4`."""
    size, part = text.split("=")
    width, height = size.split("x")
    return (int(width), int(height)), float(part)


def arguments() -> argparse.Namespace:
    """The command line."""
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("shards", nargs="+", type=Path, help="folders of labelled shards")
    p.add_argument("--out", type=Path, required=True, help="folder of the checkpoint and the log")
    p.add_argument(
        "--init-from",
        type=Path,
        help="begin with an exported network; fewer blocks must pool alike",
    )
    p.add_argument("--shape", default="b10c64", help="architecture: b10c64, b8c128nbt64, …")
    p.add_argument("--samples", type=float, default=4e6, help="length of the schedule")
    p.add_argument("--until", type=float, help="stop after so many samples, to go on later")
    p.add_argument("--minutes", type=float, help="end the schedule after so much time, if earlier")
    p.add_argument("--points", type=int, default=256 * 81, help="of the boards of a batch")
    p.add_argument("--lr", type=float, default=2e-3, help="learning rate of the plateau")
    p.add_argument("--warmup", type=int, default=200, help="steps")
    p.add_argument("--decay", type=float, default=0.4, help="share of the samples at its end")
    p.add_argument("--weight-decay", type=float, default=0.02)
    p.add_argument("--average", type=float, default=0.998, help="decay of the averaged weights")
    p.add_argument("--clip", type=float, default=10.0, help="most norm of the gradient")
    p.add_argument("--bf16", action=argparse.BooleanOptionalAction, default=True)
    p.add_argument(
        "--winograd", action=argparse.BooleanOptionalAction, default=True,
        help="faster convolutions in bfloat16 by AVX-512 BF16; needs a C compiler",
    )  # fmt: skip
    p.add_argument(
        "--sizes", nargs="+", metavar="WxH=SHARE", type=share, help="samples by size; as they lie"
    )
    p.add_argument(
        "--decided", type=float, default=1.0, help="share of the decided positions that is used"
    )
    p.add_argument("--compile", action="store_true", help="faster after a minute; needs C++")
    p.add_argument(
        "--graphs", action=argparse.BooleanOptionalAction, default=True,
        help="on a GPU: record the operations of a step once for each size",
    )  # fmt: skip
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--nice", type=int, default=0, help="lower the priority by so much")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument(
        "--evaluate", type=int, default=1000, help="steps between evaluations; 0: at the end"
    )
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return p.parse_args()


def main() -> None:
    args = arguments()
    os.nice(args.nice)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    if args.winograd and args.bf16 and args.device == "cpu":
        missing = winograd.prepare()
        if missing:
            print(f"convolutions are direct ones: {missing}")
    trainer = Trainer(args, torch.device(args.device))
    checkpoint = args.out / "checkpoint.pt"
    data = Data(args.shards, args.decided)
    data.look()
    if not data.training:
        raise SystemExit("no labelled shard in " + ", ".join(map(str, args.shards)))
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=args.device)
        if state["shape"] != args.shape:
            raise SystemExit(f"{checkpoint} is a {state['shape']}, not a {args.shape}")
        trainer.restore(state)
        # Checkpoints of earlier versions do not know where their passes stood.
        data.restore(state.get("drawn", {}))
    elif args.init_from:
        trainer.begin_with(args.init_from)
    if args.compile:
        if not hasattr(torch, "compile"):
            raise SystemExit("--compile needs PyTorch 2")
        trainer.student.compile_parts()
    shares = dict(args.sizes) if args.sizes else None
    stop = False

    def end(*_: object) -> None:
        nonlocal stop
        stop = True

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    bar = tqdm(total=int(args.samples), initial=trainer.samples, unit=" samples", smoothing=0.02)
    saved = before = time.monotonic()
    summed = 0
    with (args.out / "log.jsonl").open("a") as log:

        def note(**what: object) -> None:
            log.write(json.dumps({"step": trainer.step, "samples": trainer.samples, **what}) + "\n")
            log.flush()

        end_of_run = min(args.samples, args.until or args.samples)
        while trainer.samples < end_of_run and trainer.done() < 1.0 and not stop:
            trainer.seconds += time.monotonic() - before
            before = time.monotonic()
            data.look(30.0)
            # A batch depends on the seed, the step, and where the passes stand.
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
        save(checkpoint, {**trainer.state(), "drawn": data.state()})
        note(held_out=trainer.evaluate(data))
    bar.close()


if __name__ == "__main__":
    main()
