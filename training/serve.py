"""Evaluate positions for `ponnuki selfplay --server`, and store a teacher's labels of them.

    python serve.py --teacher FILE.bin.gz --out LABELLED

Games are played by the teacher, or by the network of `--player`. In both cases the teacher
labels every requested position, including those of the search trees. The labels go into
shards in the format of DATA.md. `src/net/server.rs` states the protocol.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import queue
import signal
import socket
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ponnuki_training import batches, inference, katago, shards
from ponnuki_training.refusal import refuse, whole
from teach import Teacher

MAGIC = b"PONNUKI2"
COMPUTING = threading.Lock()
"""Held by the thread that compiles, records a graph or starts one."""
BUCKETS = (16, 64, 128, 192, 256, 384, 512, 768, 1024, 2048)
"""Batch sizes of recorded graphs. Other batches are padded to the next size."""
MOST = 1 << 14
"""Maximum number of positions in a request."""


def outputs_of(network: katago.Network) -> tuple[int, int]:
    """Number of policies and of scores of a network."""
    return network.policy.conv2.weights.shape[3], network.value.score.weights.shape[1]


class Labels:
    """Collects records by size and writes them as shards, in its own thread."""

    def __init__(self, out: Path, teacher: str, first: int, chunk: int):
        out.mkdir(parents=True, exist_ok=True)
        self.out = out
        self.teacher = teacher
        self.number = first
        self.chunk = chunk
        self.queue: queue.Queue = queue.Queue()
        self.thread = threading.Thread(target=self.write)
        self.thread.start()

    def put(self, size: batches.Size, records: np.ndarray) -> None:
        """Add records."""
        self.queue.put((size, records))

    def close(self) -> None:
        """Write the remaining records."""
        self.queue.put(None)
        self.thread.join()

    def write(self) -> None:
        """Run until closed."""
        kept: dict[batches.Size, list[np.ndarray]] = defaultdict(list)
        counts: dict[batches.Size, int] = defaultdict(int)
        while (item := self.queue.get()) is not None:
            size, records = item
            kept[size].append(records)
            counts[size] += len(records)
            if counts[size] >= self.chunk:
                self.flush(size, kept.pop(size))
                counts[size] = 0
        for size, parts in kept.items():
            self.flush(size, parts)

    def flush(self, size: batches.Size, parts: list[np.ndarray]) -> None:
        """Write one shard. Numbers of held-out shards are skipped, because training would use
        neighbours of their positions."""
        path = self.out / f"{self.number:06}.shard"
        if shards.is_held_out(path):
            self.number += 1
            path = self.out / f"{self.number:06}.shard"
        shards.write_shard(
            path, self.teacher, (self.number, self.number + 1), [(*size, np.concatenate(parts))]
        )
        self.number += 1


def evaluate(
    given: Tensor, size: batches.Size, player: Teacher, teacher: Teacher | None
) -> dict[str, Tensor]:
    """Evaluate positions [batch, points + 19] of 32 bits each. Returns the player's outputs
    [batch, numbers] as `raw`, and the teacher's labels by name if there is a teacher."""
    area = size[0] * size[1]
    bits, globals_ = given[:, :area].contiguous(), given[:, area:].contiguous().view(torch.float32)
    planes = batches.planes_of(bits.view(torch.uint8).view(len(bits), area, 4)[..., :3], size)
    outputs = player.module(planes, globals_)
    logits, result, score, ownership = outputs
    raw = torch.cat((logits.flatten(1), result, score, ownership.flatten(1)), dim=1)
    found = {"raw": raw.float()}
    if teacher is None:
        return found
    if teacher is not player:
        outputs = teacher.module(planes, globals_)
    legal = torch.cat((bits < 0, torch.ones_like(bits[:, :1], dtype=torch.bool)), dim=1)
    no_result = batches.may_end_without_result(globals_)
    labels = inference.evaluation(outputs, legal, no_result, teacher.network)
    return found | batches.stored(labels)


