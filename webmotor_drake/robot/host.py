"""What the controller API needs of a simulation; nothing else of it is used.

A `World` is the simulation in the rhythm of its basic steps, a `RobotHost` the
part of it that one robot's controller reads and commands.
"""

import dataclasses as dc
import math
import typing
from collections.abc import Callable

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.commands import Kind
from webmotor_drake.errors import WebmotorError
from webmotor_drake.law import Command
from webmotor_drake.robot.sampling import Sampler

if typing.TYPE_CHECKING:
    from webmotor_drake.motor_system import MotorSystem
    from webmotor_drake.simulation import Simulation

# The longest stretch, in basic steps, without a look at whether to stop.
_STRETCH = 250


class NotSupportedError(WebmotorError):
    """What Webots has and this simulation has not."""


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


class World:
    """A simulation, seen in basic steps.

    Attributes:
        simulation: what runs.
        basic_time_step: the motor period, ms.
        now: the number of basic steps done.
        last_step: how many there are to the end of the scenario.
        robots: the robots by model name, in the scenario's order.
        stopped: whether somebody wants the simulation to go no further.
        plant_context: the plant's Context.
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
        self.stopped = False
        self._next_report = 0
        plant = simulation.plant
        self._state_port = plant.get_state_output_port()
        self.plant_context = plant.GetMyContextFromRoot(
            simulation.simulator.get_context()
        )
        self.robots = {
            model: RobotHost(self, model, motors)
            for model, motors in simulation.motors.items()
        }

    @property
    def time(self) -> float:
        """The time at the start of the present step, s."""
        return self.now * self.basic_time_step / 1000

    @property
    def over(self) -> bool:
        """Whether the scenario has no further step."""
        return self.now >= self.last_step

    def advance(self, step: int) -> None:
        """Simulates until the start of `step`, or the end; sensors measure."""
        step = min(step, self.last_step)
        while self.now < step and not self.stopped:
            stop = min(step, self.now + _STRETCH)
            for robot in self.robots.values():
                for sampler in robot.samplers:
                    due = max(sampler.last + sampler.period, self.now + 1)
                    stop = min(stop, due)
            self.simulation.advance_to_step(stop)
            self.now = stop
            for robot in self.robots.values():
                for sampler in robot.samplers:
                    sampler.refresh(stop, robot.powered)
            if self.progress is not None and stop >= self._next_report:
                self.progress(self.time, self.end)
                self._next_report = stop + self.last_step // 200

    def finish(self) -> None:
        """Simulates to the end of the scenario."""
        self.advance(self.last_step)
        if not self.stopped:
            self.simulation.simulator.AdvanceTo(self.end)

    def state(self) -> np.ndarray:
        """Returns the plant's [q, v]."""
        return self._state_port.Eval(self.plant_context)


