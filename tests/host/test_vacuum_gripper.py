"""VacuumGrippers hold what touches them, against closed forms."""

import pytest
from test_connector import BOX

import webmotor_drake as wm
from webmotor_drake.robot import RobotSession

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

# A cup of 0.2 m with a gripper on its face towards +x, and a box of 3 kg there.
SCENARIO = """
World:
  plant_config: {{time_step: 0.008, discrete_contact_approximation: sap}}
  simulation_duration: 10
  gravity: [0, 0, {gravity}]
  directives:
  - add_model:
      name: cup
      file: {folder}/one.urdf
      default_free_body_pose: {{box: {{translation: [0, 0, 1]}}}}
  - add_model:
      name: load
      file: {folder}/three.urdf
      default_free_body_pose: {{box: {{translation: [{at}, 0, 1]}}}}
  {weld}
  model_drivers:
    cup: !WebotsMotorDriver
      supervisor: true
      devices:
        suck: !VacuumGripper {{pose: {{translation: [0.1, 0, 0]}}, {fields}}}
"""
TOUCHING = 0.1999  # a tenth of a millimetre in each other


@pytest.fixture
def cup(tmp_path):
    """Returns a function that gives a session, its gripper, and both boxes."""
    (tmp_path / "one.urdf").write_text(BOX.format(mass=1))
    (tmp_path / "three.urdf").write_text(BOX.format(mass=3))
    sessions = []

    def made(fields="is_on: false", at=TOUCHING, gravity=0, weld=""):
        file = tmp_path / "cup.scenario.yaml"
        file.write_text(
            SCENARIO.format(
                folder=tmp_path,
                fields=fields,
                at=at,
                gravity=gravity,
                weld=weld,
            )
        )
        session = RobotSession(wm.load_scenario(file))
        sessions.append(session.__enter__())
        boss = session.supervisor("cup")
        nodes = boss.getFromDef("cup"), boss.getFromDef("load")
        return session, boss.getDevice("suck"), *nodes

    yield made
    for session in sessions:
        session.__exit__(None, None, None)


def step(session, times=1):
    for _ in range(times):
        session.step(8)


def test_what_touches_a_gripper_that_is_on_moves_with_it(cup):
    session, suck, left, right = cup()
    suck.enablePresence(8)
    suck.turnOn()
    assert suck.isOn()
    step(session, 2)
    assert suck.getPresence() is True
    left.setVelocity([-0.4, 0, 0, 0, 0, 0])
    step(session, 60)
    # Momentum stays: 1 kg at .4 m/s become 4 kg. What was in each other pushed them
    # apart for the step before: some micrometres.
    for node in (left, right):
        assert node.getVelocity()[0] == pytest.approx(-0.1, abs=1e-3)
    apart = right.getPosition()[0] - left.getPosition()[0]
    assert apart == pytest.approx(TOUCHING, abs=1e-4)
    suck.turnOff()
    left.setVelocity([-1, 0, 0, 0, 0, 0])
    step(session, 2)
    assert not suck.isOn()
    assert suck.getPresence() is False
    assert right.getVelocity()[0] == pytest.approx(-0.1, abs=1e-3)


@pytest.mark.parametrize(
    ("fields", "at"), [("is_on: false", 0.19), ("is_on: true", 0.25)]
)
def test_nothing_is_held_by_one_that_is_off_or_touches_nothing(cup, fields, at):
    session, suck, left, right = cup(fields, at)
    suck.enablePresence(8)
    step(session, 40)
    assert suck.getPresence() is False
    left.setVelocity([-1, 0, 0, 0, 0, 0])
    before = right.getVelocity()[0]
    step(session, 5)
    assert right.getVelocity()[0] == before


def test_one_that_is_on_takes_what_comes_to_it(cup):
    session, suck, left, right = cup("is_on: true", at=0.25)
    suck.enablePresence(8)
    right.setVelocity([-0.1, 0, 0, 0, 0, 0])
    step(session, 100)
    assert suck.getPresence() is True
    assert left.getVelocity()[0] == pytest.approx(-0.075, abs=1e-3)
    session.supervisor("cup").simulationReset()
    step(session, 2)
    assert (suck.getPresence(), suck.isOn()) == (False, True)


@pytest.mark.parametrize(
    ("strength", "pull", "holds"),
    [
        ("tensile_strength: 10", 12.0, True),  # 9 of 12 N go through it
        ("tensile_strength: 10", 15.0, False),  # 11.25 of 15
        ("tensile_strength: 10, shear_strength: 1", -15.0, True),  # a push
        ("shear_strength: 10", 15.0, True),
    ],
)
def test_a_pull_beyond_its_strength_parts_them(cup, strength, pull, holds):
    session, suck, left, right = cup(strength)
    suck.turnOn()
    step(session, 10)
    before = right.getVelocity()[0]
    for _ in range(20):
        left.addForce([-pull, 0, 0], False)
        step(session)
    moved = right.getVelocity()[0] - before
    assert (abs(moved) > 0.9 * abs(pull) / 4 * 0.16) == holds


@pytest.mark.parametrize("strength", [6.9, 7.8])
def test_a_gripper_on_the_world_bears_a_push_across_it(cup, strength):
    weld = (
        "- add_weld: {parent: world, child: 'cup::box', X_PC: {translation:"
        " [0, 0, 1]}}"
    )
    # The weld gives way at first: it overshoots by a tenth.
    fields = f"is_on: true, shear_strength: {strength}"
    session, _, _, right = cup(fields, weld=weld)
    step(session, 10)
    for _ in range(20):
        right.addForce([0, 0, -7.0], False)
        step(session)
    assert (right.getVelocity()[2] > -1e-3) == (strength > 7)


def test_a_supervisor_switches_it_as_its_controller_sees(cup):
    session, suck, _, _ = cup()
    suck.enablePresence(8)
    field = session.supervisor("cup").getFromDevice(suck).getField("isOn")
    for on in (True, False):
        field.setSFBool(on)
        step(session, 3)
        assert (suck.isOn(), suck.getPresence(), field.getSFBool()) == (
            on,
            on,
            on,
        )


WORLD = """#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 16 }}
DEF CUBE Solid {{
  translation 0 0 0.05 radarCrossSection 5 name "cube"
  boundingObject Box {{ size 0.1 0.1 0.1 }} physics Physics {{ }}
}}
Robot {{
  supervisor TRUE
  translation 0 0 0.12
  children [
    VacuumGripper {{
      rotation 0 1 0 1.5708 boundingObject Box {{ size 0.041 0.04 0.04 }}
      isOn TRUE {fields}
    }}
    Radar {{ translation -3 0 -0.07 }}
  ]
}}
"""


@pytest.mark.parametrize(
    ("fields", "held"), [("", True), ("tensileStrength 1", False)]
)
def test_a_gripper_of_a_world_holds_what_touches_its_bounding_object(
    tmp_path, fields, held
):
    file = tmp_path / "grip.wbt"
    file.write_text(WORLD.format(fields=fields))
    with RobotSession(str(file)) as session:
        boss = session.supervisor("robot")
        suck, radar = map(boss.getDevice, ("vacuum gripper", "radar"))
        suck.enablePresence(16)
        radar.enable(16)
        session.step(160)
        assert suck.getPresence() == held
        height = boss.getFromDef("CUBE").getPosition()[2]
        # Without a hold it falls for .16 s: 12 cm.
        assert (height > 0.04) == held
        assert radar.getTargets()[0].distance == pytest.approx(3, abs=0.1)
