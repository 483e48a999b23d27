"""Timed commands by motor step, and which of them are due."""

import itertools
from collections.abc import Collection, Mapping

from webmotor_drake.motor.commands import Kind, StepCommands


class TimedCommands:
    """The commands of each motor step.

    Attributes:
        by_step: the commands by motor step.
        last_step: the last step with any, at least 0.

    Args:
        schedule: commands by step, of `commands.schedule`.
    """

    def __init__(self, schedule: Mapping[int, StepCommands]):
        self.by_step = schedule
        self.last_step = max(schedule, default=0)

    def add(self, schedule: Mapping[int, StepCommands]) -> None:
        """Adds commands; within a step they follow the ones already there."""
        merged = dict(self.by_step)
        for step, commands in schedule.items():
            merged[step] = [*merged.get(step, []), *commands]
        self.by_step = merged
        self.last_step = max(merged, default=0)

    def has(self, kinds: Collection[Kind]) -> bool:
        """Returns whether any step has a command of one of these kinds."""
        return any(
            kind in kinds
            for commands in self.by_step.values()
            for _, kind, _ in commands
        )

    def due(self, last: int, now: int) -> StepCommands:
        """Returns the commands of the steps after `last` up to `now`."""
        if last >= self.last_step:
            return []
        steps = range(last + 1, now + 1)
        timed = [self.by_step[k] for k in steps if k in self.by_step]
        return list(itertools.chain(*timed))
