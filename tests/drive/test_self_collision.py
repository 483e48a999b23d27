"""Whether a robot's own bodies collide with each other."""

import pytest
from _lib.plants import (
    MODEL,
    X,
    add_body,
    add_joint,
)
from mechanisms import (
    warnings_of,
)
from pydrake.geometry import SceneGraph, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    CoulombFriction,
    MultibodyPlant,
)
from pydrake.multibody.tree import RigidBody
from pydrake.planning import RobotDiagramBuilder
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.data import SCENARIOS
from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.drive.many_robots import ApplyDriverConfigToMany
from webmotor_drake.drive.self_collision import (
    apply_self_collision,
    robot_bodies,
)
from webmotor_drake.loading import load_scenario
from webmotor_drake.nodes.motors import RotationalMotor
from webmotor_drake.simulation.diagram import assemble

WARNING = (
    "robot: shapes of its own overlap at the start and push each other apart:"
    " base and lower by 32 mm; self_collision: false in the driver ends it, true"
    " keeps it"
)


class Arm:
    """Base, upper and lower link; balls on base and lower overlap by 3 cm."""

    def __init__(self, gap: float = -0.04):
        builder = DiagramBuilder()
        self.build(builder, *AddMultibodyPlantSceneGraph(builder, 0.001), gap)

    def build(self, builder, plant, graph, gap: float = -0.04):
        self.builder, self.plant, self.graph = builder, plant, graph
        self.plant.AddModelInstance(MODEL)
        self.base, self.upper, self.lower = (
            add_body(self.plant, name, com=(0, 0, 0), inertia=(0.01,) * 3)
            for name in ("base", "upper", "lower")
        )
        self.plant.WeldFrames(self.plant.world_frame(), self.base.body_frame())
        add_joint(self.plant, "shoulder", self.upper, parent=self.base)
        add_joint(
            self.plant,
            "elbow",
            self.lower,
            parent=self.upper,
            at=(0.2 + gap, 0, 0),
        )
        self.ball(self.base, z=-0.05)  # pushes the lower link up
        self.ball(self.lower)

    def ball(self, body: RigidBody, z: float = 0.0):
        X_BS = RigidTransform([0, 0, z])
        self.plant.RegisterCollisionGeometry(
            body, X_BS, Sphere(0.1), body.name(), CoulombFriction()
        )

    def hand(self) -> RigidBody:
        """Adds another model, on the lower link and in the base."""
        self.plant.AddModelInstance("hand")
        hand = add_body(self.plant, "palm", model="hand")
        X_LH = RigidTransform([-0.1, 0, 0])
        self.plant.WeldFrames(self.lower.body_frame(), hand.body_frame(), X_LH)
        self.ball(hand)
        return hand

    def drive(self, self_collision: bool | None, **options):
        """Returns the motors' system and what was warned of."""
        driver = WebotsMotorDriver(
            self_collision=self_collision,
            motors={
                name: RotationalMotor(joint=name)
                for name in ("shoulder", "elbow")
            },
            **options,
        )
        configure_actuators(driver, MODEL, self.plant)
        self.plant.Finalize()

        def build():
            motors = ApplyDriverConfig(
                driver, MODEL, self.plant, builder=self.builder
            )
            self.diagram = self.builder.Build()
            return motors

        return warnings_of(build)

    def positions_after(self, time: float):
        simulator = Simulator(self.diagram)
        simulator.AdvanceTo(time)
        context = self.plant.GetMyContextFromRoot(simulator.get_context())
        model = self.plant.GetModelInstanceByName(MODEL)
        return self.plant.GetPositions(context, model)


def test_overlapping_shapes_are_named_with_the_word_that_ends_it():
    _, warnings = Arm().drive(None)
    assert warnings == [WARNING]


@pytest.mark.parametrize("told", [True, False])
def test_who_decides_is_not_warned(told):
    _, warnings = Arm().drive(told)
    assert warnings == []


