"""Ways of shapes from a state that was looked at: text and compiled alike."""

import numpy as np

from webmotor_drake.loops.ways import Ways


def test_looks_go_farther_ahead_the_longer_nothing_arrives():
    ways = Ways(np.ones(4), [0] * 4, 2, 0.01, 16.0)
    x, still = np.zeros(4), np.zeros(2)
    ways.forget()
    found = []
    for _ in range(9):
        ways.keep(x, 1.0, still, ways.steps_ahead())
        found.append(ways.steps_ahead())
    assert found == [1, 1, 1, 1, 2, 4, 8, 16, 16]
    # One that reached less far is not gone beyond at once.
    ways.keep(x, 1.0, still, 4)
    assert ways.steps_ahead() == 8
