"""What the controller API needs of a simulation; nothing else of it is used.

A `SteppedSimulation` is the simulation in the rhythm of its basic steps, a
`RobotHost` the part of it that one robot's controller reads and commands.
"""

import dataclasses as dc
import math
import os
import typing
from collections.abc import Callable

import numpy as np
from pydrake.multibody.tree import Joint
from pydrake.systems.framework import Context

from webmotor_drake.drive.model_motors import find_joint
from webmotor_drake.motor import nodes
from webmotor_drake.motor.commands import StepCommands
from webmotor_drake.motor.tables import Command
from webmotor_drake.robot.link.sampling import Sampler
from webmotor_drake.simulation.simulation import CHECKS

if typing.TYPE_CHECKING:
    from webmotor_drake.drive.motor_system import MotorSystem
    from webmotor_drake.simulation.simulation import Simulation

# The longest stretch, in basic steps, without a look at whether to stop.
_STRETCH = 100

# How often a run reports its progress.
_REPORTS = 200


@dc.dataclass(frozen=True)
class MotorSettings:
    """A motor as the simulator has it: what a configuration message tells.

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


class SteppedSimulation:
    """A simulation, seen in basic steps.

    A lazy one puts steps off while nobody looks: no sensor is on and no command
    given. Nothing but the time they take can tell.

    Attributes:
        simulation: what runs.
        basic_time_step: the motor period, ms.
        now: the number of basic steps done.
        last_step: how many there are to the end of the scenario.
        robots: the robots by model name, in the scenario's order.
        samplers: the sensors that are on.
        sampled: the plant's [q, v] when they measure.
        stopped: whether somebody wants the simulation to go no further.
        plant_context: the plant's Context.
        drawn: whether something is drawn meanwhile.
        lazy: whether steps may be put off.
        progress: called with the simulated time and the end, s, now and then.
    """

    def __init__(
        self,
        simulation: "Simulation",
        progress: Callable[[float, float], None] | None = None,
    ):
        self.simulation = simulation
        self.progress = progress
        period = next(iter(simulation.motors.values())).period
        self.basic_time_step = round(period * 1000, 9)
        self.now = round(simulation.simulator.get_context().get_time() / period)
        self.end = simulation.scenario.simulation_duration
        self.last_step = math.floor(self.end / period + 1e-9)
        self.samplers: list[Sampler] = []
        self.sampled: list[float] = []
        self.stopped = False
        self.lazy = False
        self._done = self.now
        self._next_report = self._next_check = 0
        plant = simulation.plant
        self._state_port = plant.get_state_output_port()
        self.plant_context = plant.GetMyContextFromRoot(
            simulation.simulator.get_context()
        )
        self.drawn = is_drawn(simulation)
        self.robots = {
            model: RobotHost(self, model, motors)
            for model, motors in simulation.motors.items()
        }

    def time_of(self, step: int) -> float:
        """Returns when a step starts, s."""
        return step * self.basic_time_step / 1000

    @property
    def over(self) -> bool:
        """Whether the scenario has no further step."""
        return self.now >= self.last_step

    def advance(self, step: int) -> None:
        """Simulates until the start of `step`, or the end; sensors measure."""
        step = min(step, self.last_step)
        while self.now < step and not self.stopped:
            stop = min(step, self._done + _STRETCH)
            if stop > self.now + 1:
                stop = max(min(stop, self._next_due()), self.now + 1)
            self.now = stop
            if self.samplers or not self.lazy or stop >= self._done + _STRETCH:
                self.catch_up()
                self._measure()

    def _next_due(self) -> float:
        """Returns the step at whose start a sensor measures next."""
        return min(
            (sampler.last + sampler.period for sampler in self.samplers),
            default=math.inf,
        )

    def _measure(self) -> None:
        """Has the sensors measure that are due."""
        if self.samplers:
            self.sampled = self.state().tolist()
        now = self.now
        for sampler in self.samplers:
            if now - sampler.last >= sampler.period:
                sampler.refresh(now)

    def catch_up(self) -> None:
        """Simulates what has been put off."""
        if self._done < self.now:
            self.simulation.advance_to_step(self.now)
            self._done = self.now
            if self.progress is not None and self.now >= self._next_report:
                self.progress(self.time_of(self.now), self.end)
                self._next_report = self.now + self.last_step // _REPORTS
            if self.now >= self._next_check:
                self.simulation.check_state()
                self._next_check = self.now + self.last_step // CHECKS

    def finish(self) -> None:
        """Simulates to the end, or where it was stopped to the end of the step.

        What was recorded is complete then.
        """
        self.advance(self.last_step)
        end = self.time_of(self.now) if self.stopped else self.end
        simulator = self.simulation.simulator
        if end > simulator.get_context().get_time():
            self.simulation.advance_to(end)
        self.simulation.check_state()
        if self.progress is not None:
            self.progress(end, self.end)

    def state(self) -> np.ndarray:
        """Returns the plant's [q, v]."""
        self.catch_up()
        return self._state_port.Eval(self.plant_context)


