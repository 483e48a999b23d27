"""The inputs and the output of a network that is a motor's law."""

import numpy as np
import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.motor.models.motor_networks import _Group
from webmotor_drake.nodes.motor_models import Learned


def saved(folder, inputs):
    """Returns the file of a network that only adds up its inputs, with weights."""
    weights = np.arange(1.0, inputs + 1)[None]
    file = folder / "network.npz"
    np.savez(
        file,
        weight_0=weights,
        bias_0=np.array([0.25]),
        activation=np.array("relu"),
    )
    return file


@pytest.mark.parametrize("order", ["pos_vel", "vel_pos"])
@pytest.mark.parametrize("lags", [[0, 1], [0, 2, 5]])
def test_inputs_are_scaled_taken_by_age_and_in_the_order_of_the_training(
    order, lags
):
    group = object.__new__(_Group)
    weights = np.arange(1.0, 2 * len(lags) + 1)

    class Sum:
        low, high = -1.5, 1.5

        def __call__(self, x):
            return x @ weights

    group._network = Sum()
    group.learned = Learned(
        lags=lags,
        order=order,
        position_scale=2.0,
        velocity_scale=0.5,
        effort_scale=3.0,
    )
    some = np.random.default_rng(len(lags))
    errors, speeds = some.uniform(-1, 1, (2, 6, 4))
    efforts, outside = group.effort(errors, speeds)
    for k in range(4):
        inputs = [2.0 * errors[lag, k] for lag in lags]
        other = [0.5 * speeds[lag, k] for lag in lags]
        x = np.array(inputs + other if order == "pos_vel" else other + inputs)
        assert efforts[k] == pytest.approx(3.0 * (x @ weights))
        assert outside[k] == pytest.approx(np.mean(abs(x) > 1.5))


@pytest.mark.parametrize(
    ("period", "every"), [(0.005, 2), (0.01, 1), (0.001, 10), (0.004, None)]
)
def test_a_network_runs_at_the_period_of_its_training(tmp_path, period, every):
    learned = Learned(file=str(saved(tmp_path, 4)), period=0.01, lags=[0, 1])
    if every is None:
        with pytest.raises(
            InputError, match="not a multiple of the motor period"
        ):
            _Group(learned, period, 0)
        return
    group = _Group(learned, period, 3)
    assert (group.every, group.samples, group.columns) == (every, 2, [3])


def test_a_network_with_other_inputs_is_refused(tmp_path):
    learned = Learned(file=str(saved(tmp_path, 5)), period=0.01, lags=[0, 1])
    with pytest.raises(InputError, match="has 5 inputs; 4 are needed"):
        _Group(learned, 0.01, 0)
