"""The runs of a study, with pictures: metrics over parameters, overlaid traces."""

import base64

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable

from webmotor_drake.comparison.report import Appendix
from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.metrics import METRICS
from webmotor_drake.results.plots import RunFigure
from webmotor_drake.results.results import Results
from webmotor_drake.sweep.run_data import RunData, short_names
from webmotor_drake.sweep.run_table import RUN, TRACES

_BEST_SHOWN = 10  # runs of a report
_SHOWN = 6  # metrics
_MAX_TRACES = 200
_COLUMNS = 3
_ACROSS = 4  # most parameters per metric, if there are more than two
_PANEL, _SMALL = (4.2, 3.2), (2.8, 2.3)  # inches
_FONT = 8.5  # points
_COLOR, _COLORS = "#0072B2", "viridis"
_BEST = "#D55E00"
_FAILED, _NEVER = "#777777", "#BBBBBB"
# Values get a logarithmic axis if the last is at least this many times the first.
_WIDE = 8.0
# Units that depend on the motors.
_UNITS = {
    "position": "rad, m",
    "velocity": "rad/s, m/s",
    "acceleration": "rad/s², m/s²",
    "effort": "N·m, N",
}


class SweepRuns(RunData):
    """The runs of a study, one row each, in the order in which they ended.

    ::

        runs = wm.SweepRuns.load("runs/Lift-sweep")
        print(runs.best(5, "overshoot"))
        for run in runs:
            print(run["status"], run["overshoot"])
        runs.plot()

    Attributes:
        folder: place of the runs.
        about: description of the study: its scenario, seed and so on.
        parameters: names of the columns of parameters: their paths.
        metrics: names of the columns of metrics.
        columns: values of all columns by name: numbers, text or truth values.
    """

    def plot(self) -> RunFigure:
        """Returns a picture of the metrics over the parameters.

        Raises:
            InputError: no run has a metric to draw.
        """
        return runs_figure(self)


def sweep_appendix(runs: RunData) -> Appendix:
    """Returns the pictures of a sweep and its best runs.

    Raises:
        InputError: no run has a metric to show.
    """
    pictures = {"Metrics against what was varied": runs_figure(runs).picture()}
    if (runs.folder / TRACES).is_dir():
        pictures["Positions of all runs"] = traces_figure(runs).picture()
    return Appendix(
        "Sweep",
        f"{runs.done.sum()} of {len(runs)} runs are results. Those with the least"
        f" {runs.ranking}:",
        runs.best_rows(_BEST_SHOWN),
        {
            title: f"data:image/png;base64,{base64.b64encode(png).decode()}"
            for title, png in pictures.items()
        },
    )


def runs_figure(runs: RunData) -> RunFigure:
    """Returns a picture of each metric over the parameters.

    Draws lines for one parameter and maps for two; for more, each metric over the
    parameters that it depends on most.

    Raises:
        InputError: there is nothing to draw.
    """
    metrics = [name for name in runs.metrics if runs.has(name)][:_SHOWN]
    if not metrics:
        raise InputError("no run has a metric to draw")
    if len(runs.parameters) > 2:
        figure = _scatter_figure(runs, metrics)
    else:
        draw = (_draw_spread, _draw_lines, _draw_map)[len(runs.parameters)]
        figure, panels = _figure(len(metrics), _COLUMNS)
        for ax, metric in zip(panels, metrics, strict=True):
            draw(ax, runs, metric)
            ax.set_title(_titled(metric), fontsize=_FONT + 0.5)
    figure.suptitle(_remarks(runs), fontsize=_FONT, color="#555555")
    return figure


def _remarks(runs: RunData) -> str:
    """Returns remarks on runs and metrics that the picture lacks, in a line."""
    remarks = []
    failed = len(runs) - int(runs.done.sum())
    if failed:
        remarks.append(f"{failed} of {len(runs)} runs failed and are left out")
    never = [
        m for m in runs.metrics if np.isinf(runs.numbers(m)[runs.done]).any()
    ]
    if never:
        remarks.append(
            f"white or missing where never reached: {', '.join(never)}"
        )
    if len([m for m in runs.metrics if runs.has(m)]) > _SHOWN:
        remarks.append(f"the first {_SHOWN} metrics")
    return "; ".join(map(one_line, remarks))


