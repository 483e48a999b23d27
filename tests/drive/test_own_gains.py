"""Models whose actuators have PD gains of their own: a motor takes their place."""

import numpy as np
import pytest
from _lib.plants import MODEL, Z, add_body, add_joint, new_plant
from mechanisms import Rig, driven, slider, warnings_of
from pydrake.geometry import Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    CoulombFriction,
    MultibodyPlant,
)
from pydrake.multibody.tree import PdControllerGains
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.errors import InputError
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

TARGET = 0.1
# cfm effort / P: 1e-5 * 20 / 10.
DROOP = 3e-5
# All that Drake reads of MJCF's actuators, and what it leaves out with a word of its
# own: then the motor brings the actuator along.
KINDS = {
    "motor": '<motor joint="s"/>',
    "motor with gear": '<motor joint="s" gear="5"/>',
    "position": '<position joint="s" kp="100"/>',
    "position with gear": '<position joint="s" kp="100" kv="9" gear="5"/>',
    "position with bounds": '<position joint="s" kp="9" forcerange="-90 90"/>',
    "velocity": '<velocity joint="s" kv="10"/>',
    "general": '<general joint="s" gainprm="9" biastype="affine"'
    ' biasprm="0 -9 -1"/>',
    "general with gear": '<general joint="s" gear="3"/>',
    "two on a joint": '<motor joint="s"/><position joint="s" kp="100"/>',
    "two servos on a joint": '<position joint="s" kp="9"/>'
    '<position joint="s" kp="100"/>',
}
MJCF = """
<mujoco model="{model}">
  <worldbody>
    <body name="carriage">
      <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
      <joint name="s" type="slide" axis="0 0 1" armature="0.3"/>
      <body name="arm">
        <inertial pos="0.3 0 0" mass="0.5" diaginertia="0.1 0.1 0.1"/>
        <joint name="h" type="hinge" axis="0 1 0" damping="1"/>
      </body>
    </body>
  </worldbody>
  <actuator>{actuators}</actuator>
</mujoco>
"""


def mjcf(actuators: str, time_step: float = 0.004) -> MultibodyPlant:
    """Returns a slider that lifts an arm, from an MJCF file, not finalized."""
    plant = MultibodyPlant(time_step)
    parser = Parser(plant)
    parser.AddModelsFromString(
        MJCF.format(model=MODEL, actuators=actuators), "xml"
    )
    return plant


def lifting(drive: str = "auto", joint: str = "s", **fields):
    """Returns a motor that goes to `TARGET`."""
    return WebotsMotorDriver(
        basic_time_step=0.008,
        drive=drive,
        motors={"m": LinearMotor(joint, max_force=50.0)},
        commands=[TimedCommand(motor="m", set_position=TARGET)],
        **fields,
    )


def lifted(rig: Rig) -> tuple[float, float]:
    """Returns the lift's position and the motor's effort after 3 s."""
    simulator = rig.simulator()
    simulator.AdvanceTo(3)
    place = rig.motors.position_indices[0]
    return rig.state(simulator)[place], rig.port(simulator, "effort")[0]


# --- a motor on a joint with a controller ---


@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("drive", "time_step"),
    [("torque", 0.004), ("implicit", 0.004), ("auto", 0.004), ("auto", 0.0)],
)
def test_a_motor_moves_what_any_mjcf_actuator_is_on(kind, drive, time_step):
    rig = Rig(*driven(mjcf(KINDS[kind], time_step), lifting(drive)))
    position, effort = lifted(rig)
    # The arm still swings a little, which moves what it weighs.
    assert position == pytest.approx(TARGET, abs=10 * DROOP)
    assert effort == pytest.approx(2.5 * 9.81, rel=0.02)


