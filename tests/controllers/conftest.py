"""Robots that a test commands."""

from robot_fixtures import *  # noqa: F403
