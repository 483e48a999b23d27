"""Pictures of a sweep: the metrics against what was varied, and overlaid traces."""

import io
import os
from typing import TYPE_CHECKING

import numpy as np

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.results import Results
from webmotor_drake.results.whole_file import write_whole
from webmotor_drake.sweep.runs import TRACES, Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHOWN = 6  # metrics
_MAX_TRACES = 200
_COLUMNS = 3
_PANEL = 4.2, 3.2  # inches
_DPI = 110
_FONT = 8.5  # points
_COLOR, _COLORS = "#0072B2", "viridis"
_BEST = "#D55E00"


def plot_runs(runs: Runs, file: str | os.PathLike[str]) -> None:
    """Draws each metric against what was varied into the PNG `file`.

    Lines for one parameter, maps for two, parallel coordinates for more.

    Raises:
        InputError: there is nothing to draw, or `file` cannot be written.
    """
    write_whole(file, runs_picture(runs))


def plot_traces(runs: Runs, file: str | os.PathLike[str]) -> None:
    """Draws the positions of all runs over each other into the PNG `file`.

    Raises:
        InputError: no traces were kept, or `file` cannot be written.
    """
    write_whole(file, traces_picture(runs))


def runs_picture(runs: Runs) -> bytes:
    """Returns the PNG of `plot_runs`."""
    return _png(runs_figure(runs))


def traces_picture(runs: Runs) -> bytes:
    """Returns the PNG of `plot_traces`."""
    return _png(traces_figure(runs))


def runs_figure(runs: Runs) -> "Figure":
    """Returns the picture of `plot_runs`."""
    metrics = [name for name in runs.metrics if runs.has(name)][:_SHOWN]
    if not metrics:
        raise InputError("no run has a metric to draw")
    draw = {0: _draw_spread, 1: _draw_lines, 2: _draw_map}.get(
        len(runs.parameters), _draw_parallel
    )
    wide = draw is _draw_parallel
    figure, panels = _figure(len(metrics), 1 if wide else _COLUMNS, wide=wide)
    for ax, metric in zip(panels, metrics, strict=True):
        draw(ax, runs, metric)
        ax.set_title(one_line(metric), fontsize=_FONT + 0.5)
    return figure


def traces_figure(runs: Runs) -> "Figure":
    """Returns the picture of `plot_traces`."""
    traces = _traces(runs)
    if not traces:
        raise InputError("no traces were kept; --traces keeps them")
    motors = traces[0][1].motors
    figure, panels = _figure(len(motors), _COLUMNS)
    colors = _colormap(len(traces))
    for ax, motor in zip(panels, motors, strict=True):
        for (_, results), color in zip(traces, colors, strict=True):
            values = results[f"{motor}/position"]
            ax.plot(results.time, values, color=color, lw=0.7, alpha=0.6)
        ax.set_title(one_line(motor), fontsize=_FONT + 0.5)
        unit = traces[0][1].units(motor).position
        ax.set_ylabel(f"position ({unit})", fontsize=_FONT)
        ax.set_xlabel("time (s)", fontsize=_FONT)
    figure.suptitle(
        f"{len(traces)} runs, from the least {runs.ranking} (dark) on",
        fontsize=_FONT + 1,
    )
    return figure


def _traces(runs: Runs) -> list[tuple[int, Results]]:
    """Returns results that were kept, the best first, as many as can be seen."""
    order = runs.ranked(runs.ranking) if runs.ranking else np.arange(0)
    step = max(len(order) / _MAX_TRACES, 1)
    chosen = order[np.arange(0, len(order), step).astype(int)]
    folders = {
        int(i): runs.folder / TRACES / str(runs.columns["run"][i])
        for i in chosen
    }
    return [
        (i, Results.load(folder))
        for i, folder in folders.items()
        if folder.is_dir()
    ]


def _draw_spread(ax: "Axes", runs: Runs, metric: str) -> None:
    """Draws how a metric spreads over runs of which nothing was varied."""
    values = runs.numbers(metric)[runs.done]
    ax.hist(values[np.isfinite(values)], bins=30, color=_COLOR)
    ax.set_ylabel("runs", fontsize=_FONT)


def _draw_lines(ax: "Axes", runs: Runs, metric: str) -> None:
    """Draws a metric over one parameter: each run, and the mean of repetitions."""
    name = runs.parameters[0]
    places, labels = _places(runs, name)
    values = runs.numbers(metric)
    shown = runs.done & np.isfinite(values)
    ax.plot(places[shown], values[shown], ".", color=_COLOR, ms=4)
    at = np.unique(places[shown])
    means = [values[shown & (places == place)].mean() for place in at]
    ax.plot(at, means, color=_COLOR, lw=1.4)
    _label(ax.xaxis, name, places, labels)


