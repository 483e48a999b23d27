"""Muscles lie between their points, whatever joins the bodies."""

import base64
import math
import re

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.simulation.muscles import (
    _MuscleDrawing,
    motor_status,
    muscle_color,
    muscle_radius,
)
from webmotor_drake.simulation.simulation import Simulation

REST, SECOND, THIRD = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
COLORS = [REST, SECOND, THIRD]
TORSO = """\
Nod:
  simulation_duration: 0.2
  plant_config: {time_step: 0.002}
  directives:
  - add_model: {name: torso, file: package://webmotor_models/torso.sdf}
  - add_weld: {parent: world, child: torso::torso}
  model_drivers:
    torso: !WebotsMotorDriver
      multi_axis_joints:
        neck: !Hinge2Joint
          parent: torso::torso
          child: torso::head
          anchor: [0, 0, 0.2]
          translation: [0, 0, 0.2]
          axis: [0, 0, 1]
          axis2: [0, 1, 0]
        shoulder: !BallJoint
          parent: torso::torso
          child: torso::arm
          anchor: [0, 0.17, 0.12]
          translation: [0, 0.17, 0.12]
          axis: [0, 1, 0]
          axis3: [1, 0, 0]
      motors:
        turn: !RotationalMotor {joint: neck_1, muscles: [&m {end_offset: [0, 0.1, 0]}]}
        nod: !RotationalMotor {joint: neck_2, muscles: [*m, {visible: false}]}
        lift: !RotationalMotor {joint: shoulder_1, muscles: [*m]}
      commands:
      - {time: 0, motor: turn, set_position: 0.4}
      - {time: 0, motor: nod, set_position: 0.6}
      - {time: 0, motor: lift, set_position: 0.5}
"""


class Slate:
    """Stands for a Meshcat: it remembers what was drawn last."""

    def __init__(self):
        self.poses, self.sizes, self.colors = {}, {}, {}

    def SetObject(self, path, shape, rgba):
        self.poses[path.removesuffix("/shape")] = None

    def SetTransform(self, path, X, time):
        self.poses[path] = X

    def SetProperty(self, path, name, value, time=None):
        {"scale": self.sizes, "color": self.colors}[name][path] = value

    def get_mutable_recording(self):
        raise RuntimeError("not recording")


def drawn(simulation) -> Slate:
    """Returns what is drawn of a simulation as it is now."""
    slate, plant = Slate(), simulation.plant
    system = _MuscleDrawing(plant, simulation.motors, slate, 0.1)
    context = system.CreateDefaultContext()
    root = simulation.simulator.get_context()
    of_plant = plant.GetMyContextFromRoot(root)
    state = plant.get_state_output_port().Eval(of_plant)
    system.GetInputPort("state").FixValue(context, state)
    for model, motors in simulation.motors.items():
        tables = motors.GetOutputPort("tables")
        values = tables.Eval(motors.GetMyContextFromRoot(root))
        system.GetInputPort(model).FixValue(context, values)
    system.ForcedPublish(context)
    return slate


def ends(slate, path) -> tuple[np.ndarray, np.ndarray]:
    """Returns the tips of a spheroid, start and end, in the world."""
    half = np.array([0, slate.sizes[f"{path}/shape"][1], 0])
    X = slate.poses[path]
    return X @ -half, X @ half


@pytest.fixture(scope="module")
def curled():
    """Returns the arm that has bent its elbow, held at 2.5 s."""
    simulation = Simulation(wm.load_scenario("package:biceps"))
    simulation.advance_to(2.5)
    return simulation


def test_a_muscle_lies_between_its_points(curled):
    slate, plant = drawn(curled), curled.plant
    context = plant.GetMyContextFromRoot(curled.simulator.get_context())
    biceps = curled.motors["arm"].model.motors["elbow motor"].muscles[0]
    bodies = [plant.GetBodyByName(name) for name in ("upper_arm", "forearm")]
    points = [
        plant.EvalBodyPoseInWorld(context, body) @ np.array(offset)
        for body, offset in zip(
            bodies, (biceps.start_offset, biceps.end_offset), strict=True
        )
    ]
    path = "/drake/muscles/arm/elbow motor/0"
    assert np.array(ends(slate, path)) == pytest.approx(np.array(points))
    length = np.linalg.norm(points[1] - points[0])
    thick, _, deep = slate.sizes[f"{path}/shape"]
    assert thick == deep == pytest.approx(muscle_radius(biceps.volume, length))


def test_the_biceps_swells_and_the_triceps_thins_when_the_elbow_bends(curled):
    path = "/drake/muscles/arm/elbow motor/{}/shape"
    before = drawn(Simulation(wm.load_scenario("package:biceps")))
    after = drawn(curled)
    biceps, triceps = (
        after.sizes[path.format(i)][0] / before.sizes[path.format(i)][0]
        for i in (0, 1)
    )
    assert biceps > 1.02
    assert triceps < 0.98


