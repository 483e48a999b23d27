"""A comparison as one figure of matplotlib, for notebooks and papers."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from webmotor_drake.comparison.compared_runs import ComparedRuns
from webmotor_drake.comparison.figures import charts, model_line
from webmotor_drake.errors import InputError, one_line, unknown_name
from webmotor_drake.results.plots import RunFigure

_WIDTH, _HEIGHT = 3.6, 2.4  # of a panel, inches
_FONT = 8.5  # points


def model_figure(
    comparison: ComparedRuns, motors: Sequence[str] | None = None
) -> RunFigure:
    """Returns one row per motor: position, velocity, effort and difference.

    Args:
        comparison: comparison to draw.
        motors: "<model>/<motor>" of those to draw; None: all.

    Raises:
        InputError: there is no such motor, or nothing was simulated.
    """
    for motor in motors or ():
        if motor not in comparison.motors:
            problem = unknown_name("motor", motor, comparison.motors)
            raise InputError(problem)
    chosen = comparison.motors if motors is None else list(motors)
    if not chosen:
        raise InputError("nothing to plot: no motor was simulated")
    drawn = [charts(comparison, motor) for motor in chosen]
    columns = len(drawn[0])
    figure = RunFigure()
    figure.set_size_inches(columns * _WIDTH, len(chosen) * _HEIGHT + 0.5)
    figure.set_layout_engine("constrained")
    grid = figure.subplots(len(chosen), columns, squeeze=False, sharex=True)
    for axes, motor, row in zip(grid, chosen, drawn, strict=True):
        for ax, chart in zip(axes, row, strict=True):
            chart.draw(ax)
            _prepare(ax, chart.title)
        axes[0].set_title(
            one_line(motor),
            fontsize=_FONT + 1,
            fontweight="bold",
            loc="left",
            parse_math=False,
        )
    for ax in grid[-1]:
        ax.set_xlabel("time (s)", fontsize=_FONT)
    _draw_legend(figure, comparison)
    return figure


def _prepare(ax: Axes, title: str) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#E4E4E4", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=_FONT - 1)
    ax.set_ylabel(title, fontsize=_FONT)


def _draw_legend(figure: RunFigure, comparison: ComparedRuns) -> None:
    """Names the models above all panels."""
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], label=name, **model_line(comparison, name).style)
        for name in comparison.outcomes
    ]
    figure.legend(
        handles=lines,
        loc="outside upper left",
        ncols=len(lines),
        frameon=False,
        fontsize=_FONT,
    )
