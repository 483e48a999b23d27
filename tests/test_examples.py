"""The examples run as they stand, in any folder."""

import functools
import runpy

import pytest
from folders import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SLOW = {"learn_motor"}  # it trains a network
# What each prints, among other things.
TOLD = {
    "compare_models": "differences are to webots",
    "domain_randomization": "the drives differ by 0.00000 rad",
    "follow_a_trajectory": "501 samples, never more than 0.00",
    "learn_motor": "rad RMS from the robot",
    "own_diagram": "shoulder and elbow at",
    "run_a_scenario": "largest torque 8.000 N m",
    "step_by_step": "stopped at 0.5",
}


class _Few:
    """Ends a search after a few steps."""

    def __init__(self):
        self._left = 30

    def __call__(self, _):
        self._left -= 1
        if not self._left:
            raise StopIteration


@pytest.mark.filterwarnings("ignore::webmotor_drake.errors.MotorWarning")
@pytest.mark.parametrize(
    "file",
    [
        pytest.param(
            file,
            id=file.stem,
            marks=[pytest.mark.slow] if file.stem in SLOW else [],
        )
        for file in EXAMPLES
    ],
)
def test_an_example_runs_and_says_what_it_found(
    file, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    if file.stem == "learn_motor":  # how well is not looked at here
        from scipy import optimize

        shorter = functools.partial(optimize.minimize, callback=_Few())
        monkeypatch.setattr(optimize, "minimize", shorter)
    runpy.run_path(str(file), run_name="__main__")
    assert TOLD[file.stem] in capsys.readouterr().out