def test_the_colour_is_that_of_the_share_of_the_torque(curled):
    # It is held: the effort is the same in all steps, and both
    # colours that may be taken are the same.
    slate = drawn(curled)
    rest, pulled, _ = (
        np.array(color)
        for color in curled.motors["arm"]
        .model.motors["elbow motor"]
        .muscles[0]
        .color
    )
    effort = curled.results()["arm/elbow motor/effort"][-1]
    share = abs(effort) / 15
    color = slate.colors["/drake/muscles/arm/elbow motor/0/shape/<object>"]
    # The last of the way decays still, by 1e-4 of the torque per step.
    mixed = (1 - share) * rest + share * pulled
    assert color == pytest.approx([*mixed, 1.0], abs=1e-3)


def test_axes_of_one_joint_have_muscles_between_the_same_bodies(tmp_path):
    # A Hinge2Joint is two hinges with a small body between, a BallJoint three.
    (tmp_path / "s.yaml").write_text(TORSO)
    simulation = Simulation(wm.load_scenario(tmp_path / "s.yaml"))
    simulation.advance_to(0.2)
    slate, plant = drawn(simulation), simulation.plant
    context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
    assert sorted(slate.poses) == [
        f"/drake/muscles/torso/{name}/0" for name in ("lift", "nod", "turn")
    ]
    for name, body in (("turn", "head"), ("nod", "head"), ("lift", "arm")):
        X_WB = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(body))
        _, end = ends(slate, f"/drake/muscles/torso/{name}/0")
        assert end == pytest.approx(X_WB @ np.array([0, 0.1, 0]))
    # Webots tells muscles of a BallJoint nothing.
    muscles = simulation.motors["torso"].model.motors["lift"].muscles
    assert muscles[0].color == []
    assert slate.colors["/drake/muscles/torso/lift/0/shape/<object>"][0] == 1


def test_a_recording_has_size_and_colour_of_muscles(meshcat):
    scenario = wm.load_scenario(
        "package:biceps", text="{simulation_duration: 0.1}"
    )
    simulation = Simulation(scenario, meshcat=meshcat)
    meshcat.StartRecording()
    simulation.run()
    meshcat.PublishRecording()
    page = meshcat.StaticHtml()
    sent = b"".join(map(base64.b64decode, re.findall('base64,([^"]+)', page)))
    for track in (b".scale", b".material.color"):
        assert sent.count(track) == 2  # one per muscle


@pytest.mark.parametrize("length", [0.05, 0.2, 1.0])
def test_the_volume_stays_as_it_gets_longer(length):
    radius = muscle_radius(0.01, length)
    assert 4 / 3 * math.pi * length * radius**2 == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("effort", "options", "status"),
    [
        (5, {}, 0.5),
        (-5, {}, -0.5),
        (5, {"is_linear": True}, -0.5),  # a slider's feedback counts negative
        (5, {"is_linear": True, "is_direct": True}, 0.5),
        (30, {}, 1.0),  # a stop's force may be above the motor's
        (-30, {}, -1.0),
    ],
)
def test_a_muscle_is_told_the_share_of_the_largest_effort(
    effort, options, status
):
    assert motor_status(effort, 10, **options) == status


def test_a_motor_without_effort_leaves_its_muscles_at_rest():
    assert motor_status(5, 0) == 0


def test_a_joint_that_simply_moves_tells_its_share_of_the_largest_speed():
    assert motor_status(-1, 4) == -0.25
    assert motor_status(9, 4) == 1


@pytest.mark.parametrize(
    ("status", "stretch", "color"),
    [
        (0.0, 0.1, REST),
        (-1.0, 0.0, SECOND),
        (1.0, 0.0, THIRD),
        (1.0, -0.1, THIRD),
        (1.0, 0.1, SECOND),  # longer with a positive status: swapped
        (-1.0, -0.1, THIRD),  # shorter with a negative one: swapped
        (-0.25, 0.0, (0.25, 0.0, 0.0)),  # a quarter of the way from rest
    ],
)
def test_the_colour_follows_status_and_stretch(status, stretch, color):
    assert muscle_color(COLORS, status, stretch) == pytest.approx(color)


def test_the_last_colour_stands_for_those_that_are_missing():
    assert muscle_color(COLORS[:2], 1.0, 0.0) == SECOND
    assert muscle_color(COLORS[:1], 1.0, 0.0) == REST
    assert muscle_color([], 0.5, 0.0) == (1.0, 0.0, 0.0)
