"""The eight symmetries of the board, numbered as everywhere in Ponnuki.

Bit 0 exchanges top and bottom, bit 1 left and right, bit 2 columns and rows, applied
in this order. An oblong board has the first four.
"""

from __future__ import annotations

import functools

import numpy as np


def count(width: int, height: int) -> int:
    """The number of symmetries of a board of this size."""
    return 8 if width == height else 4


@functools.cache
def places(width: int, height: int) -> np.ndarray:
    """[symmetry, point]: the place to which a point moves, row by row."""
    y, x = np.divmod(np.arange(width * height), width)
    rows = []
    for s in range(count(width, height)):
        y1 = height - 1 - y if s & 1 else y
        x1 = width - 1 - x if s & 2 else x
        if s & 4:
            x1, y1 = y1, x1
        rows.append(y1 * width + x1)
    return np.stack(rows)


@functools.cache
def sources(width: int, height: int) -> np.ndarray:
    """[symmetry, point]: the place from which a point comes."""
    return np.argsort(places(width, height), axis=1)
