"""How the programs end where they are given what they cannot use."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from ponnuki_training.shards import ShardError


def refuse(why: object) -> NoReturn:
    """End the program with a line, and with the status of a wrong command line."""
    print(why, file=sys.stderr)
    raise SystemExit(2)


def run(main: Callable[[], int | None]) -> NoReturn:
    """Run a program and end with its status; a file that cannot be used is named in a line."""
    try:
        sys.exit(main())
    except (ShardError, OSError) as e:
        refuse(e)
