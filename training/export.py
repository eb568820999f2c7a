"""Write the averaged weights of a checkpoint as a KataGo network file.

python export.py CHECKPOINT.pt OUT.bin.gz

Several checkpoints or network files of one shape are averaged. A number after `=` is the
weight of a file:

python export.py CHECKPOINT.pt=0.6 NETWORK.bin.gz=0.4 OUT.bin.gz
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ponnuki_training import convert, katago
from ponnuki_training.refusal import refuse, run, whole
from ponnuki_training.student import Student
from ponnuki_training.trainer import open_checkpoint


def weighted(text: str) -> tuple[Path, float]:
    """Parse a file and its weight, by default 1: `checkpoint.pt=0.6`."""
    path, equals, number = text.rpartition("=")
    if not equals or Path(text).exists():
        return Path(text), 1.0
    weight = float(number)
    if not 0.0 < weight < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: a weight must be more than 0")
    return Path(path), weight


def read(path: Path) -> katago.Network:
    """Read the network of a checkpoint or of a network file."""
    if path.suffix != ".pt":
        return katago.open_network(path)
    state = open_checkpoint(path, "cpu")
    student = Student(state["shape"])
    student.load_state_dict(state["average"])
    return convert.network_of(student, f"ponnuki-{state['shape']}-s{state['samples']}")


def write(network: katago.Network, out: Path, bits: int, head_bits: int | None = None) -> None:
    """Write a network file, with weights rounded to `bits` bits of mantissa."""
    katago.write_network(convert.rounded(network, bits, head_bits), out)
    print(f"{out}: {network.name}, {out.stat().st_size / 1e6:.2f} MB")


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("sources", nargs="+", type=weighted, help="checkpoints or network files")
    p.add_argument("out", type=Path)
    p.add_argument("--name", help="name in the file; default: that of the first source")
    p.add_argument("--bits", type=whole(1, 23), default=8, help="bits of mantissa of the weights")
    p.add_argument(
        "--head-bits", type=whole(1, 23), help="the same for heads and pooling; default: --bits"
    )
    args = p.parse_args()
    networks = [read(path) for path, _ in args.sources]
    name = args.name or networks[0].name
    try:
        network = convert.averaged(networks, [weight for _, weight in args.sources], name)
    except ValueError as e:
        refuse(f"{', '.join(str(path) for path, _ in args.sources)}: {e}")
    write(network, args.out, args.bits, args.head_bits)


if __name__ == "__main__":
    run(main)