class Evaluator:
    """Evaluates the batches of one connection.

    On a GPU the operations for a board size and a rounded-up number of positions are recorded once
    as a graph and then replayed: starting the thousand operations of a large network one by one
    from Python takes several times as long as running them.
    """

    def __init__(
        self, player: Teacher, teacher: Teacher | None, device: torch.device, graphs: bool
    ):
        self.player = player
        self.teacher = teacher
        self.device = device
        self.graphs: dict | None = {} if graphs else None
        # Graphs share memory: each result is copied before the next graph starts.
        self.pool = torch.cuda.graph_pool_handle() if graphs else None

    @torch.inference_mode()
    def answer(self, asked: np.ndarray, size: batches.Size) -> dict[str, np.ndarray]:
        """Run `evaluate` on arrays."""
        if self.graphs is None:
            given = torch.from_numpy(asked).to(self.device)
            with COMPUTING:
                found = evaluate(given, size, self.player, self.teacher)
            return {name: x.cpu().numpy() for name, x in found.items()}
        count = next((n for n in BUCKETS if n >= len(asked)), len(asked))
        with COMPUTING:
            if (count, size) not in self.graphs:
                self.graphs[count, size] = self.record(count, size)
            graph, given, found = self.graphs[count, size]
            given[: len(asked)].copy_(torch.from_numpy(asked).pin_memory(), non_blocking=True)
            graph.replay()
            # Wait for the GPU outside the lock, so that other threads can start graphs.
            done = torch.cuda.Event()
            done.record()
        done.synchronize()
        return {name: x[: len(asked)].cpu().numpy() for name, x in found.items()}

    def record(self, count: int, size: batches.Size) -> tuple:
        """Record a graph for `count` positions. Returns it with its input and its outputs."""
        given = torch.ones(count, size[0] * size[1] + 19, dtype=torch.int32, device=self.device)
        for _ in range(2):  # Compiles, and lets libraries choose kernels.
            evaluate(given, size, self.player, self.teacher)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, self.pool, capture_error_mode="thread_local"):
            found = evaluate(given, size, self.player, self.teacher)
        return graph, given, found


def records_of(asked: np.ndarray, size: batches.Size, found: dict[str, np.ndarray]) -> np.ndarray:
    """The records of positions with these labels."""
    area = size[0] * size[1]
    records = np.zeros(len(asked), shards.record_type(*size))
    for name in batches.LABELS:
        records[name] = found[name]
    points = np.ascontiguousarray(asked[:, :area])
    records["planes"] = points.view(np.uint8).reshape(len(asked), area, 4)[:, :, :3]
    records["globals"] = np.ascontiguousarray(asked[:, area:]).view(np.float32)
    # A position after a pass may be the end, where stones are counted.
    records["kind"] = np.where(records["globals"][:, 0] != 0, shards.LATE, 0)
    return records


def receive(connection: socket.socket, into: memoryview) -> bool:
    """Fill a buffer. False at the end of the stream."""
    at = 0
    while at < len(into):
        n = connection.recv_into(into[at:])
        if n == 0:
            return False
        at += n
    return True


