"""Motors and JointParameters write to a plant, and warn."""

import copy
import math

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    X,
    add_body,
    add_joint,
    new_plant,
)
from mechanisms import (
    Rig,
    driven,
    pendulum,
    slider,
    velocity_driver,
    warnings_of,
)
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.cli.check_command import describe
from webmotor_drake.drive.driver import WebotsMotorDriver, configure_actuators
from webmotor_drake.loading import load_scenario
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor
from webmotor_drake.simulation.simulation import Simulation

DT = 0.008
# As many URDFs are: an effort limit, but no transmission.
WITHOUT_TRANSMISSION = """<robot name="arm">
  <link name="base"/>
  <link name="link"><inertial>
    <mass value="1"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="hinge" type="continuous">
    <parent link="base"/><child link="link"/><axis xyz="0 1 0"/>
    <limit effort="5"/>
  </joint>
</robot>"""
SCENARIO = """Arm:
  simulation_duration: 1
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: arm.urdf}
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      motors: {m: !RotationalMotor {joint: hinge, max_torque: 7}}
"""


def limited(
    *,
    position: float = 0.0,
    limits: tuple[float, float] = (-math.inf, math.inf),
    effort_limit: float | None = math.inf,
) -> MultibodyPlant:
    """Returns a pendulum whose model has limits of its own."""
    plant = new_plant(DT)
    joint = add_joint(
        plant, "hinge", add_body(plant, "link"), effort_limit=effort_limit
    )
    joint.set_position_limits([limits[0]], [limits[1]])
    joint.set_default_angle(position)
    return plant


def apply(
    plant: MultibodyPlant, joints: dict | None = None, **motor
) -> tuple[Rig, list[str]]:
    """Gives the hinge a motor "m"; returns what came of it and warnings."""
    driver = WebotsMotorDriver(
        motors={"m": RotationalMotor("hinge", **motor)}, joints=joints or {}
    )
    result, warned = warnings_of(driven, plant, driver)
    return Rig(*result), warned


def stops(plant: MultibodyPlant, joint: str = "hinge") -> tuple[float, float]:
    found = plant.GetJointByName(joint)
    return found.position_lower_limits()[0], found.position_upper_limits()[0]


def effort_limit(plant: MultibodyPlant, name: str = "hinge") -> float:
    return plant.GetJointActuatorByName(name).effort_limit()


def test_the_motors_largest_effort_becomes_the_actuators_limit():
    rig, warned = apply(limited(effort_limit=50.0), max_torque=7.0)
    assert effort_limit(rig.plant) == 7
    assert rig.motors.model.named[0].model_effort == 50
    assert warned == []


def test_an_effort_above_the_models_is_warned_of():
    rig, warned = apply(limited(effort_limit=5.0), max_torque=7.0)
    assert effort_limit(rig.plant) == 7
    assert warned == [
        "m.max_torque: 7 N·m is above the model's effort limit 5 N·m; the"
        " motor's is used"
    ]


def test_defaults_above_the_models_limits_are_told_with_what_to_write():
    plant = limited(effort_limit=5.0)
    plant.GetJointByName("hinge").set_velocity_limits([-4.0], [4.0])
    _, warned = apply(plant)
    assert warned == [
        "m: Webots' defaults act, above the model's limits: max_torque 10 N·m,"
        " max_velocity 10 rad/s; to keep the model's, give the motor max_torque: 5,"
        " max_velocity: 4"
    ]
    plant = limited(effort_limit=5.0)
    plant.GetJointByName("hinge").set_velocity_limits([-4.0], [4.0])
    assert apply(plant, max_torque=5.0, max_velocity=4.0)[1] == []


@pytest.mark.parametrize(
    "parameters",
    [
        JointParameters(spring_constant=1.0),
        JointParameters(damping_constant=1.0),
        JointParameters(static_friction=1.0),
    ],
)
def test_the_limit_is_lifted_where_the_actuator_carries_more_than_the_motor(
    parameters,
):
    rig, _ = apply(limited(), joints={"hinge": parameters}, max_torque=7.0)
    assert effort_limit(rig.plant) == math.inf


def test_the_limit_is_lifted_for_a_motor_without_effort():
    # Drake refuses a limit of 0.
    rig, _ = apply(limited(effort_limit=5.0), max_torque=0.0)
    assert effort_limit(rig.plant) == math.inf


def test_the_models_limit_clips_no_spring():
    # 1 N m where the spring needs 50, on a joint with no motor.
    plant = limited(effort_limit=1.0)
    slide = add_body(plant, "carriage")
    add_joint(plant, "rail", slide, axis=X, sliding=True)
    driver = WebotsMotorDriver(
        motors={"m": LinearMotor("rail")},
        joints={"hinge": JointParameters(spring_constant=50.0)},
    )
    rig = Rig(*driven(plant, driver))
    assert effort_limit(rig.plant) == math.inf


def test_stops_become_the_joints_limits():
    rig, warned = apply(
        limited(limits=(-2.0, 2.0)),
        joints={"hinge": JointParameters(min_stop=-0.5, max_stop=3.0)},
    )
    assert stops(rig.plant) == (-0.5, 3)
    assert warned == []


