"""Topics of two clocks: their stamps are brought together, and by how much is told."""

import numpy as np
import pytest

from webmotor_drake.fitting.bag_log import Message, on_one_clock

RATE, LAG = 100, 0.06  # Hz, s


def messages(offset, *, arrives_with_stamp, seconds=6, topic="/cmd"):
    """Returns commands whose clock is ahead, and states of a joint that follows."""
    time = np.arange(0, seconds, 1 / RATE)
    random = np.random.default_rng(3)
    knots = random.uniform(-1, 1, 2 * seconds + 2)
    where = np.arange(len(knots)) / 2

    def moved(t):
        return np.interp(t, where, knots)

    found = []
    for t in time:
        now, late = round(1e9 * t), round(1e9 * (t + offset))
        arrived = late if arrives_with_stamp else now
        found.append(Message(topic, late, arrived, {"j.target": moved(t)}))
        seen = moved(t - LAG) + 0.01 * random.standard_normal()
        found.append(Message("/joint_states", now, now, {"j.position": seen}))
    return found


def stamps(found, topic):
    return np.array([m.stamp for m in found if m.topic == topic]) * 1e-9


@pytest.mark.parametrize("offset", [7.3, -0.4, 1.7e9])
def test_times_of_arrival_say_how_far_clocks_are_apart(offset):
    given = messages(offset, arrives_with_stamp=False)
    found, (remark,) = on_one_clock(given)
    expected = np.arange(len(given) // 2) / RATE
    np.testing.assert_allclose(stamps(found, "/cmd"), expected, atol=1e-6)
    side = "before" if offset > 0 else "behind"
    assert f"{abs(offset):.4g} s {side} that of /joint_states" in remark
    # To a sample: what the joint takes to follow is left to the delay.
    follows = float(remark.split("follow their targets by ")[1].split(" ms")[0])
    assert abs(follows - 1e3 * LAG) <= 1e3 / RATE


@pytest.mark.parametrize("offset", [7.3, -2.5, 900.0])
def test_else_positions_are_laid_over_their_targets(offset):
    given = messages(offset, arrives_with_stamp=True)
    found, (remark,) = on_one_clock(given)
    assert "by cross-correlation" in remark
    left = stamps(found, "/cmd") - np.arange(len(given) // 2) / RATE
    # Their lag is taken for a part of the clocks'.
    np.testing.assert_allclose(left, LAG, atol=1.5 / RATE)


def test_topics_of_one_clock_stay_as_they_are():
    for offset in (0.0, 0.03, -0.1):  # a delay within what motors have
        given = messages(offset, arrives_with_stamp=True)
        found, remarks = on_one_clock(given)
        assert remarks == []
        assert sorted(found) == sorted(given)


def test_what_is_not_alike_is_not_shifted():
    given = messages(7.3, arrives_with_stamp=True)
    other = [
        m._replace(values={"k.target": 1.0}) if m.topic == "/cmd" else m
        for m in given
    ]
    assert on_one_clock(other)[1] == []
    random = np.random.default_rng(0)
    noise = [
        m._replace(values={"j.target": random.standard_normal()})
        if m.topic == "/cmd"
        else m
        for m in given
    ]
    assert on_one_clock(noise)[1] == []
