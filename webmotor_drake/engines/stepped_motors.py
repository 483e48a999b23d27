"""Motors on anything that steps: what ODE and Drake's own controllers share.

Here the motors of all models of a scenario stand side by side, n of them. At the
start of step k the commands given for it take effect and the law of Webots runs.
"""

import dataclasses as dc
from collections.abc import Mapping

import numpy as np
from pydrake.multibody.tree import Joint, JointIndex

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import InputError
from webmotor_drake.motor.battery import Battery
from webmotor_drake.motor.command_delay import CommandDelay
from webmotor_drake.motor.commands import Kind, StepCommands, schedule
from webmotor_drake.motor.devices import MotorDevices
from webmotor_drake.motor.law import step_servos
from webmotor_drake.motor.tables import Command, Demand, LawState
from webmotor_drake.motor.timed_commands import TimedCommands
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.simulation.metadata import motor_descriptions


class SteppedMotors:
    """The motors of all models, the commands for them, and their law.

    Attributes:
        period: the motor period h, s.
        names: "<model>/<motor>", n of them.
        descriptions: what each motor is, by name.
        nodes: their nodes, after Webots' fallbacks.
        joints: their joints in the plant.
        parameters: JointParameters by joint, also of joints without a motor.
        brakes: what brakes add to the damping, by joint, N m s/rad or N s/m.
        cfm: softness of the servos by joint, rad/s/(N m) or m/s/N.
        world_cfm: the first model's, for all that have no value of their own.
        friction: static friction of the motors' joints, shape (n,), N m or N.
        command: `Command` rows, shape (rows, n).
        law_state: `LawState` rows, shape (rows, n).
        demand: `Demand` rows, shape (rows, n).

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
        self.descriptions = motor_descriptions(systems)
        self.nodes: list[MotorNode] = []
        self.joints: list[Joint] = []
        self.parameters: dict[JointIndex, JointParameters] = {}
        self.brakes: dict[JointIndex, float] = {}
        self.cfm: dict[JointIndex, float] = {}
        self._models = list(systems)
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
        self.joints += [driven.joint for driven in model.driven]
        for named in model.named:
            self.parameters[named.joint.index()] = named.parameters
            self.cfm[named.joint.index()] = driver.cfm
        self._parts.append(
            _ModelPart(
                devices=system.devices,
                columns=slice(start, len(self.names)),
                timed=TimedCommands(
                    schedule(
                        driver.commands,
                        names,
                        list(driver.brakes),
                        system.period,
                    )
                ),
                braked=[
                    model.acting[index].joint().index()
                    for index in model.brakes.values()
                ],
                battery=system.battery,
                delay=CommandDelay(driver.delay, system.period),
            )
        )

    def add_schedule(
        self, model: str, schedule: Mapping[int, StepCommands]
    ) -> None:
        """Adds timed commands, by motor step, to those of a model's driver.

        See `MotorSystem.add_schedule` for negative steps.
        """
        self._parts[self._models.index(model)].timed.add(schedule)

    def start_step(self, step: int, q: np.ndarray) -> None:
        """Applies the commands of a step and runs the law.

        Args:
            step: its number k.
            q: joint positions at its start, shape (n,), rad or m.
        """
        target = self.command[Command.TARGET_POSITION]
        target[:] = np.where(np.isnan(target), q, target)
        for part in self._parts:
            if part.line is None:
                part.start(self.command)
                for before in range(min(part.timed.by_step, default=0), 0):
                    self._apply(part, part.timed.due(before - 1, before))
            self._apply(part, part.timed.due(step - 1, step))
        step_servos(
            q,
            self.period,
            self.command,
            self.friction,
            self.law_state,
            self.demand,
        )

    def _apply(self, part: "_ModelPart", commands: StepCommands) -> None:
        """Applies commands to the motors of a model, now or when they arrive."""
        command = self.command[:, part.columns]
        law_state = self.law_state[:, part.columns]
        late = bool(part.delay.tables)
        given = part.line[0] if late else command
        reset = law_state.copy() if late else law_state
        for device, kind, value in commands:
            if kind == Kind.BRAKE_DAMPING:
                self.brakes[part.braked[device]] = value
            else:
                part.devices.apply(kind, device, value, given, reset)
        if late:
            part.delay.pass_on(part.line, command, law_state)

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
            levels = available[part.columns].copy()
            part.battery.use(
                part.level,
                power,
                0.0,
                self.period,
                levels,
                part.devices.max_efforts,
            )
            if (levels != available[part.columns]).any():
                part.line[:, Command.AVAILABLE_EFFORT] = levels
            available[part.columns] = levels

    @property
    def servo_on(self) -> np.ndarray:
        """Returns whether each motor seeks a target, shape (n,): powered, no effort."""
        return (self.command[Command.EFFORT_CONTROL] == 0) & (
            self.command[Command.AVAILABLE_EFFORT] > 0
        )


@dc.dataclass
class _ModelPart:
    """The motors of one model.

    Attributes:
        devices: what commands act on.
        columns: their columns in the tables.
        timed: the timed commands.
        braked: the joint of each brake.
        battery: what feeds them, if anything.
        delay: holds commands back.
        line: the commands on their way, see `CommandDelay`.
        level: what the battery holds, J, and 1 or 0 for on or off.
    """

    devices: MotorDevices
    columns: slice
    timed: TimedCommands
    braked: list[JointIndex]
    battery: Battery | None
    delay: CommandDelay
    line: np.ndarray | None = None
    level: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.battery is not None:
            self.level = np.array([self.battery.energy, 1.0])

    def start(self, command: np.ndarray) -> None:
        """Fills the line with what the motors have before any command."""
        initial = command[:, self.columns]
        self.line = np.repeat(initial[np.newaxis], self.delay.tables, 0)