@pytest.mark.parametrize("stop", [0.0, 0.5])
def test_without_stops_the_models_limits_stay(stop):
    rig, _ = apply(
        limited(limits=(-2.0, 2.0)),
        joints={"hinge": JointParameters(min_stop=stop, max_stop=stop)},
    )
    assert stops(rig.plant) == (-2, 2)


def test_stops_on_a_continuous_plant_are_warned_of():
    # Drake leaves out the limits of joints there, and says so in Finalize
    # only: before the stops are written.
    driver = WebotsMotorDriver(
        basic_time_step=DT,
        motors={"m": RotationalMotor("hinge")},
        joints={"hinge": JointParameters(min_stop=-0.5, max_stop=0.5)},
    )
    _, warned = warnings_of(driven, pendulum(0.0), driver)
    assert len(warned) == 1
    assert "hinge" in warned[0]
    assert "continuous" in warned[0]


def test_stops_out_of_order_are_swapped():
    rig, warned = apply(
        limited(),
        joints={"hinge": JointParameters(min_stop=1.0, max_stop=-0.5)},
    )
    assert stops(rig.plant) == (-0.5, 1)
    assert warned == ["hinge: min_stop 1 is above max_stop -0.5; swapped"]


def test_a_joint_outside_of_its_stops_is_warned_of():
    _, warned = apply(
        limited(position=0.7),
        joints={"hinge": JointParameters(min_stop=-0.5, max_stop=0.5)},
    )
    assert warned == [
        "joint hinge: position 0.7 is outside its stops -0.5 to 0.5"
    ]


def test_a_joint_on_its_stop_is_not_warned_of():
    _, warned = apply(
        limited(position=0.5),
        joints={"hinge": JointParameters(min_stop=-0.5, max_stop=0.5)},
    )
    assert warned == []


@pytest.mark.parametrize(
    ("soft", "where"),
    [((-1.0, 0.4), "-1 to 0.4"), ((-0.1, 1.0), "-0.1 to 1")],
)
def test_soft_limits_beyond_the_stops_are_warned_of(soft, where):
    _, warned = apply(
        limited(),
        joints={"hinge": JointParameters(min_stop=-0.5, max_stop=0.5)},
        min_position=soft[0],
        max_position=soft[1],
    )
    assert warned == [
        f"m: the soft limits {where} rad are not inside the stops -0.5 to 0.5"
        " rad of joint hinge"
    ]


def test_soft_limits_beyond_the_models_own_limits_are_warned_of():
    _, warned = apply(
        limited(limits=(-0.5, 0.5)), min_position=-1.0, max_position=0.4
    )
    assert warned == [
        "m: the soft limits -1 to 0.4 rad are not inside the stops -0.5 to 0.5"
        " rad of joint hinge"
    ]


@pytest.mark.parametrize("soft", [(-0.5, 0.5), (0.0, 0.0), (3.0, 3.0)])
def test_soft_limits_inside_the_stops_or_none_are_not_warned_of(soft):
    motor = {"min_position": soft[0], "max_position": soft[1]}
    position = 3.0 if soft[0] == 3 else 0.0
    limits = (-4.0, 4.0) if soft[0] == 3 else (-0.5, 0.5)
    _, warned = apply(limited(limits=limits, position=position), **motor)
    assert warned == []


def test_soft_limits_are_widened_to_the_joints_default_position():
    rig, warned = apply(
        limited(position=0.9), min_position=-0.5, max_position=0.5
    )
    assert rig.motors.devices.motors[0].max_position == 0.9
    assert warned == [
        "m.max_position: 0.5 rad leaves out the joint's position 0.9 rad; 0.9"
        " rad is used"
    ]


def test_limits_of_a_coupled_motor_are_those_of_the_leader_after_widening():
    plant = new_plant(DT)
    for i in range(2):
        joint = add_joint(plant, f"joint{i}", add_body(plant, f"link{i}"))
        joint.set_default_angle(0.9 * (1 - i))
    driver = WebotsMotorDriver(
        motors={
            "g::a": RotationalMotor(
                "joint0", min_position=-0.5, max_position=0.5
            ),
            "g::b": RotationalMotor("joint1", multiplier=2.0),
        }
    )
    (_, _, motors), _ = warnings_of(driven, plant, driver)
    follower = motors.devices.motors[1]
    assert (follower.min_position, follower.max_position) == (-1, 1.8)


def test_motors_keep_their_order_and_joints_follow():
    plant = new_plant(DT)
    for i in range(4):
        add_joint(plant, f"joint{i}", add_body(plant, f"link{i}"))
    driver = WebotsMotorDriver(
        motors={
            "z": RotationalMotor("joint2"),
            "a": RotationalMotor("joint0"),
        },
        joints={
            "joint3": JointParameters(max_stop=1.0),
            "joint0": JointParameters(static_friction=1.0),
        },
    )
    _, _, motors = driven(plant, driver)
    assert motors.devices.names == ["z", "a"]
    assert [joint.name() for joint in motors.model.joints] == [
        "joint2",
        "joint0",
        "joint3",
    ]
    assert motors.static_friction.tolist() == [0, 1]
    assert stops(plant, "joint3") == (0, 1)