def _titled(metric: str) -> str:
    known = METRICS.get(metric.rpartition("/")[2])
    unit = _UNITS.get(known.unit, known.unit) if known else ""
    return one_line(f"{metric} ({unit})" if unit else metric)


def traces_figure(runs: RunData) -> RunFigure:
    """Returns a picture with the positions of all runs, overlaid.

    Raises:
        InputError: no traces were kept.
    """
    traces = _traces(runs)
    if not traces:
        raise InputError("no traces were kept; --traces keeps them")
    motors = traces[0].motors
    figure, panels = _figure(len(motors), _COLUMNS)
    colors = colormaps[_COLORS](np.linspace(0, 0.95, len(traces)))
    for ax, motor in zip(panels, motors, strict=True):
        for results, color in zip(traces, colors, strict=True):
            values = results[f"{motor}/position"]
            ax.plot(results.time, values, color=color, lw=0.7, alpha=0.6)
        ax.set_title(one_line(motor), fontsize=_FONT + 0.5)
        unit = traces[0].units(motor).position
        ax.set_ylabel(f"position ({unit})", fontsize=_FONT)
        ax.set_xlabel("time (s)", fontsize=_FONT)
    bar = figure.colorbar(ScalarMappable(cmap=_COLORS), ax=panels, aspect=40)
    bar.set_ticks([0, 1], labels=["least", "most"], fontsize=_FONT - 1)
    bar.set_label(f"runs by {_titled(runs.ranking)}", fontsize=_FONT)
    return figure


def _traces(runs: RunData) -> list[Results]:
    """Returns kept results, the best first, as many as a picture can show."""
    order = runs.ranked(runs.ranking) if runs.ranking else np.arange(0)
    step = max(len(order) / _MAX_TRACES, 1)
    chosen = order[np.arange(0, len(order), step).astype(int)]
    folders = (runs.folder / TRACES / str(runs.columns[RUN][i]) for i in chosen)
    return [Results.load(folder) for folder in folders if folder.is_dir()]


def _draw_spread(ax: Axes, runs: RunData, metric: str) -> None:
    values = runs.numbers(metric)[runs.done]
    ax.hist(values[np.isfinite(values)], bins=30, color=_COLOR)
    ax.set_ylabel("runs", fontsize=_FONT)


def _draw_lines(ax: Axes, runs: RunData, metric: str) -> None:
    """Draws a metric over one parameter: each run, and the mean of repetitions."""
    name = runs.parameters[0]
    places, labels = _places(runs, name)
    values = runs.numbers(metric)
    shown = runs.done & np.isfinite(values)
    ax.plot(places[shown], values[shown], ".", color=_COLOR, ms=4)
    at = np.unique(places[shown])
    means = [values[shown & (places == place)].mean() for place in at]
    ax.plot(at, means, color=_COLOR, lw=1.4)
    _label(ax.xaxis, runs, name, places, labels)


def _draw_map(ax: Axes, runs: RunData, metric: str) -> None:
    """Draws a metric over two parameters: a map of a grid, else points."""
    (x, x_labels), (y, y_labels) = (_places(runs, n) for n in runs.parameters)
    values = runs.numbers(metric)
    shown = runs.done & np.isfinite(values)
    columns, rows = np.unique(x), np.unique(y)
    if len(columns) * len(rows) <= 2 * len(runs):
        grid = np.full((len(rows), len(columns)), np.nan)
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                cell = values[shown & (x == column) & (y == row)]
                if cell.size:
                    grid[i, j] = cell.mean()
        drawn = ax.pcolormesh(_edges(columns), _edges(rows), grid, cmap=_COLORS)
    else:
        # All maps show the same part of the plane, also of a metric never reached.
        ax.scatter(x, y, s=12, facecolors="none", edgecolors=_NEVER)
        drawn = ax.scatter(x[shown], y[shown], c=values[shown], s=12)
    best = runs.ranked(metric)[0]
    ax.plot(x[best], y[best], "o", mfc="none", mec=_BEST, mew=1.6, ms=9)
    _explain(ax, 0.0, "○ best", _BEST)
    failed = ~runs.done
    if failed.any():
        ax.plot(x[failed], y[failed], "x", color=_FAILED, ms=5, ls="none")
        _explain(ax, 0.3, "\u00d7 failed", _FAILED)
    bar = ax.figure.colorbar(drawn, ax=ax)
    bar.ax.tick_params(labelsize=_FONT - 1)
    _label(ax.xaxis, runs, runs.parameters[0], x, x_labels)
    _label(ax.yaxis, runs, runs.parameters[1], y, y_labels)


