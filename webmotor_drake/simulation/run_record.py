"""Results of a simulation, over all its resets."""

import contextlib
import copy
import functools
import platform
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, PrismaticJoint
from pydrake.systems.framework import Context

from webmotor_drake.data import version
from webmotor_drake.drive.joint_wrenches import FRAME
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.errors import NOTES, counted_warnings
from webmotor_drake.nodes.motors import max_effort
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario, path_in
from webmotor_drake.scenario.source import metadata_of
from webmotor_drake.simulation.diagram import Assembly
from webmotor_drake.simulation.imports import Imports
from webmotor_drake.simulation.motor_log import MotorLog
from webmotor_drake.simulation.spares import SOLID, stock_models

# The extents of a record.
RECORDS = ("run", "episode", "nothing")
# Sums of times differ by less, s.
_ROUNDING = 1e-9
# Times, signals and positions, as `MotorLog` has them.
_Recorded = tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]
# Fields of motors that descriptions take over.
_AS_THEY_ARE = (
    *("motor_model", "control_pid", "acceleration", "max_velocity"),
    *("min_position", "max_position", "multiplier"),
    *("consumption_factor", "sound"),
)


class RunNotes:
    """Counts the warnings of a run and its wall time.

    It is a context manager itself, for blocks of microseconds: warnings of such a block
    are shown at once. A generator would take twice the time.

    Attributes:
        warnings: number of times that each warning was issued, by text.
    """

    def __init__(self):
        self.warnings: Counter[str] = Counter()
        self._spent = 0.0  # in blocks that are over, s
        self._started: float | None = None  # by `perf_counter`

    @property
    def wall_time(self) -> float:
        """The wall time of simulating until now, s, without loading."""
        if self._started is None:
            return self._spent
        return self._spent + time.perf_counter() - self._started

    def __enter__(self) -> None:
        self._started = time.perf_counter()
        self._token = NOTES.set((*NOTES.get(), self.warnings))

    def __exit__(self, *_: object) -> None:
        NOTES.reset(self._token)
        self._spent, self._started = self.wall_time, None

    def counted(self) -> contextlib.AbstractContextManager[None]:
        """Counts the warnings of a block; each is issued once."""
        return counted_warnings(self.warnings)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Counts time and warnings of a block; each warning is issued once."""
        self._started = time.perf_counter()
        try:
            with self.counted():
                yield
        finally:
            self._spent, self._started = self.wall_time, None


class RunRecord:
    """Records the signals of a simulation and makes Results of them.

    While the simulation's own time starts at 0 again with each reset, that of the
    results goes on.

    Attributes:
        plant: simulated plant.
        motors: by model name.
        log: record of the episode that runs, since the last reset.
        start: start of the present episode, s from the start of the run.
        imports: imports of supervisors, with their times.
        ink: records of the ink of Pens, a sheet for each face that they wrote on.

    Args:
        scenario: scenario that runs.
        assembly: its diagram, before it is built.
        record: one of RECORDS; see `Simulation`.
    """

    def __init__(self, scenario: Scenario, assembly: Assembly, record: str):
        self._scenario, self._record = scenario, record
        self.plant, self.motors = assembly.plant, assembly.motors
        self._has_wrenches = bool(assembly.wrenches)
        self._stock = stock_models(scenario)
        self.log = MotorLog(assembly, recording=record != "nothing")
        self.start = 0.0
        self._past: list[tuple[float, _Recorded]] = []
        self.imports = Imports()
        self.ink: list[dict[str, Any]] = []

    def end_episode(self, context: Context) -> None:
        """Ends the present episode; another one begins.

        Args:
            context: the root Context at its end.
        """
        last = float(self.log.times(context)[-1])
        if self._record == "run":
            self._past.append((self.start, self.log.signals(context)))
        self.start += last
        self.log.clear(context)
        if self._record != "run":
            self.imports.forget(self.start)
            self.ink.clear()

    def own_time(self, time: float) -> float:
        """Returns the simulator's time at a time of the run, s.

        Times within rounding of a whole step are rounded to it: otherwise events at the
        step's end would be left out.
        """
        if not self.start:
            return time
        own, step = time - self.start, self.log.period
        near = round(own / step) * step if step else own
        return near if abs(near - own) < _ROUNDING else own

    def results(
        self, context: Context, notes: RunNotes, events: Mapping[str, Any]
    ) -> Results:
        """Returns the recorded part of the results until now.

        Args:
            context: the root Context.
            notes: the run's time and warnings.
            events: further entries of the metadata, without empty ones.
        """
        episodes = [*self._past, (self.start, self.log.signals(context))]
        rows, signals, positions = _joined(episodes)
        names = position_names(self.plant)
        kept = _recorded_columns(names, self._stock, self.imports.models)
        about = run_metadata(
            self._scenario,
            motor_descriptions(self.motors),
            simulated=rows[-1],
            wall_time=notes.wall_time,
            warnings=notes.warnings,
        )
        about["positions"] = [names[i] for i in kept]
        begin = self.start if self._record != "run" else 0.0
        besides = {
            "joints": joint_descriptions(self.log.joints),
            "reaction_forces": FRAME if self._has_wrenches else "",
            "resets": [start for start, _ in episodes[1:]],
            "recorded": self._record if self._record != "run" else "",
            "imported": self.imports.metadata(),
            "ink": [copy.deepcopy(s) | {"begin": begin} for s in self.ink],
            **events,
        }
        # Empty entries are left out; a number is never empty.
        about |= {k: v for k, v in besides.items() if v or isinstance(v, int)}
        q = positions[:, kept]
        return Results(time=rows, signals=signals, metadata=about, positions=q)


def _joined(episodes: list[tuple[float, _Recorded]]) -> _Recorded:
    """Returns times, signals and positions of the whole run.

    Row 0 of each episode but the first is left out: the last row of the episode before
    has that time already.
    """

    def join(parts: list[np.ndarray]) -> np.ndarray:
        return np.concatenate([parts[0], *(part[1:] for part in parts[1:])])

    first, *others = (recorded for _, recorded in episodes)
    if not others:
        return first
    return (
        join([start + recorded[0] for start, recorded in episodes]),
        {
            name: join([signals[name] for _, (_, signals, _) in episodes])
            for name in first[1]
        },
        join([positions for _, (_, _, positions) in episodes]),
    )


def run_metadata(
    scenario: Scenario,
    motors: Mapping[str, dict[str, Any]],
    *,
    simulated: float,
    wall_time: float,
    warnings: Mapping[str, int],
) -> dict[str, Any]:
    """Returns the metadata of a run.

    Args:
        scenario: scenario that ran.
        motors: descriptions by "<model>/<motor>", of `motor_descriptions`.
        simulated: the time that was simulated, s.
        wall_time: the time that it took, s.
        warnings: texts, and how often each was issued.
    """
    return {
        **metadata_of(scenario.source),
        "package_xmls": [
            str(path_in(scenario, given)) for given in scenario.package_xmls
        ],
        "random_seed": scenario.random_seed,
        "versions": dict(_versions()),
        "plant_time_step": scenario.plant_config.time_step,
        "motors": dict(motors),
        "simulation_time": simulated,
        "wall_time": wall_time,
        "real_time_factor": simulated / wall_time if wall_time else None,
        "warnings": dict(warnings),
    }


@functools.cache  # it reads files
def _versions() -> dict[str, str]:
    """Returns the versions that a run's numbers depend on, besides the scenario."""
    return {
        "webmotor_drake": version(),
        "drake": metadata.version("drake"),
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def position_names(plant: MultibodyPlant) -> list[str]:
    """Returns the names of the plant's positions, as "<model>_<joint>_q"."""
    return plant.GetPositionNames(
        add_model_instance_prefix=True, always_add_suffix=True
    )


def motor_descriptions(
    systems: Mapping[str, MotorSystem],
) -> dict[str, dict[str, Any]]:
    """Returns a description of each motor, by "<model>/<motor>".

    Args:
        systems: by model name.
    """
    described = {}
    for model, motors in systems.items():
        for i, (name, node) in enumerate(motors.model.motors.items()):
            min_stop, max_stop = position_limits(motors.model.joints[i])
            kinematic = motors.devices.kinematic[i]
            described[f"{model}/{name}"] = {
                "joint": motors.model.joints[i].name(),
                "type": type(node).__name__,
                "unit": node.units["position"],
                "drive": "kinematic" if kinematic else motors.drive,
                "basic_time_step": motors.period,
                "max_effort": max_effort(node),
                "min_stop": min_stop,
                "max_stop": max_stop,
                **{field: getattr(node, field) for field in _AS_THEY_ARE},
            }
    return described


def joint_descriptions(
    joints: Mapping[str, Joint],
) -> dict[str, dict[str, Any]]:
    """Returns a description of each joint without a motor, by "<model>/<joint>"."""
    described = {}
    for name, joint in joints.items():
        min_stop, max_stop = position_limits(joint)
        described[name] = {
            "unit": "m" if isinstance(joint, PrismaticJoint) else "rad",
            "min_stop": min_stop,
            "max_stop": max_stop,
        }
    return described


def _recorded_columns(
    names: list[str], stock: list[str], imported: list[str]
) -> list[int]:
    """Returns which of a plant's positions are recorded, by the names of all.

    The models that stayed in stock were not in the world; imports come last.
    """

    def of(models: list[str]) -> list[int]:
        own = tuple(f"{model}_{SOLID}_" for model in models)
        return [i for i, name in enumerate(names) if name.startswith(own)]

    in_stock = {*of(stock)}
    built = [i for i in range(len(names)) if i not in in_stock]
    return [*built, *of(imported)]
