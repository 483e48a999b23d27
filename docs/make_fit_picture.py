"""Writes fit.png: a joint of the Go2, measured, before and after the fit.

    python docs/make_fit_picture.py FOLDER

FOLDER is what the first command of fit.md leaves, of which this takes estimates.csv.
Drawn are three seconds of the part of the log that the fit never saw.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import webmotor_drake as wm
from webmotor_drake.fitting.evaluation import Evaluation
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.experiments import Experiments
from webmotor_drake.fitting.parameter import load_parameters, parameters_of

DOCS = Path(__file__).parent
SCENARIOS = DOCS.parent / "scenarios"
MODEL, JOINT, SECONDS = "pd", "FL_calf_joint", 3.0


def kept_out() -> Experiment:
    """Returns the end of the log, and what is fitted to its first half."""
    scenario = wm.load_scenario(SCENARIOS / "robots_go2_hanging.scenario.yaml")
    log = wm.load_log(SCENARIOS / "logs" / "go2_hanging.csv")
    file = load_parameters(SCENARIOS / "logs" / "go2_hanging.fit.yaml")
    last = len(log.time) - 1
    first = int((log.time <= log.time[-1] - SECONDS).sum())
    return Experiment(
        scenario,
        log,
        parameters_of(file.parameters, scenario, MODEL, {}),
        model=MODEL,
        span=(first, last),
    )


def estimates(folder: Path, experiment: Experiment) -> np.ndarray:
    """Returns the fit's estimates, in the order of the parameters."""
    with (folder / "estimates.csv").open(encoding="utf-8") as file:
        found = {
            row["parameter"]: float(row["estimate"])
            for row in csv.DictReader(file)
            if row["model"] == MODEL
        }
    return np.array([found[p.name] for p in experiment.parameters])


def main() -> None:
    """Draws the picture."""
    experiment = kept_out()
    start = np.array([p.start for p in experiment.parameters])
    runs = {
        "before": experiment.predict(start),
        "after": experiment.predict(estimates(Path(sys.argv[1]), experiment)),
    }
    names = [series.name for series in experiment.series]
    i = names.index(f"{JOINT}.position")
    time, series = experiment.log.time, experiment.series[i]
    figure = Figure(figsize=(8, 2.6), layout="constrained")
    ax = figure.subplots()
    ax.plot(time, series.measured, color="#1b1f24", lw=2.4, label="measured")
    for (name, predicted), color, dash in zip(
        runs.items(), ("#d55e00", "#0072b2"), ("--", "-"), strict=True
    ):
        alone = Experiments([experiment], experiment.scenario)
        rms = Evaluation(alone, predicted).rms[series.name]
        label = f"{name} the fit, {rms:.3f} rad RMS"
        ax.plot(time, predicted[i], dash, color=color, lw=1.3, label=label)
    first, last = experiment.span
    ax.set_xlim(time[first], time[last])
    ax.set_xlabel("time (s)")
    ax.set_ylabel(f"{JOINT} (rad)")
    ax.legend(loc="upper right", ncols=3, frameon=False, fontsize=9)
    ax.margins(y=0.2)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(DOCS / "fit.png", dpi=100)


if __name__ == "__main__":
    main()
