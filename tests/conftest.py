"""Settings of all tests."""

from hypothesis import settings

# The same examples in every run; a slow machine is no failure.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
