"""The fields of WorldInfo are read and set by supervisors, gravity in earnest."""

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.robot import RobotSession

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"
G, H = 9.81, 0.008


def session_of(text="{}"):
    return RobotSession(loaded(FILE, "World", text))


@pytest.fixture
def session():
    with session_of() as session:
        yield session


@pytest.fixture
def supervisor(session):
    return session.supervisor("arm")


def info_of(supervisor):
    return supervisor.getRoot().getField("children").getMFNode(0)


def falling(supervisor, name="box"):
    """Returns the change of a body's velocity in one step, m/s^2."""
    node = supervisor.getFromDef(name)
    node.getField("translation").setSFVec3f([0, 0, 5])
    supervisor.step(8)
    before = node.getVelocity()[2]
    supervisor.step(8)
    return (node.getVelocity()[2] - before) / H


def test_gravity_is_set_from_the_next_step_on(supervisor):
    gravity = info_of(supervisor).getField("gravity")
    assert falling(supervisor) == pytest.approx(-G)
    gravity.setSFFloat(1.62)
    assert gravity.getSFFloat() == 1.62
    assert falling(supervisor) == pytest.approx(-1.62)
    gravity.setSFFloat(0)
    assert falling(supervisor) == pytest.approx(0, abs=1e-9)


def test_a_reset_brings_gravity_and_texts_back(session, supervisor):
    info = info_of(supervisor)
    start = falling(supervisor)
    info.getField("gravity").setSFFloat(3.71)
    info.getField("title").setSFString("Mars")
    supervisor.step(8)
    supervisor.simulationReset()
    supervisor.step(8)
    assert info.getField("gravity").getSFFloat() == G
    assert info.getField("title").getSFString() == "World"
    assert falling(supervisor) == pytest.approx(start)
    info.getField("gravity").setSFFloat(3.71)
    supervisor.step(8)
    session.simulation.reset()
    assert session.simulation.plant.gravity_field().gravity_vector()[2] == -G


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_motor_that_holds_feels_the_new_gravity(drive):
    text = f"{{model_drivers: {{arm: {{drive: {drive}}}}}}}"
    with session_of(text) as session:
        supervisor = session.supervisor("arm")
        motor = supervisor.getDevice("hinge motor")
        motor.enableTorqueFeedback(8)
        motor.setPosition(1.0)
        for _ in range(300):
            supervisor.step(8)
        before = motor.getTorqueFeedback()
        info_of(supervisor).getField("gravity").setSFFloat(G / 2)
        for _ in range(300):
            supervisor.step(8)
        after = motor.getTorqueFeedback()
    # Statics: the effort is in proportion. The servo's softness (1e-5 rad/s per N m)
    # lets the joint sink until its gain of 10 1/s holds it, 1e-6 rad lower.
    assert abs(before) > 0.1
    assert after == pytest.approx(before / 2, rel=1e-4)


def test_an_accelerometer_at_rest_measures_the_new_gravity():
    devices = "{devices: {feel: !Accelerometer {frame: base}}}"
    with session_of(f"{{model_drivers: {{arm: {devices}}}}}") as session:
        supervisor = session.supervisor("arm")
        feel = supervisor.getDevice("feel")
        feel.enable(8)
        info_of(supervisor).getField("gravity").setSFFloat(2)
        supervisor.step(8)
        supervisor.step(8)
        np.testing.assert_allclose(feel.getValues(), [0, 0, 2], atol=1e-9)


def test_gravity_of_a_world_without_any_is_along_its_axes():
    with session_of("{gravity: [0, 0, 0]}") as session:
        supervisor = session.supervisor("arm")
        gravity = info_of(supervisor).getField("gravity")
        assert gravity.getSFFloat() == 0
        gravity.setSFFloat(5)
        assert falling(supervisor) == pytest.approx(-5)


def test_texts_are_kept_and_lists_change(supervisor):
    info = info_of(supervisor)
    info.getField("title").setSFString("Maze 3")
    info.getField("FPS").setSFFloat(30)
    info.getField("info").insertMFString(0, "made up")
    supervisor.step(8)
    assert info.getField("title").getSFString() == "Maze 3"
    assert info.getField("FPS").getSFFloat() == 30
    assert info.getField("info").getMFString(0) == "made up"


def test_a_gravity_that_cannot_be_is_told_in_one_line(supervisor, capsys):
    field = info_of(supervisor).getField("gravity")
    field.setSFFloat(-1.0)
    supervisor.step(8)
    (line,) = capsys.readouterr().err.splitlines()
    assert "-1 m/s^2 is not allowed; must be at least 0" in line
    assert field.getSFFloat() == G


@pytest.mark.parametrize(
    ("field", "value"),
    [("basicTimeStep", 16.0), ("CFM", 1e-3), ("coordinateSystem", "NUE")],
)
def test_what_the_plant_is_built_with_is_kept_and_told(
    supervisor, capsys, field, value
):
    for _ in range(2):
        info_of(supervisor).getField(field).value = value
        supervisor.step(8)
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{field}: kept, and acts at the start only" in line
    assert info_of(supervisor).getField(field).value == value


def test_where_gravity_is_along_y_the_axes_are_nue():
    with session_of("{gravity: [0, -9.81, 0]}") as session:
        info = info_of(session.supervisor("arm"))
        assert info.getField("coordinateSystem").getSFString() == "NUE"
