"""A motor step on the tables: commands of before the start, feedback."""

from webmotor_drake.loops.rows import Command
from webmotor_drake.motor.commands import Kind
from webmotor_drake.motor.step import MotorStep
from webmotor_drake.nodes.motors import RotationalMotor


def step_of(*kinematic: bool, delay: float = 0.0) -> MotorStep:
    return MotorStep(
        {f"m{i}": RotationalMotor() for i in range(len(kinematic))},
        kinematic=kinematic,
        friction=[0.0] * len(kinematic),
        braked=[],
        period=0.01,
        drive_state=0,
        delay=delay,
    )


def test_commands_of_before_the_start_have_acted_when_it_comes():
    step = step_of(False)
    values = step.initial_values()
    step.catch_up(values, {-2: [(0, Kind.POSITION, 0.5)], 0: []})
    assert step.tables.command_table(values)[Command.TARGET_POSITION] == [0.5]


def test_a_joint_that_simply_moves_feeds_no_effort_back():
    step = step_of(False, True)
    values = step.initial_values()
    values[step.tables.effort] = 3.0, 4.0
    assert step.feedback(values).tolist() == [3.0, 0.0]
