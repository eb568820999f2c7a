"""Exits of the programs on unusable input, and options that are numbers."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import NoReturn

from ponnuki_training.shards import ShardError


def refuse(why: object) -> NoReturn:
    """Print the reason and exit with the status of an invalid command line."""
    print(why, file=sys.stderr)
    raise SystemExit(2)


def run(main: Callable[[], int | None]) -> NoReturn:
    """Run a program and exit with its status. Reports an unusable file in one line."""
    try:
        sys.exit(main())
    except (ShardError, OSError) as e:
        refuse(e)


def number(least: float, most: float = math.inf) -> Callable[[str], float]:
    """Return a parser of numbers from `least` to `most`, such as `1e6`, for an option."""

    def parsed(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most or math.isinf(value):
            end = f"from {least:g} to {most:g}" if most < math.inf else f"of at least {least:g}"
            raise argparse.ArgumentTypeError(f"{text}: expected a number {end}")
        return value

    return parsed


def whole(least: int, most: float = math.inf) -> Callable[[str], int]:
    """Return a parser of whole numbers from `least` to `most` for an option."""
    in_range = number(least, most)

    def parsed(text: str) -> int:
        value = in_range(text)
        if value != int(value):
            raise argparse.ArgumentTypeError(f"{text}: expected a whole number")
        return int(value)

    return parsed
