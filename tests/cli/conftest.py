"""Settings of the command line's tests."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def nothing_is_compiled(motors_are_compiled):
    """Has no command tell that it compiles: the first run in a checkout does."""
