"""A folder for local sockets that no other test knows."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """The folder of a user whom nobody else's tests know; nothing is left of it."""
    user = f"test{os.getpid()}"
    monkeypatch.setenv("USER", user)
    yield
    assert not Path("/tmp/webots", user).exists()