@pytest.mark.parametrize("self_collision", [None, True, False])
def test_a_robot_that_starts_inside_another_model_is_told(self_collision):
    arm = Arm(gap=0.01)
    arm.plant.AddModelInstance("wall")
    wall = add_body(arm.plant, "bricks", model="wall")
    X_WB = RigidTransform([0.35, 0, 0])
    arm.plant.WeldFrames(arm.plant.world_frame(), wall.body_frame(), X_WB)
    arm.ball(wall)
    ground = arm.plant.world_body()
    arm.ball(ground, z=-0.199)  # the lower link stands on it: 1 mm
    _, warnings = arm.drive(self_collision)
    assert warnings == [
        "robot: it starts inside shapes of others, which push it away or hold it:"
        " lower and wall::bricks by 60 mm"
    ]


def test_shapes_that_do_not_overlap_are_no_matter():
    _, warnings = Arm(gap=0.01).drive(None)
    assert warnings == []


def test_without_self_collision_an_overlapping_arm_holds_its_pose():
    # A servo gives way by cfm * torque / P: below 1e-5 rad.
    arm = Arm()
    arm.drive(False)
    assert abs(arm.positions_after(0.5)).max() < 1e-4


def test_with_self_collision_an_overlapping_arm_is_pushed_apart():
    arm = Arm()
    arm.drive(True)
    assert abs(arm.positions_after(0.5)).max() > 0.02


def test_what_cannot_touch_needs_no_contact_solver():
    motors, _ = Arm().drive(False)
    assert motors.drive == "torque"
    motors, _ = Arm().drive(True)
    assert motors.drive == "implicit"


def test_what_is_mounted_on_a_robot_belongs_to_it():
    arm = Arm()
    hand = arm.hand()
    arm.plant.AddModelInstance("table")
    table = add_body(arm.plant, "table", model="table")
    instance = arm.plant.GetModelInstanceByName(MODEL)
    found = robot_bodies(arm.plant, instance)
    assert hand.index() in found
    assert table.index() not in found
    assert arm.plant.world_body().index() not in found
    arm.drive(False)
    assert abs(arm.positions_after(0.2)).max() < 1e-4


def test_a_robot_does_not_own_what_it_stands_on():
    plant = MultibodyPlant(0.001)
    for model in ("table", "arm"):
        plant.AddModelInstance(model)
    table = add_body(plant, "table", model="table")
    arm = add_body(plant, "arm", model="arm")
    plant.WeldFrames(table.body_frame(), arm.body_frame())
    instance = plant.GetModelInstanceByName("arm")
    assert robot_bodies(plant, instance) == {arm.index()}


def test_without_a_scene_graph_in_the_builder_it_is_told():
    # The scene graph is in a diagram around the builder.
    builder, graph = DiagramBuilder(), SceneGraph()
    plant = builder.AddSystem(MultibodyPlant(0.001))
    plant.RegisterAsSourceForSceneGraph(graph)
    plant.AddModelInstance(MODEL)
    add_joint(plant, "hinge", add_body(plant, "link"), axis=X)
    plant.Finalize()
    driver = WebotsMotorDriver(
        motors={"m": RotationalMotor(joint="hinge")}, self_collision=False
    )
    _, warnings = warnings_of(
        ApplyDriverConfig, driver, MODEL, plant, builder=builder
    )
    assert warnings == [
        "robot: self_collision false needs the plant's scene graph, connected"
        " to it in the builder; the model's bodies collide with each other"
    ]


def test_a_plant_without_geometry_has_nothing_to_say():
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(0.001))
    plant.AddModelInstance(MODEL)
    add_joint(plant, "hinge", add_body(plant, "link"), axis=X)
    plant.Finalize()
    driver = WebotsMotorDriver(
        motors={"m": RotationalMotor(joint="hinge")}, self_collision=False
    )
    _, warnings = warnings_of(
        ApplyDriverConfig, driver, MODEL, plant, builder=builder
    )
    assert warnings == []


def test_many_robots_are_told_as_one_is():
    arm = Arm()
    arm.plant.Finalize()
    driver = WebotsMotorDriver(
        drive="torque", motors={"m": RotationalMotor(joint="elbow")}
    )
    ApplyDriverConfigToMany(driver, [MODEL], arm.plant, arm.builder)
    _, warnings = warnings_of(arm.builder.Build)
    assert warnings == [WARNING]


