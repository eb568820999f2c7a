"""How the programs end where they are given what they cannot use."""

from __future__ import annotations

import sys
from typing import NoReturn


def refuse(why: object) -> NoReturn:
    """End the program with a line, and with the status of a wrong command line."""
    print(why, file=sys.stderr)
    raise SystemExit(2)
