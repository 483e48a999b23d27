"""Tracks carry what lies on them, and drive what stands on them."""

import numpy as np
import pytest
from pydrake.multibody.plant import MultibodyPlant
from standing import LINK, write_models

from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.simulation import Simulation

HAS_TRACKS = hasattr(MultibodyPlant, "SetSurfaceVelocityAxis")
needs_tracks = pytest.mark.skipif(
    not HAS_TRACKS, reason="this Drake knows no surfaces that move"
)
SPEED, STEP, MU = 0.5, 0.016, 0.5
BELT = f"""Belt:
  simulation_duration: 2.0
  plant_config: {{time_step: {STEP}}}
  directives:
  - add_model: {{name: belt, file: belt.urdf}}
  - add_weld: {{parent: world, child: belt::body}}
  - add_model:
      name: cube
      file: cube.urdf
      default_free_body_pose: {{body: {{translation: [-0.8, 0, 0.09995]}}}}
  recorded_bodies: {{cube: [body]}}
  model_drivers:
    belt: !WebotsMotorDriver
      motors: {{motor: !LinearMotor {{joint: travel, max_velocity: 1}}}}
      tracks: {{travel: {{}}}}
      commands:
      - {{time: 0, motor: motor, set_position: .inf, set_velocity: {SPEED}}}
"""
CRAWLER = (
    BELT.replace("- add_weld: {parent: world, child: belt::body}", "")
    .replace(
        "- add_model: {name: belt, file: belt.urdf}",
        """- add_model: {name: floor, file: floor.urdf}
  - add_weld: {parent: world, child: floor::body}
  - add_model:
      name: belt
      file: belt.urdf
      default_free_body_pose: {body: {translation: [0, 0, 0.14995]}}""",
    )
    .replace("[-0.8, 0, 0.09995]", "[3, 0, 0.15]")
)


@pytest.fixture
def made(tmp_path):
    write_models(tmp_path)
    belt = LINK.format(mass=10, i=1.0, shape='<box size="2 0.4 0.1"/>')
    (tmp_path / "belt.urdf").write_text(belt)

    def make(text: str) -> Simulation:
        (tmp_path / "belt.yaml").write_text(text)
        return Simulation(load_scenario(tmp_path / "belt.yaml"))

    return make


@needs_tracks
@pytest.mark.parametrize("speed", [0.5, -0.3])
def test_a_conveyor_gives_a_box_its_speed_by_coulombs_friction(made, speed):
    text = BELT.replace(f"set_velocity: {SPEED}", f"set_velocity: {speed}")
    if speed < 0:
        text = text.replace("[-0.8,", "[0.8,")
    results = made(text).run()
    x = results["cube/body/position"][:, 0]
    v = np.diff(x) / STEP
    # It takes Coulomb's time, less what a box that rocks as it starts gains: a quarter.
    ramp = STEP * np.argmax(abs(v) > 0.95 * abs(speed))
    assert ramp >= 0.7 * 0.95 * abs(speed) / (MU * 9.81)
    assert v[-1] == pytest.approx(speed, rel=1e-3)
    assert results["belt/motor/velocity"][-1] == pytest.approx(speed, rel=1e-6)
    slip = abs(speed) / (2 * MU * 9.81) * speed  # what it lags behind
    assert x[-1] - x[0] == pytest.approx(
        2 * speed - slip, abs=abs(speed) * 3 * STEP
    )


@needs_tracks
def test_a_track_drives_the_robot_that_stands_on_it(made):
    simulation = made(CRAWLER)
    simulation.advance_to(2.0)
    plant = simulation.plant
    context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
    body = plant.GetBodyByName("body", plant.GetModelInstanceByName("belt"))
    V_WB = plant.EvalBodySpatialVelocityInWorld(context, body)
    assert V_WB.translational()[0] == pytest.approx(SPEED, rel=2e-3)


@needs_tracks
def test_a_belt_that_is_told_nothing_stands_still(made):
    results = made(BELT[: BELT.index("      commands:")]).run()
    x = results["cube/body/position"][:, 0]
    assert abs(x[-1] - x[0]) < 1e-5


def test_a_track_without_a_linear_motor_is_refused(made):
    text = BELT.replace("!LinearMotor", "!RotationalMotor").replace(
        "motors: {{", "motors: {"
    )
    with pytest.raises(InputError) as raised:
        made(text)
    assert "tracks.travel: no LinearMotor has the joint travel" in str(
        raised.value
    )


@pytest.mark.skipif(HAS_TRACKS, reason="this Drake knows surfaces that move")
def test_an_old_drake_is_told(made):
    with pytest.raises(
        InputError, match="tracks.travel: a Track needs surfaces"
    ):
        made(BELT)


@needs_tracks
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "{travel: {body: bdy}}",
            "tracks.travel.body: unknown body or frame 'bdy'",
        ),
        ("{travel: {texture_animation: [1]}}", "1 numbers; 2 are needed"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(made, text, problem):
    with pytest.raises(InputError) as raised:
        made(BELT.replace("{travel: {}}", text))
    assert problem in str(raised.value)
