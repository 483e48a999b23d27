"""Draws the curves of the page about learning.

python docs/make_gym_picture.py FOLDER, with what examples/learn/ppo.py left there.
"""

import csv
import sys
from pathlib import Path

from matplotlib.figure import Figure

# What is drawn of each task.
TASKS = {"CartPole": "return", "Rover": "success"}


def draw(folder: Path) -> None:
    """Draws a curve per seed beside one another, task by task."""
    figure = Figure(figsize=(9, 3), layout="constrained")
    for axes, (task, column) in zip(
        figure.subplots(1, len(TASKS)), TASKS.items(), strict=True
    ):
        for file in sorted(folder.glob(f"{task}_*.csv")):
            with file.open(newline="") as lines:
                rows = list(csv.DictReader(lines))
            steps = [int(row["steps"]) / 1000 for row in rows]
            seed = file.stem.rpartition("_")[2]
            values = [float(row[column]) for row in rows]
            axes.plot(steps, values, label=f"seed {seed}")
        axes.set(title=task, xlabel="thousand steps", ylabel=column)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(Path(__file__).parent / "gym.png", dpi=110)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
