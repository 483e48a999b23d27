"""Which drive motors get without being asked, and why."""

import itertools

import pytest
from _lib.plants import (
    MODEL,
    X,
    Z,
    add_body,
    add_joint,
    new_plant,
)
from mechanisms import (
    Rig,
    driven,
    velocity_driver,
    warnings_of,
)
from pydrake.geometry import HalfSpace, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import PdControllerGains, RigidBody
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.cli.check_command import describe
from webmotor_drake.drive.drive_choice import choose_drive
from webmotor_drake.drive.driver import ApplyDriverConfig
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

NOTHING = ("torque", "nothing can touch what the motors move")


class Scene:
    """A plant in a scene graph: bodies with a ball each, unless `bare`."""

    def __init__(self, time_step: float = 0.001):
        self.builder = DiagramBuilder()
        self.plant, self.graph = AddMultibodyPlantSceneGraph(
            self.builder, time_step
        )
        self.plant.AddModelInstance(MODEL)

    def body(self, name: str, *, bare: bool = False) -> RigidBody:
        body = add_body(self.plant, name)
        if not bare:
            self.ball(body, name)
        return body

    def ball(self, body: RigidBody, name: str):
        self.plant.RegisterCollisionGeometry(
            body, RigidTransform(), Sphere(0.1), name, CoulombFriction(1, 1)
        )

    def table(self):
        self.plant.RegisterCollisionGeometry(
            self.plant.world_body(),
            HalfSpace.MakePose(Z, [0, 0, -1]),
            HalfSpace(),
            "table",
            CoulombFriction(1, 1),
        )

    def arm(self, **options) -> list[RigidBody]:
        """Adds a base that is welded to the world and two links on it."""
        base = self.body("base", **options)
        self.plant.WeldFrames(self.plant.world_frame(), base.body_frame())
        upper = self.body("upper", **options)
        lower = self.body("lower", **options)
        add_joint(self.plant, "shoulder", upper, parent=base)
        add_joint(self.plant, "elbow", lower, parent=upper, at=(0, 0, -0.5))
        return [base, upper, lower]

    def choice(self, *joints: str, drive: str = "auto") -> tuple[str, str]:
        """Returns drive and reason: the same before and after Finalize."""
        found = [self.plant.GetJointByName(name) for name in joints]
        before = choose_drive(drive, self.plant, found)
        self.plant.Finalize()
        assert choose_drive(drive, self.plant, found) == before
        return before


# --- what can touch ---


def test_an_arm_without_shapes_gets_the_torque_drive():
    scene = Scene()
    scene.arm(bare=True)
    scene.table()
    assert scene.choice("shoulder", "elbow") == NOTHING


def test_an_arm_over_a_table_gets_the_implicit_drive():
    scene = Scene()
    scene.arm()
    scene.table()
    drive, reason = scene.choice("shoulder")
    assert drive == "implicit"
    assert reason.endswith("can touch world")


def test_links_that_may_hit_each_other_are_reason_enough():
    # Upper and base, lower and upper share a joint; lower and base don't.
    scene = Scene()
    scene.arm()
    drive, reason = scene.choice("shoulder", "elbow")
    assert (drive, reason) == ("implicit", "lower can touch base")


def test_links_that_share_a_joint_do_not_touch():
    scene = Scene()
    link = scene.body("link")
    other = scene.body("other")
    add_joint(scene.plant, "hinge", link)
    add_joint(scene.plant, "next", other, parent=link)
    assert scene.choice("hinge", "next") == NOTHING


def test_bodies_welded_together_do_not_touch():
    scene = Scene()
    link, tool = scene.body("link"), scene.body("tool")
    add_joint(scene.plant, "hinge", link)
    scene.plant.WeldFrames(link.body_frame(), tool.body_frame())
    assert scene.choice("hinge") == NOTHING


