"""Figures of matplotlib in words: all that is drawn, and how, but no pixel.

A picture has hundreds of lines of code that a look at one curve does not try. Its
description is kept in `cases/pictures`; a change that is meant is recorded with

    RECORD=1 python -m pytest -q tests/sweep/test_sweep_plots.py
"""

import os

import numpy as np
from folders import CASES
from matplotlib.colors import to_hex


def kept(name: str, figure) -> None:
    """Compares the description of a figure with the one that is kept.

    Args:
        name: name of the kept file.
        figure: figure to describe.
    """
    file = CASES / "pictures" / f"{name}.txt"
    now = described(figure)
    if os.environ.get("RECORD"):
        file.write_text("\n".join([*now, ""]), encoding="utf-8")
    assert now == file.read_text(encoding="utf-8").splitlines()


def described(figure) -> list[str]:
    """Returns a line for the figure, each of its panels, and each thing in them."""
    lines = ["size " + numbers(figure.get_size_inches())]
    lines += [f"above: {text(t)}" for t in [figure._suptitle] if t is not None]
    for legend in figure.legends:
        lines += [f"legend: {text(t)}" for t in legend.get_texts()]
        lines += [f"legend: {curve(h)}" for h in legend.get_lines()]
    for ax in figure.axes:
        lines += bar(ax) if ax.get_label() == "<colorbar>" else panel(ax)
    return lines


def bar(ax) -> list[str]:
    """Returns the line of the bar of a panel's colours."""
    labels = [text(label) for label in ax.get_yticklabels()]
    return [f"bar: {text(ax.yaxis.label)} {labels} {numbers(ax.get_ylim())}"]


def panel(ax) -> list[str]:
    """Returns the lines of one panel."""
    titles = [
        getattr(ax, name) for name in ("title", "_left_title", "_right_title")
    ]
    lines = [f"panel: {' '.join(text(t) for t in titles if t.get_text())}"]
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        ticks = axis.get_tick_params()
        lines.append(
            f"  {name}: {text(axis.label)}, {axis.get_scale()},"
            f" ticks of {ticks.get('labelsize', '?')}, grid {ticks.get('gridOn')}"
        )
    lines.append(f"  from {numbers([*ax.get_xlim(), *ax.get_ylim()])}")
    hidden = [name for name, s in ax.spines.items() if not s.get_visible()]
    lines.append(f"  without {hidden}")
    lines += [f"  curve: {curve(line)}" for line in ax.lines]
    for drawn in ax.collections:
        colors = [
            to_hex(color, keep_alpha=True) for color in drawn.get_facecolor()
        ]
        values = drawn.get_array()
        values = [] if values is None else np.ma.filled(values, np.nan).ravel()
        places = np.concatenate(
            [
                drawn.get_offsets(),
                *(path.vertices for path in drawn.get_paths()),
            ]
        )
        lines.append(
            f"  {type(drawn).__name__}: {drawn.get_cmap().name}"
            f" {sorted(set(colors))[:3]}"
            f" {numbers(values)} at {numbers(places)}"
        )
    for patch in ax.patches:
        box = (
            patch.get_extents().extents
            if not patch.axes
            else patch.get_bbox().extents
        )
        color = to_hex(patch.get_facecolor(), keep_alpha=True)
        lines.append(f"  patch: {color} {numbers(box)}")
    lines += [
        f"  text: {text(t)} at {numbers(t.get_position())}" for t in ax.texts
    ]
    if legend := ax.get_legend():
        lines += [f"  legend: {text(t)}" for t in legend.get_texts()]
    return lines


def text(shown) -> str:
    """Returns a text with its size and colour."""
    color = to_hex(shown.get_color(), keep_alpha=True)
    return f"{shown.get_text()!r} ({shown.get_size():g}, {color})"


def curve(line) -> str:
    """Returns how a curve is drawn, and where it goes."""
    color = to_hex(line.get_color(), keep_alpha=True)
    looks = (
        f"{line.get_linestyle()} {line.get_linewidth():g} {line.get_marker()}"
    )
    edge, inside = line.get_markeredgecolor(), line.get_markerfacecolor()
    marks = (
        f"{line.get_markersize():g} {edge} {inside}"
        if line.get_marker() != "None"
        else ""
    )
    return (
        f"{color} {looks} {marks} alpha {line.get_alpha()} above {line.get_zorder():g}:"
        f" x {numbers(line.get_xdata())} y {numbers(line.get_ydata())}"
    )


def numbers(values) -> str:
    """Returns some numbers, and sums by which all others are known, to six digits."""
    values = np.asarray(values, dtype=float).ravel()
    if len(values) <= 8:
        return " ".join(f"{value:.6g}" for value in values)
    seen = values[np.isfinite(values)]
    weights = np.arange(1, len(seen) + 1)
    known = *values[[0, 1, -1]], seen.mean(), seen @ weights / weights.sum()
    return f"{len(values)}: " + " ".join(f"{value:.6g}" for value in known)