class RobotHost:
    """A robot of the simulation.

    Attributes:
        world: what it is in.
        name: the model's name.
        motors: their nodes by motor name, in device order.
        servos: the names of those that are of the old Servo node.
        groups: for each motor the indices of those coupled with it.
        position_sensors: nodes with `joint`, `noise` and `resolution`, by name.
        brakes: nodes with `joint`, by name.
        has_battery: whether it draws on a battery.
        samplers: its sensors that are on.
    """

    def __init__(self, world: World, model: str, motors: "MotorSystem"):
        driver = world.simulation.scenario.model_drivers[model]
        self.world = world
        self.name = model
        self.motors = motors.model.motors
        servo = getattr(nodes, "Servo", ())
        self.servos = {
            name for name, m in driver.motors.items() if isinstance(m, servo)
        }
        self.groups = motors.devices.groups
        self.position_sensors = getattr(driver, "position_sensors", {})
        self.brakes = getattr(driver, "brakes", {})
        self.has_battery = bool(getattr(driver, "battery", ()))
        self.samplers: list[Sampler] = []
        self._system = motors
        actuators = motors.model.actuators
        self._instance = actuators[0].model_instance()
        slots = list(
            world.simulation.plant.GetJointActuatorIndices(self._instance)
        )
        self._slots = [
            slots.index(actuator.index())
            for actuator in actuators[: len(self.motors)]
        ]

    def joint_type(self, joint: str) -> int:
        """Returns 0 for a revolute joint, 1 for a prismatic one."""
        return int(self._joint(joint).type_name() == "prismatic")

    def position(self, joint: str) -> Callable[[], float]:
        """Returns what tells the joint's position, rad or m."""
        index, state = self._joint(joint).position_start(), self.world.state
        return lambda: float(state()[index])

    def velocity(self, joint: str) -> Callable[[], float]:
        """Returns what tells the joint's velocity, rad/s or m/s."""
        index, state = self._joint(joint).velocity_start(), self.world.state
        index += self.world.simulation.plant.num_positions()
        return lambda: float(state()[index])

    def _joint(self, name: str):
        return self.world.simulation.plant.GetJointByName(name, self._instance)

    def feedback(self, index: int) -> float:
        """Returns the effort of a motor's servo in the step just done, N m or N.

        Static friction is in it; springs, dampers and direct effort are not.

        Args:
            index: the motor, in device order.
        """
        port = self.world.simulation.plant.get_net_actuation_output_port(
            self._instance
        )
        net = port.Eval(self.world.plant_context)[self._slots[index]]
        parameters = self._system.model.parameters[index]
        state = self.world.state()
        spring = (
            parameters.spring_constant
            * state[self._system.position_indices[index]]
        )
        damper = (
            parameters.damping_constant
            * state[self._system.velocity_indices[index]]
        )
        command = self._commands()[:, index]
        direct = (
            command[Command.DIRECT_EFFORT] * command[Command.EFFORT_CONTROL]
        )
        return float(net + spring + damper - direct)

    def command(
        self, kind: Kind, index: int, value: float | tuple[float, ...]
    ) -> None:
        """Gives a command to a motor; it acts in the step that starts now."""
        root = self.world.simulation.simulator.get_mutable_context()
        context = self._system.GetMyMutableContextFromRoot(root)
        self._system.apply(context, kind, index, value)

    def settings(self, index: int) -> MotorSettings:
        """Returns a motor as the simulator has it, after the commands so far."""
        node = self._system.devices.motors[index]
        command = self._commands()[:, index]
        target = float(command[Command.TARGET_POSITION])
        if math.isnan(target):  # not commanded yet: it holds where it is
            target = self.position(node.joint)()
        return MotorSettings(
            target_position=target,
            target_velocity=float(command[Command.TARGET_VELOCITY]),
            acceleration=float(command[Command.ACCELERATION]),
            control_pid=tuple(
                map(float, command[[Command.P, Command.I, Command.D]])
            ),
            min_position=node.min_position,
            max_position=node.max_position,
            max_velocity=node.max_velocity,
            max_effort=nodes.max_effort(node),
            multiplier=node.multiplier,
        )

    def _commands(self) -> np.ndarray:
        """Returns the command table of the motors, shape (9, n)."""
        root = self.world.simulation.simulator.get_context()
        context = self._system.GetMyContextFromRoot(root)
        table = self._system.GetOutputPort("command").Eval(context)
        return table.reshape(len(Command), -1)

    def set_damping(self, joint: str, damping: float) -> None:
        """Brakes a joint with a damper, N m s/rad or N s/m, from the next step on.

        Raises:
            NotSupportedError: the simulation has no brakes.
        """
        raise NotSupportedError("brakes are not simulated yet")

    def battery(self) -> float:
        """Returns the energy left, J; -1: there is no battery."""
        if self.has_battery:
            raise NotSupportedError("batteries are not simulated yet")
        return -1.0

    @property
    def powered(self) -> bool:
        """Whether the devices have power; an empty battery takes it away."""
        return True

    @property
    def project_path(self) -> str:
        """The folder of the scenario file; empty for a scenario without one."""
        return self.world_path.rpartition("/")[0]

    @property
    def world_path(self) -> str:
        """The scenario file; empty for a scenario without one."""
        origin = self.world.simulation.scenario.origin
        return origin.document.file if origin else ""