def test_a_shape_welded_to_a_neighbour_can_touch():
    scene = Scene()
    link, other, tool = map(scene.body, ("link", "other", "tool"))
    add_joint(scene.plant, "hinge", link)
    add_joint(scene.plant, "next", other, parent=link)
    scene.plant.WeldFrames(other.body_frame(), tool.body_frame())
    assert scene.choice("hinge")[0] == "implicit"


def test_a_body_on_a_joint_to_the_world_can_touch_what_is_fixed_there():
    # Drake does not filter the two, as it does other neighbours.
    scene = Scene()
    add_joint(scene.plant, "rail", scene.body("piston"), axis=X, sliding=True)
    scene.table()
    assert scene.choice("rail") == ("implicit", "piston can touch world")


def test_the_base_of_a_floating_model_can_touch_the_ground():
    # When the plant is final there is a joint between the two.
    scene = Scene()
    base, wheel = scene.body("base"), scene.body("wheel", bare=True)
    add_joint(scene.plant, "axle", wheel, parent=base)
    scene.table()
    assert scene.choice("axle") == ("implicit", "base can touch world")


def test_what_the_motors_do_not_move_does_not_count():
    scene = Scene()
    scene.table()
    scene.body("ball")
    add_joint(scene.plant, "hinge", scene.body("link", bare=True))
    assert scene.choice("hinge") == NOTHING


def test_what_a_motor_moves_may_be_far_down_its_tree():
    scene = Scene()
    links = scene.arm(bare=True)
    scene.ball(links[-1], "tip")
    scene.body("loose ball")
    assert scene.choice("shoulder") == (
        "implicit",
        "lower can touch loose ball",
    )


def test_pairs_that_drake_lets_collide_are_those_that_can_touch():
    # All pairs of a plant with every kind of link, judged by the scene graph.
    scene = Scene()
    plant = scene.plant
    base, upper, lower = scene.arm()
    tool, slide, free = map(scene.body, ("tool", "slide", "free"))
    plant.WeldFrames(lower.body_frame(), tool.body_frame())
    add_joint(plant, "rail", slide, sliding=True)
    scene.table()
    plant.Finalize()
    inspector = scene.graph.model_inspector()

    def touch(a: RigidBody, b: RigidBody) -> bool:
        return not inspector.CollisionFiltered(
            *(plant.GetCollisionGeometriesForBody(body)[0] for body in (a, b))
        )

    world = plant.world_body()
    bodies = [world, base, upper, lower, tool, slide, free]
    touching = {
        frozenset((a.name(), b.name()))
        for a, b in itertools.combinations(bodies, 2)
        if touch(a, b)
    }
    assert {"slide", "world"} in touching
    assert {"free", "world"} in touching
    assert {"base", "lower"} in touching
    assert {"base", "upper"} not in touching
    assert {"base", "world"} not in touching
    assert {"lower", "tool"} not in touching
    for joint in ("shoulder", "rail"):
        _, reason = choose_drive("auto", plant, [plant.GetJointByName(joint)])
        assert frozenset(reason.split(" can touch ")) in touching


# --- what hangs together without touching ---


def coupled_sliders(drive: str = "auto") -> tuple[str, str, float]:
    """Returns drive, reason and speed after a step of two coupled sliders."""
    plant = new_plant(0.008)
    sliders = [add_body(plant, name, mass=3.0) for name in ("one", "other")]
    joints = [
        add_joint(plant, f"{body.name()}_rail", body, axis=X, sliding=True)
        for body in sliders
    ]
    plant.AddCouplerConstraint(
        joint0=joints[1], joint1=joints[0], gear_ratio=1.0
    )
    driver = velocity_driver(plant, {"one_rail": 1.0}, drive=drive)
    rig = Rig(*driven(plant, driver))
    simulator = rig.simulator()
    rig.advance(simulator, 1)
    return rig.motors.drive, rig.motors.drive_reason, rig.state(simulator)[2]


