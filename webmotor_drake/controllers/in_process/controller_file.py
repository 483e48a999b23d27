"""A controller: a Python file, and its errors."""

import dataclasses as dc
import os
import traceback
import types
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.controllers.in_process.missing_packages import how_to_get
from webmotor_drake.errors import InputError, SimulationError, one_line
from webmotor_drake.host import messages
from webmotor_drake.results.whole_file import reason

# The rooms that run controllers and do what they ask for.
_CONTROLLERS = Path(__file__).parents[1]
_HOST = _CONTROLLERS.parent / "host"


class ControllerError(SimulationError):
    """A controller failed and the run ended; its traceback was shown."""

    complete = True


@dc.dataclass(frozen=True)
class Controller:
    """A controller that is ready to run.

    Attributes:
        file: its absolute path.
        arguments: those in sys.argv after its own name.
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
    source = _source(Path(file))
    path = Path(file).resolve()
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
    except (MemoryError, RecursionError) as error:
        problem = "Python cannot compile it: it is nested too deeply"
        raise InputError(problem, where=str(file)) from error
    return Controller(path, tuple(map(str, arguments)), code)


def _source(path: Path) -> bytes:
    """Returns the content of a controller's file.

    Raises:
        InputError: it cannot be read, or never ends, as a pipe.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise OSError("not a regular file")
        return path.read_bytes()
    except OSError as error:
        problem = f"cannot read the controller {path}: {reason(error)}"
    except ValueError:
        problem = f"no file has the name {str(path)!r}"
    raise InputError(problem)


def show_traceback(error: BaseException) -> None:
    """Prints as Python does for a program that ended with `error`.

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
    messages.say("".join(shown.format()).rstrip())


def told(error: BaseException) -> str:
    """Returns the last line of the traceback of `error`, such as "KeyError: 1".

    Of a module that is missing it says what to install.
    """
    lines = traceback.TracebackException.from_exception(error)
    last = one_line(list(lines.format_exception_only())[-1])
    if isinstance(error, ModuleNotFoundError) and error.name:
        last += f"; {how_to_get(error.name)}"
    return last


def line_in(file: Path, error: BaseException) -> str:
    """Returns " (line N)", of the innermost call in a file; "" if there is none."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if f.filename == str(file)]
    return f" (line {lines[-1]})" if lines else ""


def _is_ours(filename: str) -> bool:
    file = Path(filename)
    return file.is_relative_to(_CONTROLLERS) or file.is_relative_to(_HOST)


def exit_message(controller: Controller, code: object) -> str:
    """Returns the message of a controller that called sys.exit; "" without one."""
    if code is None or code == 0:
        return ""
    if not isinstance(code, int):  # Python prints it and exits with 1
        messages.say(_text(code))
        code = 1
    return f"the controller {controller.file.name} exited with status {code}"


def _text(value: object) -> str:
    """Returns `value` as text, also if its own __str__ fails."""
    try:
        return str(value)
    except Exception:
        return f"<{type(value).__name__} whose str() fails>"
