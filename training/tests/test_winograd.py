"""Convolutions by Winograd's method, compared with direct ones."""

import pytest
import torch
import torch.nn.functional as F

from ponnuki_training import winograd
from ponnuki_training.student import Student

MISSING = winograd.prepare()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

# Tiles of three and of four, boards that they fill and do not, few tiles and many, numbers of
# channels with and without code of their own.
CASES = [
    (3, 64, 64, 9, 9),
    (1, 16, 16, 7, 7),
    (2, 48, 64, 13, 13),
    (5, 64, 48, 19, 19),
    (3, 32, 48, 7, 11),
    (2, 80, 16, 10, 8),
]


@pytest.fixture
def threads():
    """Restore the number of threads after the test."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def off(x, exact):
    """Root mean square error, relative to the standard deviation of the exact values."""
    return ((x.double() - exact).square().mean().sqrt() / exact.std()).item()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_and_gradients_are_those_of_direct_convolutions(case, threads):
    images, inputs, outputs, height, width = case
    torch.manual_seed(1)
    x = torch.randn(images, inputs, height, width).relu().bfloat16()
    weight = torch.randn(outputs, inputs, 3, 3)
    gradient = torch.randn(images, outputs, height, width).bfloat16()
    exact = [t.double().requires_grad_() for t in (x, weight)]
    value = F.conv2d(*exact, padding=1)
    value.backward(gradient.double())
    for number in (1, 2):
        torch.set_num_threads(number)
        given = [t.clone().requires_grad_() for t in (x, weight)]
        assert winograd.fits(*given)
        y = winograd.convolve(*given)
        y.backward(gradient)
        assert y.shape == value.shape and y.dtype == torch.bfloat16
        assert off(y, value) < 0.02
        for g, e in zip(given, exact, strict=True):
            assert g.grad.dtype == g.dtype
            assert off(g.grad, e.grad) < 0.02


def test_edges_see_nothing_but_the_board():
    x = torch.ones(1, 16, 9, 9).bfloat16()
    y = winograd.convolve(x, torch.ones(16, 16, 3, 3)).float()
    assert torch.allclose(y, F.conv2d(x.float(), torch.ones(16, 16, 3, 3), padding=1), rtol=0.02)


def test_what_does_not_fit_is_left_to_direct_convolutions():
    x = torch.zeros(1, 16, 9, 9)
    weight = torch.zeros(16, 16, 3, 3)
    assert winograd.fits(x.bfloat16(), weight)
    assert not winograd.fits(x, weight)
    assert not winograd.fits(x.bfloat16(), weight[:8])
    assert not winograd.fits(x.bfloat16(), weight[:, :8])
    assert not winograd.fits(x.bfloat16(), weight[:, :, 1:2, 1:2])


def test_a_student_says_and_learns_nearly_the_same(monkeypatch):
    torch.manual_seed(1)
    planes = (torch.rand(8, 22, 9, 9) < 0.2).float()
    numbers = torch.randn(8, 19)
    found = []
    for ready in (True, False):
        monkeypatch.setattr(winograd, "ready", ready)
        torch.manual_seed(2)
        student = Student("b4c32", torch.bfloat16)
        said = student(planes, numbers)
        sum(s.float().square().mean() for s in said).backward()
        gradient = student.blocks[0].conv1.weight.grad
        found.append([*said, gradient])
    for one, other in zip(*found, strict=True):
        assert off(one.detach(), other.detach().double()) < 0.1
        assert not torch.equal(one, other)
