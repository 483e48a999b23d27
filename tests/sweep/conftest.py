"""Fixtures of sweeps."""

import pytest
from here_and_now import HereAndNow

from webmotor_drake.loading import load_scenario


@pytest.fixture(scope="session")
def lift():
    """A short scenario whose model Drake reads fast."""
    return load_scenario(
        "package:vertical_lift", text="{simulation_duration: 0.05}"
    )


@pytest.fixture
def here():
    return HereAndNow()
