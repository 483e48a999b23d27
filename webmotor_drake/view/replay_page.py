"""A run again in a page of ours: its motion, and plots of all its motors."""

import json
import typing
from collections.abc import Iterable, Mapping

import numpy as np

from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.marks import checked_marks
from webmotor_drake.view.moment import moment_at
from webmotor_drake.view.page_assets import page_assets
from webmotor_drake.view.page_motors import NUMBERS, PageMotors
from webmotor_drake.view.page_scene import PageScene
from webmotor_drake.view.page_server import Message, PageServer
from webmotor_drake.view.puppet import Puppet
from webmotor_drake.view.recording import frame_rate
from webmotor_drake.view.replay import (
    marks_again,
    posable,
    rows_of,
    scenario_of,
)

# The rows that plots have at most.
_PLOTTED = 4000
_PLOTS = "position", "target_position", "velocity", "effort"


def replay_page(
    results: Results,
    *,
    scenario: Scenario | None = None,
    show: Iterable[str] = (),
    port: int | None = None,
) -> PageServer:
    """Serves a page that plays a run again, for browsers on this machine.

    Args:
        results: of a run, or loaded from a run's folder.
        scenario: the one that ran; None: as the results record it.
        show: the marks to draw over the robots; see `view.marks.MARKS`.
        port: where to listen; None: the first free one.

    Returns:
        The server, which has the page's `address`; to be closed.

    Raises:
        InputError: the results don't have what it takes, the models have changed
            since, or no port is free.
    """
    names = checked_marks(show)
    scenario = scenario or scenario_of(results)
    puppet = posable(Puppet(scenario), results)
    scene = PageScene(
        puppet.plant,
        puppet.scene_graph,
        puppet.context,
        lambda canvas: marks_again(results, scenario, puppet, canvas, names),
    )
    motors = PageMotors(puppet.motors, puppet.root)
    frames, changes = _frames(results, puppet, scene, motors)
    source = scenario.source
    about = {
        "kind": "replay",
        "title": source.name if source else "",
        "motors": motors.about,
        **scene.about,
        "duration": float(results.time[-1]),
        "rate": 1.0,
        "can_end": False,
        "changes": changes,
    }
    said = [("warning", text) for text in results.metadata.get("warnings", {})]
    welcome: list[Message] = [
        json.dumps(about),
        *scene.messages,
        *frames,
        json.dumps({"rows": _plotted(results, motors), "said": said}),
        json.dumps({"complete": True}),
    ]
    return PageServer(page_assets(), lambda: welcome, port)


def _frames(
    results: Results, puppet: Puppet, scene: PageScene, motors: PageMotors
) -> tuple[list[bytes], list[list[typing.Any]]]:
    """Returns the frames, and how marks change: frame, path, name and value."""
    frames, changes = [], []
    columns = [
        _columns(results, motor, about["multiplier"])
        for motor, about in zip(motors.names, motors.about, strict=True)
    ]
    for row in rows_of(results.time, frame_rate(results.time[-1])):
        moment = moment_at(results, row)
        puppet.pose(moment.positions, moment.time)
        scene.mark(moment)
        changes += [[len(frames), *change] for change in scene.changes()]
        numbers = np.reshape(
            [[own[name][row] for name in NUMBERS] for own in columns],
            (-1, len(NUMBERS)),
        )
        frames.append(scene.frame(moment.time, numbers))
    return frames, changes


def _columns(
    results: Results, motor: str, multiplier: float
) -> Mapping[str, np.ndarray]:
    """Returns `NUMBERS` of a motor over time; NaN where they were not recorded.

    Instead of the target stands what was commanded, before the multiplier.
    """
    nothing = np.full(len(results.time), np.nan)
    found = {
        name: results.signals.get(f"{motor}/{name}", nothing)
        for name in (*NUMBERS, "velocity_target")
    }
    mode = np.nan_to_num(found["mode"])
    found["mode"] = mode
    commanded = [
        found[name] for name in ("target_position", "velocity_target", "effort")
    ]
    found["target_position"] = (
        np.choose(mode.astype(int), commanded) / multiplier
    )
    return found


def _plotted(results: Results, motors: PageMotors) -> dict[str, typing.Any]:
    """Returns the plotted values: times, and a list per motor and signal."""
    every = -(-len(results.time) // _PLOTTED)
    nothing = np.full(len(results.time), np.nan)
    return {
        "time": _rounded(results.time[::every]),
        "motors": [
            [
                _rounded(
                    results.signals.get(f"{motor}/{name}", nothing)[::every]
                )
                for name in (*_PLOTS, *winding)
            ]
            for motor, winding in zip(motors.names, motors.winding, strict=True)
        ],
    }


def _rounded(values: np.ndarray) -> list[float | None]:
    """Rounds numbers to six digits; None for NaN and infinity."""
    return [float(f"{x:.6g}") if np.isfinite(x) else None for x in values]
