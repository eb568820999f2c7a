"""Tiny labelled shards: random stones, labels that can be learned, valid in every field."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from ponnuki_training import shards  # noqa: E402


def random_records(rng, width, height, count, labelled=True):
    """Records of random boards."""
    area = width * height
    records = np.zeros(count, shards.record_type(width, height))
    stones = rng.integers(0, 3, (count, area))
    bits = 1 | (stones == 1) << 1 | (stones == 2) << 2 | rng.integers(0, 2, (count, area)) << 14
    for byte in range(3):
        records["planes"][:, :, byte] = bits >> 8 * byte & 255
    records["globals"][:, 5] = rng.normal(size=count) * 0.3
    records["globals"][:, 6] = rng.integers(0, 2, count)
    records["symmetry"] = rng.integers(0, 8 if width == height else 4, count)
    # The marked points are the good ones, komi decides who wins, and stones own their points.
    policy = np.full((count, area + 1), 0.05)
    policy[:, :area][bits & 1 << 14 > 0] = 1.0
    policy[:, :area][stones > 0] = 0.0
    policy[:, area] += 0.01
    policy /= policy.sum(1, keepdims=True)
    if not labelled:
        policy[:] = 0.0
    policy[:, :area][stones > 0] = -1.0
    records["policy"] = policy
    if labelled:
        winning = 1.0 / (1.0 + np.exp(-8.0 * records["globals"][:, 5]))
        none = np.where(records["globals"][:, 6] == 0, 0.1, 0.0)
        result = (winning * (1.0 - none), (1.0 - winning) * (1.0 - none), none)
        records["result"] = np.stack(result, axis=1)
        records["score"] = rng.random((count, 6)) * 10
        records["ownership"] = np.array((0, 100, -100))[stones]
    return records


@pytest.fixture
def rng():
    """A generator with the same seed in every test."""
    return np.random.default_rng(1)


@pytest.fixture
def folder(tmp_path, rng):
    """A folder with two training shards and one held-out shard."""
    for number in (0, 1, 49):
        sections = [(w, h, random_records(rng, w, h, 40)) for w, h in ((9, 9), (7, 5))]
        shards.write_shard(tmp_path / f"{number:06}.shard", "random", (0, 64), sections)
    return tmp_path
