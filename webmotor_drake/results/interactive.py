"""Pictures of a run to look into: hover, zoom, switch curves on and off.

Motors share the panel of a quantity and are told apart by colour; the axes of time
move together. Drawn with plotly, an extra.
"""

# Plotly has types in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportMissingTypeStubs=false

import html
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from webmotor_drake.errors import needing, one_line
from webmotor_drake.results.panel_rows import Row, rows_of
from webmotor_drake.results.panels import Curve, Panel
from webmotor_drake.results.run_record import RunRecord
from webmotor_drake.results.thinning import thinned
from webmotor_drake.results.whole_file import write_whole

if TYPE_CHECKING:
    from plotly.graph_objects import Figure, Scatter

# Okabe and Ito's, black last.
_COLORS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#8A6D00",
    "#000000",
)
_DASHES = {
    "measured": "solid",
    "commanded": "dash",
    "bound": "dot",
    "x": "solid",
    "y": "dash",
    "z": "dot",
}
_HEIGHT = 300  # of a panel, pixels
# Of all curves together; browsers are slow with more.
_MAX_POINTS = 400_000
_LEAST_BUCKETS, _MOST_BUCKETS = 500, 10_000


def write_page(
    results: RunRecord, file: str | os.PathLike[str], **shown: Any
) -> None:
    """Writes a web page of a run that works offline, whole or not at all.

    Args:
        results: the run.
        file: where the page goes; its folder is made if needed.
        **shown: motors, signals and times, see `run_figure`.

    Raises:
        InputError: there is nothing to draw, plotly is missing, or `file` cannot
            be written.
    """
    figure = interactive_figure(results, **shown)
    name = results.metadata.get("scenario_name") or "Run"
    write_whole(file, _page(figure, one_line(name)).encode())


def interactive_figure(
    results: RunRecord,
    *,
    motors: Sequence[str] | None = None,
    signals: Sequence[str] | None = None,
    times: tuple[float, float] | None = None,
) -> "Figure":
    """Returns a run as a figure of plotly, which notebooks show.

    Args:
        results: the run.
        motors: see `run_figure`.
        signals: see `run_figure`.
        times: see `run_figure`.

    Raises:
        InputError: there is nothing to draw, or plotly is missing.
    """
    with needing("plotly is missing", "'webmotor-drake[plot]'"):
        from plotly.subplots import make_subplots
    time, rows = rows_of(results, motors=motors, signals=signals, times=times)
    places = _places(rows)
    gap = min(0.2, 55 / (_HEIGHT * len(places)))
    figure = make_subplots(rows=len(places), cols=1, vertical_spacing=gap)
    curves = sum(len(p.curves) for row in rows for p in row.panels)
    buckets = _MAX_POINTS // (2 * curves)
    buckets = int(np.clip(buckets, _LEAST_BUCKETS, _MOST_BUCKETS))
    for number, row in enumerate(rows):
        color, group = _COLORS[number % len(_COLORS)], one_line(row.name)
        for i, panel in enumerate(row.panels):
            place = places[_kind(row, panel)]
            for line in _lines(panel, time, buckets):
                line.update(
                    line_color=color,
                    legendgroup=group,
                    legendgrouptitle_text=html.escape(group),
                    showlegend=i == 0,
                )
                line.meta = {"owner": group, "signal": line.name}
                figure.add_trace(line, row=place, col=1)
    _lay_out(figure, rows, places, time)
    return figure


def _kind(row: Row, panel: Panel) -> tuple[bool, str, bool]:
    """Returns the kind of a panel; panels of a kind share axes."""
    return row.is_body, panel.label, panel.x is not None


def _places(rows: list[Row]) -> dict[tuple[bool, str, bool], int]:
    """Returns the subplots, from 1 on, by the kind of panel they are for."""
    kinds = dict.fromkeys(_kind(row, p) for row in rows for p in row.panels)
    return {kind: place for place, kind in enumerate(kinds, start=1)}


def _lines(panel: Panel, time: np.ndarray, buckets: int) -> "list[Scatter]":
    lines = [_line(panel, curve, time, buckets) for curve in panel.curves]
    low, high = panel.view
    limits = dict.fromkeys(panel.soft_limits, "soft limit")
    limits |= {value: "stop" for value, _ in panel.stops}
    ends = time[[0, -1]]
    for value, name in limits.items():
        if low < value < high:
            curve = Curve(name, "bound", np.full(2, value))
            lines.append(_line(panel, curve, ends, buckets))
    return lines


