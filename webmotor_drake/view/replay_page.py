"""A run again in a page of ours: its motion, and plots of all its motors."""

import json
import typing
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from webmotor_drake.results.results import Results
from webmotor_drake.results.summary import summary_table
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.beside import RunGhost, check_motors
from webmotor_drake.view.marks import checked_marks
from webmotor_drake.view.moment import moment_at
from webmotor_drake.view.page_drawing import SAMPLES
from webmotor_drake.view.page_motors import NUMBERS, PageMotors
from webmotor_drake.view.page_scene import PageScene
from webmotor_drake.view.page_server import Message, PageServer
from webmotor_drake.view.puppet import Puppet
from webmotor_drake.view.replay import (
    MOST_FRAMES,
    corners_of,
    marks_again,
    posable,
    rows_of,
    scenario_of,
)

# The rows that plots have at most.
_PLOTTED = 4000


def replay_page(
    results: Results,
    *,
    port: int | None = None,
    **options: typing.Any,
) -> PageServer:
    """Serves a page that plays a run again, for browsers on this machine.

    Args:
        results: results of a run, or loaded from a run's folder.
        port: port to listen at; None: the first free one.
        **options: `scenario`, `show` and `beside`, as `replay_messages` takes them.

    Returns:
        The server, with the page's `address`; it has to be closed.

    Raises:
        InputError: the results lack something, the models have changed since, or no
            port is free.
    """
    welcome = replay_messages(results, **options)
    return PageServer(lambda: welcome, port)


def replay_messages(
    results: Results,
    *,
    scenario: Scenario | None = None,
    show: Iterable[str] = (),
    beside: Mapping[str, Results] | None = None,
    light: bool = False,
    most: int = MOST_FRAMES,
    rows: Sequence[int] | None = None,
    whole: bool = False,
) -> list[Message]:
    """Returns all that a page has to know to play a run again.

    Args:
        results: signals of the run.
        scenario: scenario of the run.
        show: marks to draw over the robots, of `view.marks.MARKS`.
        beside: other runs of the same robots, ghosts, by the name to show.
        light: True for meshes of fewer triangles.
        most: number of frames that there may be.
        rows: the frames' rows in the results; None: as many as browsers can play.
        whole: True for a view of all places that robots go to, not only of their first.

    Raises:
        InputError: the results lack something, or the models have changed since.
    """
    names = checked_marks(show)
    scenario = scenario or scenario_of(results)
    puppet = posable(Puppet(scenario), results)
    motors = PageMotors(puppet.motors, puppet.root)
    ghosts = []
    for name, other in (beside or {}).items():
        check_motors(name, other.motors, results.motors)
        plant = posable(Puppet(scenario), other).plant
        ghosts.append(RunGhost(name, other, plant))
    scene = PageScene(
        puppet,
        lambda canvas: marks_again(results, puppet, canvas),
        motors=motors,
        show=names,
        ghosts=[ghost.plant for ghost in ghosts],
        light=light,
    )
    if rows is None:
        rows = rows_of(results.time, most)
    frames, changes = _frames(results, puppet, scene, motors, ghosts, rows)
    about = {
        "kind": "replay",
        "motors": motors.about,
        **scene.about,
        "corners": corners_of(
            results, puppet, follow=bool(scene.followed) and not whole
        ).tolist(),
        "duration": float(results.time[-1]),
        "whole": whole,
        "changes": changes,
        "ink": results.metadata.get("ink", []),
        "saturated": _saturated(results),
        "text": results.metadata.get("scenario") or "",
        "beside": [*(beside or {})],
    }
    said = [("warning", text) for text in results.metadata.get("warnings", {})]
    if "motors" in results.metadata:  # a robot's log says nothing of them
        said += [("out", line) for line in summary_table(results).split("\n")]
    return [
        json.dumps(about),
        *scene.messages,
        *frames,
        _samples(results, motors, ghosts),
        json.dumps({"said": said}),
        json.dumps({"complete": True}),
    ]


def _saturated(results: Results) -> list[list[float]]:
    """Returns begin and end of each time in which a motor is at its limit, s."""
    names = [f"{motor}/saturated" for motor in results.motors]
    own = [results[name] > 0 for name in names if name in results]
    at_limit = np.any(own, axis=0) if own else np.zeros(len(results.time), bool)
    edges = np.flatnonzero(np.diff(at_limit.astype(int), prepend=0, append=0))
    ends = results.time[np.minimum(edges, len(results.time) - 1)]
    return np.round(ends.reshape(-1, 2), 4).tolist()


def _frames(
    results: Results,
    puppet: Puppet,
    scene: PageScene,
    motors: PageMotors,
    ghosts: list[RunGhost],
    rows: Sequence[int],
) -> tuple[list[bytes], list[list[typing.Any]]]:
    """Returns the frames, and how marks change: frame, path, name and value."""
    frames, changes = [], []
    numbers = _numbers(results, motors, ghosts, rows)
    contexts = [ghost.plant.CreateDefaultContext() for ghost in ghosts]
    for own, row in zip(numbers, rows, strict=True):
        moment = moment_at(results, row)
        puppet.pose(moment.positions)
        scene.mark(moment)
        changes += [[len(frames), *change] for change in scene.canvas.take()]
        for ghost, context in zip(ghosts, contexts, strict=True):
            ghost.follow(results.time[row : row + 1], {})
            ghost.plant.SetPositions(context, ghost.state()[0])
        frames.append(scene.frame(moment.time, own, ghosts=contexts))
    return frames, changes


def _samples(
    results: Results, motors: PageMotors, ghosts: list[RunGhost]
) -> bytes:
    rows = np.arange(0, len(results.time), -(-len(results.time) // _PLOTTED))
    numbers = _numbers(results, motors, ghosts, rows).reshape(len(rows), -1)
    numbers = np.column_stack([results.time[rows], numbers])
    return SAMPLES + numbers.astype("<f4").tobytes()


def _numbers(
    results: Results,
    motors: PageMotors,
    ghosts: list[RunGhost],
    rows: Sequence[int] | np.ndarray,
) -> np.ndarray:
    """Returns the numbers of motors in some rows, shape (rows, n, 8 or more).

    Numbers that were not recorded are NaN. In place of the target is the command,
    before the multiplier.
    """
    blank, names = np.full(len(results.time), np.nan), motors.names
    found = {
        kind: np.reshape(
            [results.signals.get(f"{n}/{kind}", blank)[rows] for n in names],
            (len(names), len(rows)),
        )
        for kind in (*NUMBERS, "velocity_target")
    }
    found["mode"] = mode = np.nan_to_num(found["mode"])
    told = [
        found[kind] for kind in ("target_position", "velocity_target", "effort")
    ]
    factors = np.reshape([a["multiplier"] for a in motors.about], (-1, 1))
    found["target_position"] = np.choose(mode.astype(int), told) / factors
    own = np.array([found[kind] for kind in NUMBERS]).transpose(2, 1, 0)
    return np.concatenate(
        [own, *(g.numbers(results)[rows] for g in ghosts)], axis=2
    )
