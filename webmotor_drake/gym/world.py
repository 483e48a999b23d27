"""The simulation of an environment: stepped, and read by the names of its signals."""

import functools
import math
import typing
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.gym.instant import Instant
from webmotor_drake.gym.observations import Computed, Reading
from webmotor_drake.gym.sensors import Sensors
from webmotor_drake.loops import entry, saturation
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.simulation.body_poses import free_joints
from webmotor_drake.simulation.motor_loop import MotorLoop
from webmotor_drake.simulation.simulation import Simulation

_mark = entry(saturation.mark)
_AVAILABLE = int(Command.AVAILABLE_EFFORT)
_IN_EFFORT = int(Command.EFFORT_CONTROL)
_ENDLESS = -math.inf, math.inf
_STATE = "position", "velocity"
# Degrees of freedom of a free body's joint; its signals are those of the body.
_FREE = 6
# The signals of a motor besides position and velocity, with their limits.
_OF_MOTORS = {
    "effort": _ENDLESS,
    "target_position": _ENDLESS,
    "velocity_command": _ENDLESS,
    "saturated": (0.0, 1.0),
}
# The signals of a body in a Context.
_OF_BODIES: dict[str, Callable[[RigidBody, Context], np.ndarray]] = {
    "position": lambda b, c: b.EvalPoseInWorld(c).translation(),
    "quaternion": lambda b, c: (
        b.EvalPoseInWorld(c).rotation().ToQuaternion().wxyz()
    ),
    "velocity": lambda b, c: b.EvalSpatialVelocityInWorld(c).translational(),
    "angular_velocity": lambda b, c: b.EvalSpatialVelocityInWorld(
        c
    ).rotational(),
}
# Error of a step, in motor periods, that still counts as a multiple of these.
_ROUNDING = 1e-6
# The most motor periods in a step of an environment, and the longest step, s.
_MOST_PERIODS, _LONGEST = 1_000_000, 10_000


