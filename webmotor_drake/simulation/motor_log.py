"""The signals of a run, recorded by Drake's own sinks.

Sinks publish just before the plant steps: a sample at n dt holds the state at n dt and
the efforts that the motors apply in the plant step that starts there. The tables of the
motor step that ends at k h are in the sample before, of its last plant step; the step's
effort is known at its end.

A continuous plant is sampled at the end of all of the integrator's steps. Only this
comes before a controller's commands for the step at k h, which may come a little early,
and before the motors' own update.
"""

import itertools
import math
from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint
from pydrake.systems.framework import (
    Context,
    DiagramBuilder,
    OutputPort,
    TriggerType,
)
from pydrake.systems.primitives import LogVectorOutput, VectorLog

from webmotor_drake.drive.joint_wrenches import COMPONENTS
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import warn
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.motor.signals import (
    direct_effort,
    step_signals,
    with_model_signals,
)
from webmotor_drake.simulation.body_poses import BodyPoses
from webmotor_drake.simulation.diagram import Assembly

# Times that differ by less, in steps, are the same: commands are given a little before
# a motor step starts.
_EARLY = 2e-6


class MotorLog:
    """Records the motors of all models while a diagram is simulated.

    Args:
        assembly: the diagram under construction; all motors have the same period.
        recording: True if samples are kept; else only the present is there.

    Attributes:
        joints: recorded joints without a motor, by "<model>/<joint>".
        period: period of the motors, else of the plant's steps, s; 0 if both are
            missing.
    """

    def __init__(self, assembly: Assembly, *, recording: bool):
        builder, plant = assembly.builder, assembly.plant
        motors = assembly.motors
        self._plant, self._motors, self._poses = plant, motors, assembly.poses
        self._recording = recording
        self._step = step = plant.time_step()
        self.period = next((m.period for m in motors.values()), step)
        self._stride = round(self.period / step) if step else 1
        self.joints = _passive_joints(motors, assembly.poses)

        def samples(port: OutputPort) -> "_Samples":
            return _Samples(port, builder if recording else None, step)

        self._state = samples(plant.get_state_output_port())
        self._samples = {
            model: [samples(system.GetOutputPort("tables"))]
            for model, system in motors.items()
        }
        for model, system in assembly.wrenches.items():
            port = system.get_wrenches_output_port()
            self._samples[model].append(samples(port))
        self._all = [self._state, *itertools.chain(*self._samples.values())]

    def signals(
        self, context: Context
    ) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
        """Returns the recorded signals.

        Args:
            context: the root Context of the simulation.

        Returns:
            The times of the K + 1 rows, s; the signals by name, each of shape (K+1,):
            of motors, of joints without a motor that drivers name (position and
            velocity), and of bodies, as in `BodyPoses`; and the plant's positions,
            shape (K+1, n).
        """
        state, places, finished = self._ends(context)
        signals = {}
        for model, system in self._motors.items():
            recorded = self._recorded(model, context, places, finished)
            table = {
                "position": state[system.position_indices],
                "velocity": state[system.velocity_indices],
                **_step_signals(system, *recorded),
            }
            for i, motor in enumerate(system.devices.names):
                for name, values in table.items():
                    signals[f"{model}/{motor}/{name}"] = values[i]
        signals |= joint_signals(self._plant, self.joints, state)
        signals |= self._poses.signals(state)
        positions = state[: self._plant.num_positions()].T
        return self.times(context), signals, positions

    def times(self, context: Context) -> np.ndarray:
        """Returns the times of the rows, s, shape (K+1,).

        Args:
            context: the root Context of the simulation.
        """
        if not self.period:  # a continuous plant without motors
            return self._state.times(context)
        if not self._recording:
            early = 0.75 * self._step + 2 * _EARLY * self.period
            steps = math.floor((context.get_time() + early) / self.period)
            return np.array([steps * self.period])
        rows = len(self._places(context)[0])
        return np.arange(rows + self._is_finished(context, rows)) * self.period

    def steps(
        self, context: Context, first: int
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Returns the motor steps that are over, from one on.

        Args:
            context: the root Context of the simulation.
            first: number of the first, from 0.

        Returns:
            The plant's [q, v] at their ends, shape (nq + nv, K), and the `Command`
            tables in them by model, row by row, shape (rows * n, K).
        """
        state, *rows = self._ends(context, first + 1)
        recorded = {m: self._recorded(m, context, *rows) for m in self._motors}
        return state, {m: command for m, (_, command, *_) in recorded.items()}

    def clear(self, context: Context) -> None:
        """Clears the record.

        Args:
            context: the root Context, which is changed.
        """
        for samples in self._all:
            samples.clear(context)

    def first_not_finite(
        self, context: Context
    ) -> tuple[float, np.ndarray, np.ndarray]:
        """Returns the time and the plant's state when the state was first not finite.

        Without a sample of such a state the present one counts.

        Args:
            context: the root Context of the simulation.

        Returns:
            The time, s, [q, v] then, and [q, v] in the sample before.
        """
        states = _with(self._state.data(context), self._state.now(context))
        times = np.append(self._state.times(context), context.get_time())
        bad = np.flatnonzero(~np.isfinite(states).all(axis=0))
        first = bad[0] if bad.size else len(times) - 1
        return times[first], states[:, first], states[:, max(first - 1, 0)]

    def _ends(
        self, context: Context, start: int = 0
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray], bool]:
        """Returns [q, v] in the rows from `start` on, `_places` and `_is_finished`."""
        places = self._places(context, start)
        finished = self._is_finished(context, start + len(places[0]))
        now = self._state.now(context) if finished else None
        state = _with(self._state.data(context)[:, places[0]], now)
        return state, places, finished

    def _places(
        self, context: Context, start: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the indices of the samples that make the rows from `start` on.

        Each has the shape (K + 1 - start,). The first are for the state at the ends of
        steps, the second for the tables in the steps, the third for the efforts applied
        in them.
        """
        samples = min(len(log.times(context)) for log in self._all)
        if self._step:
            ends = np.arange(start * self._stride, samples, self._stride)
            return ends, np.maximum(ends - 1, 0), ends
        if not self.period:
            every = np.arange(start, samples)
            return every, every, every
        times = self._state.times(context)[:samples] / self.period
        rows = np.arange(start, int(times[-1] + _EARLY) + 1)
        ends = np.searchsorted(times, rows + _EARLY, "right") - 1
        before = np.searchsorted(times, rows - _EARLY)
        return ends, before, before

    def _recorded(
        self,
        model: str,
        context: Context,
        places: tuple[np.ndarray, np.ndarray, np.ndarray],
        finished: bool,
    ) -> list[np.ndarray]:
        """Returns effort, command, law state, models and perhaps wrenches.

        Each has the shape (rows, K+1); `models` has no rows if no motor has a model.
        """
        system = self._motors[model]
        tables = system.tables
        values, *wrenches = (
            samples.data(context) for samples in self._samples[model]
        )
        _, in_step, applied = places
        recorded = [
            values[tables.effort][:, applied],
            values[tables.command][:, in_step],
            values[tables.law_state][:, in_step],
            values[tables.models][:, applied],
            *(wrench[:, applied] for wrench in wrenches),
        ]
        if not finished:
            return recorded
        last, own = values[:, -1], system.GetMyContextFromRoot(context)
        command = last[tables.command]
        direct = direct_effort(command.reshape(len(Command), -1))
        done = system.finished_tables(own)
        now = [
            system.motor_step.feedback(done) + direct,
            command,
            last[tables.law_state],
            done[tables.models],
            *(samples.now(context) for samples in self._samples[model][1:]),
        ]
        return [_with(*pair) for pair in zip(recorded, now, strict=True)]

    def _is_finished(self, context: Context, rows: int) -> bool:
        """Returns whether the last step is over, but has no recorded row yet.

        A simulation of a discrete plant stops there, before the next step, so that a
        controller can look and command.
        """
        if not self._step or not self._motors or not self._recording:
            return False
        system = next(iter(self._motors.values()))
        early = system.next_step_time(rows) - context.get_time()
        return abs(early) < _EARLY * self._step


class _Samples:
    """A port's values over time.

    The sink's own events take them. A simulator that publishes every time step adds no
    samples, as these would lie anywhere. Without a builder none are taken; a period of
    0 is each integrator's step.
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


def _passive_joints(
    motors: Mapping[str, MotorSystem], poses: BodyPoses
) -> dict[str, Joint]:
    """Returns the joints without a motor that drivers name, by "<model>/<joint>".

    A motor or a body of the same name keeps its signals for itself.
    """
    taken = set(poses.names)
    joints = {}
    for model, system in motors.items():
        taken |= {f"{model}/{motor}" for motor in system.devices.names}
        for passive in system.model.passive:
            name = f"{model}/{passive.joint.name()}"
            if name in taken or passive.joint.name() in (".", ".."):
                warn(f"{name}: a joint of this name has no signals of its own")
            else:
                joints[name] = passive.joint
    return joints


def joint_signals(
    plant: MultibodyPlant, joints: Mapping[str, Joint], states: np.ndarray
) -> dict[str, np.ndarray]:
    """Returns positions and velocities of joints, each of shape (K+1,).

    Args:
        plant: plant with the joints.
        joints: joints by the beginning of their signals' names.
        states: [q, v], shape (nq + nv, K+1).
    """
    signals = {}
    for name, joint in joints.items():
        velocity = plant.num_positions() + joint.velocity_start()
        signals[f"{name}/position"] = states[joint.position_start()]
        signals[f"{name}/velocity"] = states[velocity]
    return signals


def _with(columns: np.ndarray, last: np.ndarray | None) -> np.ndarray:
    """Returns `columns`, shape (rows, K), with one more unless `last` is None."""
    return columns if last is None else np.column_stack([columns, last])


def _step_signals(
    system: MotorSystem,
    effort: np.ndarray,
    command: np.ndarray,
    law_state: np.ndarray,
    models: np.ndarray,
    *wrenches: np.ndarray,
) -> dict[str, np.ndarray]:
    """Returns the signals of motor steps, each of shape (n, K+1).

    Row 0 comes before the first step; it has no reaction wrench: NaN.
    """
    devices = system.devices
    n = len(devices.names)
    samples = command.shape[1]
    command = command.reshape(len(Command), n, samples)
    signals = step_signals(
        command,
        law_state.reshape(len(LawState), n, samples),
        effort,
        effort - direct_effort(command),
        friction=system.static_friction,
        consumption_factors=devices.consumption_factors,
        period=system.period,
        kinematic=devices.kinematic,
    )
    if system.laws is not None:
        models = models.reshape(-1, n, samples)
        signals = with_model_signals(signals, models, system.laws.rows)
    for wrench in wrenches:
        wrench = wrench.reshape(n, len(COMPONENTS), samples).copy()
        wrench[..., 0] = np.nan
        signals |= {name: wrench[:, i] for i, name in enumerate(COMPONENTS)}
    return signals
