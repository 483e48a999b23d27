"""The LeafSystem of a model's motors: commands and law; a drive does the rest."""

import dataclasses as dc
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import (
    Context,
    InputPort,
    LeafOutputPort,
    OutputPort,
)

from webmotor_drake.drive.command_ports import CommandPorts
from webmotor_drake.drive.model_motors import ModelMotors, model_laws
from webmotor_drake.drive.motor_steps import MotorSteps
from webmotor_drake.drive.propellers import PROPELLER_EFFORTS
from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import Kind, StepCommands
from webmotor_drake.motor.driver_checks import CheckedDriver
from webmotor_drake.motor.step import MotorStep
from webmotor_drake.nodes.motors import MotorNode, is_modelled, max_effort


class MotorSystem(MotorSteps):
    """All motors of a model; `TorqueMotors` and `ImplicitMotors` drive them.

    .. pydrake_system::

        name: MotorSystem
        input_ports:
        - plant_state
        - target_position
        - target_velocity
        - available_effort
        - direct_effort
        - desired_state
        - charging_power
        - propeller_efforts
        output_ports:
        - actuation
        - effort
        - command
        - servo
        - tables
        - battery

    `ApplyDriverConfig` connects `plant_state` and what a drive has besides. The four
    command ports have one element per motor, in device order; once per motor period
    they act as the controller's setPosition, setVelocity, setAvailableTorque and
    setTorque would. NaN commands nothing. `desired_state` is a target with
    feed-forward; see `CommandPorts`.

    `actuation` is for the plant's port of the model instance. `effort` is what the
    motors applied in the plant step just finished, direct effort included, springs
    and dampers not (on a continuous plant: what they apply until the next motor
    step). `command` and `servo` are tables of `motor.tables`, row by row; `tables` is
    them all, without any Python when it is logged. `charging_power` (W) and `battery`
    (its energy, J, and 1 or 0 for on or off) are there with a battery only, and
    `propeller_efforts` if it feeds propellers.

    State: the tables, what the actuators get, the battery. Several simulators may
    share the diagram, but not in several threads at a time.

    Timing: a motor step k of length h starts at k h. On a discrete plant the law runs
    half a plant step earlier, and samples the input ports then: the state at k h is
    already there, and no other event, of which the order would depend on the plant's
    settings, coincides. On a continuous plant all happens at k h.

    Attributes:
        devices: motors that commands act on.
        position_indices: the motors' joints' places in the plant's state.
        velocity_indices: the same for their velocities.
        drive: "torque" or "implicit"; `drive_reason` says why.
        tables: layout of the state.

    Args:
        plant: the finalized plant.
        model: the motors, their joints and actuators in the plant.
        driver: checked for the plant: period, timed commands, battery and delay.
        drive_state: the number of floats that the drive keeps in the state.
    """

    drive: str  # each drive's own class says it

    def __init__(
        self,
        plant: MultibodyPlant,
        model: ModelMotors,
        driver: CheckedDriver,
        *,
        drive_state: int,
    ):
        motor_step = MotorStep(
            model.motors,
            kinematic=model.kinematic,
            friction=[p.static_friction for p in model.acting_parameters],
            braked=list(model.brakes.values()),
            period=driver.period,
            drive_state=drive_state,
            delay=driver.config.delay,
            models=model_laws(plant, model, driver.period),
            battery=driver.battery,
        )
        super().__init__(plant, model, driver, motor_step)
        self.drive_reason = "chosen"
        self.battery = driver.battery
        self.devices = motor_step.devices
        self._command_ports = CommandPorts(self, self._n)
        self._declare_tables()
        joints = [motor.joint for motor in model.motors.values()]
        turning = [joints.index(name) for name in driver.config.propellers]
        if self.battery:
            self._charging_port = self.DeclareVectorInputPort(
                "charging_power", 1
            )
            charge = [self.battery.energy, 1.0]
            self._battery_index = self._declare_state("battery", charge)
            if turning:
                self._propellers_port = self.DeclareVectorInputPort(
                    PROPELLER_EFFORTS, len(turning)
                )
        self._turning = turning
        laws = motor_step.models
        self._needs_load = laws is not None and laws.needs_load
        self._is_usual = self._lead > 0 and not (
            (self.battery and turning) or self._needs_load
        )
        self._settles_first = bool(model.brakes or laws)
        places = self.position_indices, self.velocity_indices
        motor_step.start.set_places(*places)

    def _declare_tables(self) -> None:
        self._tables_index = self._declare_state(
            "tables", self.motor_step.initial_values()
        )
        # Not cached: where nothing is done between motor steps it is found anew.
        effort = self._declare_part("effort", self.tables.effort, self._effort)
        effort.disable_caching_by_default()
        for name, part in (
            ("command", self.tables.command),
            ("servo", self.tables.law_state),
        ):
            self._declare_part(
                name,
                part,
                lambda context, part=part: self.table_values(context)[part],
            )

    def _declare_state(self, name: str, initial: Sequence[float]) -> int:
        """Declares a state and its port; returns its place among the states."""
        # A plain int finds it twice as fast as Drake's index.
        index = self.DeclareDiscreteState(initial)
        self.DeclareStateOutputPort(name, index)
        return int(index)

    def _declare_part(
        self, name: str, part: slice, read: Callable[[Context], np.ndarray]
    ) -> LeafOutputPort:
        """Declares a port whose value `read` takes from a part of the tables."""
        return self.DeclareVectorOutputPort(
            name,
            part.stop - part.start,
            lambda context, output: output.SetFromVector(read(context)),
            {self.xd_ticket()},
        )

    def _effort(self, context: Context) -> np.ndarray:
        """Returns the efforts of the plant step just finished, as `effort` has them."""
        return self.table_values(context)[self.tables.effort]

    def _declare_events(self, period: float) -> None:
        """Declares events that update the state at the start and every `period`, s."""
        self.DeclareInitializationDiscreteUpdateEvent(self._initialize)
        self.DeclarePeriodicDiscreteUpdateEvent(
            period, period - self._lead, self._update
        )

    def read_plant_parameters(self, context: Context) -> None:
        """Takes over masses, damping, locks and rotors of the plant's Context now.

        Without this call that happens by itself, as a plant step ends; what is changed
        before a run starts acts from its start.

        Args:
            context: this system's Context, which is changed.
        """

    @property
    def static_friction(self) -> np.ndarray:
        """Friction of the motors' joints, shape (n,), N m or N."""
        return self.motor_step.friction[: self._n]

    def get_plant_state_input_port(self) -> InputPort:
        """The plant's [q, v]."""
        return self._state_port

    def get_actuation_output_port(self) -> OutputPort:
        """Efforts for the plant's actuation port of the model."""
        return self.GetOutputPort("actuation")

    def get_effort_output_port(self) -> OutputPort:
        """The efforts that the motors applied, shape (n,), N m or N."""
        return self.GetOutputPort("effort")

    def next_actuation(self, context: Context) -> np.ndarray:
        """Returns the next efforts of the motors' actuators, shape (n,), N m or N.

        Args:
            context: this system's Context.
        """
        slots = self._slots[: self._n]
        return self.get_actuation_output_port().Eval(context)[slots]

    def apply_all(self, context: Context, commands: StepCommands) -> None:
        """Gives commands, in the order given; they act in the next motor step.

        Args:
            context: this system's Context, which is changed.
            commands: motor in device order (or brake), kind and value of each, as
                for `MotorDevices.apply`.
        """
        self.commander(context)(commands)

    def commander(self, context: Context) -> Callable[[StepCommands], None]:
        """Returns a function that gives commands as `apply_all` does, for many calls.

        Args:
            context: this system's Context, which is changed.
        """
        values, last_step = self.mutable_tables(context), self.tables.last_step
        apply = self.motor_step.applier(values)

        def give(commands: StepCommands) -> None:
            context.get_mutable_discrete_state()  # tells Drake
            if values[last_step] < 0:
                plant_state = self._state_port.Eval(context)
                q = self._positions(context, plant_state)
                self.motor_step.hold(values, q)
            apply(commands)

        return give

    def row_writer(
        self, context: Context
    ) -> Callable[[Kind, np.ndarray], bool]:
        """Returns a function that gives all motors a command of one kind.

        It takes the kind and a value per motor, and does with them as `apply_all`
        does. If one would be refused, clipped or warned of, it returns False: give all
        of them to `apply_all` then.

        Args:
            context: this system's Context, which is changed.
        """
        values, last_step = self.mutable_tables(context), self.tables.last_step
        command, _ = self.motor_step.given(values)
        apply = self.devices.usual(command)

        def write(kind: Kind, row: np.ndarray) -> bool:
            context.get_mutable_discrete_state()  # tells Drake
            return values[last_step] >= 0 and apply(kind, row)

        return write

    def ramp_from(
        self,
        context: Context,
        motors: Sequence[int],
        velocities: npt.ArrayLike,
    ) -> None:
        """Makes the law ramp some motors from their present velocity.

        Args:
            context: this system's Context, which is changed.
            motors: in device order.
            velocities: velocities of each, or one for all, rad/s or m/s; 0 after
                Webots' resetPhysics.
        """
        values = self.mutable_tables(context)
        self.motor_step.ramp_from(values, motors, velocities)

    def change_motor(self, index: int, motor: MotorNode) -> None:
        """Gives a motor other limits, and its model other parameters, from now on.

        What it was commanded before stays. `reset` and the Context know nothing of it.

        Args:
            index: the motor, in device order.
            motor: the node, after Webots' fallbacks; of the same model.

        Raises:
            InputError: it cannot have them while it runs.
        """
        model = self.model
        first = list(model.motors.values())[index]
        if model.kinematic[index]:
            raise InputError("its joint is kinematic")
        if max_effort(motor) > max_effort(first) and self.drive == "implicit":
            raise InputError(
                "the plant has its bound on this drive; it can only sink"
            )
        if (laws := self.motor_step.models) is not None and is_modelled(motor):
            motors = dict(
                zip(self.devices.names, self.devices.motors, strict=True)
            )
            motors[self.devices.names[index]] = motor
            changed = dc.replace(model, motors=motors)
            plant = model.joints[0].GetParentPlant()
            new = model_laws(plant, changed, self.period)
            assert new is not None
            laws.change(new.rows)
        self.devices.replace(index, motor)

    def add_schedule(self, schedule: Mapping[int, StepCommands]) -> None:
        """Adds timed commands to those given at construction.

        Args:
            schedule: commands by motor step. Those of negative steps, given before
                the start, may still be on their way.
        """
        self._timed.add(schedule)


class IdleMotors(MotorSystem):
    """Steps a model that has position sensors, stops or a battery, and no more.

    Its actuation, for actuators that the model may have all the same, is 0.
    """

    drive = "torque"

    def __init__(
        self, plant: MultibodyPlant, model: ModelMotors, driver: CheckedDriver
    ):
        super().__init__(plant, model, driver, drive_state=0)
        self._is_usual = False
        size, self._slots = model.actuation_slots(plant)
        self._declare_state("actuation", np.zeros(size))
        self._declare_events(self._plant_step)
