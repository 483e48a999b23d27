"""A scenario's mechanism on Drake, its joints free for other controllers."""

import copy
import functools

import numpy as np
from pydrake.common import RandomGenerator
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JointActuator, JointIndex, PdControllerGains
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.drive.plant_queries import (
    STATIC_FRICTION,
    add_beside,
    find_actuators,
)
from webmotor_drake.engines.stepped_motors import SteppedMotors
from webmotor_drake.errors import InputError
from webmotor_drake.motor.driver_checks import expanded
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario, with_drive
from webmotor_drake.simulation.diagram import assemble
from webmotor_drake.simulation.motor_stepper import check_one_period


class DrakePlant:
    """A scenario's diagram without its motors; others drive the joints.

    Springs K and dampers D of JointParameters are exact and implicit: with a plant
    step dt the effort -K (q + dt v) - D v at the new velocity v is joint damping
    D + dt K and the effort -K q.

    Attributes:
        follows_law: True if the engine follows the law's velocity commands.
        context: the plant's Context.
        motors: the motors, with the joints and actuators of this plant.
        actuators: the motors' actuators, n of them.
        q_index: places of the motors' joints in the plant's positions.
        v_index: places of these joints in the plant's velocities.
        stride: plant steps in a motor period.

    Args:
        scenario: scenario to build.
        model: the model's name, for messages.

    Raises:
        InputError: the plant is continuous, or its solver ignores the actuators'
            own controllers.
    """

    follows_law: bool
    # True if static friction has an actuator of its own, as on a real joint; otherwise
    # the subclass takes care of it.
    _friction_beside = False

    def __init__(self, scenario: Scenario, model: str):
        self._check_plant(scenario, model)
        scenario = with_drive(scenario, "torque")
        # Sampled ports have the net actuation of the last step.
        scenario.plant_config = copy.copy(scenario.plant_config)
        scenario.plant_config.use_sampled_output_ports = True
        add = functools.partial(_add_friction_actuators, scenario)
        assembly = assemble(
            scenario, before_finalize=add if self._friction_beside else None
        )
        check_one_period(scenario, assembly.motors)
        self.plant = assembly.plant
        models = {name: m.model for name, m in assembly.motors.items()}
        self.motors = SteppedMotors(assembly.motors, scenario.model_drivers)
        self.actuators = [
            driven.actuator for m in models.values() for driven in m.driven
        ]
        self._passive = {
            passive.actuator: passive.joint
            for m in models.values()
            for passive in m.passive
            if passive.actuator is not None
        }
        for system in assembly.motors.values():
            assembly.builder.RemoveSystem(system)
        self._simulator = Simulator(assembly.builder.Build())
        ApplySimulatorConfig(scenario.simulator_config, self._simulator)
        root = self._simulator.get_mutable_context()
        self._simulator.get_system().SetRandomContext(
            root, RandomGenerator(scenario.random_seed)
        )
        self.context = self.plant.GetMyMutableContextFromRoot(root)
        self.q_index = [joint.position_start() for joint in self.motors.joints]
        self.v_index = [joint.velocity_start() for joint in self.motors.joints]
        self._steps = 0
        self.stride = round(self.motors.period / self.plant.time_step())
        self._prepare_joints()
        self._prepare_actuators()

    @staticmethod
    def _check_plant(scenario: Scenario, model: str) -> None:
        config = scenario.plant_config
        with blame(scenario, "plant_config"):
            if config.time_step == 0:
                raise InputError(
                    f"{model} needs a discrete plant; a time_step above 0 is"
                    " allowed",
                    path=("time_step",),
                )
            if config.discrete_contact_approximation == "tamsi":
                raise InputError(
                    f"tamsi ignores the actuators' own controllers, which {model}"
                    " uses; another such as lagged is allowed",
                    path=("discrete_contact_approximation",),
                )

    def _prepare_joints(self) -> None:
        plant = self.plant
        self._spring = np.zeros(plant.num_velocities())
        self._spring_q = np.zeros(plant.num_velocities(), dtype=int)
        for index, parameters in self.motors.parameters.items():
            joint = plant.get_joint(index)
            stiffness = parameters.spring_constant
            self._spring[joint.velocity_start()] = stiffness
            self._spring_q[joint.velocity_start()] = joint.position_start()

    def _prepare_actuators(self) -> None:
        """Collects all actuators; those of passive joints act as their friction."""
        self._desired = np.zeros((2, self.plant.num_actuators()))
        self._braked: dict[JointIndex, float] = {}
        self._servos: dict[int, tuple[float, float, float]] = {}
        instances = {a.model_instance() for a in self.actuators}
        instances |= {a.model_instance() for a in self._passive}
        self._ports = [
            (
                self.plant.get_desired_state_input_port(instance),
                [
                    self.plant.get_joint_actuator(index).input_start()
                    for index in self.plant.GetJointActuatorIndices(instance)
                ],
            )
            for instance in instances
        ]
        for actuator, joint in self._passive.items():
            friction = self.motors.parameters[joint.index()].static_friction
            self.follow_velocity(actuator, 0.0, friction)
        for joint, friction in zip(
            self.motors.joints, self.motors.friction, strict=True
        ):
            name, model = joint.name() + STATIC_FRICTION, joint.model_instance()
            if self.plant.HasJointActuatorNamed(name, model):
                actuator = self.plant.GetJointActuatorByName(name, model)
                self.follow_velocity(actuator, 0.0, friction)

    def step(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps by the motor period, as the motors' tables say.

        Returns:
            Efforts without direct effort, and feedback, shape (n,), N m or N.
        """
        raise NotImplementedError

    def positions(self) -> np.ndarray:
        """Returns the motors' joint positions, shape (n,), rad or m."""
        return self.plant.GetPositions(self.context)[self.q_index]

    def velocities(self) -> np.ndarray:
        """Returns their velocities, shape (n,), rad/s or m/s."""
        return self.plant.GetVelocities(self.context)[self.v_index]

    def state(self) -> np.ndarray:
        """Returns the plant's [q, v]."""
        return self.plant.GetPositionsAndVelocities(self.context).copy()

    def set_velocities(self, velocities: np.ndarray) -> None:
        """Sets the motors' joint velocities, shape (n,), rad/s or m/s."""
        v = self.plant.GetVelocities(self.context)
        v[self.v_index] = velocities
        self.plant.SetVelocities(self.context, v)

    def servo(
        self,
        actuator: JointActuator,
        *,
        gains: tuple[float, float],
        limit: float,
        desired: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Sets an actuator's own PD controller; it stays so.

        Args:
            actuator: index of the actuator.
            gains: kp and kd; both 0 turn it off.
            limit: largest |effort|, N m or N; 0 turns it off.
            desired: position and velocity, rad or m, rad/s or m/s.
        """
        p, d = gains if limit > 0 else (0.0, 0.0)
        slot = actuator.input_start()
        if self._servos.get(slot) != (p, d, limit):
            self._servos[slot] = p, d, limit
            actuator.set_controller_gains(PdControllerGains(p=p, d=d))
            if limit > 0:
                actuator.set_effort_limit(limit)
        self._desired[:, slot] = desired

    def follow_velocity(
        self, actuator: JointActuator, velocity: float, limit: float
    ) -> None:
        """Makes an actuator a velocity servo; at velocity 0 it is dry friction.

        Args:
            actuator: index of the actuator.
            velocity: velocity to reach, rad/s or m/s.
            limit: largest |effort|, N m or N.
        """
        cfm = self.motors.cfm[actuator.joint().index()]
        gains = 0.0, 1 / max(cfm, 1e-9)
        self.servo(actuator, gains=gains, limit=limit, desired=(0.0, velocity))

    def advance(self, effort: np.ndarray) -> np.ndarray:
        """Takes one plant step.

        Args:
            effort: efforts of the motors, on top of their actuators' controllers, shape
                (n,), N m or N.

        Returns:
            The efforts of the actuators' controllers, shape (n,), N m or N.
        """
        plant, context = self.plant, self.context
        self._set_damping()
        force = -self._spring * plant.GetPositions(context)[self._spring_q]
        np.add.at(force, self.v_index, effort)
        plant.get_applied_generalized_force_input_port().FixValue(
            context, force
        )
        for port, slots in self._ports:
            port.FixValue(context, self._desired[:, slots].ravel())
        self._steps += 1
        # Half a step early nothing else happens, and the state is there already.
        self._simulator.AdvanceTo((self._steps - 0.5) * plant.time_step())
        net = plant.get_net_actuation_output_port().Eval(context)
        return net[[actuator.input_start() for actuator in self.actuators]]

    def _set_damping(self) -> None:
        """Sets joints' damping to the sum of all dampers, N m s/rad or N s/m."""
        for index, parameters in self.motors.parameters.items():
            brake = self.motors.brakes.get(index, 0.0)
            if self._braked.get(index) != brake:
                self._braked[index] = brake
                joint = self.plant.get_joint(index)
                own = joint.default_damping() + parameters.damping_constant
                spring = self.plant.time_step() * parameters.spring_constant
                joint.SetDamping(self.context, own + brake + spring)


def _add_friction_actuators(scenario: Scenario, plant: MultibodyPlant) -> None:
    """Adds actuators that act as static friction of the motors' joints."""
    for name, driver in scenario.model_drivers.items():
        if not isinstance(driver, WebotsMotorDriver):
            continue
        instance = plant.GetModelInstanceByName(name)
        actuators = find_actuators(plant, instance)
        driver = expanded(driver)
        for motor in driver.motors.values():
            parameters = driver.joints.get(motor.joint, JointParameters())
            if parameters.static_friction:
                add_beside(plant, actuators[motor.joint], STATIC_FRICTION)
