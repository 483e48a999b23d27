"""The Open Dynamics Engine through its ctypes binding, the extra `ode`."""

import contextlib
import ctypes
import functools
import io
import os
from types import ModuleType

from webmotor_drake.errors import InputError

_HOW_TO_GET_IT = (
    "the model 'ode' needs the Open Dynamics Engine: its Python binding by pip"
    " install ode-python, the engine by apt-get install libode8"
    " (Debian, Ubuntu)"
)


@functools.cache
def load_ode() -> ModuleType:
    """Returns the module `odepy`, the engine initialized.

    Its import prints what the engine lacks and changes the environment; both
    are undone.

    Raises:
        InputError: the binding or the engine is missing; says how to get it.
    """
    names = "LD_LIBRARY_PATH", "LIBRARY_PATH"
    before = {name: os.environ.get(name) for name in names}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            import odepy
    except Exception as error:  # the binding raises all kinds of errors
        raise InputError(_HOW_TO_GET_IT) from error
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
    double = ctypes.create_string_buffer(b"ODE_double_precision")
    if not odepy.dCheckConfiguration(double):
        raise InputError(f"{_HOW_TO_GET_IT}; found is one of single precision")
    odepy.dInitODE2(0)
    # Its messages on a badly conditioned step would flood standard error.
    ignore = odepy.error.dMessageFunction(lambda number, text: None)
    odepy.dSetMessageHandler(ignore)
    odepy.webmotor_ignores = ignore  # kept alive
    return odepy
