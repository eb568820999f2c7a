"""The log of a training run: lines of JSON, each with the steps and samples so far."""

from __future__ import annotations

import json
import os
from pathlib import Path


def read(path: Path) -> list[dict]:
    """Read the lines; a truncated line, as after a kill, is skipped."""
    found = []
    for line in path.read_text(errors="replace").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def trim(path: Path, samples: float) -> None:
    """Drop truncated lines and those after `samples` samples, before training resumes."""
    kept = [line for line in read(path) if line["samples"] <= samples]
    temporary = path.with_suffix(".part")
    temporary.write_text("".join(json.dumps(line) + "\n" for line in kept))
    os.replace(temporary, path)
