"""Motors move alike where nothing is compiled: text runs, and numpy for many joints."""

import os
import subprocess
import sys

import numpy as np
import pytest

from webmotor_drake.data import SCENARIOS
from webmotor_drake.loading import load_scenario
from webmotor_drake.loops import UNCOMPILED
from webmotor_drake.runner import run

# In motion, at bounds, at stops, with joints that swing freely, in several trees, with
# more joints than are solved in loops, and in contact.
NAMES = (
    "six_axis",
    "vertical_lift",
    "hinge_with_stops",
    "serial_spring",
    "motor_models",
    "torso",
    "quadruped",
)
TEXT = "{simulation_duration: 0.8}"
PROGRAM = f"""
import sys
import numpy as np
import webmotor_drake as wm

from webmotor_drake.loops import COMPILED
from webmotor_drake.data import SCENARIOS
assert not COMPILED
folder, out, *names = sys.argv[1:]
np.savez(out, **{{
    name: wm.run(
        wm.load_scenario(f"{{folder}}/{{name}}.scenario.yaml", text="{TEXT}")
    ).positions
    for name in names
}})
"""


@pytest.mark.slow
def test_motors_move_alike_uncompiled(tmp_path):
    out = tmp_path / "out.npz"
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(SCENARIOS), str(out), *NAMES],
        env={**os.environ, UNCOMPILED: "1"},
        check=True,
    )
    with np.load(out) as found:
        for name in NAMES:
            file = SCENARIOS / f"{name}.scenario.yaml"
            expected = run(load_scenario(file, text=TEXT)).positions
            moved = np.abs(expected - expected[0]).max()
            assert moved > 1e-3, name
            # Rounding, which contact and stops make larger.
            np.testing.assert_allclose(
                found[name], expected, rtol=0, atol=1e-7, err_msg=name
            )
