"""Where the files are that tests read."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
# Scenarios and models that only tests need; ours are `webmotor_drake.SCENARIOS`.
TEST_SCENARIOS = Path(__file__).parent / "scenarios"
# Recorded runs, and descriptions of pictures.
CASES = Path(__file__).parent / "cases"
