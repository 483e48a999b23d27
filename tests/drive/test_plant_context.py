"""Values set in the plant's Context act like values the plant was built with."""

import dataclasses as dc
import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from _lib.plants import MODEL, X, Y, add_body, add_joint
from drawn import draws
from hypothesis import given, settings, strategies as st
from mechanisms import Rig, warnings_of
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, MultibodyPlant
from pydrake.multibody.tree import PdControllerGains
from pydrake.planning import RobotDiagramBuilder
from pydrake.systems.framework import Context, Diagram, DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.errors import MotorWarning
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Brake, JointParameters
from webmotor_drake.nodes.motor_models import Friction, Pd
from webmotor_drake.nodes.motors import RotationalMotor
from webmotor_drake.simulation.motor_stepper import MotorStepper

DRIVES = ("torque", "implicit")
STEP = 0.004
# Two plants of the same numbers, and a solver that is warm or not: what is left is
# rounding, and on the implicit drive the solver's tolerance.
SAME = 1e-6


@dc.dataclass
class Link:
    """A link of a chain: what a plant's Context knows of it."""

    mass: float = 1.0
    inertia: float = 0.02
    damping: float = 0.0
    rotor: float = 0.0
    gear: float = 1.0
    locked: bool = False
    low: float = -math.inf
    high: float = math.inf


@dc.dataclass
class Chain:
    """Links on hinges, one on the other, and gravity, m/s^2."""

    links: list[Link]
    gravity: float = 9.81

    def plant(self, step: float) -> MultibodyPlant:
        """Returns a plant with it."""
        plant = MultibodyPlant(step)
        self.add_to(plant)
        return plant

    def add_to(self, plant: MultibodyPlant) -> None:
        """Adds it to a plant as the model `MODEL`, with joints "0", "1", ..."""
        plant.mutable_gravity_field().set_gravity_vector([0, 0, -self.gravity])
        plant.AddModelInstance(MODEL)
        parent = None
        for i, link in enumerate(self.links):
            inertia = np.full(3, link.inertia)
            body = add_body(plant, f"link{i}", mass=link.mass, inertia=inertia)
            joint = add_joint(
                plant,
                str(i),
                body,
                axis=(Y, X)[i % 2],
                parent=parent,
                at=(0, 0, -0.4 * (i > 0)),
                damping=link.damping,
            )
            joint.set_position_limits([link.low], [link.high])
            actuator = plant.GetJointActuatorByName(str(i))
            actuator.set_default_rotor_inertia(link.rotor)
            actuator.set_default_gear_ratio(link.gear)
            parent = body

    def tell(self, plant: MultibodyPlant, context: Context) -> None:
        """Tells a plant's Context all that the links are."""
        like = self.plant(plant.time_step())
        for i, link in enumerate(self.links):
            body = f"link{i}"
            plant.GetBodyByName(body).SetSpatialInertiaInBodyFrame(
                context, like.GetBodyByName(body).default_spatial_inertia()
            )
            joint = plant.GetJointByName(str(i))
            joint.SetDampingVector(context, [link.damping])
            actuator = plant.GetJointActuatorByName(str(i))
            actuator.SetRotorInertia(context, link.rotor)
            actuator.SetGearRatio(context, link.gear)
            joint.set_position_limits([link.low], [link.high])
            if link.locked:
                joint.Lock(context)


def plain(step: float) -> tuple[DiagramBuilder, MultibodyPlant]:
    builder = DiagramBuilder()
    return builder, builder.AddSystem(MultibodyPlant(step))


def with_scene_graph(step: float) -> tuple[DiagramBuilder, MultibodyPlant]:
    builder = DiagramBuilder()
    return builder, AddMultibodyPlantSceneGraph(builder, step)[0]


class OfRobotDiagram:
    """A RobotDiagramBuilder, built as its users build it."""

    def __init__(self, step: float):
        self._whole = RobotDiagramBuilder(time_step=step)
        self.plant, self.inner = self._whole.plant(), self._whole.builder()

    def Build(self) -> Diagram:
        return self._whole.Build()


