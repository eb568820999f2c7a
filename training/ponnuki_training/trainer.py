"""Training of a student: optimizers, averaged weights, and a step on a CPU or a GPU."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from . import batches, convert, katago
from .batches import Data, Size, divergence, tensors
from .losses import losses, result_logits
from .muon import Muon
from .refusal import refuse
from .student import new_student


def open_checkpoint(path: Path, device: str) -> dict:
    """Read a trainer's state. Exits with a message if the file cannot be read."""
    try:
        return torch.load(path, map_location=device)
    except OSError as e:
        refuse(e)
    except Exception:  # A truncated file may raise anything.
        refuse(f"{path}: not a checkpoint, or truncated")


class Trainer:
    """A student, its optimizers, its averaged weights and its progress."""

    def __init__(self, args: argparse.Namespace, device: torch.device):
        torch.manual_seed(args.seed)
        self.args = args
        self.device = device
        dtype = torch.bfloat16 if args.bf16 else torch.float32
        self.student = new_student(args.shape, dtype)
        self.student.to(device, memory_format=torch.channels_last)
        matrices = [
            p
            for n, p in self.student.blocks.named_parameters()
            if p.ndim >= 2 and "pool_bias" not in n
        ]
        chosen = {id(p) for p in matrices}
        rest = [p for p in self.student.parameters() if id(p) not in chosen]
        # Values that change between steps are on the device, where graphs read them.
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
        """Load the weights of an exported network, of this shape or a smaller one."""
        network = katago.open_network(path)
        try:
            convert.load(self.student, network, grow=True)
        except ValueError as e:
            refuse(f"{path}: {e}")
        for n, p in self.student.named_parameters():
            self.average[n].copy_(p.detach())

    def rate(self) -> float:
        """Factor of the learning rate: warm-up, plateau, linear decay (trapezoid)."""
        warm = min(1.0, (self.step + 1) / max(1, self.args.warmup))
        left = 1.0 - self.done()
        return warm * min(1.0, max(0.0, left) / max(self.args.decay, 1e-9))

    def done(self) -> float:
        """Completed share of the schedule: of the samples or of the time, whichever is larger."""
        timed = self.seconds / (60.0 * self.args.minutes) if self.args.minutes else 0.0
        return max(self.samples / self.args.samples, timed)

    def train(self, size: Size, records: np.ndarray, rng: np.random.Generator) -> None:
        """Make one step."""
        raw, symmetries = batches.sent(records, size, rng, self.device)
        self.lr.fill_(self.args.lr * self.rate())
        self.step += 1
        self.samples += len(records)
        self.newness.fill_(max(1.0 - self.args.average, 1.0 / (1.0 + self.step / 4.0)))
        self.on_device(raw, symmetries, size)

    def step_on_device(self, raw: Tensor, symmetries: Tensor, size: Size) -> None:
        """The part of a step that runs on the device. It never waits for the device."""
        batch = batches.unpacked(raw, symmetries, size)
        parts = losses(self.student(batch["planes"], batch["globals"]), batch)
        sum(parts.values()).backward()
        norm = torch.nn.utils.clip_grad_norm_(self.student.parameters(), self.args.clip)
        self.finite &= torch.isfinite(norm)
        for optimizer in (self.muon, self.adam):
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            for n, p in self.student.named_parameters():
                self.average[n].lerp_(p, self.newness)
            for name, loss in parts.items():
                if name not in self.sums:
                    self.sums[name] = torch.zeros((), device=self.device)
                self.sums[name] += loss.detach()

    def means(self, steps: int) -> dict[str, float]:
        """Mean losses of the last `steps` steps, and reset the sums."""
        self.check()
        found = {k: round(v.item() / steps, 5) for k, v in self.sums.items()}
        for v in self.sums.values():
            v.zero_()
        return found

    def check(self) -> None:
        """Exit if a gradient was not finite, because the weights are then useless."""
        if not self.finite:
            raise SystemExit(f"a gradient was not finite, some steps before step {self.step}")

    def state(self) -> dict:
        """The state that another process needs to continue."""
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
        """Continue from a state."""
        self.student.load_state_dict(state["student"])
        for n, p in state["average"].items():
            self.average[n].copy_(p)
        self.muon.load_state_dict(state["muon"])
        self.adam.load_state_dict(state["adam"])
        # Keep this process's values: the checkpoint may be from another kind of device.
        for optimizer in (self.muon, self.adam):
            for group in optimizer.param_groups:
                group["lr"] = self.lr
        for group in self.adam.param_groups:
            group["capturable"] = self.adam.defaults["capturable"]
        self.step = state["step"]
        self.samples = state["samples"]
        # Checkpoints of earlier versions lack the time.
        self.seconds = state.get("seconds", 0.0)

    def evaluate(self, data: Data, most: int = 1024) -> dict[str, dict[str, float]]:
        """Evaluate the averaged weights on held-out positions, by size."""
        found = {}
        with uncompiled(), torch.no_grad():
            kept = {n: p.clone() for n, p in self.student.named_parameters()}
            self.load_average()
            try:
                for size, pieces in sorted(data.held_out.items()):
                    records = np.concatenate([p[:most] for p in pieces])[:most]
                    if len(records) >= 100:
                        found[f"{size[0]}x{size[1]}"] = self.differences(records, size)
            finally:
                for n, p in self.student.named_parameters():
                    p.copy_(kept[n])
        return found

    def differences(self, records: np.ndarray, size: Size) -> dict[str, float]:
        """Mean differences of the student from the labels of records of one size."""
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
        return {k: v / len(records) for k, v in sums.items()}

    @torch.no_grad()
    def load_average(self) -> None:
        """Replace the present weights with the averaged ones."""
        for n, p in self.student.named_parameters():
            p.copy_(self.average[n])


def uncompiled() -> AbstractContextManager:
    """A context without compiled code, which would be compiled again for runs without gradients."""
    # PyTorch has it since 2.6.
    stance = getattr(getattr(torch, "compiler", None), "set_stance", None)
    return stance("force_eager") if stance else nullcontext()


class Graphs:
    """Steps on a GPU, recorded as one graph for each board size.

    A step is two thousand small operations, and starting them one by one takes several times as
    long as running them.
    """

    def __init__(self, step: Callable[[Tensor, Tensor, Size], None]):
        self.step = step
        self.known: dict[Size, tuple[torch.cuda.CUDAGraph, tuple[Tensor, Tensor]]] = {}
        self.seen: dict[Size, int] = defaultdict(int)
        # No result outlives a step, so all graphs can share memory.
        self.pool = torch.cuda.graph_pool_handle()
        # Recorded operations must not run, or have started, on the default stream.
        torch.cuda.synchronize()
        torch.cuda.set_stream(torch.cuda.Stream())

    def __call__(self, raw: Tensor, symmetries: Tensor, size: Size) -> None:
        if size in self.known:
            graph, inputs = self.known[size]
            for old, new in zip(inputs, (raw, symmetries), strict=True):
                old.copy_(new)
            graph.replay()
        elif self.seen[size] < 3:
            # The first steps compile, and create the state of the optimizers.
            self.seen[size] += 1
            self.step(raw, symmetries, size)
        else:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, self.pool, torch.cuda.current_stream()):
                self.step(raw, symmetries, size)
            self.known[size] = graph, (raw, symmetries)
            graph.replay()
