"""The closed loop of plant and motors near a state, as matrices per motor period.

Drake's own Linearize and DiscreteTimeApproximation take systems with one period, or
none, that can be computed with derivatives. A plant with motors is neither, so we step
its Context, a little to both sides of its present state.
"""

import dataclasses as dc
import math
from collections.abc import Iterator

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context, Diagram, OutputPort, System
from pydrake.systems.primitives import LinearSystem

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive.command_ports import COMMAND_PORTS, DESIRED_STATE
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import InputError, unknown_name, warn
from webmotor_drake.loops.rows import Command, LawState

# Step to each side: well above a solver's tolerance, and so small that the third
# derivative of most mechanisms does not count.
_STEP = 1e-4
# Difference of both sides' slopes that is a kink, as a share of the slope.
_KINK = 0.1
# Difference of both slopes that never is a kink, per unit.
_FLAT = 1e-3
# The rows of the command table that are the values of ports.
_ROWS = {
    "target_position": Command.TARGET_POSITION,
    "available_effort": Command.AVAILABLE_EFFORT,
    "direct_effort": Command.DIRECT_EFFORT,
}
# The integrator's accuracy on continuous plants.
_ACCURATE = 1e-9
# Times that differ by less, in periods, are the same.
_SAME_TIME = 1e-6


@dc.dataclass(frozen=True)
class Linearization:
    """x[k+1] = A x[k] + B u[k], y[k] = C x[k] + D u[k], per motor period.

    All are deviations: x and u from `x0` and `u0`, y from `y0`, and x[k+1] from the
    state one period after `x0`, which is `x0` + `drift`. At an equilibrium `drift`
    is 0.

    Attributes:
        A: shape (nx, nx).
        B: shape (nx, nu).
        C: shape (ny, nx).
        D: shape (ny, nu).
        x0: the state, shape (nx,). Positions of joints with several degrees of freedom
            are 0: they are turns about the axes of their velocity.
        u0: the input, shape (nu,).
        y0: the output, shape (ny,).
        drift: change of the state in one period from `x0`, shape (nx,).
        state_names: names of the state's elements, such as "hinge/position".
        period: the motor period, s.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    x0: np.ndarray
    u0: np.ndarray
    y0: np.ndarray
    drift: np.ndarray
    state_names: list[str]
    period: float

    def linear_system(self) -> LinearSystem:
        """Returns the linearization as Drake's discrete system."""
        return LinearSystem(
            A=self.A, B=self.B, C=self.C, D=self.D, time_period=self.period
        )


def linearize(
    diagram: Diagram,
    context: Context,
    motors: MotorSystem,
    *,
    input_port: str = "target_position",
    output_port: OutputPort | None = None,
    u0: np.ndarray | None = None,
) -> Linearization:
    """Linearizes plant and motors together around a Context, per motor period.

    ::

        loop = wm.linearize(diagram, context, motors, input_port="target_velocity")
        K, _ = DiscreteTimeLinearQuadraticRegulator(loop.A, loop.B, Q, R)
        u = loop.u0 - K @ (x - loop.x0)

    The state is the plant's positions and velocities, joint by joint in the order of
    its velocities, and what the motors remember of the last period where it matters:
    "<motor>/error_integral" with an integral gain, "<motor>/previous_error" with a
    derivative gain, "<motor>/velocity_command" with a limit of acceleration. The states
    of other systems are held constant.

    Central differences, 1e-4 to both sides. A MotorWarning tells if the two sides
    differ: a motor at its limit, a stop, or a contact that begins.

    Args:
        diagram: with the plant and the motors.
        context: context of the diagram; it is not changed.
        motors: motors of the model whose port is the input.
        input_port: input of `motors`: "target_position", "target_velocity",
            "available_effort", "direct_effort" or "desired_state".
        output_port: port with y[k], such as the effort that was applied, at the end of
            the period that starts with x[k] and u[k]; None: y is x.
        u0: input to linearize around, shape (nu,); None: the port's value, or the last
            command to the motors; velocities: 0.

    Raises:
        InputError: there is no such port, no plant, motors with several periods, or
            an infinite u0.
    """
    loop = _Loop(diagram, context, motors, input_port, output_port)
    return loop.linearized(loop.input() if u0 is None else np.array(u0, float))