class World:
    """Steps a scenario's simulation, finds its signals and reads them.

    - "<model>/<motor>/position" and "velocity" of its joint, "effort",
      "target_position", "velocity_command", "saturated" (1 or 0)
    - "<model>/<joint>/position" and "velocity", driven or not
    - "<model>/<body>/position", "quaternion" (w, x, y, z), "velocity" and
      "angular_velocity", of the body's frame in the world
    - "<model>/<sensor>": any sensor of the scenario
    - "time", since the last reset

    Rad or m, rad/s or m/s, N m or N, s.

    Attributes:
        simulation: simulation of one robot.
        loop: loop that steps it.
        now: the present, for rewards and the like.
        stride: the motor steps per step of the environment.
        copies: shape (), as there is one robot.

    Args:
        simulation: simulation, at its start.
        commands: names of the rows that `step` gets, as `MotorLoop` takes them.
        time_step: step of the environment, s; None: the motors' period.
        own: values that do not come from the simulation, by name.
        computed: values that are computed from all others.
    """

    copies: tuple[int, ...] = ()

    def __init__(
        self,
        simulation: Simulation,
        commands: list[str],
        time_step: float | None,
        *,
        own: Mapping[str, typing.Any],
        computed: Sequence[Computed],
    ):
        self.simulation = simulation
        self.loop = loop = MotorLoop(simulation, commands=commands)
        self.stride = _stride_of(time_step, loop.period)
        self._own = own
        self._plant: MultibodyPlant = simulation.plant
        self._context = loop.plant_context
        self._sensors: Sensors | None = None
        self.now = Instant(self, self._plant, self._context)
        self._known = {c.name: c.reading(self.now) for c in computed}
        # Each system's commands, friction and motors; Drake writes in place.
        self._limits, self._columns, start = [], [], 0
        for system, values in loop.tables:
            self._columns += [
                (system, values, i) for i in range(len(system.devices.names))
            ]
            part = slice(start, len(self._columns))
            command = system.tables.command_table(values)
            limits = command[_AVAILABLE], command[_IN_EFFORT]
            self._limits.append((*limits, system.static_friction, part))
            start = part.stop
        self._moved = loop.read()

    @property
    def state(self) -> np.ndarray:
        """The plant's [q, v] after the last step."""
        return self.loop.state

    @property
    def moved(self) -> np.ndarray:
        """The motors' positions, velocities and efforts, shape (3, motors)."""
        return self._moved

    @property
    def time(self) -> typing.Any:
        """The time since the last reset, s."""
        return self.loop.time

    def is_late(self, end: float) -> typing.Any:
        """Returns whether a scenario that takes `end`, s, is over, but for rounding."""
        return self.time + _ROUNDING * self.loop.period >= end

    def start(self, seed: int) -> None:
        """Reads the state at the start of an episode, after all is set.

        Args:
            seed: seed of the sensors' noise.
        """
        self._moved = self.loop.read()
        if self._sensors is not None:
            self._sensors.start(seed)
        self.now.begin()

    def step(self, rows: list[np.ndarray]) -> None:
        """Simulates a step of the environment.

        Args:
            rows: for `MotorLoop.step`.

        Raises:
            SimulationError: it failed, or its state is no longer finite.
        """
        if self._sensors is None:
            self._moved = self.loop.step(*rows, number=self.stride)
        else:
            self._moved = self._sensors.step(rows)
        self.now.begin()
        if not math.isfinite(self.state.sum()):
            self._check_state()

    def _check_state(self) -> None:
        self.simulation.check_state()

    def saturated(self) -> np.ndarray:
        """Returns which motors are at their limits, shape (motors,), bool."""
        efforts = self._moved[2]
        found = np.empty(len(efforts), np.uint8)
        for available, in_effort, friction, part in self._limits:
            _mark(available, in_effort, efforts[part], friction, found[part])
        return found.view(bool)

    def reading(self, name: str) -> Reading:
        """Returns the reading of a name.

        Raises:
            InputError: there is no such signal; the text has the nearest name.
        """
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> Reading:
        if name in self._own:  # which an episode has drawn
            value = lambda: self._own[name]  # noqa: E731
            return Reading(name, (), *_ENDLESS, value)
        found = self.moving(name) or self._of_sensor(name)
        if found is None:
            raise InputError(unknown_name("signal", name, self.names()))
        return found

    def moving(self, name: str) -> Reading | None:
        """Returns a reading that needs no sensor; None: no such name."""
        if name == "time":
            return Reading(name, (), 0.0, math.inf, lambda: self.time)
        model, _, rest = name.partition("/")
        whose, _, what = rest.rpartition("/")
        motor = f"{model}/{whose}"
        if motor in self.loop.motors:
            index = self.loop.motors.index(motor)
            if what in _STATE:
                row = _STATE.index(what)
                return self._of_state(name, self.loop.places[row, index])
            if what in _OF_MOTORS:
                return self._of_motor(name, index, what)
        places = joint_places(self._plant, model, whose, what)
        if 0 < len(places) < _FREE:
            return self._of_state(
                name, places if len(places) > 1 else places[0]
            )
        if whose and what in _OF_BODIES:
            return self._of_body(name, model, whose, what)
        return None

    def _of_state(self, name: str, places: np.ndarray) -> Reading:
        at = places if np.ndim(places) else int(places)
        value = lambda: self.loop.state[at]  # noqa: E731
        shape = np.shape(places)
        return Reading(name, shape, *_ENDLESS, value, np.atleast_1d(places))

    def _of_motor(self, name: str, index: int, what: str) -> Reading:
        system, values, own = self._columns[index]
        tables, n = system.tables, len(system.devices.names)
        target = tables.command.start + Command.TARGET_POSITION * n + own
        velocity = tables.law_state.start + LawState.VELOCITY_COMMAND * n + own

        def target_position() -> float:
            # Not commanded yet, it holds where it is.
            held = math.isnan(values[target])
            return self._moved[0, index] if held else values[target]

        value = {
            "effort": lambda: self._moved[2, index],
            "target_position": target_position,
            "velocity_command": lambda: values[velocity],
            "saturated": lambda: float(self.saturated()[index]),
        }
        return Reading(name, (), *_OF_MOTORS[what], value[what])

    def _of_body(
        self, name: str, model: str, whose: str, what: str
    ) -> Reading | None:
        plant = self._plant
        if not plant.HasModelInstanceNamed(model):
            return None
        instance = plant.GetModelInstanceByName(model)
        if not plant.HasBodyNamed(whose, instance):
            return None
        body = plant.GetBodyByName(whose, instance)
        places = _free_places(plant, body, what)
        if len(places):
            return self._of_state(name, places)
        value = functools.partial(_OF_BODIES[what], body, self._context)
        return Reading(name, value().shape, *_ENDLESS, value)

    def _of_sensor(self, name: str) -> Reading | None:
        sensors = self._sensors or Sensors(self.loop, self.stride)
        if name not in sensors.names:
            return None
        self._sensors = sensors
        return sensors.switch_on(name)

    def names(self) -> list[str]:
        """Returns all names that can be read."""
        names = ["time"]
        for motor in self.loop.motors:
            names += [f"{motor}/{what}" for what in (*_OF_MOTORS, *_STATE)]
        plant = self._plant
        names += joint_names(plant, _FREE)
        for model in self.loop.simulation.motors:
            if plant.HasModelInstanceNamed(model):
                instance = plant.GetModelInstanceByName(model)
                for index in plant.GetBodyIndices(instance):
                    body = plant.get_body(index).name()
                    names += [f"{model}/{body}/{w}" for w in _OF_BODIES]
        sensors = self._sensors or Sensors(self.loop, self.stride)
        return names + sensors.names


