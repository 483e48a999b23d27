"""The claims of docs/start_drake.md about diagrams of one's own."""

import numpy as np
import pytest
from mechanisms import Rig, driven, pendulum
from pydrake.systems.primitives import LogVectorOutput

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Brake
from webmotor_drake.nodes.motors import RotationalMotor

# Of the last, no multiple is a binary fraction.
TIME_STEPS = [0.001, 0.008, 0.0333 / 30]


def lifted(time_step: float, drive: str, **fields):
    driver = WebotsMotorDriver(
        drive=drive,
        basic_time_step=8 * time_step,
        motors={"m": RotationalMotor("hinge", max_torque=9)},
        commands=[TimedCommand(motor="m", set_position=1.0)],
        **fields,
    )
    return driven(pendulum(time_step), driver)


@pytest.mark.parametrize("drive", ["torque", "implicit"])
@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_logs_with_a_period_and_monitors_that_look_skip_half_steps(
    drive, time_step
):
    builder, plant, motors = lifted(time_step, drive)
    port = plant.get_state_output_port()
    log = LogVectorOutput(port, builder, publish_period=plant.time_step())
    rig = Rig(builder, plant, motors)
    simulator, seen = rig.simulator(), []

    def monitor(root_context):
        if round(2 * root_context.get_time() / plant.time_step()) % 2:
            return
        seen.append(root_context.get_time())

    simulator.set_monitor(monitor)
    simulator.AdvanceTo(100.25 * time_step)
    steps = time_step * np.arange(101)
    times = log.FindLog(simulator.get_context()).sample_times()
    np.testing.assert_allclose(times, steps, atol=1e-9)
    # The end of the run is where it is.
    np.testing.assert_allclose(seen[:101], steps, atol=1e-9)


@pytest.mark.parametrize("braked", [False, True])
def test_actuators_are_found_by_name_beside_their_companions(braked):
    brakes = {"b": Brake("hinge")} if braked else {}
    builder, plant, motors = lifted(0.001, "implicit", brakes=brakes)
    names = [
        plant.get_joint_actuator(i).name()
        for i in plant.GetJointActuatorIndices()
    ]
    assert names == ["hinge", "hinge_companion", "hinge_brake"][: 2 + braked]
    rig = Rig(builder, plant, motors)
    simulator = rig.simulator()
    simulator.AdvanceTo(1.0)
    place = plant.GetJointActuatorByName("hinge").input_start()
    context = plant.GetMyContextFromRoot(simulator.get_context())
    net = plant.get_net_actuation_output_port().Eval(context)[place]
    assert net == pytest.approx(rig.port(simulator, "effort")[0], rel=1e-9)
