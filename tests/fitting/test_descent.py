"""The way down: closed forms, walls, failed runs, and scipy on the same problems."""

import numpy as np
import pytest

from webmotor_drake.fitting import solve
from webmotor_drake.fitting.parameter import Parameter
from webmotor_drake.fitting.search import LOSSES, Box, Point
from webmotor_drake.fitting.solve import (
    FitSettings,
    _descend,
    _go_on_by_wide_steps,
)

ROSENBROCK = np.array([[0.3, 0.9], [0.0, 0.0], [0.05, 0.95]])


class Looks:
    """Looks at a function of the box; counts them."""

    def __init__(self, residuals, loss="linear", fails=lambda place: False):
        self.number, self._loss, self.best = 0, LOSSES[loss], None
        self._residuals, self._fails = residuals, fails

    def look(self, place, width=None):
        self.number += 1
        if self._fails(place):
            return None
        r = self._residuals(place)
        steps = 1e-7 * np.eye(len(place))
        columns = [(self._residuals(place + s) - r) / 1e-7 for s in steps]
        jacobian = np.reshape(columns, (len(place), len(r))).T
        point = Point(place, r, r, jacobian)
        if self.loss(point) < self.loss(self.best):
            self.best = point
        return self.wide(point, width) if width else point

    def wide(self, point, width):
        steps = width * np.eye(len(point.place))
        ends = [
            [self._residuals(point.place + sign * step) for sign in (1, -1)]
            for step in steps
        ]
        columns = [(b - a) / (2 * width) for b, a in ends]
        r = point.residuals
        return Point(point.place, r, r, np.transpose(columns))

    def loss(self, point):
        if point is None:
            return np.inf
        return float(self._loss.rho(point.residuals**2).sum() / 2)


def end_of(looks, start, *, loss="linear", iterations=100, tolerance=1e-10):
    settings = FitSettings(
        loss=loss, max_iterations=iterations, tolerance=tolerance
    )
    return _descend(looks, np.array(start), settings)


def rosenbrock(place):
    x, y = 4 * place - 2
    return np.array([10 * (y - x * x), 1 - x])


@pytest.mark.parametrize("start", ROSENBROCK)
def test_a_bent_valley_is_followed_to_its_end(start):
    looks = Looks(rosenbrock)
    found = end_of(looks, start)
    np.testing.assert_allclose(found.place, 0.75, atol=1e-6)
    assert looks.number < 60


def test_a_straight_problem_takes_a_few_looks():
    rng = np.random.default_rng(0)
    matrix, truth = rng.normal(size=(30, 5)), rng.uniform(0.2, 0.8, 5)
    looks = Looks(lambda place: matrix @ (place - truth))
    np.testing.assert_allclose(end_of(looks, np.zeros(5)).place, truth)
    assert looks.number < 15


@pytest.mark.parametrize("seed", range(20))
def test_walls_are_where_scipy_finds_them(seed):
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(12, 4)) * 10 ** rng.uniform(-2, 2, 4)
    truth = rng.uniform(-0.5, 1.5, 4)  # beyond the box it may be
    known = matrix @ truth + rng.normal(size=12)
    found = end_of(Looks(lambda p: matrix @ p - known), rng.uniform(size=4))
    exact = optimize.lsq_linear(matrix, known, (0, 1), method="bvls")
    assert found.cost == pytest.approx(exact.cost, rel=1e-6)


def test_the_last_of_the_way_sees_over_what_is_rugged():
    rng = np.random.default_rng(3)
    matrix, truth = rng.normal(size=(30, 3)), np.array([0.3, 0.5, 0.6])

    def rugged(place):
        # Of small steps these waves are nearly all that derivatives tell.
        waves = 1e-3 * np.sin(1e5 * place)
        return matrix @ (place - truth + waves)

    looks = Looks(rugged)
    assert np.abs(end_of(looks, np.full(3, 0.9)).place - truth).max() > 0.05
    _go_on_by_wide_steps(looks, FitSettings())
    # As far as the waves are high, twice.
    np.testing.assert_allclose(looks.best.place, truth, atol=2e-3)


def test_outliers_hardly_count_under_a_robust_loss():
    x = np.linspace(0, 1, 40)
    y = 0.4 + 0.3 * x
    y[::8] += 5.0
    looks = Looks(lambda p: (p[0] + p[1] * x - y) / 0.01, "cauchy")
    found = end_of(looks, [0.5, 0.5], loss="cauchy")
    np.testing.assert_allclose(found.place, [0.4, 0.3], atol=1e-3)


def test_a_run_that_fails_is_no_way():
    looks = Looks(rosenbrock, fails=lambda place: place[0] > 0.8)
    found = end_of(looks, [0.1, 0.9])
    np.testing.assert_allclose(found.place, 0.75, atol=1e-6)
    assert end_of(Looks(rosenbrock, fails=lambda place: True), [0, 0]) is None


def test_what_nothing_depends_on_stays():
    looks = Looks(lambda place: np.array([place[0] - 0.3]))
    found = end_of(looks, [0.9, 0.6])
    np.testing.assert_allclose(found.place, [0.3, 0.6])
    assert end_of(Looks(lambda p: np.ones(3)), []).place.size == 0


def test_a_box_goes_through_decades_by_the_logarithm():
    def parameter(low, high):
        return Parameter("p", (("p",),), low, high, high)

    box = Box([parameter(1.0, 100.0), parameter(0.0, 4.0), parameter(2, 20)])
    assert box.values(np.full(3, 0.5)) == pytest.approx([10.0, 2.0, 11.0])
    for place in np.random.default_rng(0).uniform(size=(20, 3)):
        values = box.values(place)
        np.testing.assert_allclose(box.place(values), place, atol=1e-14)
        change = 1e-6
        ahead = box.values(place + change) - box.values(place - change)
        np.testing.assert_allclose(
            box.slope(place), ahead / (2 * change), rtol=1e-6
        )


def test_a_residual_that_changes_without_any_influence_makes_no_nan():
    places = []

    def residuals(place):
        places.append(place)
        # The last one turns as soon as the search moves, and has no slope anywhere.
        sign = 1 if np.abs(place - 0.2).max() > 1e-3 else -1
        return np.array([*(3 * (place - 0.6) + (place - 0.6) ** 3), 9.0 * sign])

    found = end_of(Looks(residuals), [0.2, 0.2])
    assert np.isfinite(places).all()
    np.testing.assert_allclose(found.place, 0.6, atol=1e-6)


def test_a_gain_that_nothing_foresaw_overflows_nothing(monkeypatch):
    """At walls a step may seem to lead uphill, and lead down all the same."""
    monkeypatch.setattr(solve, "_step", lambda *_: np.array([0.1]))
    wave = 20 * np.pi
    looks = Looks(lambda x: 100 * (1 - x + 0.5 * np.sin(wave * x)))
    with np.errstate(over="raise"):
        found = end_of(looks, [0.3], iterations=2)
    assert found.place == pytest.approx(0.4)