def of_robot_diagram(step: float) -> tuple[OfRobotDiagram, MultibodyPlant]:
    builder = OfRobotDiagram(step)
    return builder, builder.plant


BUILDERS = (plain, with_scene_graph, of_robot_diagram)


def rig_of(
    chain: Chain,
    driver: WebotsMotorDriver,
    step: float,
    *,
    begin: Callable = plain,
    push: float = 0.0,
) -> Rig:
    """Returns the chain with motors.

    Args:
        chain: what to build.
        driver: the motors.
        step: of the plant, s.
        begin: one of `BUILDERS`.
        push: a force that is connected to all of the plant's velocities, N m.
    """
    builder, plant = begin(step)
    inner = getattr(builder, "inner", builder)
    chain.add_to(plant)
    configure_actuators(driver, MODEL, plant)
    plant.Finalize()
    if push:
        source = ConstantVectorSource(np.full(plant.num_velocities(), push))
        inner.Connect(
            inner.AddSystem(source).get_output_port(),
            plant.get_applied_generalized_force_input_port(),
        )
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=inner)
    return Rig(builder, plant, motors)


def moved(
    rig: Rig, told: Callable[[MultibodyPlant, Context], None], seconds: float
) -> np.ndarray:
    """Returns positions each 20 ms after the plant's Context was told something."""
    simulator = rig.simulator()
    told(
        rig.plant,
        rig.plant.GetMyMutableContextFromRoot(simulator.get_mutable_context()),
    )
    q = []
    for k in range(1, round(seconds / 0.02) + 1):
        simulator.AdvanceTo(0.02 * k)
        q.append(rig.state(simulator)[: rig.plant.num_positions()])
    return np.array(q)


def nothing(plant: MultibodyPlant, context: Context) -> None:
    """Tells nothing but which joints are locked, which no plant is built with."""


def locks_of(chain: Chain) -> Callable[[MultibodyPlant, Context], None]:
    def lock(plant: MultibodyPlant, context: Context) -> None:
        for i, link in enumerate(chain.links):
            if link.locked:
                plant.GetJointByName(str(i)).Lock(context)

    return lock


