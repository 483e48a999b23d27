"""Stops, springs, dampers and friction of joints, and who keeps them."""

from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.devices import read_parameters
from webmotor_drake.worlds.models import Robot
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.report import Report


def add_parameters(
    names: list[str],
    parameters: list[Node | None],
    node: Node,
    around: Around,
    report: Report,
    *,
    dynamic: bool,
) -> None:
    """Adds stops, springs, dampers and friction."""
    robot = keeper_of(around)
    if node.type == "BallJoint" and parameters[1:] == [None, None]:
        parameters = [parameters[0]] * 3
    for name, given in zip(names, parameters, strict=True):
        read = read_parameters(given, report)
        read.kinematic = not dynamic
        if read.kinematic or read.has_stops or read.has_effort:
            robot.joints[name] = read
            place = given.place if given is not None else node.place
            robot.places["joints", name] = place
    if not dynamic:
        report.add(
            "kinematic",
            names[0],
            node.place,
            "its endPoint has no Physics: the motor simply moves it",
        )
    first = parameters[0]
    if first is not None and first.number("suspensionSpringConstant", 0.0):
        report.add(
            "left out", "suspension", first.place, "the joint is rigid there"
        )


def keeper_of(around: Around) -> Robot:
    """Returns what keeps a joint's parameters: its Robot, or its model's record."""
    if around.robot is not None:
        return around.robot
    model = around.model
    assert model is not None
    if model.robot is None:
        place = model.place
        assert place is not None
        model.robot = Robot(model.name, place)
    return model.robot
