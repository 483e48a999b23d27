"""Charts know their own ends."""

import numpy as np
from matplotlib.figure import Figure

from webmotor_drake.comparison.charts import TEXT, Chart, Curve


def chart(*values: float, end: float = 1.0) -> Chart:
    x = np.linspace(0, end, len(values))
    return Chart("", "", end, [Curve("", TEXT, x, np.array(values))])


def test_a_chart_shows_its_values_with_a_margin():
    assert chart(1.0, 3.0).range == (0.9, 3.1)
    assert chart(2.0, 2.0).range == (1.0, 3.0)
    assert chart(np.nan).range == (-1.0, 1.0)


def test_a_run_that_ends_at_once_has_axes_of_a_second():
    ax = Figure().add_subplot()
    chart(0.0, end=0.0).draw(ax)
    assert ax.get_xlim() == (0, 1)