class Server:
    """Answers connections, one thread each."""

    def __init__(self, args: argparse.Namespace):
        self.device = torch.device(args.device)
        dtype = torch.float32 if args.precision == "f32" else torch.bfloat16
        self.teacher = Teacher(args.teacher, args.device, dtype)
        self.networks = {self.teacher.network.name: self.teacher}
        if args.player:
            player = Teacher(args.player, args.device, dtype)
            self.networks[player.network.name] = player
        for network in self.networks.values():
            network.module.to(memory_format=torch.channels_last)
        self.labels = None
        if args.out:
            name = self.teacher.network.name
            self.labels = Labels(args.out, name, args.first, args.chunk)
        self.graphs = args.graphs and self.device.type == "cuda"
        self.kinds: dict = defaultdict(int)
        self.begin = time.monotonic()

    def warm_up(self, sizes: list[batches.Size]) -> None:
        """Compile before the first request."""
        for size in sizes:
            for n in (1, 8, 24):
                empty = torch.ones(n, size[0] * size[1] + 19, dtype=torch.int32)
                for network in self.networks.values():
                    with torch.inference_mode():
                        evaluate(empty.to(self.device), size, network, self.teacher)

    def serve(self, connection: socket.socket) -> None:
        """Answer requests until the connection is closed."""
        stream = contextlib.nullcontext()
        if self.device.type == "cuda":
            stream = torch.cuda.stream(torch.cuda.Stream())
        with connection, stream, contextlib.suppress(ConnectionError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            head = bytearray(12)
            if not receive(connection, memoryview(head)) or head[:8] != MAGIC:
                return
            name = bytearray(min(int.from_bytes(head[8:], "little"), 4096))
            receive(connection, memoryview(name))
            player = self.networks.get(name.decode(errors="replace"))
            if player is None:
                print(f"unknown network {name.decode(errors='replace')}", file=sys.stderr)
                return
            connection.sendall(np.array(outputs_of(player.network), "<u4").tobytes())
            teacher = self.teacher if self.labels else None
            evaluator = Evaluator(player, teacher, self.device, self.graphs)
            while receive(connection, memoryview(head)):
                width, height, count = np.frombuffer(head, "<u4").tolist()
                if not (1 <= width <= 25 and 1 <= height <= 25 and 1 <= count <= MOST):
                    return
                asked = np.empty((count, width * height + 19), np.int32)
                if not receive(connection, memoryview(asked).cast("B")):
                    return
                size = (width, height)
                found = evaluator.answer(asked, size)
                connection.sendall(memoryview(np.ascontiguousarray(found["raw"])).cast("B"))
                if self.labels:
                    self.labels.put(size, records_of(asked, size, found))
                self.kinds[player.network.name, width, height] += count

    def show(self) -> None:
        """Print the number of evaluated positions, by network and size."""
        seconds = time.monotonic() - self.begin
        for (name, width, height), n in sorted(self.kinds.items()):
            print(f"{name} {width}x{height}: {n}, {n / seconds:.0f} a second", flush=True)


def main() -> None:
    """See the description above."""
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--teacher", required=True, help="the network that labels")
    p.add_argument("--player", help="another network that may play")
    p.add_argument("--out", type=Path, help="folder for the labels; default: store none")
    p.add_argument("--first", type=int, default=0, help="number of the first shard")
    p.add_argument("--chunk", type=int, default=32768, help="positions of a shard")
    p.add_argument("--port", type=whole(0, 65535), default=5115)
    p.add_argument("--sizes", nargs="+", default=["9x9", "13x13", "19x19"], help="to warm up with")
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument("--precision", choices=["bf16", "f32"], default="bf16")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--no-compile", action="store_true", help="slower, but starts at once")
    p.add_argument(
        "--graphs", action=argparse.BooleanOptionalAction, default=True,
        help="on a GPU: record the operations once for each size and number of positions",
    )  # fmt: skip
    args = p.parse_args()
    if args.out and any(shards.number(s) >= args.first for s in shards.paths(args.out)):
        refuse(f"{args.out} holds shards from number {args.first} on: give another --first")
    torch.set_num_threads(args.threads)
    if not args.no_compile:
        inference.Kernels.compile()
    server = Server(args)
    listener = socket.create_server(("127.0.0.1", args.port), backlog=64)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        server.warm_up([tuple(int(n) for n in s.split("x")) for s in args.sizes])
        print(f"ready on port {args.port}", flush=True)
        server.begin = shown = time.monotonic()
        listener.settimeout(5.0)
        while True:
            with contextlib.suppress(TimeoutError):
                connection, _ = listener.accept()
                threading.Thread(target=server.serve, args=(connection,), daemon=True).start()
            if time.monotonic() - shown > 20.0:
                server.show()
                shown = time.monotonic()
    except KeyboardInterrupt:
        server.show()
    finally:
        if server.labels:
            server.labels.close()
    # Threads that still compute would abort when Python exits.
    os._exit(0)


if __name__ == "__main__":
    main()
