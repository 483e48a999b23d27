"""Pictures of a comparison have in them what their description says."""

import math

from described import kept
from test_report import comparison_of, results_of

from webmotor_drake.comparison.charts import Curve
from webmotor_drake.comparison.figures import _ends


def test_a_picture_of_models_is_as_it_is_described():
    comparison = comparison_of(
        webots=results_of(5.0), ideal=results_of(6.0), ode="it has no license"
    )
    kept("comparison", comparison.plot())


def test_curves_end_at_their_finite_values_and_without_any_at_0():
    curves = [
        Curve("a", "red", [0, 1], [3.0, math.inf]),
        Curve("b", "red", [0, 1], [math.nan, -2.0]),
    ]
    assert _ends(curves) == (-2.0, 3.0)
    assert _ends([Curve("a", "red", [0], [math.nan])]) == (0.0, 0.0)
    assert _ends([]) == (0.0, 0.0)
