"""Motors on anything that steps, shared by ODE and Drake's own controllers.

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
from webmotor_drake.loops.rows import Command, Demand, LawState
from webmotor_drake.motor.commands import StepCommands, TimedCommands, schedule
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.simulation.run_record import motor_descriptions


class SteppedMotors:
    """The motors of all models, the commands for them, and their law.

    Attributes:
        period: the motor period h, s.
        names: "<model>/<motor>", n of them.
        descriptions: metadata of the motors, by name.
        nodes: nodes of the motors, after Webots' fallbacks.
        joints: joints of the motors in the plant.
        passive: the joints without a motor that drivers name, by "<model>/<joint>".
        parameters: JointParameters by joint, also of joints without a motor.
        brakes: damping that brakes add, by joint, N m s/rad or N s/m.
        cfm: softness of the servos by joint, rad/s/(N m) or m/s/N.
        world_cfm: softness of the first model, for joints without a value of their own.
        friction: static friction of the motors' joints, shape (n,), N m or N.
        command: `Command` rows, shape (rows, n).
        law_state: `LawState` rows, shape (rows, n).
        demand: `Demand` rows, shape (rows, n).

    Args:
        systems: motor systems of a plant by model name: only their motors and joints
            are used.
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
        self.passive: dict[str, Joint] = {}
        self.parameters: dict[JointIndex, JointParameters] = {}
        self.brakes: dict[JointIndex, float] = {}
        self.cfm: dict[JointIndex, float] = {}
        self._parts: dict[str, _ModelPart] = {}
        for name, system in systems.items():
            self._add(name, system, drivers[name])
        self.world_cfm = next(iter(self.cfm.values()))
        self.friction = np.array(
            [self.parameters[j.index()].static_friction for j in self.joints]
        )
        self._gather()

    def _add(
        self, name: str, system: MotorSystem, driver: WebotsMotorDriver
    ) -> None:
        """Puts the motors of a model beside those that are there."""
        model, motors = system.model, system.devices.names
        if any(model.kinematic):
            joint = model.joints[model.kinematic.index(True)].name()
            raise InputError(
                f"joint {joint} of model {name} is kinematic; only Webots motors"
                " on Drake can move such a joint"
            )
        start = len(self.names)
        self.names += [f"{name}/{motor}" for motor in motors]
        self.nodes += model.motors.values()
        self.joints += [driven.joint for driven in model.driven]
        for passive in model.passive:
            self.passive[f"{name}/{passive.joint.name()}"] = passive.joint
        for named in model.named:
            self.parameters[named.joint.index()] = named.parameters
            self.cfm[named.joint.index()] = driver.cfm
        timed = schedule(
            driver.commands, motors, list(driver.brakes), system.period
        )
        energy = system.battery.energy if system.battery else 0.0
        self._parts[name] = _ModelPart(
            system,
            columns=slice(start, len(self.names)),
            timed=TimedCommands(timed),
            values=system.motor_step.initial_values(),
            level=np.array([energy, 1.0]),
        )

    def add_schedule(
        self, model: str, schedule: Mapping[int, StepCommands]
    ) -> None:
        """Adds timed commands to a model's, as `MotorSystem.add_schedule` does."""
        self._parts[model].timed.add(schedule)

    def follow(self, commands: Mapping[str, np.ndarray]) -> None:
        """Takes over all commands of other motors for the next step, and no timed ones.

        Args:
            commands: `Command` tables by model, shape (rows, n).
        """
        for model, part in self._parts.items():
            part.timed = TimedCommands({})
            tables = part.system.tables
            tables.command_table(part.values)[:] = commands[model]
            tables.line_tables(part.values)[:] = commands[model]

    def ramp_from(self, velocities: np.ndarray) -> None:
        """Makes the law ramp from velocities, shape (n,), rad/s or m/s."""
        for part in self._parts.values():
            law_state = part.system.tables.law_state_table(part.values)
            law_state[LawState.VELOCITY_COMMAND] = velocities[part.columns]
        self._gather()

    def start_step(self, step: int, q: np.ndarray) -> None:
        """Applies the commands of a step and runs the law.

        Args:
            step: its number k.
            q: joint positions at its start, shape (n,), rad or m.
        """
        for part in self._parts.values():
            motor_step, values = part.system.motor_step, part.values
            own, tables = q[part.columns], motor_step.tables
            motor_step.hold(values, own)
            if values[tables.last_step] < 0:
                motor_step.catch_up(values, part.timed.by_step)
            values[tables.last_step] = step
            motor_step.apply(values, part.timed.due(step - 1, step))
            motor_step.run_law(values, own)
            damping = tables.demand_table(values)[Demand.BRAKE].tolist()
            for i in part.system.model.brakes.values():
                joint = part.system.model.acting[i].joint()
                self.brakes[joint.index()] = damping[i]
        self._gather()

    def _gather(self) -> None:
        """Puts the models' tables side by side, in arrays of their own."""
        tables = []
        for part in self._parts.values():
            own, n = part.system.tables, len(part.system.devices.names)
            command = own.command_table(part.values)
            demand = own.demand_table(part.values)[:, :n]
            tables.append((command, own.law_state_table(part.values), demand))
        self.command, self.law_state, self.demand = (
            np.concatenate(rows, axis=1) for rows in zip(*tables, strict=True)
        )

    def finish_step(self, feedback: np.ndarray) -> None:
        """Draws the energy of a step from the batteries, as `MotorSystem` does.

        Args:
            feedback: feedback of the motors, shape (n,), N m or N.
        """
        for part in self._parts.values():
            if part.system.battery is not None:
                own = np.ascontiguousarray(feedback[part.columns])
                use = part.system.motor_step.use_battery
                use(part.values, part.level, own, 0.0)

    @property
    def servo_on(self) -> np.ndarray:
        """Returns True for powered motors outside effort control, shape (n,)."""
        return (self.command[Command.EFFORT_CONTROL] == 0) & (
            self.command[Command.AVAILABLE_EFFORT] > 0
        )


@dc.dataclass
class _ModelPart:
    """The motors of one model: their columns in the tables of all, their own tables."""

    system: MotorSystem
    columns: slice
    timed: TimedCommands
    values: np.ndarray
    level: np.ndarray  # of the battery, J, and 1 or 0 for on or off
