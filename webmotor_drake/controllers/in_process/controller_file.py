"""Loads Python controllers, of files or of a scenario, and prints their errors."""

import dataclasses as dc
import os
import sys
import traceback
import types
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.errors import (
    InputError,
    SimulationError,
    one_line,
    unknown_name,
)
from webmotor_drake.host import messages
from webmotor_drake.results.whole_file import check_regular, explained
from webmotor_drake.scenario.robot_controllers import (
    connected_robots,
    controller_file,
    is_program,
    robots_of,
)
from webmotor_drake.scenario.scenario import Scenario, located

# Packages on PyPI whose name differs from the module's.
_PACKAGES = {
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "PIL": "pillow",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "stable_baselines3": "stable-baselines3",
    "usb": "pyusb",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
# Packages with the module's own name that controllers import. No other name is
# suggested: it may be that of a missing file, which PyPI must not be asked for.
_SAME = frozenset(
    """
    deap deepbots gym gymnasium ikpy imageio keras keyboard matplotlib networkx
    numba numpy openai pandas pygame pynput pyautogui pyzbar requests roboflow scipy
    seaborn shapely stable_baselines sympy tensorboard tensorflow torch
    torchvision tqdm transforms3d ultralytics websockets
    """.split()
)

# The rooms that run controllers and do what they ask for.
_OURS = [Path(__file__).parents[2] / room for room in ("controllers", "host")]


class ControllerError(SimulationError):
    """A controller failed and the run ended; its traceback was shown."""

    complete = True


@dc.dataclass(frozen=True)
class Controller:
    """A controller that is ready to run.

    Attributes:
        file: its absolute path.
        arguments: items of sys.argv after the file's name.
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
    check_regular(Path(file))
    try:
        path = Path(file).resolve()
        with explained(f"the controller {file}", "read"):
            source = path.read_bytes()
    except ValueError:
        raise InputError(f"no file has the name {str(file)!r}") from None
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


def show_traceback(error: BaseException) -> None:
    """Prints a traceback, as Python does for a program that ended with `error`.

    It has only the controller's own frames: not those that started it, nor those
    inside our calls.
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

    For a missing module it adds the package to install.
    """
    lines = traceback.TracebackException.from_exception(error)
    last = one_line(list(lines.format_exception_only())[-1])
    if isinstance(error, ModuleNotFoundError) and error.name:
        last += f"; {how_to_get(error.name)}"
    return last


def line_in(file: Path, error: BaseException) -> str:
    """Returns " (line N)" for the innermost call in a file; "" if there is none."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if f.filename == str(file)]
    return f" (line {lines[-1]})" if lines else ""


def _is_ours(filename: str) -> bool:
    return any(map(Path(filename).is_relative_to, _OURS))


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


def how_to_get(module: str) -> str:
    """Returns advice on how to get a missing module, for a message."""
    top = module.partition(".")[0]
    if top in ("tkinter", "turtle", "_tkinter"):
        return (
            "Python's tkinter is not installed here: apt install python3-tk, or"
            " what your system calls it"
        )
    if top in sys.stdlib_module_names:
        return f"this Python, {sys.version.split()[0]}, was built without it"
    if (package := _PACKAGES.get(top)) or top in _SAME:
        return f"{sys.executable} -m pip install {package or top}"
    return "it is neither beside the controller nor installed"


def scenario_controllers(scenario: Scenario) -> dict[str, Controller]:
    """Reads and compiles the Python controllers of a scenario, by model name.

    Robots that programs connect to are left out.

    Raises:
        InputError: a file cannot be read, or is not Python; it names the place.
    """
    controllers, connected = {}, connected_robots(scenario)
    for model, driver in robots_of(scenario).items():
        if driver.controller and model not in connected:
            try:
                file = controller_file(scenario, driver.controller)
                controllers[model] = load_controller(
                    file, driver.controller_args
                )
            except InputError as error:
                path = ("model_drivers", model, "controller")
                raise located(scenario, error.below(*path)) from None
    return controllers


def set_controller(scenario: Scenario, argument: str) -> None:
    """Gives a robot of a scenario a controller.

    Args:
        scenario: scenario, which is changed.
        argument: the controller's file, Python or a program; "MODEL=FILE" where
            there are several robots. Relative to the current folder.

    Raises:
        InputError: it is not clear which robot is meant, or the file is no
            controller.
    """
    robots = robots_of(scenario)
    model, equals, file = argument.partition("=")
    if not equals or (model not in robots and os.path.exists(argument)):
        model, file = "", argument
    if not model and len(robots) == 1:
        model = next(iter(robots))
    if not model:
        raise InputError(
            f"--controller {argument}: several robots; give MODEL=FILE with one"
            f" of {', '.join(robots)}"
            if robots
            else f"--controller {argument}: no model has Webots motors"
        )
    if model not in robots:
        problem = unknown_name("robot", model, robots)
        raise InputError(f"--controller {argument}: {problem}")
    if not is_program(Path(file)):
        load_controller(file)
    robots[model].controller = os.path.abspath(file)
