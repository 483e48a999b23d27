"""Samples of an output port, taken by Drake's own sinks."""

import numpy as np
from pydrake.systems.framework import (
    Context,
    DiagramBuilder,
    OutputPort,
    TriggerType,
)
from pydrake.systems.primitives import LogVectorOutput, VectorLog


class Samples:
    """A port's values over time.

    They are taken by the sink's own events and not when somebody publishes by
    force, as a simulator does that publishes every time step: such samples lie
    anywhere.

    Args:
        port: port that is recorded.
        builder: the diagram under construction; None: takes no samples.
        period: s; 0: each step of the integrator.
    """

    def __init__(
        self, port: OutputPort, builder: DiagramBuilder | None, period: float
    ):
        trigger = TriggerType.kPeriodic if period else TriggerType.kPerStep
        self._port = port
        self._sink = builder and LogVectorOutput(
            port,
            builder,
            publish_triggers={trigger},
            publish_period=period,
        )

    def data(self, context: Context) -> np.ndarray:
        """Returns the samples, (size, K); the present value before the first."""
        log = self._log(context)
        if log is not None:
            return log.data()
        return self.now(context)[:, np.newaxis]

    def times(self, context: Context) -> np.ndarray:
        """Returns the samples' times, s, shape (K,)."""
        log = self._log(context)
        if log is not None:
            return log.sample_times()
        return np.array([context.get_time()])

    def _log(self, context: Context) -> VectorLog | None:
        """Returns the log, if it has any sample."""
        if self._sink is None:
            return None
        log = self._sink.FindLog(context)
        return log if log.num_samples() else None

    def clear(self, context: Context) -> None:
        """Clears the samples."""
        if self._sink is not None:
            self._sink.FindMutableLog(context).Clear()

    def now(self, context: Context) -> np.ndarray:
        """Returns the port's value, shape (size,)."""
        system = self._port.get_system()
        return self._port.Eval(system.GetMyContextFromRoot(context))
