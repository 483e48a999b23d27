"""Random controllers that break what they share, and end in all ways.

    python benchmarks/fuzz_controllers.py [--calls N] [--seed S]

Whatever they do, the run ends soon, with all that was simulated, and the process is
what it was. Anything else is shown, and the exit status is 1.
"""

import builtins
import contextlib
import faulthandler
import gc
import io
import json
import os
import random
import signal
import sys
import threading
import typing
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _lib.random_calls import show

from webmotor_drake import Results, load_scenario
from webmotor_drake.controllers.in_process import lockstep
from webmotor_drake.errors import SimulationError
from webmotor_drake.robot import run_with_controllers
from webmotor_drake.scenario.scenario import Scenario

# Nothing takes as long, s.
_SOON = 60

# Names of these are broken; who breaks the others' breaks Python.
_MODULES = (
    *("json", "os", "time", "io", "pathlib", "contextlib", "tempfile", "math"),
    *("hashlib", "secrets", "warnings", "functools", "itertools", "operator"),
    *("collections", "dataclasses", "zipfile", "traceback", "logging", "copy"),
    *("numpy", "numpy.lib.format", "webmotor_drake.errors"),
    *("webmotor_drake.results.results", "webmotor_drake.results.whole_file"),
)

_START = """
import atexit, builtins, gc, os, random, signal, sys, threading, time
import numpy as np
from controller import Robot, Supervisor
robot = Supervisor()
motor = robot.getDevice("hinge motor")
sensor = robot.getDevice("hinge sensor")
"""

_STATEMENTS = (
    *("robot.step(8)", "robot.step(0)", "robot.step(80)", "robot.step(7)"),
    *("motor.setPosition(0.5)", "motor.setVelocity(-1)", "motor.setTorque(3)"),
    *("sensor.enable(16)", "sensor.enable(0)", "print(sensor.getValue())"),
    *("print(robot.getSelf().getPosition())", "robot.simulationReset()"),
    *("robot.worldReload()", "robot.simulationResetPhysics()"),
    *("robot.simulationQuit(256)", "robot.getFromDef('arm')"),
    "robot.simulationSetMode(robot.SIMULATION_MODE_FAST)",
    *("del robot", "robot = Supervisor()", "gc.collect()"),
    *("sys.stdout = None", "sys.stderr.close()", "sys.stdin.read()"),
    *("sys.argv = None", "sys.path.clear()", "sys.modules.clear()"),
    *("os.chdir('/')", "os.environ.clear()", "sys.setrecursionlimit(60)"),
    *("builtins.len = None", "builtins.__dict__.clear()", "del builtins.print"),
    *("threading.Thread(target=lambda: robot.step(8)).start()", "1 / 0"),
    *("threading.Thread(target=lambda: 1 / 0).start()", "raise SystemError"),
    *("threading.Thread(target=time.sleep, args=(0.05,)).start()", "def f("),
    *("atexit.register(os._exit, 0)", "atexit.register(print, 'end')"),
    *("atexit.register(robot.step, 8)", "atexit.register(lambda: 1 / 0)"),
    *("os._exit(3)", "sys.exit(0)", "sys.exit('enough')", "raise SystemExit"),
    *("raise KeyboardInterrupt", "raise GeneratorExit", "raise BaseException"),
    *("np.seterr(all='raise')", "np.random.seed(0)", "random.seed(0)"),
    *("[os.open('/dev/null', 0) for _ in range(100_000)]", "time.sleep(0.01)"),
    *("os.close(os.open('/dev/null', 0))", "os.umask(0o777)", "os.nice(1)"),
    "if os.fork() == 0: robot.step(8); robot.step(8)",
    "if os.fork() == 0: os._exit(0)",
    "if os.fork() == 0: sys.exit(1)",
    "if os.fork() == 0: 1 / 0",
    "while robot.step(8) != -1: pass",
    "for _ in range(3): robot.step(8)",
    "try: robot.step(8)\nexcept BaseException: pass",
    "try: 1 / 0\nfinally: robot.step(8)",
    "exec('robot.step(8)')",
    "class E(Exception):\n    def __str__(self): raise E\nraise E",
    "def deep(): deep()\ndeep()",
)


def program(random: np.random.Generator) -> str:
    """Returns the text of a controller.

    Without builtins Python itself waits for ever where a thread starts.
    """
    text = _program(random)
    while "builtins." in text and "Thread(" in text:
        text = _program(random)
    return text


def _program(random: np.random.Generator) -> str:
    lines = [_START]
    for _ in range(random.integers(1, 7)):
        if random.random() < 0.2:
            lines.append(_break_a_name(random))
        else:
            lines.append(_STATEMENTS[random.integers(len(_STATEMENTS))])
    if random.random() < 0.4:
        lines.append("while robot.step(8) != -1: pass")
    return "\n".join(lines)