def compared(
    before: Chain,
    after: Chain,
    driver: WebotsMotorDriver,
    *,
    step: float = STEP,
    seconds: float = 0.6,
    **built,
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Returns how `before` moves that was told `after`; how `after` does; warnings."""
    told = rig_of(before, driver, step, **built)
    found, said = warnings_of(moved, told, after.tell, seconds)
    expected, _ = warnings_of(
        moved, rig_of(after, driver, step, **built), locks_of(after), seconds
    )
    return found, expected, said


def goes_to(target: float, drive: str, **fields) -> WebotsMotorDriver:
    """Returns a motor on the first joint that goes to `target`."""
    return WebotsMotorDriver(
        drive=drive,
        motors={"0": RotationalMotor("0", max_torque=80.0, max_velocity=4.0)},
        commands=[TimedCommand(motor="0", set_position=target)],
        **fields,
    )


ONE, TWO = Chain([Link()]), Chain([Link(), Link()])


def changed(chain: Chain, i: int, **values) -> Chain:
    links = list(chain.links)
    links[i] = dc.replace(links[i], **values)
    return dc.replace(chain, links=links)


CHANGES = {
    "heavier": changed(TWO, 1, mass=10.0),
    "lighter": changed(TWO, 1, mass=0.1),
    "inertia": changed(TWO, 0, inertia=0.5),
    "damping": changed(TWO, 1, damping=3.0),
    "rotor": changed(TWO, 0, rotor=1.0),
    "gear": changed(TWO, 0, rotor=0.01, gear=10.0),
    "rotor of a spring": changed(TWO, 1, rotor=0.4),
    "lock": changed(TWO, 1, locked=True),
    "lock of the first": changed(TWO, 0, locked=True),
    "stop": changed(TWO, 0, high=0.3),
    "stops of a spring": changed(TWO, 1, low=-0.1, high=0.1),
}


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_acts_as_what_the_plant_was_built_with(drive, change):
    after = CHANGES[change]
    driver = goes_to(
        0.8,
        drive,
        joints={
            "1": JointParameters(spring_constant=4.0, damping_constant=0.5)
        },
    )
    found, expected, said = compared(TWO, after, driver)
    np.testing.assert_allclose(found, expected, rtol=0, atol=SAME)
    assert not said


def test_the_rotor_of_a_braked_joint_is_carried_over_too():
    # Of its three actuators the plant takes the last one's.
    driver = goes_to(0.8, "implicit", brakes={"b": Brake("0")})
    found, expected, said = compared(TWO, CHANGES["rotor"], driver)
    np.testing.assert_allclose(found, expected, rtol=0, atol=SAME)
    assert not said


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("change", ["heavier", "lighter", "inertia", "damping"])
def test_friction_by_load_knows_what_a_context_was_told(drive, change):
    motors = {
        name: RotationalMotor(
            name,
            motor_model="pd",
            max_torque=80.0,
            pd=Pd(kp=60.0, kd=4.0),
            friction=Friction(coulomb=0.1, motor_load=0.1, external_load=0.3),
        )
        for name in "01"
    }
    commands = [TimedCommand(motor=name, set_position=0.8) for name in motors]
    driver = WebotsMotorDriver(drive=drive, motors=motors, commands=commands)
    found, expected, _ = compared(TWO, CHANGES[change], driver)
    np.testing.assert_allclose(found, expected, rtol=0, atol=SAME)


@pytest.mark.parametrize("factor", [10.0, 0.1])
@pytest.mark.parametrize("drive", DRIVES)
def test_a_damper_beside_another_mass_is_right(drive, factor):
    # The motor of the issue: a rod, a damper of 300, a target that takes 80 N m.
    driver = goes_to(
        3.0, drive, joints={"0": JointParameters(damping_constant=300.0)}
    )
    after = changed(ONE, 0, mass=factor)
    found, expected, said = compared(ONE, after, driver, seconds=1.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=SAME)
    assert not said


@pytest.mark.parametrize("drive", DRIVES)
def test_a_rotor_that_a_context_was_told_takes_its_torque(drive):
    # (I + rotor) a = 1 N m: gravity is off.
    chain = Chain([Link()], gravity=0.0)
    driver = WebotsMotorDriver(
        drive=drive,
        motors={"0": RotationalMotor("0")},
        commands=[TimedCommand(motor="0", set_torque=1.0)],
    )
    rig = rig_of(chain, driver, 0.001)
    q = moved(rig, changed(chain, 0, rotor=1.0).tell, 0.5)
    inertia = 0.02 + 0.25**2 + 1.0
    # A step of 1 ms, explicit in the position: half a step's way at the end.
    assert q[-1, 0] == pytest.approx(0.5**2 / (2 * inertia), rel=3e-3)


@pytest.mark.parametrize("stiff", [0.0, 4000.0])
def test_damping_in_the_context_leaves_the_nodes_own(stiff):
    driver = {
        drive: goes_to(
            0.5,
            drive,
            joints={
                "0": JointParameters(
                    spring_constant=stiff, damping_constant=30.0
                )
            },
        )
        for drive in DRIVES
    }
    after = changed(ONE, 0, damping=7.0)
    ends = {
        drive: compared(ONE, after, driver[drive])[0][-1, 0] for drive in DRIVES
    }
    # Both drives solve the same equations; softness is all that may differ.
    assert ends["implicit"] == pytest.approx(ends["torque"], abs=1e-6)


def test_parameters_that_are_copied_have_their_damping_along():
    driver = goes_to(
        0.5, "implicit", joints={"0": JointParameters(damping_constant=30.0)}
    )
    rig = rig_of(ONE, driver, STEP)
    joint = rig.plant.GetJointByName("0")

    def damping_after(simulator, told=None):
        context = rig.plant.GetMyMutableContextFromRoot(
            simulator.get_mutable_context()
        )
        if told is not None:
            joint.SetDampingVector(context, [told])
        simulator.Initialize()
        simulator.AdvanceTo(simulator.get_context().get_time() + 0.02)
        return joint.GetDampingVector(context)[0]

    first, second = rig.simulator(), rig.simulator()
    assert damping_after(first) == 30.0
    assert damping_after(first) == 30.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotorWarning)
        assert damping_after(first, 5.0) == 35.0
    assert damping_after(second, 2.0) == 32.0
    clone = first.get_context().Clone()
    assert damping_after(rig.simulator(clone)) == 35.0
    second.get_mutable_context().SetTimeStateAndParametersFrom(
        first.get_context()
    )
    assert damping_after(second) == 35.0
    assert joint.default_damping_vector() == [0.0]


def test_damping_that_is_told_during_a_run_is_told_of_or_acts_at_once():
    driver = goes_to(
        0.5, "implicit", joints={"0": JointParameters(spring_constant=40.0)}
    )
    rig = rig_of(ONE, driver, STEP)
    simulator = rig.simulator()
    context = rig.plant.GetMyMutableContextFromRoot(
        simulator.get_mutable_context()
    )
    joint = rig.plant.GetJointByName("0")
    simulator.AdvanceTo(0.1)
    joint.SetDampingVector(context, [1.0])
    with pytest.warns(MotorWarning, match="without the node's spring"):
        simulator.AdvanceTo(0.2)
    stepper = MotorStepper(simulator, rig.motors)
    stepper.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotorWarning)
        joint.SetDampingVector(context, [2.0])
        stepper.step(10)
    assert joint.GetDampingVector(context) == [2.0 + STEP * 40.0]


@pytest.mark.parametrize("drive", DRIVES)
def test_what_is_told_between_two_steps_acts_in_the_next(drive):
    driver = goes_to(
        0.8, drive, joints={"0": JointParameters(damping_constant=5.0)}
    )
    after = changed(ONE, 0, mass=8.0, damping=1.0, rotor=0.3)

    def stepped(rig: Rig, told) -> np.ndarray:
        simulator = rig.simulator()
        context = rig.plant.GetMyMutableContextFromRoot(
            simulator.get_mutable_context()
        )
        stepper = MotorStepper(simulator, rig.motors)
        stepper.step()
        rig.plant.SetPositionsAndVelocities(context, [0.1, 0.2])
        told(rig.plant, context)
        stepper.step(20)
        return rig.state(simulator)

    with warnings.catch_warnings():
        warnings.simplefilter("error", MotorWarning)
        found = stepped(rig_of(ONE, driver, STEP), after.tell)
        expected = stepped(rig_of(after, driver, STEP), nothing)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("step", "drive"), [(STEP, "torque"), (STEP, "implicit"), (0.0, "torque")]
)
@pytest.mark.parametrize("change", ["heavier", "rotor", "lock"])
def test_what_is_told_after_a_plain_advance_acts_at_once(step, drive, change):
    driver = goes_to(0.8, drive, basic_time_step=STEP)

    def velocity(tell) -> float:
        """Returns the velocity of the motor's joint one step after the change."""
        rig = rig_of(TWO, driver, step)
        simulator = rig.simulator()
        simulator.AdvanceTo(0.3)
        root = simulator.get_mutable_context()
        tell(rig.plant, rig.plant.GetMyMutableContextFromRoot(root))
        own = rig.motors.GetMyMutableContextFromRoot(root)
        rig.motors.read_plant_parameters(own)
        simulator.AdvanceTo(0.3 + STEP)
        return rig.state(simulator)[2]

    # The servo slips by cfm (1e-5) per N m; a continuous plant moves on within a step.
    tolerance = 5e-4 if step else 5e-3
    found, expected = velocity(CHANGES[change].tell), velocity(nothing)
    assert found == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize("change", ["heavier", "rotor", "lock of the first"])
def test_a_continuous_plant_is_read_while_it_runs(change):
    driver = goes_to(0.8, "torque", basic_time_step=STEP)
    locked = change == "lock of the first"
    if locked:  # the other one holds on
        driver.motors["1"] = RotationalMotor("1", max_torque=80.0)
    rig = rig_of(TWO, driver, 0.0)
    simulator = rig.simulator()
    simulator.AdvanceTo(0.1)
    context = rig.plant.GetMyMutableContextFromRoot(
        simulator.get_mutable_context()
    )
    CHANGES[change].tell(rig.plant, context)
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotorWarning)
        simulator.AdvanceTo(1.2)
    # It would hang by what the torque for another mass leaves: 5e-3 rad and more.
    place, target = (1, 0.0) if locked else (0, 0.8)
    assert rig.state(simulator)[place] == pytest.approx(target, abs=1e-3)


