"""Fixtures of pages."""

import pytest
from live_command import Command


@pytest.fixture
def start(tmp_path):
    """Returns what starts a command; what still runs at the end is killed."""
    started = []

    def start(*arguments):
        started.append(Command(*arguments, cwd=tmp_path))
        return started[-1]

    yield start
    for command in started:
        command.kill()
