"""The signals of a run, recorded by Drake's own sinks.

Sinks publish when the plant steps, just before it does: a sample at n dt holds
the state at n dt and what the motors apply in the plant step that starts there.
The tables of the motor step that ends at k h come from the sample before, in its
last plant step; its effort is known at its end. A continuous plant is sampled
once a motor period, when the new step has not begun.
"""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context, DiagramBuilder
from pydrake.systems.primitives import LogVectorOutput, VectorLogSink

from webmotor_drake.law import Command, Servo
from webmotor_drake.motor_system import MotorSystem

# What a spring's effort, taken off what the plant reports, may leave.
_ROUNDING = 1e-9


class MotorLog:
    """Records the motors of all models while a diagram is simulated.

    Args:
        builder: the diagram under construction, with plant and motors in it.
        plant: the finalized plant.
        motors: the motors by model name, all of the same period.
    """

    def __init__(
        self,
        builder: DiagramBuilder,
        plant: MultibodyPlant,
        motors: dict[str, MotorSystem],
    ):
        self._motors = motors
        step = plant.time_step()
        self._period = next((m.period for m in motors.values()), step)
        self._discrete = step > 0
        self._stride = round(self._period / step) if step else 1

        def sink(port) -> VectorLogSink:
            return LogVectorOutput(
                port, builder, publish_period=step or self._period
            )

        self._state = sink(plant.get_state_output_port())
        self._sinks = {
            model: [
                sink(system.GetOutputPort(name))
                for name in ("effort", "command", "servo")
            ]
            for model, system in motors.items()
        }

    def signals(
        self, context: Context
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Returns what was recorded.

        Args:
            context: the root Context of the simulation.

        Returns:
            The time of the K + 1 rows, s, and the signals by name, each of
            shape (K+1,).
        """
        sinks = [self._state, *sum(self._sinks.values(), [])]
        samples = min(sink.FindLog(context).num_samples() for sink in sinks)
        if samples == 0:  # it failed before it started
            for sink in sinks:
                sink.ForcedPublish(sink.GetMyContextFromRoot(context))
            samples = 1
        rows = np.arange(0, samples, self._stride)
        steps = np.maximum(rows - self._discrete, 0)
        state = self._state.FindLog(context).data()[:, rows]
        signals = {}
        for model, system in self._motors.items():
            effort, *tables = (
                sink.FindLog(context).data() for sink in self._sinks[model]
            )
            recorded = effort[:, rows], *(table[:, steps] for table in tables)
            table = {
                "position": state[system.position_indices],
                "velocity": state[system.velocity_indices],
                **_step_signals(system, *recorded),
            }
            for i, motor in enumerate(system.devices.names):
                for name, values in table.items():
                    signals[f"{model}/{motor}/{name}"] = values[i]
        return np.arange(len(rows)) * self._period, signals


def _step_signals(
    system: MotorSystem,
    effort: np.ndarray,
    command: np.ndarray,
    servo: np.ndarray,
) -> dict[str, np.ndarray]:
    """Returns what belongs to motor steps, each of shape (n, K+1).

    Row 0 comes before the first step: nothing has moved or been applied. Its
    targets are already those of the first step.
    """
    n = len(system.devices.names)
    command = command.reshape(len(Command), n, -1)
    velocity_target = servo.reshape(len(Servo), n, -1)[Servo.VELOCITY_TARGET]
    velocity_command = servo.reshape(len(Servo), n, -1)[Servo.VELOCITY_COMMAND]
    target = command[Command.TARGET_POSITION]
    available = command[Command.AVAILABLE_EFFORT]
    direct = command[Command.EFFORT_CONTROL] == 1
    feedback = np.where(direct, effort - command[Command.DIRECT_EFFORT], effort)
    friction = system.static_friction[:, np.newaxis]
    effort_limit = np.where(direct, available, np.maximum(available, friction))
    at_limit = np.abs(effort) >= effort_limit * (1 - _ROUNDING)
    saturated = ~direct & at_limit & (effort_limit > 0)
    saturated[system.devices.kinematic] = False
    feedback[system.devices.kinematic] = 0.0
    for values in (velocity_target, velocity_command, effort, feedback):
        values[:, 0] = 0
    saturated[:, 0] = False
    factors = system.devices.consumption_factors[:, np.newaxis]
    energy = np.cumsum(np.abs(feedback) * factors, axis=1) * system.period
    feedback[:, 0] = np.nan
    return {
        "target_position": target,
        "velocity_target": velocity_target,
        "velocity_command": velocity_command,
        "effort": effort,
        "feedback": feedback,
        "saturated": saturated.astype(float),
        "energy": energy,
        "mode": np.where(direct, 2, np.isinf(target)).astype(float),
        "effort_limit": effort_limit,
    }
