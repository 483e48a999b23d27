"""ODE where it is installed; elsewhere a test that needs it is skipped and says so."""

from types import ModuleType

import pytest

from webmotor_drake.engines.ode_library import load_ode
from webmotor_drake.errors import InputError


def ode_or_skip() -> ModuleType:
    """Returns the module `odepy`; skips a test, or a module of tests, without it."""
    try:
        return load_ode()
    except InputError as error:
        pytest.skip(str(error), allow_module_level=True)


def has_ode() -> bool:
    """Returns whether there is one."""
    try:
        load_ode()
    except InputError:
        return False
    return True
