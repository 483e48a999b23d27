"""Motors on anything that steps: what ODE and Drake's own controllers share.

Here the motors of all models of a scenario stand side by side, n of them. In
step k the commands given for it take effect, the law of Webots runs, the world
steps by the motor period, and a row of signals is recorded.
"""

import dataclasses as dc
import math
from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from pydrake.multibody.tree import Joint, JointIndex

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.motor.battery import Battery
from webmotor_drake.motor.commands import Kind, StepCommands, schedule
from webmotor_drake.motor.devices import MotorDevices
from webmotor_drake.motor.law import step_servos
from webmotor_drake.motor.nodes import JointParameters, MotorNode
from webmotor_drake.motor.signals import direct_effort, mode, step_signals
from webmotor_drake.motor.tables import Command, Demand, LawState


class World(Protocol):
    """A mechanism with the motors of `SteppedMotors` on it.

    Attributes:
        motors: the motors.
        follows_law: whether it seeks the law's velocity commands.
    """

    motors: "SteppedMotors"
    follows_law: bool

    def positions(self) -> np.ndarray:
        """Returns the motors' joint positions, shape (n,), rad or m."""

    def velocities(self) -> np.ndarray:
        """Returns their velocities, shape (n,), rad/s or m/s."""

    def step(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps by the motor period, as the motors' tables say.

        Returns:
            Efforts without direct effort, and feedback, shape (n,), N m or N.
        """


class SteppedMotors:
    """The motors of all models, the commands for them, and their law.

    Attributes:
        period: the motor period h, s.
        names: "<model>/<motor>", n of them.
        nodes: their nodes, after Webots' fallbacks.
        joints: their joints in the plant.
        parameters: JointParameters by joint, also of joints without a motor.
        brakes: what brakes add to the damping, by joint, N m s/rad or N s/m.
        cfm: softness of the servos by joint, rad/s/(N m) or m/s/N.
        world_cfm: the first model's, for all that has none of its own.
        friction: static friction of the motors' joints, shape (n,), N m or N.
        command: `Command` rows, shape (9, n).
        law_state: `LawState` rows, shape (4, n).
        demand: `Demand` rows, shape (4, n).

    Args:
        systems: motor systems of a plant by model name: their motors and joints
            are used, they themselves are not.
        drivers: the drivers of these models, for commands and softness.

    Raises:
        InputError: a joint is kinematic.
    """

    def __init__(
        self,
        systems: Mapping[str, MotorSystem],
        drivers: Mapping[str, WebotsMotorDriver],
    ):
        self.period = next(iter(systems.values())).period
        self.names: list[str] = []
        self.nodes: list[MotorNode] = []
        self.joints: list[Joint] = []
        self.parameters: dict[JointIndex, JointParameters] = {}
        self.brakes: dict[JointIndex, float] = {}
        self.cfm: dict[JointIndex, float] = {}
        self._parts: list[_ModelPart] = []
        for name, system in systems.items():
            self._add(name, system, drivers[name])
        self.world_cfm = next(iter(self.cfm.values()))
        self.command = np.concatenate(
            [part.devices.initial_commands() for part in self._parts], axis=1
        )
        self.law_state = np.zeros((len(LawState), len(self.names)))
        self.demand = np.zeros((len(Demand), len(self.names)))
        self.friction = np.array(
            [self.parameters[j.index()].static_friction for j in self.joints]
        )

    def _add(
        self, name: str, system: MotorSystem, driver: WebotsMotorDriver
    ) -> None:
        """Puts the motors of a model beside those that are there."""
        model, names = system.model, system.devices.names
        if any(model.kinematic):
            joint = model.joints[model.kinematic.index(True)].name()
            raise InputError(
                f"joint {joint} of model {name} is kinematic; only Webots motors"
                " on Drake can move such a joint"
            )
        start = len(self.names)
        self.names += [f"{name}/{motor}" for motor in names]
        self.nodes += model.motors.values()
        self.joints += model.joints[: len(names)]
        for joint, given in zip(model.joints, model.parameters, strict=True):
            self.parameters[joint.index()] = given
            self.cfm[joint.index()] = driver.cfm
        self._parts.append(
            _ModelPart(
                devices=system.devices,
                columns=slice(start, len(self.names)),
                due=schedule(
                    driver.commands, names, list(driver.brakes), system.period
                ),
                braked=[
                    model.acting[index].joint().index()
                    for index in model.brakes.values()
                ],
                battery=system.battery,
            )
        )

    def start_step(self, step: int, q: np.ndarray) -> None:
        """Applies the commands of a step and runs the law.

        Args:
            step: its number k.
            q: joint positions at its start, shape (n,), rad or m.
        """
        target = self.command[Command.TARGET_POSITION]
        target[:] = np.where(np.isnan(target), q, target)
        for part in self._parts:
            command = self.command[:, part.columns]
            law_state = self.law_state[:, part.columns]
            for device, kind, value in part.due.get(step, ()):
                if kind == Kind.BRAKE_DAMPING:
                    self.brakes[part.braked[device]] = value
                else:
                    part.devices.apply(kind, device, value, command, law_state)
        step_servos(
            q,
            self.period,
            self.command,
            self.friction,
            self.law_state,
            self.demand,
        )

    def finish_step(self, feedback: np.ndarray) -> None:
        """Draws the energy of a step from the batteries, as `MotorSystem` does.

        Args:
            feedback: the motors', shape (n,), N m or N.
        """
        for part in self._parts:
            if part.battery is None:
                continue
            factors = part.devices.consumption_factors
            power = np.abs(feedback[part.columns]) @ factors
            available = self.command[Command.AVAILABLE_EFFORT]
            levels = available[part.columns]
            part.battery.use(
                part.level,
                power,
                0.0,
                self.period,
                levels,
                part.devices.max_efforts,
            )
            available[part.columns] = levels

    @property
    def servo_on(self) -> np.ndarray:
        """Whether the motors seek a target: shape (n,), powered, no effort."""
        return (self.command[Command.EFFORT_CONTROL] == 0) & (
            self.command[Command.AVAILABLE_EFFORT] > 0
        )


@dc.dataclass
class _ModelPart:
    """What belongs to the motors of one model.

    Attributes:
        devices: what commands act on.
        columns: their columns in the tables.
        due: the commands by step.
        braked: the joint of each brake.
        battery: what feeds them, if anything.
        level: what the battery holds, J, and 1 or 0 for on or off.
    """

    devices: MotorDevices
    columns: slice
    due: dict[int, StepCommands]
    braked: list[JointIndex]
    battery: Battery | None
    level: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.battery is not None:
            self.level = np.array([self.battery.energy, 1.0])


class SteppedRun:
    """A run of motors on a world, and what was recorded of it.

    Args:
        world: what moves, with its motors.
    """

    def __init__(self, world: World):
        self._motors, self._world = world.motors, world
        n = len(world.motors.names)
        self._rows = [
            (world.positions(), world.velocities(), np.zeros(n), np.zeros(n))
        ]
        self._tables: list[tuple[np.ndarray, np.ndarray]] = []

    def run(
        self,
        duration: float,
        *,
        before_step: Callable[[int], None] | None = None,
        progress: Callable[[float, float], None] | None = None,
    ) -> None:
        """Runs all steps that end by `duration`.

        Args:
            duration: s.
            before_step: called with the number of each step before it.
            progress: called after each step with the time and the end, s.

        Raises:
            SimulationError: the state is no longer finite.
        """
        motors, world = self._motors, self._world
        period = motors.period
        for step in range(math.floor(duration / period + 1e-9)):
            if before_step is not None:
                before_step(step)
            motors.start_step(step, world.positions())
            tables = motors.command.copy(), motors.law_state.copy()
            efforts = world.step()
            self._check()
            motors.finish_step(efforts[1])
            self._tables.append(tables)
            self._rows.append((world.positions(), world.velocities(), *efforts))
            if progress is not None:
                progress((step + 1) * period, duration)

    def _check(self) -> None:
        for name, joint, position in zip(
            self._motors.names,
            self._motors.joints,
            self._world.positions().tolist(),
            strict=True,
        ):
            if not math.isfinite(position):
                raise SimulationError(
                    f"the position of joint {joint.name()} (motor {name}) is"
                    f" {position}"
                )

    @property
    def time(self) -> np.ndarray:
        """Times of the K + 1 rows, s."""
        return np.arange(len(self._rows)) * self._motors.period

    def signals(self) -> dict[str, np.ndarray]:
        """Returns the signals by name, each of shape (K+1,)."""
        table = self._signal_table()
        return {
            f"{motor}/{name}": values[i]
            for i, motor in enumerate(self._motors.names)
            for name, values in table.items()
        }

    def _signal_table(self) -> dict[str, np.ndarray]:
        """Returns each signal of all motors, shape (n, K+1)."""
        motors = self._motors
        position, velocity, effort, feedback = (
            np.transpose(column) for column in zip(*self._rows, strict=True)
        )
        tables = self._tables or [(motors.command, motors.law_state)]
        tables = tables[:1] + (tables if self._tables else [])
        command, law_state = (
            np.stack(rows, axis=-1) for rows in zip(*tables, strict=True)
        )
        if not self._world.follows_law:
            law_state = _without_law(command, law_state)
        factors = np.array([node.consumption_factor for node in motors.nodes])
        return {
            "position": position,
            "velocity": velocity,
            **step_signals(
                command,
                law_state,
                effort + direct_effort(command),
                feedback,
                friction=motors.friction,
                consumption_factors=factors,
                period=motors.period,
            ),
        }


def _without_law(command: np.ndarray, law_state: np.ndarray) -> np.ndarray:
    """Returns the law's velocities as NaN but for motors in velocity control.

    That is for worlds that do not follow the law.
    """
    known = mode(command) == 1
    velocity = np.where(known, command[Command.TARGET_VELOCITY], np.nan)
    law_state = law_state.copy()
    law_state[LawState.VELOCITY_TARGET] = velocity
    law_state[LawState.VELOCITY_COMMAND] = velocity
    return law_state