def test_what_one_context_was_told_is_not_in_another():
    rig = rig_of(TWO, goes_to(0.8, "torque"), STEP)
    one, other = rig.simulator(), rig.simulator()
    changed(TWO, 1, mass=5.0).tell(
        rig.plant,
        rig.plant.GetMyMutableContextFromRoot(one.get_mutable_context()),
    )
    one.Initialize()
    clone = rig.simulator(one.get_context().Clone())
    for simulator in (one, other, clone):
        simulator.AdvanceTo(0.5)
    fresh = rig.simulator()
    fresh.AdvanceTo(0.5)
    np.testing.assert_array_equal(rig.state(one), rig.state(clone))
    np.testing.assert_array_equal(rig.state(other), rig.state(fresh))
    assert (rig.state(one) != rig.state(other)).any()


@pytest.mark.parametrize(
    "after", [changed(TWO, 1, mass=10.0), changed(TWO, 0, rotor=1.0)]
)
def test_a_continuous_plant_is_read_as_well(after):
    driver = goes_to(1.0, "torque", basic_time_step=STEP)
    found, expected, said = compared(TWO, after, driver, step=0.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=SAME)
    assert not said


@pytest.mark.parametrize("step", [STEP, 0.0])
@pytest.mark.parametrize("bound", [80.0, 0.5])
def test_what_acts_unseen_is_told_of_motors_at_their_bound_too(step, bound):
    # A spring of Drake's is seen; a controller that others turn on is not.
    plant, builder = TWO.plant(step), DiagramBuilder()
    builder.AddSystem(plant)
    driver = goes_to(0.5, "torque", basic_time_step=STEP)
    driver.motors["0"].max_torque = bound
    plant.Finalize()
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    gains = PdControllerGains(p=50.0, d=1.0)
    plant.GetJointActuatorByName("1").set_controller_gains(gains)
    rig = Rig(builder, plant, motors)
    simulator = rig.simulator()
    plant.get_desired_state_input_port(motors.model.instance).FixValue(
        plant.GetMyMutableContextFromRoot(simulator.get_mutable_context()),
        [0.0, 1.0, 0.0, 0.0],
    )
    with pytest.warns(MotorWarning, match="miss the velocities"):
        simulator.AdvanceTo(0.3)


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("running", [False, True])
def test_an_effort_limit_that_is_set_later_is_told_of(drive, running):
    rig, alike = (rig_of(ONE, goes_to(0.8, drive), STEP) for _ in range(2))
    simulator, other = rig.simulator(), alike.simulator()
    if running:  # before the motors' step of 0.2 s
        simulator.AdvanceTo(0.2 - 0.75 * STEP)
    rig.plant.GetJointActuatorByName("0").set_effort_limit(5.0)
    with pytest.warns(MotorWarning) as said:
        rig.advance(simulator, 80)
    (only,) = said
    assert "given the effort limit 5 after" in str(only.message)
    alike.advance(other, 80)
    assert rig.state(simulator).tolist() == alike.state(other).tolist()