def _explain(ax: Axes, place: float, text: str, color: str) -> None:
    style = {"color": color, "fontsize": _FONT - 1}
    ax.text(place, -0.32, text, transform=ax.transAxes, **style)


def _scatter_figure(runs: RunData, metrics: list[str]) -> RunFigure:
    """Returns each metric over its parameters of largest rank correlation."""
    places = {name: _places(runs, name) for name in runs.parameters}
    columns = min(len(runs.parameters), _ACROSS)
    figure, panels = _figure(len(metrics) * columns, columns, panel=_SMALL)
    for row, metric in enumerate(metrics):
        values = runs.numbers(metric)
        shown = runs.done & np.isfinite(values)
        ranks = {
            name: _rank_correlation(places[name][0][shown], values[shown])
            for name in runs.parameters
        }
        most = sorted(ranks, key=lambda name: -abs(ranks[name]))[:columns]
        for ax, name in zip(panels[row * columns :], most, strict=False):
            x, labels = places[name]
            ax.plot(x[shown], values[shown], ".", color=_COLOR, ms=3, alpha=0.6)
            _label(ax.xaxis, runs, name, x, labels)
            ax.set_title(
                f"rank correlation {ranks[name]:+.2f}", fontsize=_FONT - 0.5
            )
        panels[row * columns].set_ylabel(_titled(metric), fontsize=_FONT)
    return figure


def _rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Returns Spearman's rank correlation; 0 for constant values."""
    from scipy import stats

    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return float(stats.spearmanr(x, y).statistic)


def _places(runs: RunData, name: str) -> tuple[np.ndarray, list[str] | None]:
    """Returns a parameter's places on the axis, and labels if it has no numbers."""
    column = runs.columns[name]
    if all(isinstance(v, int | float) and v is not True for v in column):
        return runs.numbers(name), None
    labels = list(dict.fromkeys(map(str, column)))
    return np.array([float(labels.index(str(v))) for v in column]), labels


def _label(
    axis,
    runs: RunData,
    name: str,
    places: np.ndarray,
    labels: list[str] | None,
) -> None:
    """Names an axis; values at about equal ratios get a logarithmic one."""
    short = short_names(runs.parameters)[name]
    axis.set_label_text(one_line(short), fontsize=_FONT)
    if labels is not None:
        axis.set_ticks(range(len(labels)), labels)
        return
    if _is_logarithmic(np.unique(places)):
        horizontal = axis.axis_name == "x"
        (axis.axes.set_xscale if horizontal else axis.axes.set_yscale)("log")


def _is_logarithmic(values: np.ndarray) -> bool:
    """Returns whether sorted values grow by ratios rather than steps: 1, 3, 9, 30."""
    if len(values) < 3 or values[0] <= 0 or values[-1] < _WIDE * values[0]:
        return False
    steps, ratios = np.diff(values), np.diff(np.log(values))
    return bool(np.std(ratios) / ratios.mean() < np.std(steps) / steps.mean())


def _edges(values: np.ndarray) -> np.ndarray:
    """Returns the edges of cells around sorted values."""
    if len(values) == 1:
        return values[0] + np.array([-0.5, 0.5])
    if _is_logarithmic(values):
        return np.exp(_edges(np.log(values)))
    middle = (values[1:] + values[:-1]) / 2
    first, last = 2 * values[0] - middle[0], 2 * values[-1] - middle[-1]
    return np.array([first, *middle, last])


def _figure(
    number: int, columns: int, *, panel: tuple[float, float] = _PANEL
) -> tuple[RunFigure, list[Axes]]:
    columns = min(columns, number)
    rows = -(-number // columns)
    size = columns * panel[0], rows * panel[1] + 0.3
    figure = RunFigure(figsize=size, layout="constrained")
    panels = [figure.add_subplot(rows, columns, i + 1) for i in range(number)]
    for ax in panels:
        ax.tick_params(labelsize=_FONT - 1)
        ax.spines[["top", "right"]].set_visible(False)
    return figure, panels
