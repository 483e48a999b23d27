"""Commands are due in their own step, once."""

from webmotor_drake.motor.commands import Kind, TimedCommands

FIRST, SECOND = (0, Kind.POSITION, 1.0), (0, Kind.VELOCITY, 2.0)


def test_commands_after_the_last_step_up_to_now_are_due():
    timed = TimedCommands({2: [FIRST], 4: [SECOND]})
    assert timed.due(1, 2) == [FIRST]
    assert timed.due(2, 3) == []
    assert timed.due(1, 4) == [FIRST, SECOND]
    assert timed.due(4, 9) == []


def test_added_commands_follow_those_of_their_step():
    timed = TimedCommands({2: [FIRST]})
    timed.add({2: [SECOND], 7: [FIRST]})
    assert timed.due(1, 2) == [FIRST, SECOND]
    assert timed.last_step == 7
    assert timed.has({Kind.VELOCITY})
    assert not timed.has({Kind.EFFORT})