# --- at random ---


def drawn_chain(rng: np.random.Generator) -> Chain:
    return Chain(
        [
            Link(
                mass=rng.uniform(0.5, 3.0),
                inertia=rng.uniform(0.01, 0.1),
                damping=rng.choice([0.0, rng.uniform(0, 2)]),
                rotor=rng.choice([0.0, rng.uniform(0, 0.1)]),
                gear=rng.choice([1.0, 3.0]),
                low=rng.choice([-math.inf, rng.uniform(-1, -0.1)]),
                high=rng.choice([math.inf, rng.uniform(0.1, 1)]),
            )
            for _ in range(rng.integers(1, 5))
        ]
    )


def drawn_change(
    rng: np.random.Generator, chain: Chain, *, discrete: bool
) -> Chain:
    """Returns the chain with some of its links' values others."""

    def other(link: Link) -> Link:
        values = {
            "mass": link.mass * rng.choice([0.1, 0.5, 3.0, 10.0]),
            "inertia": link.inertia * rng.choice([0.5, 5.0]),
            "damping": rng.uniform(0, 5),
            "rotor": rng.uniform(0, 1),
            "gear": rng.uniform(0.5, 3),
            "locked": discrete,
            "low": rng.uniform(-1, -0.1),
            "high": rng.uniform(0.1, 1),
        }
        chosen = [k for k in values if rng.random() < 0.3]
        return dc.replace(link, **{k: values[k] for k in chosen})

    return dc.replace(chain, links=[other(link) for link in chain.links])


