"""A loop of one's own loses no motor step, as RobotSession loses none."""

import math

import numpy as np
import pytest
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator

from webmotor_drake import MotorStepper
from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.diagram import build_diagram

SCENARIO = """
Arm:
  simulation_duration: 1.0
  plant_config: {{time_step: {time_step}}}
  directives:
  - add_model: {{name: arm, file: package://webmotor_models/pendulum.urdf}}
  - add_weld: {{parent: world, child: arm::base}}
  model_drivers:
    arm: !WebotsMotorDriver
      basic_time_step: 0.032
      motors:
        hinge motor: !RotationalMotor {{joint: hinge, max_torque: 15}}
"""


@pytest.fixture(params=[0.0, 0.001, 0.032])
def scenario(request, tmp_path):
    """Motors of 32 ms on plants that step by that, by less, or not at all."""
    file = tmp_path / "arm.scenario.yaml"
    file.write_text(SCENARIO.format(time_step=request.param))
    return load_scenario(file)


class Loop:
    """The scenario's diagram, as a user of Drake has it."""

    def __init__(self, scenario):
        diagram = build_diagram(scenario)
        self.simulator = Simulator(diagram)
        ApplySimulatorConfig(scenario.simulator_config, self.simulator)
        self.motors = diagram.GetSubsystemByName("arm.motors")
        self.plant = diagram.GetSubsystemByName("plant")
        root = self.simulator.get_mutable_context()
        self.context = self.motors.GetMyMutableContextFromRoot(root)
        self.plant_context = self.plant.GetMyContextFromRoot(root)
        self.port = self.motors.GetInputPort("target_position")
        self.port.FixValue(self.context, [math.nan])

    def position(self) -> float:
        return self.plant.GetPositions(self.plant_context)[0]


def wish(time: float, position: float) -> float:
    """Returns a target that depends on the measured position."""
    return 0.8 * math.sin(9 * time) - 0.3 * position


def test_a_stepper_gives_the_bits_of_a_session(scenario):
    loop = Loop(scenario)
    stepper = MotorStepper(loop.simulator, loop.motors)
    ours = [loop.position()]
    while len(ours) < 25:
        loop.port.FixValue(loop.context, [wish(stepper.time, loop.position())])
        stepper.step()
        ours.append(loop.position())
    with RobotSession(scenario) as session:
        robot = session.robot("arm")
        motor = robot.getDevice("hinge motor")
        state = session.simulation.plant.get_state_output_port()
        simulator = session.simulation.simulator
        plant_context = session.simulation.plant.GetMyContextFromRoot(
            simulator.get_context()
        )
        theirs = [state.Eval(plant_context)[0]]
        while len(theirs) < 25:
            time = (len(theirs) - 1) * 0.032  # getTime() is 0.001 * ms
            motor.setPosition(wish(time, theirs[-1]))
            robot.step(32)
            theirs.append(state.Eval(plant_context)[0])
    assert ours == theirs
    assert np.ptp(ours) > 0.2


def test_what_is_set_acts_in_the_step_that_starts(scenario):
    loop = Loop(scenario)
    stepper = MotorStepper(loop.simulator, loop.motors)
    stepper.step(5)
    assert stepper.time == pytest.approx(0.160)
    before = loop.position()
    loop.port.FixValue(loop.context, [before + 0.5])
    assert stepper.step() == pytest.approx(0.192)
    assert abs(loop.position() - before) > 0.01


def test_a_port_that_gets_its_first_value_acts_in_the_step_that_starts(
    scenario,
):
    loop = Loop(scenario)
    stepper = MotorStepper(loop.simulator, loop.motors)
    stepper.step(5)
    before = loop.position()
    loop.motors.GetInputPort("direct_effort").FixValue(loop.context, [5.0])
    stepper.step()
    assert abs(loop.position() - before) > 1e-4


def test_a_stepper_goes_on_where_a_simulator_stands(scenario):
    loop = Loop(scenario)
    loop.simulator.AdvanceTo(0.034)
    stepper = MotorStepper(loop.simulator, loop.motors)
    assert stepper.time == pytest.approx(0.032)
    assert stepper.step() == pytest.approx(0.064)
    again = MotorStepper(loop.simulator, loop.motors)
    assert again.time == stepper.time


def test_a_stepper_is_told_which_motors_it_steps(scenario):
    loop, other = Loop(scenario), Loop(scenario)
    with pytest.raises(InputError, match="needs the motors"):
        MotorStepper(loop.simulator)
    other.motors.period = 0.064
    with pytest.raises(InputError, match=r"periods \(0\.032 s, 0\.064 s\)"):
        MotorStepper(loop.simulator, loop.motors, other.motors)


def test_a_stepper_goes_forwards(scenario):
    loop = Loop(scenario)
    stepper = MotorStepper(loop.simulator, loop.motors)
    stepper.step(2)
    with pytest.raises(InputError, match="number -1 is not allowed"):
        stepper.step(-1)
    assert stepper.step() == pytest.approx(3 * 0.032)
