"""Results of a simulation, over all its resets."""

from collections.abc import Mapping
from typing import Any

from pydrake.systems.framework import Context

from webmotor_drake.drive.joint_wrenches import FRAME
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.diagram import Assembly
from webmotor_drake.simulation.episodes import Episodes
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


def check_record(record: str) -> None:
    """Raises InputError if `record` is none of the choices; they are listed."""
    if record not in RECORDS:
        raise InputError(unknown_name("record", record, RECORDS))


class RunRecord:
    """Records the signals of a simulation and makes Results of them.

    Attributes:
        log: of the episode that runs.
        episodes: the times of all.
        imports: imports of supervisors, with their times.

    Args:
        scenario: scenario that runs.
        assembly: its diagram, before it is built.
        record: one of RECORDS; see `Simulation`.
    """

    def __init__(self, scenario: Scenario, assembly: Assembly, record: str):
        self._scenario, self._record = scenario, record
        self._plant, self._motors = assembly.plant, assembly.motors
        self._has_wrenches = bool(assembly.wrenches)
        self._stock = stock_models(scenario)
        self.log = MotorLog(
            assembly.builder,
            assembly.plant,
            assembly.motors,
            assembly.wrenches,
            assembly.poses,
            recording=record != "nothing",
        )
        self.episodes = Episodes(self.log, keeps_all=record == "run")
        self.imports = Imports()

    def end_episode(self, context: Context) -> None:
        """Ends the episode that runs; another begins.

        Args:
            context: the root Context at its end.
        """
        self.episodes.close(context)
        if self._record != "run":
            self.imports.forget(self.episodes.start)

    def results(
        self, context: Context, notes: RunNotes, events: Mapping[str, Any]
    ) -> Results:
        """Returns the results so far, as far as they were recorded.

        Args:
            context: the root Context.
            notes: the run's time and warnings.
            events: further entries of the metadata, without empty ones.
        """
        rows, signals, positions = self.episodes.joined(context)
        names = position_names(self._plant)
        kept = recorded_columns(names, self._stock, self.imports.models)
        metadata = run_metadata(
            self._scenario,
            motor_descriptions(self._motors),
            simulated=rows[-1],
            wall_time=notes.wall_time,
            warnings=notes.warnings,
        )
        metadata["positions"] = [names[i] for i in kept]
        metadata |= _without_empty(
            {
                "joints": joint_descriptions(self.log.joints),
                "reaction_forces": FRAME if self._has_wrenches else "",
                "resets": self.episodes.resets,
                "recorded": self._record if self._record != "run" else "",
                "imported": self.imports.metadata(),
                **events,
            }
        )
        return Results(
            time=rows,
            signals=signals,
            metadata=metadata,
            positions=positions[:, kept],
        )


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values that say something; a number says something, 0 as well."""
    return {
        name: value
        for name, value in values.items()
        if value or isinstance(value, int)
    }