@pytest.mark.parametrize("drive", ["auto", "torque", "implicit"])
@pytest.mark.parametrize("prepared", [True, False])
def test_gains_that_a_program_set_give_way_to_the_motor(drive, prepared):
    if drive == "implicit" and not prepared:
        return
    plant, builder = slider(0.004), DiagramBuilder()
    builder.AddSystem(plant)
    actuator = plant.GetJointActuatorByName("rail")
    actuator.set_controller_gains(PdControllerGains(p=300.0, d=20.0))
    driver = lifting(drive, "rail")
    if prepared:
        configure_actuators(driver, MODEL, plant)
    plant.Finalize()
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    position, effort = lifted(Rig(builder, plant, motors))
    assert position == pytest.approx(TARGET, abs=DROOP)
    assert effort == pytest.approx(2 * 9.81, abs=1e-3)
    assert motors.model.own_gains == {"rail": (300.0, 20.0)}


def test_gains_set_after_the_motors_are_refused_at_the_start():
    builder, plant, motors = driven(slider(0.004), lifting(joint="rail"))
    actuator = plant.GetJointActuatorByName("rail")
    actuator.set_controller_gains(PdControllerGains(p=300.0, d=20.0))
    with pytest.raises(InputError, match="rail were changed"):
        Rig(builder, plant, motors).simulator().Initialize()


# --- controllers of joints without a motor ---


def arm(time_step: float = 0.004) -> MultibodyPlant:
    """Returns a hinge and on it one with a PD controller, and bodies with shapes."""
    plant = new_plant(time_step)
    upper, lower = add_body(plant, "upper"), add_body(plant, "lower")
    add_joint(plant, "shoulder", upper)
    add_joint(plant, "elbow", lower, parent=upper, at=(0, 0, -0.5))
    elbow = plant.GetJointActuatorByName("elbow")
    elbow.set_controller_gains(PdControllerGains(p=50.0, d=5.0))
    return plant


def shouldered(drive: str = "auto") -> WebotsMotorDriver:
    return WebotsMotorDriver(
        drive=drive,
        motors={"m": RotationalMotor("shoulder", max_torque=50.0)},
        commands=[TimedCommand(motor="m", set_position=0.5)],
    )


OFF = (
    f"{MODEL}: the PD controllers of actuators without a motor are off: elbow;"
    " nothing holds their joints"
)


@pytest.mark.parametrize("drive", ["auto", "torque", "implicit"])
def test_a_controller_without_a_motor_is_off_with_a_word(drive):
    (builder, plant, motors), told = warnings_of(
        driven, arm(), shouldered(drive)
    )
    assert told == [OFF]
    simulator = Rig(builder, plant, motors).simulator()
    simulator.AdvanceTo(2)
    shoulder, _ = Rig(builder, plant, motors).state(simulator)[:2]
    assert shoulder == pytest.approx(0.5, abs=1e-3)


def with_desired_state(drive: str):
    plant, builder, driver = arm(), DiagramBuilder(), shouldered(drive)
    builder.AddSystem(plant)
    configure_actuators(driver, MODEL, plant)
    plant.Finalize()
    port = plant.get_desired_state_input_port(
        plant.GetModelInstanceByName(MODEL)
    )
    desired = np.zeros(port.size())
    desired[1] = 0.8
    source = builder.AddSystem(ConstantVectorSource(desired))
    builder.Connect(source.get_output_port(), port)
    return builder, plant, driver


def test_a_controller_that_is_connected_stays_on_the_torque_drive():
    builder, plant, driver = with_desired_state("torque")
    motors, told = warnings_of(
        ApplyDriverConfig, driver, MODEL, plant, builder=builder
    )
    assert told == [
        f"{MODEL}: the PD controllers of actuators without a motor are not seen"
        " by the torque drive: elbow"
    ]
    rig = Rig(builder, plant, motors)
    simulator, _ = rig.simulator(), None
    warnings_of(simulator.AdvanceTo, 3)
    # 50 N m/rad against a lever of 0.25 m and 1 kg.
    assert rig.state(simulator)[1] == pytest.approx(0.8, abs=0.06)


