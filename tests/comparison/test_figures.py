"""Pictures of a comparison have in them what their description says."""

from described import kept
from test_report import comparison_of, results_of


def test_a_picture_of_models_is_as_it_is_described():
    comparison = comparison_of(
        webots=results_of(5.0), ideal=results_of(6.0), ode="it has no license"
    )
    kept("comparison", comparison.plot())
