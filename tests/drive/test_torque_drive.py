"""The torque drive brings joints to their velocity commands in one step.

Each test lets Drake take the step and looks at the velocity that came of it.
"""

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
from drawn import draws
from hypothesis import given, settings as examples, strategies as st
from mechanisms import (
    Rig,
    add_random_chain,
    chain,
    driven,
    floating_arm,
    pendulum,
    random_state,
    run,
    slider,
    velocity_driver,
)
from pydrake.common.value import Value
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import (
    DiscreteContactApproximation,
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.multibody.tree import BallRpyJoint
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import (
    ConstantValueSource,
    ConstantVectorSource,
)

from webmotor_drake.drive.driver import ApplyDriverConfig, WebotsMotorDriver
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

DT = 0.008
CFM = 1e-5
# Rounding, of efforts up to 1e4 on random arms: 2e-13 rad/s has been seen.
EXACT = 1e-11
seeds = st.integers(0, 2**32 - 1)


def joint_names(plant: MultibodyPlant) -> list[str]:
    instance = plant.GetModelInstanceByName(MODEL)
    joints = map(plant.get_joint, plant.GetJointIndices(instance))
    return [joint.name() for joint in joints if joint.num_velocities() == 1]


def random_rates(plant: MultibodyPlant, rng) -> dict[str, float]:
    return {name: rng.uniform(-3, 3) for name in joint_names(plant)}


def assert_one_step_is_exact(rig: Rig, rng, *, saturates: bool = False):
    """Asserts that a plant step from a random state meets the servos' rule.

    That is v+ = rate - cfm effort where the effort is below its bound; at the
    bound the joint is too slow in the direction of the effort.
    """
    simulator = rig.started(random_state(rig.plant, rng))
    rate = rig.port(simulator, "servo")[LawState.VELOCITY_COMMAND].copy()
    bound = rig.port(simulator, "command")[Command.AVAILABLE_EFFORT].copy()
    rig.advance(simulator, 1)
    effort = rig.port(simulator, "effort")
    v = rig.state(simulator)[rig.motors.velocity_indices]
    short = rate - CFM * effort - v
    assert (np.abs(effort) <= bound).all()
    if not saturates:
        np.testing.assert_allclose(short, 0, atol=EXACT)
        return
    assert (short[effort < bound] <= EXACT).all()
    assert (short[effort > -bound] >= -EXACT).all()


@given(seed=seeds, links=st.integers(1, 7))
@examples(max_examples=draws(15, 40))
def test_a_serial_arm_reaches_its_rates_in_one_step(seed, links):
    rng = np.random.default_rng(seed)
    plant = chain(DT, links, rng)
    driver = velocity_driver(plant, random_rates(plant, rng), cfm=CFM)
    assert_one_step_is_exact(Rig(*driven(plant, driver)), rng)


@given(seed=seeds, links=st.integers(1, 5), sampled=st.booleans())
@examples(max_examples=draws(15, 40))
def test_an_arm_on_a_floating_base_reaches_its_rates_in_one_step(
    seed, links, sampled
):
    rng = np.random.default_rng(seed)
    plant = floating_arm(DT, links, rng, sampled=sampled)
    driver = velocity_driver(plant, random_rates(plant, rng), cfm=CFM)
    rig = Rig(*driven(plant, driver))
    assert plant.num_positions() == plant.num_velocities() + 1
    assert_one_step_is_exact(rig, rng)


@given(seed=seeds, links=st.integers(2, 6), floating=st.booleans())
@examples(max_examples=draws(20, 60))
def test_passive_and_saturated_joints_leave_the_others_exact(
    seed, links, floating
):
    rng = np.random.default_rng(seed)
    plant = (floating_arm if floating else chain)(DT, links, rng)
    rates = random_rates(plant, rng)
    passive = rng.choice(list(rates))
    del rates[passive]
    bounds = {name: rng.exponential(30) for name in rates}
    driver = velocity_driver(plant, rates, bounds=bounds, cfm=CFM)
    rig = Rig(*driven(plant, driver))
    assert_one_step_is_exact(rig, rng, saturates=True)


@given(seed=seeds)
@examples(max_examples=draws(10, 25))
def test_model_damping_rotor_inertia_and_gears_are_in_the_solve(seed):
    rng = np.random.default_rng(seed)
    plant = new_plant(DT)
    for joint in add_random_chain(plant, 4, rng, damping=rng.exponential(5)):
        actuator = plant.GetJointActuatorByName(joint.name())
        actuator.set_default_rotor_inertia(rng.exponential(1e-3))
        actuator.set_default_gear_ratio(rng.uniform(-100, 100))
    parameters = {
        name: JointParameters(spring_constant=50.0, damping_constant=2.0)
        for name in ("joint1", "joint2")
    }
    driver = velocity_driver(
        plant, random_rates(plant, rng), joints=parameters, cfm=CFM
    )
    assert_one_step_is_exact(Rig(*driven(plant, driver)), rng)


APPROXIMATIONS = [
    name
    for name in ("kTamsi", "kSap", "kSimilar", "kLagged")
    if hasattr(DiscreteContactApproximation, name)
]


@pytest.mark.parametrize("approximation", APPROXIMATIONS)
@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_every_contact_approximation_is_served(approximation, damping):
    # Tamsi, which newer versions of Drake don't have, damps joints explicitly.
    rng = np.random.default_rng(4)
    plant = new_plant(DT)
    plant.set_discrete_contact_approximation(
        getattr(DiscreteContactApproximation, approximation)
    )
    add_random_chain(plant, 4, rng, damping=damping)
    driver = velocity_driver(plant, random_rates(plant, rng), cfm=CFM)
    assert_one_step_is_exact(Rig(*driven(plant, driver)), rng)


def test_welds_other_joints_and_other_trees_are_no_trouble():
    # In the tree: a weld, a ball joint with damping, a motorless joint; beside
    # it a free body, before the arm in the plant's order, and another arm.
    rng = np.random.default_rng(5)
    plant = new_plant(DT)
    add_body(plant, "free")
    joints = add_random_chain(plant, 3, rng)
    tool = add_body(plant, "tool")
    plant.WeldFrames(joints[-1].child_body().body_frame(), tool.body_frame())
    tail = add_body(plant, "tail")
    plant.AddJoint(
        BallRpyJoint("ball", tool.body_frame(), tail.body_frame(), damping=0.3)
    )
    add_random_chain(plant, 1, rng, base=tail, prefix="tip_")
    add_random_chain(plant, 2, rng, prefix="other_")
    rates = random_rates(plant, rng)
    del rates["joint1"], rates["other_joint0"], rates["other_joint1"]
    driver = velocity_driver(plant, rates, cfm=CFM)
    assert_one_step_is_exact(Rig(*driven(plant, driver)), rng)


def test_actuators_in_another_order_than_the_joints_get_their_own_efforts():
    rng = np.random.default_rng(6)
    plant = new_plant(DT)
    parent = None
    for i in range(4):
        parent = add_body(plant, f"link{i}", com=rng.uniform(-0.3, 0.3, 3))
        add_joint(
            plant,
            f"joint{i}",
            parent,
            parent=plant.GetBodyByName(f"link{i - 1}") if i else None,
            at=[0, 0, -0.3],
            effort_limit=None,
        )
    for i in (2, 0, 3, 1):
        plant.AddJointActuator(
            f"actuator{i}", plant.GetJointByName(f"joint{i}")
        )
    rates = {"joint3": 1.0, "joint0": -2.0, "joint2": 0.5}  # joint1 has none
    driver = velocity_driver(plant, rates, cfm=CFM)
    rig = Rig(*driven(plant, driver))
    assert_one_step_is_exact(rig, rng)
    assert len(rig.port(rig.simulator(), "effort")) == 3


def test_two_models_of_a_plant_have_motors_of_their_own():
    rng = np.random.default_rng(7)
    plant = MultibodyPlant(DT)
    for model in ("a", "b"):
        plant.AddModelInstance(model)
    # Interleaved: neither model's velocities are one block.
    add_random_chain(plant, 2, rng, prefix="a0_", model="a")
    add_random_chain(plant, 3, rng, prefix="b0_", model="b")
    add_random_chain(plant, 1, rng, prefix="a1_", model="a")
    plant.Finalize()
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    systems, rates = {}, {}
    for model, names in (
        ("a", ["a0_joint0", "a0_joint1", "a1_joint0"]),
        ("b", ["b0_joint0", "b0_joint1", "b0_joint2"]),
    ):
        rates[model] = {name: rng.uniform(-2, 2) for name in names}
        driver = velocity_driver(plant, rates[model], cfm=CFM)
        systems[model] = ApplyDriverConfig(
            driver, model, plant, builder=builder
        )
        assert systems[model].get_name() == f"{model}.motors"
    rig = Rig(builder, plant, systems["a"])
    simulator = rig.started(random_state(plant, rng))
    rig.advance(simulator, 1)
    for model, system in systems.items():
        effort = system.GetOutputPort("effort").Eval(
            system.GetMyContextFromRoot(simulator.get_context())
        )
        np.testing.assert_allclose(
            rig.state(simulator)[system.velocity_indices],
            list(rates[model].values()) - CFM * effort,
            atol=EXACT,
        )


def rotated_push(plant: MultibodyPlant, name: str, rng):
    """Returns a random force, with torque, off the centre of mass."""
    push = ExternallyAppliedSpatialForce()
    push.body_index = plant.GetBodyByName(name).index()
    push.p_BoBq_B = rng.uniform(-0.5, 0.5, 3)
    push.F_Bq_W = SpatialForce(
        tau=rng.uniform(-5, 5, 3), f=rng.uniform(-30, 30, 3)
    )
    return push


@given(
    seed=seeds,
    generalized=st.booleans(),
    spatial=st.booleans(),
    floating=st.booleans(),
)
@examples(max_examples=draws(15, 40))
def test_external_forces_are_in_the_solve(seed, generalized, spatial, floating):
    rng = np.random.default_rng(seed)
    plant = (floating_arm if floating else chain)(DT, 3, rng)

    def connect(builder, plant):
        if generalized:
            force = rng.uniform(-20, 20, plant.num_velocities())
            builder.Connect(
                builder.AddSystem(
                    ConstantVectorSource(force)
                ).get_output_port(),
                plant.get_applied_generalized_force_input_port(),
            )
        if spatial:
            pushes = [
                rotated_push(plant, name, rng)
                for name in ("link0", "link2", "link2")
            ]
            builder.Connect(
                builder.AddSystem(
                    ConstantValueSource(Value(pushes))
                ).get_output_port(),
                plant.get_applied_spatial_force_input_port(),
            )

    driver = velocity_driver(plant, random_rates(plant, rng), cfm=CFM)
    assert_one_step_is_exact(Rig(*driven(plant, driver, connect=connect)), rng)


@pytest.mark.slow
@given(seed=seeds, floating=st.booleans())
@examples(max_examples=draws(15, 40))
def test_springs_and_dampers_act_on_the_new_velocity(seed, floating):
    # Some joints have a motor too, some motors are too weak for their spring.
    rng = np.random.default_rng(seed)
    plant = (floating_arm if floating else chain)(DT, 4, rng)
    names = joint_names(plant)
    rates = {name: rng.uniform(-3, 3) for name in names[:3]}
    parameters = {
        name: JointParameters(
            spring_constant=rng.exponential(400),
            damping_constant=rng.exponential(3),
        )
        for name in names[1:]
    }
    driver = velocity_driver(
        plant,
        rates,
        bounds={name: rng.exponential(100) for name in rates},
        joints=parameters,
        cfm=CFM,
    )
    rig = Rig(*driven(plant, driver))
    state = random_state(plant, rng)
    simulator = rig.started(state)
    actuation = rig.port(simulator, "actuation").copy()
    rig.advance(simulator, 1)
    effort = dict(zip(rates, rig.port(simulator, "effort"), strict=True))
    new = rig.state(simulator)
    for name in names:
        joint = plant.GetJointByName(name)
        spring = actuation[names.index(name)] - effort.get(name, 0)
        v = new[plant.num_positions() + joint.velocity_start()]
        q = state[joint.position_start()] + DT * v
        given_ = parameters.get(name, JointParameters())
        expected = -given_.spring_constant * q - given_.damping_constant * v
        # Efforts up to 1e4.
        np.testing.assert_allclose(spring, expected, atol=1e-7)
    assert_one_step_is_exact(rig, rng, saturates=True)


@given(
    spring=st.floats(0, 1e5),
    damping=st.floats(0, 1e3),
    q=st.floats(-1, 1),
    v=st.floats(-5, 5),
)
@examples(max_examples=draws(10, 30))
def test_a_spring_is_implicit_euler_however_stiff(spring, damping, q, v):
    plant = slider(DT, axis=X)
    driver = WebotsMotorDriver(
        motors={"m": LinearMotor("rail", max_force=0.0)},
        joints={
            "rail": JointParameters(
                spring_constant=spring, damping_constant=damping
            )
        },
    )
    rig = Rig(*driven(plant, driver))
    simulator = rig.started(np.array([q, v]))
    for k in range(1, 20):
        v = (v - DT * spring * q / 2) / (
            1 + DT * damping / 2 + DT**2 * spring / 2
        )
        q += DT * v
        rig.advance(simulator, k)
        # Roundings of 20 steps.
        np.testing.assert_allclose(
            rig.state(simulator), [q, v], rtol=1e-12, atol=1e-12
        )


def test_a_stiff_spring_on_a_pendulum_is_implicit_euler():
    # 400 N m/rad on 0.083 kg m^2 at 8 ms: an explicit spring gains energy.
    plant = pendulum(DT)
    driver = WebotsMotorDriver(
        motors={"m": RotationalMotor("hinge", max_torque=0.0)},
        joints={"hinge": JointParameters(spring_constant=400.0)},
    )
    rig = Rig(*driven(plant, driver))
    q, v, inertia, lever = 1.0, 0.0, 0.0202 + 0.25**2, 9.81 * 0.25
    simulator = rig.started(np.array([q, v]))
    for k in range(1, 200):
        torque = -lever * math.sin(q) - 400 * q
        v = (inertia * v + DT * torque) / (inertia + DT**2 * 400)
        q += DT * v
        rig.advance(simulator, k)
        # The oscillation is damped: roundings die out.
        np.testing.assert_allclose(rig.state(simulator), [q, v], atol=1e-11)


@pytest.mark.parametrize("effort_limit", [None, 1e-3, math.inf])
def test_a_spring_needs_no_motor(effort_limit):
    # Nor an actuator of the model, whose limit is of no account.
    plant = slider(DT, axis=X)
    add_joint(
        plant,
        "passive",
        add_body(plant, "block", mass=2.0),
        axis=X,
        sliding=True,
        effort_limit=effort_limit,
    )
    driver = velocity_driver(
        plant,
        {"rail": 0.3},
        joints={"passive": JointParameters(spring_constant=400.0)},
        cfm=0.0,
    )
    rig = Rig(*driven(plant, driver))
    simulator = rig.started(np.array([0.0, 0.5, 0.0, 0.0]))
    rig.advance(simulator, 1)
    v = -DT * 400 * 0.5 / 2 / (1 + DT**2 * 400 / 2)
    np.testing.assert_allclose(
        rig.state(simulator), [0.3 * DT, 0.5 + DT * v, 0.3, v], rtol=1e-12
    )


def vertical(friction: float, *, max_force: float, rate: float = 0.0) -> Rig:
    """Returns a carriage of 19.62 N, with friction and a motor."""
    plant = slider(DT)
    driver = velocity_driver(
        plant,
        {"rail": rate},
        bounds={"rail": max_force},
        joints={"rail": JointParameters(static_friction=friction)},
        cfm=CFM,
    )
    return Rig(*driven(plant, driver))


def test_friction_above_the_load_holds():
    states = run(vertical(20.0, max_force=0.0), 100)
    # It creeps, as soft as the servo: cfm times the weight, after some steps
    # that differ by cfm times its inertia.
    np.testing.assert_allclose(states[5:, 1], -CFM * 19.62, atol=1e-13)


@pytest.mark.parametrize(
    ("friction", "max_force"),
    [(15.0, 0.0), (0.0, 15.0), (15.0, 12.0), (9.0, 15.0)],
)
def test_friction_and_motor_share_the_larger_of_their_bounds(
    friction, max_force
):
    states = run(vertical(friction, max_force=max_force), 50)
    v = -DT * np.arange(51) * (19.62 - 15.0) / 2
    np.testing.assert_allclose(states[:, 1], v, atol=1e-12)


def test_friction_lends_its_strength_to_a_weak_motor():
    # 25 N of friction lift what 5 N of motor cannot.
    states = run(vertical(25.0, max_force=5.0, rate=0.5), 60)
    v = np.minimum(DT * np.arange(61) * (25 - 19.62) / 2, 0.5)
    # The slip is cfm times an effort of up to 25 N.
    np.testing.assert_allclose(states[:, 1], v, atol=25 * CFM)


@pytest.mark.parametrize(
    ("force", "net"), [(3.0, 0.0), (6.0, 2.0), (-6.0, -2.0)]
)
def test_friction_opposes_a_direct_effort(force, net):
    plant = slider(DT, axis=X)
    driver = WebotsMotorDriver(
        cfm=0.0,
        motors={"m": LinearMotor("rail")},
        joints={"rail": JointParameters(static_friction=4.0)},
        commands=[TimedCommand(motor="m", set_force=force)],
    )
    states = run(Rig(*driven(plant, driver)), 50)
    np.testing.assert_allclose(
        states[:, 1], DT * np.arange(51) * net / 2, atol=1e-12
    )


@pytest.mark.parametrize("cfm", [0.0, 1e-5, 1e-2])
def test_softness_is_slip_per_effort(cfm):
    plant = slider(DT)
    driver = velocity_driver(plant, {"rail": 0.5}, cfm=cfm)
    states = run(Rig(*driven(plant, driver)), 200)
    np.testing.assert_allclose(states[-1, 1], 0.5 - cfm * 19.62, atol=1e-12)


class Counting:
    """A plant that counts how often its mass matrix is wanted."""

    def __init__(self, plant: MultibodyPlant):
        self.plant, self.matrices = plant, 0

    def __getattr__(self, name):
        return getattr(self.plant, name)

    def CalcMassMatrix(self, context):
        self.matrices += 1
        return self.plant.CalcMassMatrix(context)


def holding_arm(*, shortcut: bool) -> tuple[np.ndarray, list[int]]:
    """Returns the state of an arm each 0.1 s, and the mass matrices till then."""
    rng = np.random.default_rng(3)
    plant = chain(DT, 3, rng)
    parameters = JointParameters(spring_constant=2.0, damping_constant=0.1)
    driver = WebotsMotorDriver(
        motors={
            name: velocity_driver(plant, {name: 0.0}).motors[name]
            for name in joint_names(plant)
        },
        joints={"joint1": parameters},
        commands=[
            TimedCommand(motor=name, set_position=0.4)
            for name in joint_names(plant)
        ],
    )
    rig = Rig(*driven(plant, driver))
    simulator = rig.simulator()
    drive = rig.motors.usual
    drive._plant = counting = Counting(plant)
    drive._fully_driven &= shortcut
    states, counts = [], []
    for k in range(1, 41):
        simulator.AdvanceTo(0.1 * k)
        states.append(rig.state(simulator))
        counts.append(counting.matrices)
    return np.array(states), counts


def test_who_holds_still_needs_no_mass_matrix():
    states, counts = holding_arm(shortcut=True)
    np.testing.assert_allclose(states[-1, 3:], 0, atol=1e-9)  # it holds
    assert counts[0] > 0 and counts[-1] == counts[-5]
    expected, counts = holding_arm(shortcut=False)
    assert counts[-1] >= 4 / DT - 1
    # The shortcut leaves a slip of 1e-12 rad/s.
    np.testing.assert_allclose(states, expected, rtol=0, atol=1e-11)