def test_the_implicit_drive_needs_the_desired_state():
    builder, plant, driver = with_desired_state("implicit")
    with pytest.raises(InputError, match="connected already") as caught:
        ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    assert caught.value.path == ("drive",)


def test_a_desired_state_that_acts_no_longer_is_told_of():
    builder, plant, driver = with_desired_state("torque")
    driver.motors = {"m": RotationalMotor("elbow", max_torque=50.0)}
    _, told = warnings_of(
        ApplyDriverConfig, driver, MODEL, plant, builder=builder
    )
    assert told == [
        f"{MODEL}: motors have taken the place of PD controllers, which follow"
        " their desired_state no longer: elbow"
    ]


# --- one place decides ---


def touching() -> tuple[DiagramBuilder, MultibodyPlant]:
    """Returns a hinge whose body, a ball, may touch a loose one."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.004)
    plant.AddModelInstance(MODEL)
    for name in ("link", "tool"):
        body = add_body(plant, name)
        plant.RegisterCollisionGeometry(
            body,
            RigidTransform([0, 0, -0.2]),
            Sphere(0.05),
            name,
            CoulombFriction(1, 1),
        )
    add_joint(plant, "shoulder", plant.GetBodyByName("link"))
    return builder, plant


def weld_the_tool(plant: MultibodyPlant) -> None:
    link, tool = map(plant.GetFrameByName, ("link", "tool"))
    plant.WeldFrames(link, tool, RigidTransform(-0.3 * Z))


def test_a_tool_welded_after_configure_actuators_leaves_the_drive_as_it_is():
    builder, plant = touching()
    driver = shouldered()
    configure_actuators(driver, MODEL, plant)
    weld_the_tool(plant)
    plant.Finalize()
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    assert motors.drive == "implicit"
    assert (
        motors.drive_reason == "configure_actuators prepared the model for it"
    )
    rig = Rig(builder, plant, motors)
    simulator = rig.simulator()
    simulator.AdvanceTo(2)
    assert rig.state(simulator)[0] == pytest.approx(0.5, abs=1e-3)
    assert rig.port(simulator, "effort")[0] > 1


def test_a_ball_that_comes_after_configure_actuators_is_told_of():
    builder, plant = touching()
    driver = shouldered()
    weld_the_tool(plant)
    configure_actuators(driver, MODEL, plant)
    plant.RegisterCollisionGeometry(
        plant.world_body(),
        RigidTransform([0, 0, -9]),
        Sphere(0.1),
        "late",
        CoulombFriction(1, 1),
    )
    plant.Finalize()
    motors, told = warnings_of(
        ApplyDriverConfig, driver, MODEL, plant, builder=builder
    )
    assert motors.drive == "torque"
    assert "when all else is in the plant" in told[0]


def test_two_drivers_for_the_two_calls_are_refused():
    def applied(first: WebotsMotorDriver, then: WebotsMotorDriver) -> None:
        plant, builder = arm(), DiagramBuilder()
        builder.AddSystem(plant)
        configure_actuators(first, MODEL, plant)
        plant.Finalize()
        ApplyDriverConfig(then, MODEL, plant, builder=builder)

    with pytest.raises(InputError) as caught:
        applied(shouldered("implicit"), shouldered("torque"))
    assert caught.value.path == ("drive",)
    braked = shouldered("implicit")
    braked.joints = {"elbow": JointParameters(damping_constant=1.0)}
    with pytest.raises(InputError, match="acted on joint elbow; give both"):
        applied(braked, shouldered("implicit"))
    with pytest.raises(InputError, match="did not act on joint elbow"):
        applied(shouldered("implicit"), braked)


def test_a_model_is_prepared_once():
    plant = arm()
    configure_actuators(shouldered("implicit"), MODEL, plant)
    with pytest.raises(InputError, match="shoulder already"):
        configure_actuators(shouldered("implicit"), MODEL, plant)
