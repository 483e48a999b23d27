"""Draws the curves of the page about learning.

python docs/make_gym_picture.py FOLDER, with what examples/learn/ppo.py left there.
"""

import csv
import sys
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

# What is drawn of each task.
TASKS = {"CartPole": "return", "Rover": "success"}


def draw(folder: Path) -> None:
    """Draws the curves of all seeds and their spread, task by task."""
    figure = Figure(figsize=(9, 3), layout="constrained")
    for axes, (task, column) in zip(
        figure.subplots(1, len(TASKS)), TASKS.items(), strict=True
    ):
        curves = [
            curve(file, column) for file in sorted(folder.glob(f"{task}_*.csv"))
        ]
        for seed, values in curves:
            steps = [number / 1000 for number in values]
            axes.plot(steps, values.values(), lw=1, label=f"seed {seed}")
        draw_spread(axes, [values for _, values in curves])
        axes.set(title=task, xlabel="thousand steps", ylabel=column)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(Path(__file__).parent / "gym.png", dpi=110)


def curve(file: Path, column: str) -> tuple[str, dict[int, float]]:
    """Returns the seed of a file, and its values by the number of steps."""
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    values = {int(row["steps"]): float(row[column]) for row in rows}
    return file.stem.rpartition("_")[2], values


def draw_spread(axes: Axes, curves: list[dict[int, float]]) -> None:
    """Fills what lies between the lowest and the highest curve, where all are."""
    common = sorted(set.intersection(*map(set, curves))) if curves else []
    values = [[curve[number] for curve in curves] for number in common]
    axes.fill_between(
        [number / 1000 for number in common],
        [min(row) for row in values],
        [max(row) for row in values],
        color="gray",
        alpha=0.2,
    )


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
