"""A robot of a simulation as its controller commands and reads it."""

import dataclasses as dc
import functools
import math
import operator
import typing
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from pydrake.multibody.tree import Joint
from pydrake.systems.framework import Context

from webmotor_drake import nodes
from webmotor_drake.drive.plant_queries import find_joint
from webmotor_drake.host.senses.sampling import noise_source
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.loops.rows import Command
from webmotor_drake.motor.commands import Kind, StepCommands

if typing.TYPE_CHECKING:
    from webmotor_drake.drive.motor_system import MotorSystem


@dc.dataclass(frozen=True)
class MotorSettings:
    """A motor as the simulator has it: the content of a configuration message.

    Positions in rad or m, efforts in N m or N.
    """

    target_position: float
    target_velocity: float
    acceleration: float
    control_pid: tuple[float, float, float]
    min_position: float
    max_position: float
    max_velocity: float
    max_effort: float
    multiplier: float


class RobotHost:
    """A robot of the simulation.

    Attributes:
        stepped: simulation of the robot.
        name: the model's name.
        called: Webots' Robot.name, which several robots may share.
        order: number of the robot in the scenario.
        driver: its driver in the scenario.
        motors: motor nodes by name, in device order.
        servos: names of the motors that are old Servo nodes.
        groups: indices of the motors coupled with each motor.
        kinematic: for each motor whether its joint has no dynamics.
        is_supervisor: True if its controller may be a supervisor.
        plant: plant of the simulation.
        instance: model instance of the robot in the plant.
        has_power: function that tells if the battery has energy; None: no battery.
    """

    def __init__(
        self, stepped: SteppedSimulation, model: str, motors: "MotorSystem"
    ):
        driver = stepped.simulation.scenario.model_drivers[model]
        self.stepped = stepped
        self.name, self.driver = model, driver
        self.order = list(stepped.simulation.motors).index(model)
        self.called: str = driver.robot_name or model
        self.motors = motors.model.motors
        self.servos = {
            name
            for name, node in driver.motors.items()
            if isinstance(node, nodes.Servo)
        }
        self.groups = motors.devices.groups
        self.kinematic = motors.devices.kinematic
        self.is_supervisor = driver.supervisor
        self._system = motors
        self.plant = stepped.simulation.plant
        self.instance = self.plant.GetModelInstanceByName(model)
        root = stepped.simulation.simulator.get_mutable_context()
        self._mutable_context = motors.GetMyMutableContextFromRoot(root)
        powered = motors.battery is not None
        self.has_power = (lambda: self._level()[1] == 1) if powered else None
        self._give = motors.commander(self._mutable_context)
        self._write_row = motors.row_writer(self._mutable_context)
        self._read_feedback = motors.feedback_reader(self._mutable_context)
        self._fed_back_at = self._levelled_at = -1, -1

    def noise_of(self, device: str) -> np.random.Generator:
        """Returns the source of a device's noise."""
        seed = self.stepped.simulation.scenario.random_seed
        return noise_source(seed, f"{self.name}/{device}")

    def joint_type(self, joint: str) -> int:
        """Returns 0 for a revolute joint, 1 for a prismatic one."""
        return int(self._joint(joint).type_name() == "prismatic")

    def position(self, joint: str) -> Callable[[], float]:
        """Returns a function that measures the joint's position, rad or m."""
        index = self._joint(joint).position_start()
        return functools.partial(operator.getitem, self.stepped.sampled, index)

    def velocity(self, joint: str) -> float:
        """Returns the joint's velocity, rad/s or m/s."""
        index = self._joint(joint).velocity_start()
        return float(self.stepped.state()[self.plant.num_positions() + index])

    def _joint(self, name: str) -> Joint:
        return find_joint(self.plant, self.instance, name, ())

    def send(self, commands: StepCommands) -> None:
        """Gives commands; they act in the step that starts now.

        Args:
            commands: device, kind and value, in their order. The device is the
                index of a motor, or of a brake for BRAKE_DAMPING.
        """
        with self.stepped.lock:
            self.stepped.catch_up()
            if self.stepped.noted is None:
                self._give(commands)
                return
            with self.stepped.noted():
                self._give(commands)

    def send_row(self, kind: Kind, row: Sequence[float]) -> bool:
        """Gives all motors a command, unless one of them needs special treatment.

        Args:
            kind: kind of the command.
            row: a value per motor.

        Returns:
            True if all motors have it; if False, give it to all of them by `send`.
        """
        with self.stepped.lock:
            self.stepped.catch_up()
            return self._write_row(kind, np.array(row))

    def settings(self, index: int) -> MotorSettings:
        """Returns a motor as the simulator has it, after the commands so far."""
        node = self._system.devices.motors[index]
        with self.stepped.lock:
            table = self._system.GetOutputPort("command").Eval(self._context())
        command = table.reshape(len(Command), -1)[:, index].tolist()
        p, i, d = command[Command.P : Command.D + 1]
        target = command[Command.TARGET_POSITION]
        if math.isnan(target):  # not commanded yet: it holds where it is
            place = self._system.position_indices[index]
            target = float(self.stepped.state()[place])
        return MotorSettings(
            target_position=target,
            target_velocity=command[Command.TARGET_VELOCITY],
            acceleration=command[Command.ACCELERATION],
            control_pid=(p, i, d),
            min_position=node.min_position,
            max_position=node.max_position,
            max_velocity=node.max_velocity,
            max_effort=nodes.max_effort(node),
            multiplier=node.multiplier,
        )

    def change(self, index: int, motor: nodes.MotorNode) -> None:
        """Gives a motor other limits; see `MotorSystem.change_motor`."""
        with self.stepped.lock:
            self.stepped.catch_up()
            self._system.change_motor(index, motor)

    def feedback(self, index: int) -> Callable[[], float]:
        """Returns a function that measures a motor's effort in the last step, N m or N.

        Static friction is in it; springs, dampers and direct effort are not.
        """
        stepped = self.stepped

        def measure() -> float:
            if self._fed_back_at != (stepped.now, stepped.started):
                self._fed_back = self._read_feedback().tolist()
                self._fed_back_at = stepped.now, stepped.started
            return self._fed_back[index]

        return measure

    def battery(self) -> float:
        """Returns the energy left, J; -1 without a battery."""
        return -1.0 if self.has_power is None else self._level()[0]

    def _level(self) -> list[float]:
        """Returns the battery at the end of the step just done, read once per step."""
        now = self.stepped.now, self.stepped.started
        if self._levelled_at != now:
            level = self._system.finished_battery(self._context())
            self._battery_level = level.tolist()
            self._levelled_at = now
        return self._battery_level

    def _context(self) -> Context:
        self.stepped.catch_up()
        return self._mutable_context

    @property
    def project_path(self) -> str:
        """The project's folder; empty for a scenario without a file.

        That is the scenario's folder or, as in Webots, the parent of a folder "worlds".
        """
        source = self.stepped.simulation.scenario.source
        if source is None:
            return ""
        folder = source.folder.resolve()
        return str(folder.parent if folder.name == "worlds" else folder)

    @property
    def world_path(self) -> str:
        """The scenario file; empty for a scenario without one."""
        source = self.stepped.simulation.scenario.source
        if source is None:
            return ""
        return str(source.folder.resolve() / Path(source.file).name)


def robot_hosts(stepped: SteppedSimulation) -> dict[str, RobotHost]:
    """Returns the robots by model name, in the scenario's order."""
    return {
        model: RobotHost(stepped, model, motors)
        for model, motors in stepped.simulation.motors.items()
    }