class _Loop:
    """A diagram that does one motor period, again and again; see `linearize`."""

    def __init__(
        self,
        diagram: Diagram,
        context: Context,
        motors: MotorSystem,
        input_port: str,
        output_port: OutputPort | None,
    ):
        ports = [*COMMAND_PORTS, DESIRED_STATE]
        if input_port not in ports:
            raise InputError(unknown_name("input port", input_port, ports))
        systems = list(_all_systems(diagram))
        self._all = [s for s in systems if isinstance(s, MotorSystem)]
        plants = [s for s in systems if isinstance(s, MultibodyPlant)]
        if len(plants) != 1 or motors not in self._all:
            raise InputError(
                "linearize needs the diagram that the motors and their plant are in"
            )
        if len({system.period for system in self._all}) > 1:
            raise InputError("the motors of the diagram have several periods")
        self._diagram, self._motors, self._plant = diagram, motors, plants[0]
        self._port, self._output = input_port, output_port
        self._start = self._about_to_step(context.Clone())
        self._memory = [
            place
            for system in self._all
            for place in _remembered(system, self._tables(system, self._start))
        ]
        plant_context = self._plant_in(self._start)
        self._q0 = self._plant.GetPositions(plant_context).copy()
        self._v0 = self._plant.GetVelocities(plant_context).copy()

    def _plant_in(self, root: Context) -> Context:
        return self._plant.GetMyMutableContextFromRoot(root)

    @staticmethod
    def _tables(system: MotorSystem, root: Context) -> np.ndarray:
        own = system.GetMyMutableContextFromRoot(root)
        return system.mutable_tables(own)

    def _about_to_step(self, root: Context) -> Context:
        """Advances a Context to just before a motor step starts."""
        motors = self._motors
        begun = motors.tables.last_step
        if self._tables(motors, root)[begun] < 0:
            # Run the law for the first time; the plant does not move by that.
            Simulator(self._diagram, root).Initialize()
        step = math.ceil(root.get_time() / motors.period - _SAME_TIME)
        step = max(step, 1)
        root.SetTime(motors.next_step_time(step))
        self._end = motors.next_step_time(step + 1)
        for system in self._all:
            system.begin_at(system.GetMyMutableContextFromRoot(root), step)
        return root

    def input(self) -> np.ndarray:
        """Returns the input in the Context."""
        motors, n = self._motors, len(self._motors.devices.names)
        own = motors.GetMyContextFromRoot(self._start)
        port = motors.GetInputPort(self._port)
        table = motors.tables.command_table(self._tables(motors, self._start))
        told = np.zeros(port.size())
        if self._port != "target_velocity":
            told[:n] = table[_ROWS.get(self._port, Command.TARGET_POSITION)]
            # The tables' values are for one unit.
            if self._port != "available_effort":
                told[:n] /= [m.multiplier for m in motors.model.motors.values()]
        if not port.HasValue(own):
            return told
        given = port.Eval(own)
        return np.where(np.isnan(given), told, given)

    def linearized(self, u0: np.ndarray) -> Linearization:
        """Returns the matrices around this input."""
        if not np.isfinite(u0).all():
            raise InputError(
                f"{self._port} is not finite; motors in velocity control have"
                " target_velocity as their input"
            )
        nx, nu = 2 * self._plant.num_velocities() + len(self._memory), len(u0)
        middle = self._stepped(np.zeros(nx), u0)
        slopes = []
        for i in range(nx + nu):
            sides = [
                (self._stepped(nudge[:nx], u0 + nudge[nx:]) - middle) / size
                for size in (-_STEP, _STEP, -2 * _STEP, 2 * _STEP)
                for nudge in [size * np.eye(nx + nu)[i]]
            ]
            slopes.append(slope := (sides[0] + sides[1]) / 2)
            off = np.abs(np.array(sides) - slope)
            if (off > _FLAT + _KINK * np.abs(slope)).any():
                warn(
                    f"{self._motors.get_name()}: the next state is not smooth"
                    " here (a motor at a limit, a stop, a contact that begins or"
                    " slips); the matrices are means of both sides"
                )
        A, B = np.hsplit(np.array(slopes).T[:nx], [nx])
        names, x0 = self._named_state()
        C, D, y0 = np.eye(nx), np.zeros((nx, nu)), x0
        if self._output is not None:
            C, D = np.hsplit(np.array(slopes).T[nx:], [nx])
            y0 = middle[nx:]
        period, drift = self._motors.period, middle[:nx]
        return Linearization(A, B, C, D, x0, u0, y0, drift, names, period)

    def _stepped(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Returns the state after a period, as a deviation, and the output."""
        root, plant = self._start.Clone(), self._plant
        n = plant.num_velocities()
        context = self._plant_in(root)
        turn = plant.MapVelocityToQDot(context, x[:n])
        plant.SetPositions(context, self._q0 + turn)
        plant.SetVelocities(context, self._v0 + x[n : 2 * n])
        for (system, place, _), deviation in zip(
            self._memory, x[2 * n :], strict=True
        ):
            self._tables(system, root)[place] += deviation
        own = self._motors.GetMyMutableContextFromRoot(root)
        self._motors.GetInputPort(self._port).FixValue(own, u)
        simulator = Simulator(self._diagram, root)
        if plant.time_step() == 0:
            simulator.get_mutable_integrator().set_target_accuracy(_ACCURATE)
        simulator.AdvanceTo(self._end)
        deviation = self._deviation(root)
        if self._output is None:
            return deviation
        if plant.time_step():  # the motors have to see what the period led to
            simulator.AdvanceTo(self._end + plant.time_step() / 2)
        system = self._output.get_system()
        output = self._output.Eval(system.GetMyContextFromRoot(root))
        return np.concatenate([deviation, output])

    def _deviation(self, root: Context) -> np.ndarray:
        context = self._plant_in(root)
        q = self._plant.GetPositions(context) - self._q0
        # Turns about three axes are about those of the given state.
        turn = self._plant.MapQDotToVelocity(self._plant_in(self._start), q)
        speeds = self._plant.GetVelocities(context) - self._v0
        memory = self._remembered_in(root) - self._remembered_in(self._start)
        return np.concatenate([turn, speeds, memory])

    def _remembered_in(self, root: Context) -> np.ndarray:
        places = [self._tables(s, root)[place] for s, place, _ in self._memory]
        return np.array(places)

    def _named_state(self) -> tuple[list[str], np.ndarray]:
        """Returns the names of the state's elements, and the state."""
        axes = [""] * len(self._v0)
        positions = np.zeros(len(self._v0))
        for joint in joints_of(self._plant):
            start, size = joint.velocity_start(), joint.num_velocities()
            if joint.num_positions() == size == 1:
                positions[start] = self._q0[joint.position_start()]
            for i in range(size):
                suffix = "" if size == 1 else f"/{joint.velocity_suffix(i)}"
                axes[start + i] = f"{joint.name()}{suffix}"
        kinds = "position", "velocity"
        names = [f"{axis}/{kind}" for kind in kinds for axis in axes]
        names += [name for _, _, name in self._memory]
        remembered = self._remembered_in(self._start)
        return names, np.concatenate([positions, self._v0, remembered])


def _all_systems(system: System) -> Iterator[System]:
    yield system
    if isinstance(system, Diagram):
        for part in system.GetSystems():
            yield from _all_systems(part)


def _remembered(
    system: MotorSystem, tables: np.ndarray
) -> Iterator[tuple[MotorSystem, int, str]]:
    """Yields the places and names of a law's memory in the tables of its system."""
    command = system.tables.command_table(tables)
    rows = {
        LawState.ERROR_INTEGRAL: command[Command.I] != 0,
        LawState.PREVIOUS_ERROR: command[Command.D] != 0,
        LawState.VELOCITY_COMMAND: command[Command.ACCELERATION] != -1,
    }
    start, n = system.tables.law_state.start, len(system.devices.names)
    for row, matters in rows.items():
        for i in np.flatnonzero(matters).tolist():
            name = f"{system.devices.names[i]}/{row.name.lower()}"
            yield system, start + row * n + i, name