def test_an_actuator_is_added_where_a_spring_needs_one_and_only_there():
    plant = new_plant(DT)
    for name in ("motor", "spring", "stops", "spring_and_motor"):
        actuated = "motor" in name
        add_joint(
            plant,
            name,
            add_body(plant, f"{name}_link"),
            effort_limit=math.inf if actuated else None,
        )
    spring = JointParameters(spring_constant=5.0)
    driver = WebotsMotorDriver(
        motors={
            "a": RotationalMotor("motor"),
            "b": RotationalMotor("spring_and_motor"),
        },
        joints={
            "spring": spring,
            "stops": JointParameters(max_stop=1.0),
            "spring_and_motor": spring,
        },
    )
    for _ in range(2):
        configure_actuators(driver, MODEL, plant)
        assert plant.num_actuators() == 3
    plant.Finalize()
    assert sorted(
        plant.get_joint_actuator(index).joint().name()
        for index in plant.GetJointActuatorIndices()
    ) == ["motor", "spring", "spring_and_motor"]


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_motor_brings_an_actuator_where_the_model_has_none(drive):
    # It moves the joint to the bit as the model's own without a limit does.
    def signals(effort_limit: float | None) -> dict[str, np.ndarray]:
        plant = limited(effort_limit=effort_limit)
        driver = velocity_driver(
            plant, {"hinge": 2.0}, bounds={"hinge": 5.0}, drive=drive
        )
        rig = Rig(*driven(plant, driver))
        assert rig.motors.model.brought == [effort_limit is None]
        return rig.signals(100)

    there, brought = signals(math.inf), signals(None)
    assert np.abs(there[f"{MODEL}/hinge/effort"]).max() == 5  # at its bound
    for name, values in there.items():
        np.testing.assert_array_equal(brought[name], values, err_msg=name)


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_actuators_of_the_model_and_brought_ones_mix(drive):
    # Drake orders actuation by when an actuator was added: b's, then a's.
    plant = new_plant(DT)
    for name, limit in (("a", None), ("b", math.inf)):
        add_joint(
            plant, name, add_body(plant, f"{name}_link"), effort_limit=limit
        )
    driver = velocity_driver(plant, {"a": 1.0, "b": -2.0}, drive=drive)
    rig = Rig(*driven(plant, driver))
    assert rig.motors.model.brought == [True, False]
    signals = rig.signals(10)
    for name, rate in (("a", 1.0), ("b", -2.0)):
        # Within the servos' softness, cfm times some N m.
        velocity = signals[f"{MODEL}/{name}/velocity"][-1]
        assert velocity == pytest.approx(rate, abs=1e-3)


def test_check_tells_of_an_actuator_that_a_motor_brings(tmp_path):
    (tmp_path / "arm.urdf").write_text(WITHOUT_TRANSMISSION)
    file = tmp_path / "arm.scenario.yaml"
    file.write_text(SCENARIO)
    assert (
        "    effort up to 7 N·m (max_torque acts; the model has 5 N·m and no actuator"
        " there, the motor brings one along)"
        in describe(Simulation(load_scenario(file))).splitlines()
    )


def test_the_users_configuration_stays_as_it_is():
    driver = WebotsMotorDriver(
        motors={
            "g::a": RotationalMotor("hinge", max_velocity=-1.0, multiplier=0.0)
        },
        joints={"hinge": JointParameters(spring_constant=-1.0, min_stop=1.0)},
    )
    before = copy.deepcopy(driver)
    for _ in range(2):
        warnings_of(driven, pendulum(DT), driver)
        assert driver == before


def test_stops_alone_need_neither_motor_nor_actuator():
    plant = limited(effort_limit=None)
    add_joint(plant, "driven", add_body(plant, "driven_link"))
    driver = WebotsMotorDriver(
        motors={"m": RotationalMotor("driven")},
        joints={"hinge": JointParameters(min_stop=-0.2, max_stop=0.3)},
    )
    rig = Rig(*driven(plant, driver))
    assert rig.plant.num_actuators() == 1
    assert stops(rig.plant) == (-0.2, 0.3)
    simulator = rig.started(np.array([0.0, 0.0, 1.0, 0.0]))
    for k in range(1, 300):
        rig.advance(simulator, k)
        # Drake's stops yield a little.
        assert -0.21 < rig.state(simulator)[0] < 0.31


def test_units_of_a_slider_are_metres_and_newtons():
    plant = slider(DT)
    plant.GetJointActuatorByName("rail").set_effort_limit(5.0)
    driver = WebotsMotorDriver(
        motors={
            "lift": LinearMotor("rail", min_position=-1.0, max_position=1.0)
        },
        joints={"rail": JointParameters(min_stop=-0.5, max_stop=0.5)},
    )
    _, warned = warnings_of(driven, plant, driver)
    assert warned == [
        "lift: Webots' defaults act, above the model's limits: max_force 10 N; to"
        " keep the model's, give the motor max_force: 5",
        "lift: the soft limits -1 to 1 m are not inside the stops -0.5 to 0.5"
        " m of joint rail",
    ]
