"""Results of a simulation, over all its resets."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from pydrake.systems.framework import Context

from webmotor_drake.drive.joint_wrenches import FRAME
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.diagram import Assembly
from webmotor_drake.simulation.imports import Imports, recorded_columns
from webmotor_drake.simulation.metadata import (
    joint_descriptions,
    motor_descriptions,
    position_names,
    run_metadata,
)
from webmotor_drake.simulation.motor_log import MotorLog
from webmotor_drake.simulation.run_notes import RunNotes
from webmotor_drake.simulation.spares import stock_models

# The choices of what is recorded.
RECORDS = ("run", "episode", "nothing")
# Sums of times are off by less, s.
_ROUNDING = 1e-9
# Times, signals and positions, as `MotorLog` has them.
_Recorded = tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]


def check_record(record: str) -> None:
    """Raises InputError if `record` is none of the choices; they are listed."""
    if record not in RECORDS:
        raise InputError(unknown_name("record", record, RECORDS))


class RunRecord:
    """Records the signals of a simulation and makes Results of them.

    While the simulation's own time starts at 0 again with each reset, that of the
    results goes on.

    Attributes:
        plant: simulated plant.
        motors: by model name.
        log: record of the episode that runs, since the last reset.
        start: time at which that began, s from the start of the run.
        imports: imports of supervisors, with their times.

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

    def end_episode(self, context: Context) -> None:
        """Ends the episode that runs; another begins.

        Args:
            context: the root Context at its end.
        """
        last = self.log.last_row(context)
        if self._record == "run":
            self._past.append((self.start, self.log.signals(context)))
        self.start += last
        self.log.clear(context)
        if self._record != "run":
            self.imports.forget(self.start)

    def own_time(self, time: float) -> float:
        """Returns the simulator's time at a time of the run, s.

        A difference that is a step but for its last bits is that step: otherwise
        what happens at its end would be left out.
        """
        if not self.start:
            return time
        own, step = time - self.start, self.log.period
        near = round(own / step) * step if step else own
        return near if abs(near - own) < _ROUNDING else own

    def results(
        self, context: Context, notes: RunNotes, events: Mapping[str, Any]
    ) -> Results:
        """Returns the results so far, as far as they were recorded.

        Args:
            context: the root Context.
            notes: the run's time and warnings.
            events: further entries of the metadata, without empty ones.
        """
        episodes = [*self._past, (self.start, self.log.signals(context))]
        rows, signals, positions = _joined(episodes)
        names = position_names(self.plant)
        kept = recorded_columns(names, self._stock, self.imports.models)
        metadata = run_metadata(
            self._scenario,
            motor_descriptions(self.motors),
            simulated=rows[-1],
            wall_time=notes.wall_time,
            warnings=notes.warnings,
        )
        metadata["positions"] = [names[i] for i in kept]
        besides = {
            "joints": joint_descriptions(self.log.joints),
            "reaction_forces": FRAME if self._has_wrenches else "",
            "resets": [start for start, _ in episodes[1:]],
            "recorded": self._record if self._record != "run" else "",
            "imported": self.imports.metadata(),
            **events,
        }
        # A number says something, 0 as well.
        metadata |= {
            k: v for k, v in besides.items() if v or isinstance(v, int)
        }
        return Results(
            time=rows,
            signals=signals,
            metadata=metadata,
            positions=positions[:, kept],
        )


def _joined(episodes: list[tuple[float, _Recorded]]) -> _Recorded:
    """Returns times, signals and positions of the whole run.

    Row 0 of an episode is left out but for the first: there is one already at that
    time, that of the step before the reset.
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
