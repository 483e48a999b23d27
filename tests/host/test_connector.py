"""Connectors hold bodies, against closed forms."""

import numpy as np
import pytest
from pydrake.multibody.math import SpatialVelocity

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.robot import RobotSession
from webmotor_drake.simulation.simulation import Simulation

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

# A box of 0.2 m and 1 kg whose Connector is on its face towards +x.
BOX = """<robot name="box"><link name="box">
  <inertial><mass value="{mass}"/><inertia ixx="0.0067" iyy="0.0067" izz="0.0067"
    ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
</link></robot>
"""
SCENARIO = """
World:
  plant_config: {{time_step: 0.008, discrete_contact_approximation: sap}}
  simulation_duration: 10
  gravity: [0, 0, {gravity}]
  directives:
  - add_model:
      name: left
      file: {folder}/one.urdf
      default_free_body_pose: {{box: {{translation: [0, 0, 1]}}}}
  - add_model:
      name: right
      file: {folder}/three.urdf
      default_free_body_pose:
        box: {{translation: {place}, rotation: !Rpy {{deg: [0, 0, {turn}]}}}}
  model_drivers:
    left: !WebotsMotorDriver
      supervisor: true
      devices:
        grip: !Connector {{pose: {{translation: [0.1, 0, 0]}}, {left}}}
    right: !WebotsMotorDriver
      devices:
        eye: !Connector {{pose: {{translation: [0.1, 0, 0]}}, {right}}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boxes")
    (folder / "one.urdf").write_text(BOX.format(mass=1))
    (folder / "three.urdf").write_text(BOX.format(mass=3))
    return folder


def scenario_of(
    folder,
    left="",
    right="",
    place="[0.205, 0, 1]",
    turn=180,
    gravity=0,
    text="{}",
):
    file = folder / "boxes.scenario.yaml"
    file.write_text(
        SCENARIO.format(
            folder=folder,
            left=left or "model: ''",
            right=right or "model: ''",
            place=place,
            turn=turn,
            gravity=gravity,
        )
    )
    return wm.load_scenario(file, text=text)


@pytest.fixture
def boxes(folder):
    """Returns a function that gives a session, and closes it."""
    open_ones = []

    def made(**values):
        session = RobotSession(scenario_of(folder, **values))
        open_ones.append(session.__enter__())
        return session

    yield made
    for session in open_ones:
        session.__exit__(None, None, None)


def parts(session):
    """Returns both Connectors, and the nodes of both boxes."""
    boss = session.supervisor("left")
    return (
        boss.getDevice("grip"),
        session.robot("right").getDevice("eye"),
        boss.getFromDef("left"),
        boss.getFromDef("right"),
    )


def test_what_is_locked_moves_as_one_body(boxes):
    session = boxes(left="snap: false")
    grip, _, left, right = parts(session)
    right.setVelocity([0.004, 0, 0, 0, 0, 0])
    session.step(8)
    grip.lock()
    for _ in range(20):
        session.step(8)
    # Momentum stays: 3 kg at 4 mm/s become 4 kg.
    for node in (left, right):
        assert node.getVelocity()[0] == pytest.approx(0.003, abs=1e-9)
    # Held where it was; the weld gives way by micrometres.
    apart = right.getPosition()[0] - left.getPosition()[0]
    assert apart == pytest.approx(0.205 + 0.004 * 0.008, abs=2e-6)
    grip.unlock()
    left.setVelocity([0, 0, 0.5, 0, 0, 0])
    session.step(80)
    assert right.getVelocity()[2] == 0
    assert left.getVelocity()[2] == pytest.approx(0.5, abs=1e-12)


def test_presence_and_the_lock_are_what_the_controller_sees(boxes, capfd):
    session = boxes(left="type: active", right="type: passive")
    grip, eye, _, right = parts(session)
    assert grip.getPresence() == 0
    assert "enable it first" in capfd.readouterr().err
    grip.enablePresence(8)
    eye.enablePresence(16)
    assert (grip.getPresenceSamplingPeriod(), grip.getPresence()) == (8, 0)
    session.step(16)
    assert (grip.getPresence(), eye.getPresence()) == (1, -1)
    assert not grip.isLocked()
    eye.lock()
    assert "a passive Connector cannot lock" in capfd.readouterr().err
    right.getField("translation").setSFVec3f([0.3, 0, 1])
    session.step(16)
    assert grip.getPresence() == 0
    grip.lock()
    session.step(16)
    assert (grip.isLocked(), grip.getPresence()) == (
        True,
        0,
    )  # there is nothing
    field = session.supervisor("left").getFromDevice(grip).getField("isLocked")
    assert field.getSFBool()
    session.supervisor("left").simulationReset()
    session.step(8)
    session.step(8)
    assert not grip.isLocked()
    assert not field.getSFBool()


@pytest.mark.parametrize("drive", ["implicit", "torque"])
def test_what_snaps_comes_to_the_exact_place(boxes, drive):
    text = f"{{model_drivers: {{left: !WebotsMotorDriver {{drive: {drive}}}}}}}"
    session = boxes(place="[0.204, -0.003, 1.003]", turn=177, text=text)
    grip, _, left, right = parts(session)
    grip.lock()
    for _ in range(60):
        session.step(8)
    X = np.array(left.getPose(right)).reshape(4, 4)
    wanted = np.diag([-1.0, -1.0, 1.0, 1.0])
    wanted[0, 3] = 0.2
    assert pytest.approx(wanted, abs=1e-6) == X  # the error halves in each step


def test_bodies_that_hold_each_other_do_not_touch_until_they_part(boxes):
    session = boxes(
        left="snap: false", place="[0.198, 0, 1]"
    )  # 2 mm in each other
    grip, _, left, right = parts(session)
    grip.lock()
    session.step(8)
    session.step(400)
    assert left.getContactPoints() == []
    assert right.getPosition()[0] == pytest.approx(0.198, abs=1e-6)
    grip.unlock()
    session.step(8)
    session.step(8)
    assert left.getContactPoints() != []
    session.step(160)
    assert right.getPosition()[0] > 0.1982


def test_after_a_reset_bodies_touch_that_held_each_other_before(boxes):
    session = boxes(left="snap: false", place="[0.198, 0, 1]")
    grip, _, left, _ = parts(session)
    grip.lock()
    session.step(8)
    session.step(8)
    assert left.getContactPoints() == []
    session.simulation.reset()
    session.simulation.advance_to(0.16)
    places = session.simulation.plant.GetPositions(
        session.simulation.plant.GetMyContextFromRoot(
            session.simulation.simulator.get_context()
        )
    )
    # They start 2 mm in each other, and nothing holds them: they part.
    assert places[11] - places[4] > 0.1982


def test_a_connector_locked_at_the_start_holds_from_the_first_step(folder):
    scenario = scenario_of(
        folder, left="is_locked: true", place="[0.2, 0, 1]", text="{}"
    )
    simulation = Simulation(scenario)
    context = simulation.plant.GetMyMutableContextFromRoot(
        simulation.simulator.get_mutable_context()
    )
    left, right = (
        simulation.plant.GetBodyByName(
            "box", simulation.plant.GetModelInstanceByName(name)
        )
        for name in ("left", "right")
    )
    for _ in range(2):  # a reset holds them again
        simulation.plant.SetFreeBodySpatialVelocity(
            context, left, SpatialVelocity([0, 0, 0], [0, 0, 0.4])
        )
        simulation.advance_to(0.4)
        v = simulation.plant.EvalBodySpatialVelocityInWorld(context, right)
        assert v.translational()[2] > 0.03
        simulation.reset()


def test_auto_lock_catches_what_comes_near(boxes):
    session = boxes(
        left="auto_lock: true, is_locked: true", place="[0.25, 0, 1]"
    )
    grip, _, left, right = parts(session)
    right.setVelocity([-0.1, 0, 0, 0, 0, 0])
    for _ in range(125):
        session.step(8)
    assert right.getPosition()[0] - left.getPosition()[0] == pytest.approx(
        0.2, abs=1e-6
    )
    assert left.getVelocity()[0] == pytest.approx(-0.075, abs=1e-6)
    # What was let go by hand is not caught while it is unlocked.
    grip.unlock()
    right.setVelocity([0.1, 0, 0, 0, 0, 0])
    session.step(80)
    assert right.getVelocity()[0] > 0.09


@pytest.mark.parametrize(
    ("sides", "locks", "held"),
    [
        (("unilateral_lock: false", "model: ''"), "l", False),
        (("unilateral_lock: false", "model: ''"), "rl", True),
        (("model: ''", "unilateral_lock: false"), "l", True),
        (("model: ''", "model: ''"), "", False),
        (("model: m", "model: n"), "lr", False),
        (("unilateral_unlock: false", "model: ''"), "rlL", True),
        (("unilateral_unlock: false", "model: ''"), "lL", False),
        (("unilateral_unlock: false", "model: ''"), "rlLR", False),
    ],
)
def test_both_sides_decide_as_their_fields_say(boxes, sides, locks, held):
    session = boxes(left=sides[0], right=sides[1], place="[0.204, 0, 1]")
    grip, eye, left, right = parts(session)
    for order in locks:
        device = grip if order in "lL" else eye
        device.lock() if order in "lr" else device.unlock()
        session.step(8)
    left.setVelocity([-1, 0, 0, 0, 0, 0])
    session.step(40)
    assert (right.getVelocity()[0] < -0.2) == held


@pytest.mark.parametrize(
    ("strength", "pull", "holds"),
    [
        ("tensile_strength: 10", 4 * 9.0 / 3, True),  # 9 of 12 N go through it
        ("tensile_strength: 10", 4 * 11.0 / 3, False),
        ("tensile_strength: 10, shear_strength: 1", -4 * 11.0 / 3, True),
        ("shear_strength: 10", 4 * 11.0 / 3, True),
    ],
)
def test_a_pull_beyond_the_strength_breaks_it(boxes, strength, pull, holds):
    session = boxes(left=strength, place="[0.201, 0, 1]")
    grip, _, left, right = parts(session)
    grip.lock()
    for _ in range(10):
        session.step(8)
    for _ in range(20):
        left.addForce([-pull, 0, 0], False)
        session.step(8)
    assert (abs(right.getVelocity()[0]) > 0.9 * abs(pull) / 4 * 0.16) == holds


def test_a_push_across_breaks_it_by_the_shear_strength(boxes):
    for strength, holds in (("7.4", False), ("7.6", True)):
        session = boxes(
            left=f"shear_strength: {strength}", place="[0.201, 0, 1]"
        )
        grip, _, left, right = parts(session)
        grip.lock()
        session.step(8)
        # Along y at the common centre of mass: 7.5 of 10 N move the other one.
        for _ in range(20):
            left.addForceWithOffset([0, 10, 0], [0.15, 0, 0], False)
            session.step(8)
        assert (right.getVelocity()[1] > 0.3) == holds


def test_one_on_the_world_holds_too(folder):
    text = """{model_drivers: {left: !WebotsMotorDriver {devices: {
      grip: !Connector {frame: world, is_locked: true, pose: {translation: [0.1, 0, 1]}}
      }}}}"""
    scenario = scenario_of(
        folder, gravity=-9.81, place="[0.2, 0, 1]", text=text
    )
    with RobotSession(scenario) as session:
        boss = session.supervisor("left")
        session.step(400)
        assert boss.getFromDef("left").getPosition()[2] < 0.4  # falls
        # The weld carries 29.43 N and a torque, and gives way by micrometres.
        assert boss.getFromDef("right").getPosition()[2] == pytest.approx(
            1, abs=1e-4
        )


CONTINUOUS = """{plant_config: {time_step: 0}, model_drivers: {
  left: !WebotsMotorDriver {basic_time_step: 8},
  right: !WebotsMotorDriver {basic_time_step: 8}}}"""


def test_a_continuous_plant_is_refused(folder):
    with pytest.raises(InputError, match="cannot hold what Connectors lock"):
        Simulation(scenario_of(folder, text=CONTINUOUS))


LID = """<link name="lid"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="weld" type="fixed"><parent link="box"/><child link="lid"/></joint>
</robot>"""


def test_bodies_that_are_one_already_are_left_alone(tmp_path):
    # Drake's solver fails on a weld between them.
    box = BOX.format(mass=1)
    (tmp_path / "one.urdf").write_text(box.replace("</robot>", LID))
    (tmp_path / "three.urdf").write_text(box)
    text = """{model_drivers: {left: !WebotsMotorDriver {devices: {
      grip: !Connector {is_locked: true},
      lid: !Connector {frame: lid, pose: {translation: [0.1, 0, 0],
        rotation: [0, 0, 1, 3.14159]}}}}}}"""
    scenario = scenario_of(tmp_path, place="[3, 0, 1]", text=text)
    with RobotSession(scenario) as session:
        grip = session.supervisor("left").getDevice("grip")
        grip.enablePresence(8)
        session.step(80)
        assert grip.getPresence() == 1


def test_a_diagram_by_itself_holds_nothing(folder):
    # There is nobody who locks: all welds would hold.
    diagram = wm.build_diagram(scenario_of(folder))
    assert diagram.GetSubsystemByName("plant").num_constraints() == 0


def test_bad_fields_are_refused_by_name(folder):
    for field, problem in {
        "type: round": "unknown type 'round'",
        "number_of_rotations: -1": "a whole number from 0",
        "axis_tolerance: 4": "from 0 to",
        "tensile_strength: -2": "-1 (no end) or at least 0",
        "type: passive, is_locked: true": "a passive Connector cannot be locked",
    }.items():
        with pytest.raises(InputError) as error:
            wm.build_diagram(scenario_of(folder, left=field))
        assert problem in str(error.value), error.value
