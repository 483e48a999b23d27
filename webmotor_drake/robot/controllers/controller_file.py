"""A controller: a Python file, and what goes wrong with it."""

import dataclasses as dc
import os
import sys
import traceback
import types
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.errors import InputError, SimulationError, one_line
from webmotor_drake.results.whole_file import reason

# The room `robot`, with all that is in it.
_ROBOT = Path(__file__).parents[1]


class ControllerError(SimulationError):
    """A controller failed and the run ended; its traceback was shown."""

    complete = True


@dc.dataclass(frozen=True)
class Controller:
    """A controller that is ready to run.

    Attributes:
        file: where it is, absolute.
        arguments: what it finds in sys.argv after its own name.
        code: the compiled file.
    """

    file: Path
    arguments: tuple[str, ...]
    code: types.CodeType


def load_controller(
    file: str | os.PathLike[str], arguments: Sequence[str] = ()
) -> Controller:
    """Reads and compiles a controller.

    Raises:
        InputError: it cannot be read, or is not Python; says where.
    """
    path = Path(file)
    try:
        source = path.read_bytes()
    except OSError as error:
        problem = f"cannot read the controller {path}: {reason(error)}"
        raise InputError(problem) from error
    path = path.resolve()
    try:
        code = compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        place = f"{file}:{error.lineno or 1}:{error.offset or 1}"
        problem = f"not valid Python: {error.msg}"
        raise InputError(problem, where=place) from error
    except ValueError as error:  # null bytes, in older Pythons
        raise InputError(
            f"not valid Python: {one_line(error)}", where=str(file)
        ) from error
    return Controller(path, tuple(map(str, arguments)), code)


def show_traceback(error: BaseException) -> None:
    """Prints what Python would print for a controller that ended with `error`.

    Only the controller's own part: not how it was started, nor what the calls
    that it made do inside.
    """
    shown = traceback.TracebackException.from_exception(error)
    pending = [shown]
    while pending:
        part = pending.pop()
        part.stack[:] = [f for f in part.stack if not _is_ours(f.filename)]
        pending += filter(None, (part.__cause__, part.__context__))
        pending += getattr(part, "exceptions", None) or ()
    print("".join(shown.format()), end="", file=sys.stderr)


def _is_ours(filename: str) -> bool:
    return Path(filename).is_relative_to(_ROBOT)


def exit_message(controller: Controller, code: object) -> str:
    """Returns what to say of a controller that called sys.exit; "": nothing."""
    if code is None or code == 0:
        return ""
    if not isinstance(code, int):  # Python prints it and exits with 1
        print(code, file=sys.stderr)
        code = 1
    return f"the controller {controller.file.name} exited with status {code}"
