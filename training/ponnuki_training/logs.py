"""The log of a training: a line of JSON for what was noted after so many steps and samples."""

from __future__ import annotations

import json
import os
from pathlib import Path


def read(path: Path) -> list[dict]:
    """What was noted; a line that a kill has cut off is left out."""
    found = []
    for line in path.read_text(errors="replace").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def trim(path: Path, samples: float) -> None:
    """Leave whole lines up to so many samples: those of a training that goes on follow."""
    kept = [line for line in read(path) if line["samples"] <= samples]
    beside = path.with_suffix(".part")
    beside.write_text("".join(json.dumps(line) + "\n" for line in kept))
    os.replace(beside, path)
