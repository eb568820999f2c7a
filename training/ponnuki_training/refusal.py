"""Exits of the programs on unusable input."""

from __future__ import annotations

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