def _free_places(
    plant: MultibodyPlant, body: RigidBody, what: str
) -> np.ndarray:
    """Returns the indices of a free body's signal in [q, v]; none if not there."""
    joint = free_joints(plant).get(body.index())
    if (
        joint is None
        or what == "quaternion"
        or joint.frame_on_parent().index() != plant.world_frame().index()
        or joint.frame_on_child().index() != body.body_frame().index()
    ):
        return np.arange(0)
    own = plant.GetModelInstanceName(joint.model_instance()), joint.name()
    if what == "angular_velocity":
        return joint_places(plant, *own, "velocity")[:3]
    return joint_places(plant, *own, what)[-3:]


def _stride_of(time_step: float | None, period: float) -> int:
    """Returns the motor periods in a step of an environment; else an InputError."""
    length = period if time_step is None else time_step
    most = min(_MOST_PERIODS * period, _LONGEST)
    stride = length / period
    fits = stride > 0.5 and length <= most
    if not fits or abs(stride - round(stride)) > _ROUNDING:
        raise InputError(
            f"{length:g} s is not a multiple of the motors' period, {period:g} s, of"
            f" at most {most:g} s"
        ).below("time_step")
    return round(stride)


def joint_names(plant: MultibodyPlant, most: int) -> list[str]:
    """Returns "<model>/<joint>/position" and "velocity" of the joints that move.

    Args:
        plant: finalized plant.
        most: number of velocities from which on joints are left out.
    """
    return [
        f"{plant.GetModelInstanceName(joint.model_instance())}/{joint.name()}/{what}"
        for joint in joints_of(plant)
        if joint.num_positions() and joint.num_velocities() < most
        for what in _STATE
    ]


def joint_places(
    plant: MultibodyPlant, model: str, name: str, what: str
) -> np.ndarray:
    """Returns the indices of a joint's values in the plant's [q, v].

    Args:
        plant: finalized plant.
        model: its name.
        name: the joint's.
        what: "position" or "velocity".

    Returns:
        Indices, shape (size,); none without such a joint, or such values of it.
    """
    nowhere = np.arange(0)
    if what not in _STATE or not plant.HasModelInstanceNamed(model):
        return nowhere
    instance = plant.GetModelInstanceByName(model)
    if not plant.HasJointNamed(name, instance):
        return nowhere
    joint = plant.GetJointByName(name, instance)
    if what == "position":
        return joint.position_start() + np.arange(joint.num_positions())
    start = plant.num_positions() + joint.velocity_start()
    return start + np.arange(joint.num_velocities())
