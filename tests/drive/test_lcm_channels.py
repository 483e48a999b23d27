"""Motors commanded and seen over LCM, against Drake's own sender and receiver."""

import math

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    add_body,
    add_joint,
    new_plant,
)
from drake import lcmt_panda_command, lcmt_panda_status
from pydrake.common.value import AbstractValue
from pydrake.lcm import DrakeLcm
from pydrake.manipulation import (
    PandaCommandSender,
    PandaStatusReceiver,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.lcm import (
    LcmBuses,
    LcmInterfaceSystem,
    LcmPublisherSystem,
    LcmSubscriberSystem,
)
from pydrake.systems.primitives import ConstantValueSource, ConstantVectorSource

from webmotor_drake.drive.driver import ApplyDriverConfig, WebotsMotorDriver
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.nodes.motors import RotationalMotor
from webmotor_drake.simulation.diagram import assemble
from webmotor_drake.simulation.simulation import Simulation

STEP = 0.008


class Robot:
    """Two hinges without gravity on an LCM bus in memory."""

    def __init__(self):
        self.builder = DiagramBuilder()
        self.plant = self.builder.AddSystem(new_plant(STEP, gravity=0))
        for name in ("a", "b"):
            add_joint(self.plant, name, add_body(self.plant, f"link {name}"))
        self.plant.Finalize()
        self.lcm, self.buses = DrakeLcm("memq://"), LcmBuses()
        self.builder.AddSystem(LcmInterfaceSystem(self.lcm))
        self.buses.Add("ours", self.lcm)
        driver = WebotsMotorDriver(
            lcm_bus="ours",
            motors={f"motor {n}": RotationalMotor(joint=n) for n in ("a", "b")},
        )
        self.motors = ApplyDriverConfig(
            driver,
            MODEL,
            self.plant,
            lcm_buses=self.buses,
            builder=self.builder,
        )
        self.simulator = None

    def send(self, **fields):
        message = lcmt_panda_command()
        for name, values in fields.items():
            setattr(message, name, values)
            setattr(message, f"num_{name}", len(values))
        self.lcm.Publish("ROBOT_COMMAND", message.encode())

    def state_at(self, time: float) -> np.ndarray:
        """Returns both angles and both velocities."""
        if self.simulator is None:
            self.simulator = Simulator(self.builder.Build())
        self.simulator.AdvanceTo(time)
        context = self.simulator.get_context()
        plant_context = self.plant.GetMyContextFromRoot(context)
        return self.plant.GetPositionsAndVelocities(plant_context)


def test_nothing_is_commanded_before_the_first_message():
    assert abs(Robot().state_at(0.5)).max() < 1e-9


def test_positions_velocities_and_efforts_are_commanded():
    robot = Robot()
    robot.state_at(STEP)
    robot.send(joint_position=[0.3, -0.2])
    # Reached as exp(-10 t).
    assert robot.state_at(2.0)[:2] == pytest.approx([0.3, -0.2], abs=1e-9)
    robot.send(joint_velocity=[0.5, -0.5])
    assert robot.state_at(3.0)[2:] == pytest.approx([0.5, -0.5], abs=1e-9)
    robot.send(joint_position=[0.0, math.nan], joint_velocity=[9.0, -0.1])
    state = robot.state_at(6.0)
    assert state[0] == pytest.approx(0, abs=1e-5)
    assert state[3] == pytest.approx(-0.1, abs=1e-9)
    robot.send(joint_torque=[0.0, 0.01])
    # On 0.0202 + 0.25^2 kg m^2; it turned at -0.1 rad/s before.
    speed = -0.1 + 0.01 / (0.0202 + 0.25**2) * 1.0
    assert robot.state_at(7.0)[3] == pytest.approx(speed, rel=0.05)


def test_drakes_own_sender_and_receiver_speak_with_the_motors():
    robot, builder = Robot(), DiagramBuilder()
    lcm = robot.lcm
    target = builder.AddSystem(ConstantVectorSource([0.4, -0.1]))
    sender = builder.AddSystem(PandaCommandSender(2, 1))
    builder.Connect(target.get_output_port(), sender.get_position_input_port())
    publisher = builder.AddSystem(
        LcmPublisherSystem.Make(
            "ROBOT_COMMAND",
            lcmt_panda_command,
            lcm,
            publish_period=0.01,
            use_cpp_serializer=True,
        )
    )
    builder.Connect(sender.get_output_port(), publisher.get_input_port())
    subscriber = builder.AddSystem(
        LcmSubscriberSystem.Make(
            "ROBOT_STATUS", lcmt_panda_status, lcm, use_cpp_serializer=True
        )
    )
    receiver = builder.AddSystem(PandaStatusReceiver(2))
    builder.Connect(subscriber.get_output_port(), receiver.get_input_port())
    other = Simulator(builder.Build())
    for step in range(1, 100):
        other.AdvanceTo(0.02 * step)
        state = robot.state_at(0.02 * step)
        lcm.HandleSubscriptions(0)
    other.AdvanceTo(2.0)
    context = receiver.GetMyContextFromRoot(other.get_context())
    seen = {
        name: receiver.GetOutputPort(name).Eval(context)
        for name in (
            "position_measured",
            "velocity_measured",
            "torque_measured",
        )
    }
    assert state[:2] == pytest.approx([0.4, -0.1], abs=1e-8)
    # The status is of the last motor period.
    assert seen["position_measured"] == pytest.approx(state[:2], abs=1e-9)
    assert np.shape(seen["torque_measured"]) == (2,)


def test_a_message_for_another_number_of_motors_is_told_and_ignored():
    robot = Robot()
    robot.state_at(STEP)
    robot.send(joint_position=[1.0, 2.0, 3.0])
    with pytest.warns(MotorWarning, match="joint_position of 3 numbers is ign"):
        state = robot.state_at(0.5)
    assert abs(state).max() < 1e-9


def test_a_bus_that_is_not_there_lists_those_that_are():
    with pytest.raises(
        InputError, match=r"^lcm_bus: unknown LCM bus 'ous'; did"
    ):
        robot = Robot()
        driver = WebotsMotorDriver(
            lcm_bus="ous", motors={"m": RotationalMotor(joint="a")}
        )
        ApplyDriverConfig(
            driver,
            MODEL,
            robot.plant,
            lcm_buses=robot.buses,
            builder=robot.builder,
        )


SCENARIO = """
Arm:
  simulation_duration: 1.0
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/two_link_arm.urdf}
  - add_weld: {parent: world, child: arm::base}
  lcm_buses:
    default: {lcm_url: "memq://"}
  model_drivers:
    arm: !WebotsMotorDriver
      lcm_bus: BUS
      motors: {m: !RotationalMotor {joint: shoulder, max_torque: 50}}
"""


def test_a_scenario_names_the_bus(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(SCENARIO.replace("BUS", "default"))
    assembly = assemble(load_scenario(file))
    builder = assembly.builder
    lcm = builder.GetSubsystemByName("LcmInterfaceSystem(bus_name=default)")
    message = lcmt_panda_command()
    message.joint_position, message.num_joint_position = [0.5], 1
    source = builder.AddSystem(ConstantValueSource(AbstractValue.Make(message)))
    publisher = builder.AddSystem(
        LcmPublisherSystem.Make(
            "ARM_COMMAND", lcmt_panda_command, lcm, publish_period=0.1
        )
    )
    builder.Connect(source.get_output_port(), publisher.get_input_port())
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(0.5)
    motors = assembly.motors["arm"]
    command = motors.GetOutputPort("command").Eval(
        motors.GetMyContextFromRoot(simulator.get_context())
    )
    assert command[0] == 0.5  # the target position


def test_a_scenario_with_a_wrong_bus_is_told_where(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(SCENARIO.replace("BUS", "defult"))
    with pytest.raises(InputError) as caught:
        Simulation(load_scenario(file))
    assert str(caught.value) == (
        f"{file}:12:7: Arm.model_drivers.arm.lcm_bus: unknown LCM bus 'defult';"
        " did you mean default? (known: default)"
    )


def test_without_a_bus_there_are_no_channels(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(SCENARIO.replace("      lcm_bus: BUS\n", ""))
    system = Simulation(load_scenario(file)).simulator.get_system()
    assert not system.HasSubsystemNamed("arm.command_subscriber")