# --- what else drives ---


def hand_on_an_arm() -> Scene:
    """Returns an arm, and on it a hand that is another model."""
    scene = Scene()
    upper = scene.arm(bare=True)[1]
    scene.plant.AddModelInstance("hand")
    finger = add_body(scene.plant, "finger", model="hand")
    add_joint(scene.plant, "knuckle", finger, parent=upper, effort_limit=None)
    return scene


@pytest.mark.parametrize(
    ("joint", "other"), [("shoulder", "hand"), ("knuckle", MODEL)]
)
def test_a_tree_with_joints_of_another_model_gets_the_implicit_drive(
    joint, other
):
    scene = hand_on_an_arm()
    reason = f"the model shares its tree with {other}"
    assert scene.choice(joint) == ("implicit", reason)


def test_a_base_of_another_model_drives_nothing():
    scene = Scene()
    scene.plant.AddModelInstance("base")
    base = add_body(scene.plant, "base", model="base")
    add_joint(scene.plant, "hinge", scene.body("link", bare=True), parent=base)
    assert scene.choice("hinge") == NOTHING


def test_an_actuator_with_a_controller_of_its_own_changes_nothing():
    # It is off, or connected and told of: see test_own_gains.py.
    scene = Scene()
    scene.arm(bare=True)
    elbow = scene.plant.GetJointActuatorByName("elbow")
    elbow.set_controller_gains(PdControllerGains(p=10.0, d=1.0))
    assert scene.choice("shoulder") == NOTHING


def test_the_torque_drive_on_a_shared_tree_is_warned_of():
    scene = hand_on_an_arm()
    scene.plant.Finalize()
    shoulder = scene.plant.GetJointByName("shoulder")
    choice, warned = warnings_of(
        choose_drive, "torque", scene.plant, [shoulder]
    )
    assert choice == ("torque", "chosen")
    assert warned == [
        "the model shares its tree with hand; the torque drive takes that for"
        " passive"
    ]


def test_constraints_are_the_solvers_business_too():
    drive, reason, speed = coupled_sliders()
    assert drive == "implicit"
    assert reason == "the plant has constraints, such as mimic joints"
    # Drake's constraints give way a little.
    assert speed == pytest.approx(1.0, abs=0.02)


def test_the_torque_drive_does_not_see_constraints():
    assert coupled_sliders("torque")[2] == pytest.approx(0.5, abs=0.02)


# --- what the plant allows ---


def sliding_ball(time_step: float) -> Scene:
    scene = Scene(time_step)
    add_joint(scene.plant, "rail", scene.body("ball"), sliding=True)
    scene.table()
    return scene


CONTACT = "ball can touch world"
APPROXIMATIONS = [
    approximation
    for approximation in DiscreteContactApproximation.__members__.values()
    if approximation.name != "kTamsi"
]


@pytest.mark.parametrize("approximation", APPROXIMATIONS)
@pytest.mark.parametrize("drive", ["auto", "implicit"])
def test_every_convex_contact_approximation_will_do(approximation, drive):
    scene = sliding_ball(0.001)
    scene.plant.set_discrete_contact_approximation(approximation)
    assert scene.choice("rail", drive=drive)[0] == "implicit"


def obstructed(obstacle: str) -> Scene:
    if obstacle == "continuous":
        return sliding_ball(0.0)
    tamsi = getattr(DiscreteContactApproximation, "kTamsi", None)
    if tamsi is None:
        pytest.skip("this Drake has no tamsi any more")
    scene = sliding_ball(0.001)
    scene.plant.set_discrete_contact_approximation(tamsi)
    return scene


OBSTACLES = {
    "tamsi": "the contact approximation tamsi",
    "continuous": "a continuous plant (time_step 0)",
}


