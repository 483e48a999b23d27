"""Motors that the plant's contact solver solves with contacts and stops.

The analogue of ODE's joint motor in Drake is an actuator with the gains p = 0 and
d = 1/cfm and the motor's bound as effort limit. Two differences are corrected here.

The effort limit belongs to the plant, not to the Context, while a motor's bound changes
at run time. The solver reads the limit after it has pulled the desired state, so the
port of the desired state first writes the limits, each time. Runs over one diagram
don't disturb each other, as long as they are not in two threads. Most motors keep their
bounds, though, and the plant has the right limits all the time: then a switch takes the
desired state from a port that calls no Python. That saves an eighth of a rover's step.
The switch is set at the start of a run, and by a command that changes a bound.

The solver caps d at its near-rigid value, which leaves a slip in proportion to the
effort. So the last effort e is fed forward and cfm e is taken off the desired velocity:
-d (v - rate + cfm e) + e is ODE's row for any e, and with the cap it converges to this
row in a step or two.

A second actuator on the joint, its companion, carries the efforts that the motor does
not bound: direct effort and spring. Spring K and damper B act on the *new* velocity v,
-K (q + dt v) - B v: that is the effort -K q and joint damping B + dt K, which Drake
takes implicitly and exactly. (Gains p = K, d = B on the companion would be capped as
the servo's are, and be reported in one sum with it.) A brake is a third actuator; see
`ServoGains`.

Between two motor steps only the fed-forward effort changes. Without springs, brakes and
the like it is updated once per motor step and no Python is called in between. With
eight plant steps to a motor step that saves a quarter of the time of a rover's steps.
As the solver is soft, the velocities then differ by 1e-4 rad/s after a jump of the
effort, 1e-6 later (measured).
"""

from collections.abc import Callable

import numpy as np
from pydrake.common.value import Value
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DiscreteStateIndex,
    DiscreteValues,
    InputPortIndex,
    State,
)

from webmotor_drake.drive.command_ports import EFFORTS
from webmotor_drake.drive.joint_loads import JointLoads
from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.motor_system import NEVER, Battery, MotorSystem
from webmotor_drake.drive.servo_actuators import ServoGains, servo_records
from webmotor_drake.drive.servo_parameters import ServoParameters
from webmotor_drake.errors import InputError, warn
from webmotor_drake.loops import entry
from webmotor_drake.loops.rows import Demand, ModelState
from webmotor_drake.loops.servo_step import DISTURBED, ServoStep
from webmotor_drake.loops.step_start import NOT_FINITE, UNUSUAL
from webmotor_drake.motor.commands import Kind, StepCommands
from webmotor_drake.motor.driver_checks import CheckedDriver
from webmotor_drake.motor.models.parameters import has_load_friction
from webmotor_drake.nodes.motors import acting_parts, is_modelled

# Commands that change a motor's bound or a brake.
CHANGE_BOUNDS = frozenset(
    {Kind.AVAILABLE_EFFORT, Kind.EFFORT, Kind.BRAKE_DAMPING}
)

# The inputs of the PortSwitch at the plant's desired state.
WITHIN_LIMITS, WRITES_LIMITS = InputPortIndex(1), InputPortIndex(2)

_DISTURBED = (
    "{name}: a plant step had the effort limits of another simulator of this diagram,"
    " which stopped within a plant step; stop it at a multiple of the plant's"
    " time_step"
)

_STEP_WITHOUT = (
    "{name}: the damping of {joints} was changed during the run: one plant step had"
    " it without the node's spring and damper; step with MotorStepper, or call"
    " read_plant_parameters after the change"
)