def _break_a_name(random: np.random.Generator) -> str:
    module = _MODULES[random.integers(len(_MODULES))]
    __import__(module)
    names = sorted(n for n in vars(sys.modules[module]) if n[:2] != "__")
    name = names[random.integers(len(names))]
    how = [f"m.{name} = None", f"del m.{name}", f"m.{name} = 1 .__add__"]
    return f"import {module}; m = sys.modules[{module!r}]; " + str(
        how[random.integers(3)]
    )


def scenario() -> Scenario:
    """Returns a pendulum whose controller may be a supervisor."""
    return load_scenario(
        "package:pendulum",
        name="Lift",
        text="{simulation_duration: 0.2, model_drivers: {arm: {supervisor: true,"
        " commands: [], position_sensors: {hinge sensor: {joint: hinge}}}}}",
    )


@contextlib.contextmanager
def _as_it_was() -> Iterator[list[str]]:
    """Gives what is not as it was before the block; puts it right."""
    wrong: list[str] = []

    def here() -> dict[str, typing.Any]:
        return {
            "folder": os.getcwd(),
            "stdout": sys.stdout,
            "argv": sys.argv,
            "len": builtins.len,
            "dumps": json.dumps,
            "limit": sys.getrecursionlimit(),
            "exit": os._exit,
            "main": sys.modules["__main__"],
            "handler": signal.getsignal(signal.SIGINT),
        }

    before, pid = here(), os.getpid()
    environment, umask = dict(os.environ), os.umask(0o022)
    numpys, drawn, numpy_drawn = (
        np.geterr(),
        random.getstate(),
        np.random.get_state(),
    )
    files = set(os.listdir("/proc/self/fd"))
    threads = set(threading.enumerate())
    try:
        yield wrong
    finally:
        if os.getpid() != pid:
            os._exit(99)  # a forked child must not come here
        after = here()
        wrong += [name for name in before if after[name] != before[name]]
        os.environ.clear()
        os.environ.update(environment)
        os.umask(umask)
        np.seterr(**numpys)
        random.setstate(drawn)
        np.random.set_state(numpy_drawn)
        gc.collect()  # what still owns a descriptor closes it now, not its next owner's
        for number in set(os.listdir("/proc/self/fd")) - files:
            with contextlib.suppress(OSError):
                os.close(int(number))
        for thread in set(threading.enumerate()) - threads:
            thread.join(timeout=30)  # on a busy machine
            if thread.is_alive():
                wrong.append(f"{thread.name} runs on")
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def fuzz(number: int, seed: int, folder: Path) -> tuple[Counter, list[str]]:
    """Runs random controllers.

    Args:
        number: how many.
        seed: of what they do.
        folder: where they are.

    Returns:
        What came of them, and what was wrong.
    """
    random = np.random.default_rng(seed)
    world = scenario()
    found: Counter[str] = Counter()
    wrong = []
    for i in range(number):
        file = folder / f"odd_{i}.py"
        text = program(random)
        file.write_text(text)
        told = _outcome(world, file, folder / f"run {i}")
        found[told.partition(":")[0]] += 1
        if told.startswith("wrong"):
            lines = " ; ".join(text.removeprefix(_START).strip().splitlines())
            wrong.append(f"{i}: {told}: {lines}")
    return found, wrong


def _outcome(world: Scenario, file: Path, out: Path) -> str:
    """Returns what came of a controller."""

    def late(*_: object) -> None:
        faulthandler.dump_traceback(file=sys.__stderr__)
        raise TimeoutError(f"it hangs: {_SOON} s")

    said = io.StringIO()
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(_SOON)
    grace, lockstep.GRACE = lockstep.GRACE, 2.0  # who goes on is stopped soon
    told, results = "done", None
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(said),
            _as_it_was() as odd,
        ):
            warnings.simplefilter("ignore")
            try:
                results = run_with_controllers(world, {"arm": file})
            except SimulationError as error:
                told, results = "failed", error.results
                if "\n" in str(error):
                    odd.append(f"{error}")
            if results is not None:
                results.save(out)
                Results.load(out)
    except Exception as error:
        if file.read_text().find("def f(") >= 0 and "not valid" in str(error):
            return "refused"
        return f"wrong: {type(error).__name__}: {error}"[:200]
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        lockstep.GRACE = grace
    if results is None:
        return "wrong: no results"
    return f"wrong: {odd}" if odd else told


if __name__ == "__main__":
    faulthandler.enable()
    sys.exit(show(fuzz, __doc__))
