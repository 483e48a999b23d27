"""Programs that are started as controllers, with the environment they expect."""

import codecs
import contextlib
import os
import signal
import subprocess
import sys
import threading
import tty
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.host import messages
from webmotor_drake.protocol.runtime_ini import Settings, read_runtime_ini
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.robot_controllers import OTHERS, connected_robots
from webmotor_drake.scenario.scenario import Scenario

_CHUNK = 2**16
# The time to read the rest after a program has ended, s: a child of the program may
# still hold the stream.
_LAST_LINES = 1.0


class _Outlet:
    """Takes a program's lines to one of this process's streams.

    The program writes to a terminal, so that each line comes when it is printed, and
    not when a buffer is full.
    """

    def __init__(self, stream: typing.TextIO):
        self._stream = stream
        self._read, self.descriptor = os.openpty()
        tty.setraw(self.descriptor)  # lines end as the program ends them
        self._reader = threading.Thread(target=self._copy, daemon=True)

    def start(self) -> None:
        """Starts to read: the program has its descriptor, or was not started."""
        os.close(self.descriptor)
        self._reader.start()

    def finish(self) -> None:
        """Waits for the program's last lines."""
        self._reader.join(_LAST_LINES)

    def _copy(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        begun = ""
        with contextlib.suppress(OSError):  # Linux: no writer is left
            while data := os.read(self._read, _CHUNK):
                text = begun + decoder.decode(data)
                lines, end, begun = text.rpartition("\n")
                self._write(lines + end)
        os.close(self._read)
        self._write(begun + decoder.decode(b"", final=True))

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # it is closed
            if text:
                self._stream.write(text)
                self._stream.flush()


def _outlet_of(name: str) -> _Outlet | None:
    """Returns the outlet to a stream; None: the stream is the process's own."""
    stream = getattr(sys, name)
    own = stream is None or stream is getattr(sys, f"__{name}__")
    return None if own else _Outlet(stream)


# The time that a program may go on after it was told to stop, s.
_SOON = 2.0


class Program:
    """A controller's process.

    Args:
        robot: robot of the controller.
        file: the program.
        arguments: command-line arguments.
        instance: the folder of the simulation.

    Raises:
        InputError: the program cannot be started.
    """

    def __init__(
        self, robot: str, file: Path, arguments: Sequence[str], instance: Path
    ):
        self._robot = robot
        self._file = file
        self._told = False
        environment = _environment(robot, instance)
        environment |= _for_matlab(file, arguments)
        settings = read_runtime_ini(folder_of(file), environment)
        _find_libraries(file, environment)
        command = _command_of(file, arguments, environment, settings)
        out, errors = _outlet_of("stdout"), _outlet_of("stderr")
        self._outlets = [each for each in (out, errors) if each]
        try:
            self._process = subprocess.Popen(
                command,
                cwd=folder_of(file),
                env=environment,
                stdout=out.descriptor if out else None,
                stderr=errors.descriptor if errors else None,
            )
        except OSError as error:
            what = f"{command[0]} for " if command[0] != str(file) else ""
            raise InputError(
                f"cannot start {what}the controller {file}:"
                f" {error.strerror or error}"
            ) from None
        finally:
            for outlet in self._outlets:
                outlet.start()

    @property
    def is_over(self) -> bool:
        """Whether the program has ended; a failure is printed the first time."""
        status = self._process.poll()
        if status and not self._told:
            messages.warning(
                self._robot, f"the controller {self._file.name} {_end(status)}"
            )
        self._told = self._told or status is not None
        return status is not None

    def end(self, patience: float) -> None:
        """Ends the program, and prints its last lines.

        Args:
            patience: time that it may go on by itself, s.
        """
        self._stop(patience)
        for outlet in self._outlets:
            outlet.finish()

    def _stop(self, patience: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        if self.is_over:
            return
        messages.warning(
            self._robot,
            f"the controller {self._file.name} goes on after the end of the"
            " simulation and is stopped",
        )
        self._told = True
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_SOON)
            return
        self._process.kill()
        self._process.wait()


def _command_of(
    file: Path,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    settings: Settings,
) -> list[str]:
    """Returns the command that starts a controller, like Webots' launcher.

    Java's Controller.jar and MATLAB's launcher.m are taken from WEBOTS_HOME
    (webots_controller.c).
    """
    suffix = file.suffix.lower()
    if suffix not in OTHERS:
        return [str(file), *arguments]
    home = environment.get("WEBOTS_HOME")
    if not home:
        raise InputError(
            f"the controller {file} is in {OTHERS[suffix]}, and needs Webots'"
            " library for it; set WEBOTS_HOME to where Webots is installed"
        )
    library = Path(home, "lib", "controller")
    language = OTHERS[suffix].lower()
    command = settings.get((language, "COMMAND"), language)
    options = settings.get((language, "OPTIONS"), "").split()
    if suffix == ".m":
        folder = str(library / "matlab")
        return [command, "-sd", folder, *options, "-batch", "launcher"]
    java = library / "java"
    classes = [java / "Controller.jar", file.parent]
    if suffix == ".jar":
        classes.append(file)
    return [
        command,
        "-classpath",
        _paths(*classes, environment.get("CLASSPATH")),
        f"-Djava.library.path={_paths(java, environment.get('JAVA_LIBRARY_PATH'))}",
        *options,
        file.stem,
        *arguments,
    ]


def folder_of(file: Path) -> Path:
    """Returns a controller's folder, also if its file is in build/release."""
    build = file.parent.parent
    is_built = file.parent.name == "release" and build.name == "build"
    return build.parent if is_built else file.parent


def _paths(*paths: Path | str | None) -> str:
    return ":".join(str(path) for path in paths if path)


def _find_libraries(file: Path, environment: dict[str, str]) -> None:
    """Lets a program find the libraries of its project, its folder and Webots."""
    folder = folder_of(file)
    project = folder.parent.parent / "libraries"
    places: list[Path | str | None] = []
    if project.is_dir() and folder.parent.name == "controllers":
        places += sorted(path for path in project.iterdir() if path.is_dir())
    places += environment.get("WEBOTS_LIBRARY_PATH"), folder
    if home := environment.get("WEBOTS_HOME"):
        places.append(Path(home, "lib", "controller"))
    places.append(environment.get("LD_LIBRARY_PATH"))
    environment["LD_LIBRARY_PATH"] = _paths(*places)


def _for_matlab(file: Path, arguments: Sequence[str]) -> dict[str, str]:
    """Returns the environment variables that MATLAB's launcher.m reads."""
    if file.suffix.lower() != ".m":
        return {}
    version = Path(os.environ["WEBOTS_HOME"], "resources", "version.txt")
    lines = version.read_text().splitlines() if version.is_file() else []
    return {
        "WEBOTS_PROJECT": str(file.parent.parent.parent),
        "WEBOTS_CONTROLLER_NAME": file.stem,
        "WEBOTS_CONTROLLER_ARGS": ":".join(arguments),
        "WEBOTS_VERSION": lines[0] if lines else "",
    }


def _environment(robot: str, instance: Path) -> dict[str, str]:
    """Returns the environment by which libController finds its robot."""
    environment = dict(os.environ)
    environment.pop("WEBOTS_CONTROLLER_URL", None)
    environment["WEBOTS_INSTANCE_PATH"] = f"{instance}/"
    environment["WEBOTS_ROBOT_NAME"] = robot
    return environment


def _end(status: int) -> str:
    if status > 0:
        return f"exited with status {status}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-status).name}"
    return f"was ended by signal {-status}"


def startable_programs(scenario: Scenario) -> dict[str, Path | None]:
    """Returns the program of each robot that takes one; None: the user starts it.

    Raises:
        InputError: a program cannot be started; it names the place.
    """
    programs = connected_robots(scenario)
    for robot, file in programs.items():
        if file is not None:
            with blame(scenario, "model_drivers", robot, "controller"):
                _check_startable(file)
    return programs


def _check_startable(file: Path) -> None:
    if file.suffix.lower() in OTHERS:
        if not file.is_file():
            raise InputError(f"there is no {file}")
    elif not (file.is_file() and os.access(file, os.X_OK)):
        problem = f"{file} is no program that can be started"
        if file.is_file():
            problem += f"; allow it: chmod +x {file}"
        raise InputError(problem)
    environment = dict(os.environ)
    settings = read_runtime_ini(folder_of(file), environment)
    _command_of(file, (), environment, settings)
