"""Nodes come into the world at run time, and leave it."""

import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.errors import InputError
from webmotor_drake.robot import RobotSession

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"
H, G = 0.008, 9.81


@pytest.fixture
def supervisor():
    with RobotSession(loaded(FILE, "World", "{stock: 0}")) as session:
        yield session.supervisor("arm")


@pytest.fixture
def children(supervisor):
    return supervisor.getRoot().getField("children")


def test_a_spare_waits_comes_falls_and_goes(supervisor, children, capsys):
    supervisor.step(400)
    assert supervisor.getFromDef("ball_1") is None
    capsys.readouterr()
    children.importMFNodeFromString(
        -1, "DEF BALL Ball { translation 1 2 3 rotation 0 0 1 0.5 }"
    )
    ball = supervisor.getFromDef("BALL")
    assert children.getMFNode(-1).getId() == ball.getId()
    assert (ball.getTypeName(), ball.getBaseTypeName()) == ("Ball", "Solid")
    # At once, and at rest: it has not fallen while it waited.
    assert ball.getPosition() == [1, 2, 3]
    assert ball.getVelocity() == [0] * 6
    assert ball.getField("rotation").getSFRotation()[3] == pytest.approx(0.5)
    supervisor.step(8)
    assert ball.getPosition()[2] == pytest.approx(3 - G * H**2)
    ball.remove()
    assert children.getCount() == 6
    assert supervisor.getFromDef("BALL") is None
    capsys.readouterr()
    assert ball.getDef() == ""
    assert "not in the world" in capsys.readouterr().err


def test_a_spare_collides_when_it_is_there(supervisor, children):
    children.importMFNodeFromString(0, "Ball { translation 0 0 0.0255 }")
    ball = supervisor.getRoot().getField("children").getMFNode(0)
    supervisor.step(400)
    assert ball.getPosition()[2] == pytest.approx(0.0255, abs=1e-4)
    assert len(ball.getContactPoints()) == 4


def test_the_place_of_what_comes_counts_from_either_end(children, capsys):
    for place in (-8, 7):  # there are 6
        children.importMFNodeFromString(place, "Ball { }")
        error = capsys.readouterr().err
        assert f"index {place} is out of bounds; -7 to 6 are in" in error
    children.importMFNodeFromString(-7, "DEF FIRST Ball { }")
    children.importMFNodeFromString(7, "DEF LAST Ball { }")
    kinds = [children.getMFNode(i).getDef() for i in (0, -1)]
    assert kinds == ["FIRST", "LAST"]
    assert capsys.readouterr().err == ""


def test_when_all_are_there_no_more_come_until_one_goes(
    supervisor, children, capsys
):
    for number in range(2):
        children.importMFNodeFromString(
            -1, f"DEF B{number} Ball {{ translation {number} 0 1 }}"
        )
    children.importMFNodeFromString(-1, "Ball { }")
    assert "all 2 spares of kind Ball are in" in capsys.readouterr().err
    supervisor.getFromDef("B0").remove()
    children.importMFNodeFromString(-1, "DEF C Ball { translation 5 0 1 }")
    assert supervisor.getFromDef("C").getPosition() == [5, 0, 1]
    assert capsys.readouterr().err == ""


def test_a_reset_puts_spares_back_and_leaves_out_what_was_removed(
    supervisor, children
):
    children.importMFNodeFromString(-1, "DEF BALL Ball { }")
    supervisor.getFromDef("BOX").remove()
    supervisor.simulationReset()
    supervisor.step(8)
    # Webots' table of resets: nodes that were added go, removed ones stay away.
    assert children.getCount() == 5
    assert supervisor.getFromDef("BALL") is None
    assert supervisor.getFromDef("BOX") is None
    children.importMFNodeFromString(-1, "DEF BALL Ball { translation 0 0 2 }")
    assert supervisor.getFromDef("BALL").getPosition() == [0, 0, 2]


def test_fields_that_are_set_act_before_a_node_comes(supervisor, children):
    box = supervisor.getFromDef("BOX")
    box.getField("translation").setSFVec3f([0, 0, 7])
    children.importMFNodeFromString(-1, "Ball { }")
    assert box.getPosition() == [0, 0, 7]


def test_what_cannot_come_or_go_is_refused_in_a_line(
    supervisor, children, capsys
):
    cases = [
        (lambda: children.importMFNodeFromString(-1, "Bell {}"), "mean Ball?"),
        (
            lambda: children.importMFNodeFromString(-1, "nonsense"),
            "the text:1:9: expected '{' after nonsense",
        ),
        (lambda: children.importMFNodeFromString(9, "Ball {}"), "bounds"),
        (
            lambda: children.importMFNodeFromString(
                -1, "Ball { translation 1 2 }"
            ),
            "2 numbers; 3 are needed",
        ),
        (
            lambda: (
                supervisor.getSelf()
                .getField("children")
                .importMFNodeFromString(-1, "Ball {}")
            ),
            "into the root or a Group only",
        ),
        (lambda: supervisor.getSelf().remove(), "robots stay"),
        (lambda: supervisor.getFromDef("HINGE").remove(), "part of a model"),
        (lambda: children.removeMF(17), "out of bounds"),
        (
            lambda: children.importMFNodeFromString(-1, "Solid {}"),
            "`stock: 8` gives it some",
        ),
    ]
    for call, problem in cases:
        call()
        error = capsys.readouterr().err
        assert problem in error and error.count("\n") == 1, error
    assert children.getCount() == 6


def test_a_text_tells_what_has_no_effect(supervisor, children, capsys):
    text = 'Ball { children [ Shape { } ] mass 3 name "it" }'
    for _ in range(2):
        children.importMFNodeFromString(-1, text)
        supervisor.getFromDef("it").remove()
    errors = capsys.readouterr().err
    assert (
        errors.count("without effect here: the field children, the field mass")
        == 1
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "{spares: {Ball: [nobody]}}",
            "spares.Ball[0]: unknown model 'nobody'",
        ),
        ("{spares: {Ball: [arm]}}", "arm is not free"),
        ("{spares: {Ball: [ground]}}", "ground is not free"),
        (
            "{spares: {Ball: [box, box]}}",
            "spares.Ball[1]: box is a spare already",
        ),
        (
            "{plant_config: {time_step: 0}, model_drivers: {arm:"
            " {basic_time_step: 0.008}, referee: {basic_time_step: 0.008}}}",
            "a continuous plant (time_step 0) cannot hold spares",
        ),
        ("{defs: {X: nobody}}", "defs.X: unknown model 'nobody'"),
        (
            '{defs: {X: "arm::hing"}}',
            "unknown part of arm 'hing'; did you mean",
        ),
        ("{defs: {box: arm}}", "defs.box: another model is called box"),
        ("{defs: {A.B: arm}}", "has no dots"),
        ("{defs: {X: box, X: arm}}", "X"),
    ],
)
def test_wrong_names_in_a_scenario_are_refused_with_their_place(text, problem):
    with pytest.raises(InputError) as caught:
        RobotSession(loaded(FILE, "World", text))
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(("--scenario_text:", str(FILE)))