@pytest.mark.parametrize(("kind", "words"), OBSTACLES.items())
def test_a_plant_that_ignores_servos_is_refused(kind, words):
    scene = obstructed(kind)
    with pytest.raises(InputError) as caught:
        scene.choice("rail", drive="implicit")
    assert caught.value.path == ("drive",)
    assert caught.value.problem == (
        f"implicit does not work with {words}; use torque, or a discrete plant"
        " with the contact approximation sap, similar or lagged"
    )


@pytest.mark.parametrize(("kind", "words"), OBSTACLES.items())
def test_auto_then_takes_the_torque_drive_and_warns_of_it_once(kind, words):
    reason = f"{CONTACT}, but implicit does not work with {words}"
    choice, warned = warnings_of(obstructed(kind).choice, "rail")
    assert choice == ("torque", reason)
    assert warned == [f"{reason}; the torque drive does not see that"]


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_drive_that_is_asked_for_is_taken(drive):
    assert sliding_ball(0.001).choice("rail", drive=drive) == (drive, "chosen")


# --- in a program, and on the command line ---


def unprepared(drive: str):
    """Gives motors to a plant that was finalized without us."""
    scene = sliding_ball(0.001)
    scene.plant.Finalize()
    driver = velocity_driver(scene.plant, {"rail": 1.0}, drive=drive)
    return ApplyDriverConfig(driver, MODEL, scene.plant, builder=scene.builder)


def test_without_configure_actuators_auto_warns_and_takes_the_torque_drive():
    motors, warned = warnings_of(unprepared, "auto")
    assert motors.drive == "torque"
    assert motors.drive_reason == (
        f"{CONTACT}, but configure_actuators was not called"
    )
    assert warned == [
        f"{CONTACT}, but the implicit drive needs a call of configure_actuators"
        " when all else is in the plant, before its Finalize; the torque drive does"
        " not see contact"
    ]


def test_without_configure_actuators_implicit_is_refused():
    with pytest.raises(InputError) as caught:
        unprepared("implicit")
    assert caught.value.path == ("drive",)
    assert "configure_actuators" in caught.value.problem


def test_drive_and_reason_are_the_systems():
    plant = new_plant(0.001)
    add_joint(plant, "hinge", add_body(plant, "link"))
    _, _, motors = driven(plant, velocity_driver(plant, {"hinge": 1.0}))
    assert (motors.drive, motors.drive_reason) == NOTHING


SCENARIO = """
Arm:
  simulation_duration: 0.1
  plant_config: {{time_step: {time_step}, {config}}}
  directives:
  - add_model: {{name: ground, file: package://webmotor_models/ground.urdf}}
  - add_weld: {{parent: world, child: ground::ground}}
  - add_model: {{name: piston, file: package://webmotor_models/piston.urdf}}
  - add_weld: {{parent: world, child: piston::cylinder}}
  model_drivers:
    piston: !WebotsMotorDriver
      basic_time_step: 0.008
      drive: {drive}
      motors:
        rod motor: !LinearMotor {{joint: rod}}
"""


def simulation(tmp_path, *, drive="auto", time_step=0.001, config=""):
    file = tmp_path / "arm.scenario.yaml"
    file.write_text(
        SCENARIO.format(drive=drive, time_step=time_step, config=config)
    )
    return Simulation(load_scenario(file))


def test_check_says_which_drive_and_why(tmp_path):
    text = describe(simulation(tmp_path))
    assert "drive implicit (rod can touch ground)" in text


def test_check_says_why_not(tmp_path):
    text = describe(simulation(tmp_path, time_step=0.0))
    assert (
        "drive torque (rod can touch ground, but implicit does not work with a"
        " continuous plant (time_step 0))" in text
    )


def test_a_refused_drive_is_told_with_its_place(tmp_path):
    with pytest.raises(InputError) as caught:
        simulation(tmp_path, drive="implicit", time_step=0.0)
    message = str(caught.value)
    assert "arm.scenario.yaml:13:7: Arm.model_drivers.piston.drive" in message
