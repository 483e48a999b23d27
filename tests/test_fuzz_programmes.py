"""A small sample of the random supervisors of benchmarks/fuzz_programmes.py."""

import os

import fuzz_programmes
import pytest


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")
def test_random_supervisors_see_what_webots_reference_says(tmp_path):
    number = 20 if os.environ.get("CI_FULL") else 2
    assert fuzz_programmes.fuzz(number, 25, 1, tmp_path) == []