def test_what_somebody_filters_later_is_not_warned_of():
    # As another driver on the robot does, which has its turn later.
    arm = Arm()
    arm.plant.Finalize()
    driver = WebotsMotorDriver(motors={"m": RotationalMotor(joint="elbow")})
    driver.drive = "torque"
    ApplyDriverConfig(driver, MODEL, arm.plant, builder=arm.builder)
    instance = arm.plant.GetModelInstanceByName(MODEL)
    apply_self_collision(False, arm.builder, arm.plant, instance)
    _, warnings = warnings_of(arm.builder.Build)
    assert warnings == []


SCENARIO = """
Arm:
  simulation_duration: 0.1
  plant_config: {{time_step: 0.001}}
  directives:
  - add_model: {{name: robot, file: arm.sdf}}
  - add_weld: {{parent: world, child: robot::base}}
  model_drivers:
    robot: !WebotsMotorDriver
      self_collision: {told}
      motors: {{m: !RotationalMotor {{joint: elbow}}}}
"""
LINK = """
<link name='{name}'><pose>{x} 0 0 0 0 0</pose><collision name='c'>
<geometry><sphere><radius>{radius}</radius></sphere></geometry>
</collision></link>
"""
JOINT = """
<joint name='{name}' type='revolute'><parent>{parent}</parent><child>{child}</child>
<axis><xyz>0 0 1</xyz></axis></joint>
"""


@pytest.mark.parametrize(
    ("told", "warned"), [("null", 1), ("true", 0), ("false", 0)]
)
def test_a_scenario_says_it_in_a_word(tmp_path, told, warned):
    links = {"base": (0, 0.1), "upper": (0.1, 0.01), "lower": (0.168, 0.1)}
    parts = [
        LINK.format(name=name, x=x, radius=radius)
        for name, (x, radius) in links.items()
    ]
    parts.append(JOINT.format(name="shoulder", parent="base", child="upper"))
    parts.append(JOINT.format(name="elbow", parent="upper", child="lower"))
    (tmp_path / "arm.sdf").write_text(
        f"<sdf version='1.7'><model name='arm'>{''.join(parts)}</model></sdf>"
    )
    file = tmp_path / "arm.scenario.yaml"
    file.write_text(SCENARIO.format(told=told))
    assembly = assemble(load_scenario(file))
    _, warnings = warnings_of(assembly.builder.Build)
    assert warnings == [WARNING][:warned]
    ends = (
        assembly.plant.GetBodyByName("base"),
        assembly.plant.GetBodyByName("lower"),
    )
    shapes = [
        assembly.plant.GetCollisionGeometriesForBody(body)[0] for body in ends
    ]
    inspector = assembly.scene_graph.model_inspector()
    assert inspector.CollisionFiltered(*shapes) == (told == "false")


def test_a_robot_that_may_touch_itself_can_be_drawn(meshcat):
    # Drake's visualizer of inertias has frames of its own in the scene.
    file = SCENARIOS / "controller_avoid.scenario.yaml"
    text = "{model_drivers: {robot: {controller: ''}}}"
    scenario = load_scenario(file, text=text)
    assembly = assemble(scenario, meshcat=meshcat)
    _, warnings = warnings_of(assembly.builder.Build)
    assert warnings == []


def test_a_robot_diagrams_overlaps_are_named_at_the_start():
    # Its Build is not the one that Python finds.
    arm = Arm.__new__(Arm)
    robot = RobotDiagramBuilder(time_step=0.001)
    arm.build(robot.builder(), robot.plant(), robot.scene_graph())
    driver = WebotsMotorDriver(motors={"elbow": RotationalMotor("elbow")})
    configure_actuators(driver, MODEL, arm.plant)
    arm.plant.Finalize()
    ApplyDriverConfig(driver, MODEL, arm.plant, builder=arm.builder)
    simulator = Simulator(robot.Build())
    _, warnings = warnings_of(simulator.Initialize)
    assert warnings == [WARNING]
