"""Write the averaged weights of a checkpoint as a KataGo network file.

python export.py CHECKPOINT.pt OUT.bin.gz
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from ponnuki_training import convert, katago
from ponnuki_training.student import Student


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("checkpoint", type=Path)
    p.add_argument("out", type=Path)
    p.add_argument("--name", help="name in the file; the shape and the samples if not given")
    p.add_argument("--bits", type=int, default=8, help="of mantissa that weights keep")
    args = p.parse_args()
    state = torch.load(args.checkpoint, map_location="cpu")
    student = Student(state["shape"])
    student.load_state_dict(state["average"])
    name = args.name or f"ponnuki-{state['shape']}-s{state['samples']}"
    network = convert.rounded(convert.network_of(student, name), args.bits)
    katago.write_network(network, args.out)
    print(f"{args.out}: {name}, {args.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