def is_drawn(simulation: "Simulation") -> bool:
    """Returns whether anything draws while the simulation runs."""
    systems = simulation.simulator.get_system().GetSystems()
    return bool(simulation.scenario.cameras) or any(
        type(system).__name__.startswith("Meshcat") for system in systems
    )


class RobotHost:
    """A robot of the simulation.

    Attributes:
        stepped: what it is in.
        name: the model's name.
        motors: their nodes by motor name, in device order.
        servos: the names of those that are of the old Servo node.
        groups: for each motor the indices of those coupled with it.
        kinematic: for each motor whether its joint has no dynamics.
        position_sensors: their nodes by name.
        brakes: their nodes by name.
        has_battery: whether it draws on a battery.
    """

    def __init__(
        self, stepped: SteppedSimulation, model: str, motors: "MotorSystem"
    ):
        driver = stepped.simulation.scenario.model_drivers[model]
        self.stepped = stepped
        self.name = model
        self.motors = motors.model.motors
        self.servos = {
            name
            for name, node in driver.motors.items()
            if isinstance(node, nodes.Servo)
        }
        self.groups = motors.devices.groups
        self.kinematic = motors.devices.kinematic
        self.position_sensors = driver.position_sensors
        self.brakes = driver.brakes
        self.has_battery = motors.battery is not None
        self._system = motors
        self._plant = stepped.simulation.plant
        self._instance = self._plant.GetModelInstanceByName(model)
        self._finished_at = -1

    def joint_type(self, joint: str) -> int:
        """Returns 0 for a revolute joint, 1 for a prismatic one."""
        return int(self._joint(joint).type_name() == "prismatic")

    def position(self, joint: str) -> Callable[[], float]:
        """Returns what measures the joint's position, rad or m."""
        index, stepped = self._joint(joint).position_start(), self.stepped
        return lambda: stepped.sampled[index]

    def velocity(self, joint: str) -> float:
        """Returns the joint's velocity, rad/s or m/s."""
        index = self._joint(joint).velocity_start()
        return float(self.stepped.state()[self._plant.num_positions() + index])

    def _joint(self, name: str) -> Joint:
        return find_joint(self._plant, self._instance, name, ())

    def send(self, commands: StepCommands) -> None:
        """Gives commands; they act in the step that starts now.

        Args:
            commands: device, kind and value, in their order. The device is the
                index of a motor, or of a brake for BRAKE_DAMPING.
        """
        self.stepped.catch_up()
        root = self.stepped.simulation.simulator.get_mutable_context()
        context = self._system.GetMyMutableContextFromRoot(root)
        self._system.apply_all(context, commands)

    def settings(self, index: int) -> MotorSettings:
        """Returns a motor as the simulator has it, after the commands so far."""
        node = self._system.devices.motors[index]
        table = self._system.GetOutputPort("command").Eval(self._context())
        command = table.reshape(len(Command), -1)[:, index].tolist()
        target = command[Command.TARGET_POSITION]
        if math.isnan(target):  # not commanded yet: it holds where it is
            place = self._system.position_indices[index]
            target = float(self.stepped.state()[place])
        return MotorSettings(
            target_position=target,
            target_velocity=command[Command.TARGET_VELOCITY],
            acceleration=command[Command.ACCELERATION],
            control_pid=(
                command[Command.P],
                command[Command.I],
                command[Command.D],
            ),
            min_position=node.min_position,
            max_position=node.max_position,
            max_velocity=node.max_velocity,
            max_effort=nodes.max_effort(node),
            multiplier=node.multiplier,
        )

    def feedback(self, index: int) -> float:
        """Returns the effort of a motor's servo in the step just done, N m or N.

        Static friction is in it; springs, dampers and direct effort are not.
        """
        return self._finished()[0][index]

    def battery(self) -> float:
        """Returns the energy left, J; -1: there is no battery."""
        return self._finished()[1][0] if self.has_battery else -1.0

    def has_power(self) -> bool:
        """Returns whether the devices have power; an empty battery has none."""
        return not self.has_battery or self._finished()[1][1] == 1

    def _finished(self) -> tuple[list[float], list[float]]:
        """Returns feedback and battery at the end of the step just done.

        They are asked for once a step.
        """
        if self._finished_at != self.stepped.now:
            feedback, battery = self._system.finished_step(self._context())
            battery = [] if battery is None else battery.tolist()
            self._finished_step = feedback.tolist(), battery
            self._finished_at = self.stepped.now
        return self._finished_step

    def _context(self) -> Context:
        """Returns the motor system's Context."""
        self.stepped.catch_up()
        root = self.stepped.simulation.simulator.get_context()
        return self._system.GetMyContextFromRoot(root)

    @property
    def project_path(self) -> str:
        """The folder of the scenario file; empty for a scenario without one."""
        return os.path.dirname(self.world_path)

    @property
    def world_path(self) -> str:
        """The scenario file; empty for a scenario without one."""
        origin = self.stepped.simulation.scenario.origin
        return os.path.abspath(origin.document.file) if origin else ""