def _draw_map(ax: "Axes", runs: Runs, metric: str) -> None:
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
        drawn = ax.scatter(x[shown], y[shown], c=values[shown], s=12)
    order = runs.ranked(metric)
    if order.size:
        best = order[0]
        ax.plot(x[best], y[best], "o", mfc="none", mec=_BEST, mew=1.6, ms=9)
    bar = ax.figure.colorbar(drawn, ax=ax)
    bar.ax.tick_params(labelsize=_FONT - 1)
    _label(ax.xaxis, runs.parameters[0], x, x_labels)
    _label(ax.yaxis, runs.parameters[1], y, y_labels)


def _draw_parallel(ax: "Axes", runs: Runs, metric: str) -> None:
    """Draws one line per run through all parameters to the metric, the best dark."""
    names = [*runs.parameters, metric]
    axes = [_places(runs, name)[0] for name in runs.parameters]
    axes.append(runs.numbers(metric))
    order = [i for i in runs.ranked(metric) if np.isfinite(axes[-1][i])]
    scaled = [_scaled(values, order) for values in axes]
    for i, color in reversed(
        list(zip(order, _colormap(len(order)), strict=True))
    ):
        ax.plot([v[i] for v in scaled], color=color, lw=0.8, alpha=0.7)
    ax.set_xticks(range(len(names)), [_short(n) for n in names])
    ax.tick_params(labelsize=_FONT - 1)
    ax.set_yticks([0, 1], ["least", "most"])
    for place, values in enumerate(axes):
        for end, text in ((0, np.nanmin), (1, np.nanmax)):
            if order:
                label = f" {text(values[order]):.3g}"
                ax.annotate(label, (place, end), fontsize=_FONT - 1.5)
        ax.axvline(place, color="#333333", lw=0.8)


def _scaled(values: np.ndarray, order: list[int]) -> np.ndarray:
    """Returns values from 0 for the least of the runs shown to 1 for the most."""
    if not order:
        return values
    low, high = values[order].min(), values[order].max()
    return (values - low) / (high - low) if high > low else 0 * values + 0.5


def _places(runs: Runs, name: str) -> tuple[np.ndarray, list[str] | None]:
    """Returns where the values of a parameter stand; labels if they are no numbers."""
    column = runs.columns[name]
    if all(isinstance(v, int | float) and v is not True for v in column):
        return runs.numbers(name), None
    labels = list(dict.fromkeys(map(str, column)))
    return np.array([float(labels.index(str(v))) for v in column]), labels


def _label(
    axis, name: str, places: np.ndarray, labels: list[str] | None
) -> None:
    """Names an axis; values at equal ratios get a logarithmic one."""
    axis.set_label_text(_short(name), fontsize=_FONT)
    if labels is not None:
        axis.set_ticks(range(len(labels)), labels)
        return
    if _is_logarithmic(np.unique(places)):
        horizontal = axis.axis_name == "x"
        (axis.axes.set_xscale if horizontal else axis.axes.set_yscale)("log")


def _is_logarithmic(values: np.ndarray) -> bool:
    """Returns whether sorted values have equal ratios, as those of `Log` do."""
    if len(values) < 3 or values[0] <= 0:
        return False
    ratios = values[1:] / values[:-1]
    return bool(np.allclose(ratios, ratios[0], rtol=1e-6))


def _edges(values: np.ndarray) -> np.ndarray:
    """Returns the edges of cells around sorted values."""
    if len(values) == 1:
        return values[0] + np.array([-0.5, 0.5])
    if _is_logarithmic(values):
        return np.exp(_edges(np.log(values)))
    middle = (values[1:] + values[:-1]) / 2
    first, last = 2 * values[0] - middle[0], 2 * values[-1] - middle[-1]
    return np.array([first, *middle, last])


def _short(path: str) -> str:
    """Returns the end of a path, as far as there is place for it."""
    return path if len(path) <= 34 else f"…{path[-33:]}"


def _colormap(number: int) -> list:
    from matplotlib import colormaps

    return list(
        colormaps[_COLORS](np.linspace(0, 0.95, max(number, 1)))[:number]
    )


def _figure(
    number: int, columns: int, *, wide: bool = False
) -> "tuple[Figure, list[Axes]]":
    """Returns a figure with so many panels, tied to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(columns, number)
    rows = -(-number // columns)
    width = 2.6 * _PANEL[0] if wide else columns * _PANEL[0]
    figure = Figure(figsize=(width, rows * _PANEL[1]), layout="constrained")
    FigureCanvasAgg(figure)
    panels = [figure.add_subplot(rows, columns, i + 1) for i in range(number)]
    for ax in panels:
        ax.tick_params(labelsize=_FONT - 1)
        ax.spines[["top", "right"]].set_visible(False)
    return figure, panels


def _png(figure: "Figure") -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=_DPI)
    return picture.getvalue()