def drawn_driver(
    rng: np.random.Generator, chain: Chain, drive: str
) -> WebotsMotorDriver:
    """Returns motors, dampers, springs, friction and brakes on some joints."""
    names = [str(i) for i in range(len(chain.links))]
    driver = WebotsMotorDriver(drive=drive, basic_time_step=2 * STEP)
    for name in names:
        if rng.random() < 0.7 or not driver.motors:
            driver.motors[name] = RotationalMotor(
                name, max_torque=rng.choice([2.0, 60.0]), max_velocity=5.0
            )
            commanded = rng.integers(3)
            driver.commands.append(
                TimedCommand(
                    motor=name,
                    **(
                        {"set_position": rng.uniform(-1, 1)},
                        {
                            "set_position": math.inf,
                            "set_velocity": rng.uniform(-2, 2),
                        },
                        {"set_torque": rng.uniform(-2, 2)},
                    )[commanded],
                )
            )
        if rng.random() < 0.4:
            driver.joints[name] = JointParameters(
                spring_constant=rng.choice([0.0, 5.0, 400.0]),
                damping_constant=rng.choice([0.0, 1.0, 100.0]),
                static_friction=rng.choice([0.0, 0.5]),
            )
        if rng.random() < 0.2:
            driver.brakes[f"{name}_brake_of_a_robot"] = Brake(name)
            driver.commands.append(
                TimedCommand(
                    brake=f"{name}_brake_of_a_robot",
                    set_damping_constant=rng.uniform(0, 3),
                )
            )
    return driver


def assert_right(seed: int, drive: str, step: float) -> None:
    rng = np.random.default_rng(seed)
    before = drawn_chain(rng)
    after = drawn_change(rng, before, discrete=step > 0)
    driver = drawn_driver(rng, before, drive)
    built = {
        "begin": BUILDERS[rng.integers(len(BUILDERS))],
        "push": rng.choice([0.0, rng.uniform(-1, 1)]),
    }
    found, expected, said = compared(
        before, after, driver, step=step, seconds=0.3, **built
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=10 * SAME)
    # A RobotDiagramBuilder may not let the torque drive know of the push.
    unseen = built["push"] and built["begin"] is of_robot_diagram
    if drive == "implicit" or not unseen:
        assert not any("miss the velocities" in words for words in said)


@given(seed=st.integers(0, 2**32 - 1), drive=st.sampled_from(DRIVES))
@settings(max_examples=draws(4, 50))
def test_random_changes_are_right(seed, drive):
    assert_right(seed, drive, STEP)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=draws(4, 50))
def test_random_changes_of_continuous_plants_are_right(seed):
    assert_right(seed, "torque", 0.0)