def _line(
    panel: Panel, curve: Curve, time: np.ndarray, buckets: int
) -> "Scatter":
    from plotly.graph_objects import Scatter

    if panel.x is None:
        x, y = thinned(time, curve.values, buckets)
        over = "%{x:.4~g} s"
    else:
        x, y = panel.x, curve.values
        over = "x %{x:.4~g} m"
    return Scatter(
        x=x,
        y=y,
        name=curve.label,
        mode="lines",
        line={
            "dash": _DASHES[curve.role],
            "width": 1.2 if curve.role == "bound" else 1.8,
            "shape": "vh" if curve.is_steps else "linear",
        },
        hovertemplate=f"{over}: %{{y:.5~g}} {panel.unit}",
    )


def _lay_out(
    figure: "Figure",
    rows: list[Row],
    places: dict[tuple[bool, str, bool], int],
    time: np.ndarray,
) -> None:
    """Names the axes, links those of time and sets their ranges."""
    panels = [(_kind(row, p), p) for row in rows for p in row.panels]
    of_time = [place for (*_, path), place in places.items() if not path]
    for kind, place in places.items():
        is_body, label, is_path = kind
        views = np.array([p.view for k, p in panels if k == kind])
        y_axis: dict[str, Any] = {
            "title": f"body {label}" if is_body else label
        }
        x_axis: dict[str, Any] = {"title": "x (m), from above"}
        if is_path:
            y_axis["scaleanchor"] = _axis(place)
        else:
            y_axis["range"] = [views[:, 0].min(), views[:, 1].max()]
            x_axis = {"range": [time[0], time[-1]]}
            if place != of_time[0]:
                x_axis["matches"] = _axis(of_time[0])
            if place == of_time[-1]:
                x_axis["title"] = "time (s)"
        figure.update_xaxes(**x_axis, row=place, col=1)
        figure.update_yaxes(**y_axis, row=place, col=1)
    figure.update_layout(
        template="plotly_white",
        height=_HEIGHT * len(places) + 80,
        margin={"l": 70, "r": 20, "t": 20, "b": 50},
        hovermode="x unified",
    )


def _axis(place: int) -> str:
    """Returns the name that plotly has for the horizontal axis of a subplot."""
    return f"x{place if place > 1 else ''}"


def _page(figure: "Figure", title: str) -> str:
    """Returns a page with the figure, and with boxes to switch curves."""
    figure.update_layout(showlegend=False)
    picture = figure.to_html(
        full_html=False,
        include_plotlyjs=True,
        div_id="run",
        config={
            "displaylogo": False,
            "doubleClick": "reset",
            "modeBarButtonsToRemove": ["sendChartToCloud"],
        },
    )
    lines = cast("Sequence[Any]", figure.data)
    owners: dict[str, str] = {n.meta["owner"]: n.line.color for n in lines}
    signals = [n.meta["signal"] for n in lines]
    title = html.escape(title)
    boxes = _boxes("owner", "Motors and bodies", owners)
    boxes += _boxes("signal", "Signals", dict.fromkeys(signals, ""))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
body {{ margin: 0 auto; max-width: 80rem; padding: 1rem;
  font: 15px/1.4 system-ui, sans-serif; color: #1b1f24; background: #fff; }}
h1 {{ font-size: 1.4rem; margin: 0 0 .5rem; }}
fieldset {{ border: 0; border-top: 1px solid #d5dae0; margin: 0; padding: .3rem 0; }}
label {{ display: inline-block; margin-right: 1rem; white-space: nowrap; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>Drag to zoom, double-click to see all again; the axes of time move together.</p>
{boxes}
{picture}
<script>
{_SCRIPT}
</script>
</body>
</html>
"""


def _boxes(kind: str, title: str, colors: dict[str, str]) -> str:
    """Returns check boxes, each with a name in its colour."""
    boxes = [
        f'<label style="color: {color}"><input type="checkbox" checked'
        f' data-kind="{kind}" value="{html.escape(name)}"> {html.escape(name)}'
        "</label>"
        for name, color in colors.items()
    ]
    every = (
        f'<label><input type="checkbox" checked data-all="{kind}"> all</label>'
        if len(colors) > 2
        else ""
    )
    return f"<fieldset><legend>{title}</legend>{every}{''.join(boxes)}</fieldset>\n"


# A curve shows if both its motor and its signal are checked.
_SCRIPT = """\
const run = document.getElementById("run");
const boxes = [...document.querySelectorAll("input[data-kind]")];
function show() {
  const on = (kind, name) =>
    boxes.some(b => b.dataset.kind === kind && b.value === name && b.checked);
  const visible = run.data.map(
    line => on("owner", line.meta.owner) && on("signal", line.meta.signal));
  Plotly.restyle(run, {visible});
}
boxes.forEach(box => box.addEventListener("change", show));
document.querySelectorAll("input[data-all]").forEach(all =>
  all.addEventListener("change", () => {
    boxes.filter(b => b.dataset.kind === all.dataset.all)
      .forEach(b => { b.checked = all.checked; });
    show();
  }));"""