class ImplicitMotors(MotorSystem):
    """A `MotorSystem` whose effort the plant computes.

    It has the ports of `MotorSystem` and these:

    .. pydrake_system::

        name: ImplicitMotors
        input_ports:
        - net_actuation
        - joint_equations
        output_ports:
        - desired_state
        - desired_state_within_limits
        - port_selector

    `net_actuation` has the efforts that the model's actuators applied in the last plant
    step: the plant's output if its ports are sampled; else this output held for a step.
    Its last element calls `look_at_plant` if parameters of the plant have changed: one
    port costs less than two. `joint_equations` exists if friction of a motor grows with
    the load, see `JointLoads`. `actuation` and `desired_state` are for the plant's
    ports; `desired_state` writes the limits. If the plant has the limits already,
    `desired_state_within_limits` is the same without any Python. `port_selector` tells
    Drake's PortSwitch the one to use.

    The plant must be discrete and the model prepared by `add_servo`. The `cfm` of the
    driver is the softness of the servos.
    """

    drive = "implicit"

    def __init__(self, model: ModelMotors, driver: CheckedDriver):
        size, m = model.actuation_slots()[0], len(model.acting)
        own = m + 1 + len(set(model.brakes.values()))
        self.loads = None
        if any(
            is_modelled(motor) and has_load_friction(motor)
            for motor in model.motors.values()
        ):
            self.loads = JointLoads(model)
        own_and_loads = own + (self.loads.size if self.loads else 0)
        super().__init__(model, driver, drive_state=own_and_loads)
        _check_springs(model)
        self._may_be_constant = not (
            driver.battery or model.brakes or any(model.kinematic) or self.laws
        )
        usual = self._may_be_constant and not driver.config.delay
        self._once = usual and not any(
            given.spring_constant or given.damping_constant
            for given in model.acting_parameters
        )
        start = self.tables.drive.start
        servos = servo_records(model, start + m + 1)
        self._slots = servos["slot"]
        self._companions = servos["companion_slot"]
        step = ServoStep(self.motor_step.start, servos)
        self._gains = None
        if self.laws or model.brakes:
            self._gains = ServoGains(model, servos, self.tables)
        self._run_step = entry(step.run)
        self._settle = entry(step.settle)
        bounds = self.tables.demand.start + Demand.EFFORT_LIMIT * m
        self._bounds = slice(bounds, bounds + m)
        self._constant = start + m  # 1 while bounds are constant, else 0
        self._equations = slice(start + own, self.tables.drive.stop)
        if self.loads is not None:
            self._equations_port = self.DeclareVectorInputPort(
                "joint_equations", self.loads.size
            )
        net_port = self.DeclareVectorInputPort("net_actuation", size + 1)
        self._read_net = net_port.Eval
        self._actuation_index = self._declare_state("actuation", np.zeros(size))
        self._desired_index = int(self.DeclareDiscreteState(2 * size))
        self.DeclareStateOutputPort(
            "desired_state_within_limits",
            DiscreteStateIndex(self._desired_index),
        )
        self._selector = self.DeclareAbstractState(Value(WRITES_LIMITS))
        self.DeclareStateOutputPort("port_selector", self._selector)
        self.DeclareInitializationUnrestrictedUpdateEvent(self._select_port)
        # It depends on time, so that each plant step pulls it; it is not cached, as
        # each pull writes the limits.
        self.DeclareVectorOutputPort(
            "desired_state",
            2 * size,
            self._calc_desired_state,
            {self.time_ticket(), self.xd_ticket()},
        ).disable_caching_by_default()
        self._parameters = ServoParameters(model)
        self._rewritten: list[str] = []
        self._declare_events(self.period if self._once else self._plant_step)

    def _effort(self, context: Context) -> np.ndarray:
        values = self.table_values(context)
        last = values[self.tables.last_step]
        if self._once and 0 <= last < self._begun(context):
            values = self.finished_tables(context)
        return values[self.tables.effort]

    def look_at_plant(self, plant_context: Context) -> list[float]:
        """Carries over changed parameters within the plant's Context; returns [0]."""
        self._rewritten = self._parameters.carry_over(plant_context)
        return [0.0]

    def read_plant_parameters(self, context: Context) -> None:
        """Takes over damping and rotors now; see `MotorSystem`."""
        self._read_net(context)
        self._rewritten = []

    def _warn_of_late_damping(self) -> None:
        joints = ", ".join(self._rewritten)
        warn(_STEP_WITHOUT.format(name=self.get_name(), joints=joints))
        self._rewritten = []

    def _finish_plant_step(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        net = self._read_net(context)
        if self._rewritten:
            self._warn_of_late_damping()
        if self.loads is not None:
            table = self.tables.models_table(values)
            actuation = net[self._slots] + net[self._companions]
            table[ModelState.LOAD] = self.loads.pushed(
                values[self._equations],
                table[ModelState.START_POSITION],
                plant_state,
                actuation[: self._n],
            )
        disturbed = self._settle(values, plant_state, net, self._limits.held)
        if disturbed and values[self._constant]:
            warn(_DISTURBED.format(name=self.get_name()))

    def _start(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> None:
        super()._start(context, values, plant_state)
        self.read_plant_parameters(context)

    def _loads(
        self, context: Context, values: np.ndarray, plant_state: np.ndarray
    ) -> np.ndarray:
        """Returns the other efforts on the motors' joints; see `JointLoads`."""
        assert self.loads is not None
        equations = self._equations_port.Eval(context)
        values[self._equations] = equations
        pushed = self.tables.models_table(values)[ModelState.LOAD]
        return pushed + self.loads.own(equations)

    def _step(
        self,
        context: Context,
        state: DiscreteValues,
        values: np.ndarray,
        plant_state: np.ndarray,
        battery: Battery,
        row: np.ndarray | None,
        begins: bool,
        settled: bool,
    ) -> None:
        net = self._read_net(context)
        if self._rewritten:
            self._warn_of_late_damping()
        actuation = state.get_mutable_value(self._actuation_index)
        desired = state.get_mutable_value(self._desired_index)
        limits = self._limits.held
        given = values, plant_state, net, actuation, desired, limits, *battery
        found = self._run_step(*given, row, begins, settled)
        if found == 0:
            return
        if found & UNUSUAL:
            self._take_rows(context, values)
            again = self._run_step(*given, None, begins, True)
            found = found & DISTURBED | again
        if found == NOT_FINITE:
            self._positions(context, plant_state)  # raises
        if found & DISTURBED and values[self._constant]:
            warn(_DISTURBED.format(name=self.get_name()))
        if found or settled:
            self._keep_limits(values)

    def _select_port(self, context: Context, state: State) -> None:
        """Chooses the port for the run that starts, by whether bounds can change."""
        discrete = state.get_mutable_discrete_state()
        values = discrete.get_mutable_value(self._tables_index)
        constant = not (
            not self._may_be_constant
            or self._command_ports.given(context) & EFFORTS
            or self._timed.has(CHANGE_BOUNDS)
            or self.motor_step.effort_was_commanded(values)
        )
        values[self._constant] = constant
        port = WITHIN_LIMITS if constant else WRITES_LIMITS
        state.get_mutable_abstract_state(self._selector).set_value(port)
        # A state that was copied here may have started in another Context.
        if 0 <= values[self.tables.last_step] < NEVER - 1:
            self._keep_limits(values)

    def commander(self, context: Context) -> Callable[[StepCommands], None]:
        """Returns a function that gives commands; see `MotorSystem`."""
        give_all = super().commander(context)

        def give(commands: StepCommands) -> None:
            give_all(commands)
            if any(kind in CHANGE_BOUNDS for _, kind, _ in commands):
                self.mutable_tables(context)[self._constant] = 0.0
                port = context.get_mutable_abstract_state(self._selector)
                port.set_value(WRITES_LIMITS)

        return give

    def row_writer(
        self, context: Context
    ) -> Callable[[Kind, np.ndarray], bool]:
        """Returns a function that gives all motors a command; see `MotorSystem`."""
        write = super().row_writer(context)
        return lambda kind, row: kind not in CHANGE_BOUNDS and write(kind, row)

    def _keep_limits(self, values: np.ndarray) -> None:
        """Keeps the limits that runs with constant bounds rely on.

        A port that gets its first value during the run may still change them.
        """
        if values[self._constant]:
            self._limits.rely_on(values[self._bounds])
        else:
            self._limits.give_back()

    def _calc_desired_state(
        self, context: Context, output: BasicVector
    ) -> None:
        """Writes the effort limits, then outputs the desired state."""
        state = context.get_discrete_state()
        values = state.get_value(self._tables_index)
        self._limits.write(values[self._bounds])
        if self._gains is not None:
            self._gains.write(values)
        output.SetFromVector(state.get_value(self._desired_index))


def _check_springs(model: ModelMotors) -> None:
    """Refuses motors before springs.

    The solver would use the piece of their law from the step before; with stiff springs
    that adds energy.
    """
    for name, motor in model.motors.items():
        if "elastic" in acting_parts(motor):
            raise InputError(
                f"the implicit drive does not carry {motor.motor_model};"
                " drive: torque does, which sees no contact",
                path=("motors", name, "motor_model"),
            )
