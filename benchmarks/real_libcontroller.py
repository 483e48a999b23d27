"""One program in C, C++, Java and Python on Webots' own libController, and in process.

    python benchmarks/real_libcontroller.py WEBOTS_HOME [--only c,cpp,java,python]

WEBOTS_HOME is a folder as Webots installs it, or `webots_ros2_driver/webots` of a
checkout of github.com/cyberbotics/webots_ros2: what is not built there is built by its
own Makefiles (Java wants SWIG and a JDK). The programs of `_lib/both_ways` drive the
robot of scenarios/controller_avoid over a local socket and TCP; what each prints, and
the motion, has to be that of the Python program in process, to the bit. Each language
has one row. A program is then killed midway and the next one served, and a world starts
the C program itself. The exit status is the number of rows that differ.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from webmotor_drake import Results

PROGRAMS = Path(__file__).parent / "_lib" / "both_ways"
SCENARIO = (
    Path(__file__).parents[1] / "scenarios/controller_avoid.scenario.yaml"
)
# Longer than the program, s; and at the pace of the clock for the one that is killed.
LONG = "{simulation_duration: 8}"
PACED = "{simulation_duration: 5, simulator_config: {target_realtime_rate: 1}}"
WORLD = """#VRML_SIM R2023b utf8
WorldInfo {{ basicTimeStep 16 }}
Robot {{ name "r" controller "{name}" controllerArgs [ "one" "two words" ] }}
"""
HELLO = """#include <stdio.h>
#include <webots/robot.h>
int main(int count, char **words) {
  wb_robot_init();
  for (int k = 0; k < 3; k++) wb_robot_step(16);
  printf("%s %d %s\\n", wb_robot_get_name(), count, words[2]);
  wb_robot_cleanup();
}
"""


class Home:
    """A folder with Webots' controller library.

    Args:
        path: its path.
        scratch: folder for programs.
    """

    def __init__(self, path: Path, scratch: Path):
        self.path, self.scratch = path.resolve(), scratch
        self.library = self.path / "lib" / "controller"

    def build(self, part: str, made: str) -> None:
        """Builds a part of the library by its own Makefile, if it is not there."""
        if not (self.library / made).exists():
            variables = [
                f"WEBOTS_HOME={self.path}",
                f"WEBOTS_HOME_PATH={self.path}",
            ]
            if javac := shutil.which("javac"):
                variables.append(
                    f"JAVA_HOME={Path(javac).resolve().parents[1]}"
                )
            folder = self.path / "src" / "controller" / part
            make = ["make", "-C", str(folder), *variables, "release"]
            subprocess.run(make, check=True, stdout=subprocess.DEVNULL)

    def compiled(
        self, compiler: str, source: Path, language: str, *more: str
    ) -> list:
        """Returns the command of a program in C or C++."""
        program = self.scratch / f"{source.stem}_{language}"
        headers = [
            f"-I{self.path}/include/controller/{name}" for name in ("c", "cpp")
        ]
        libraries = [f"-L{self.library}", *more, "-lController", "-lm"]
        rpath = f"-Wl,-rpath,{self.library}"
        command = [compiler, source, "-o", program, *headers, *libraries, rpath]
        subprocess.run(command, check=True)
        return [str(program)]

    def command(self, language: str) -> list[str]:
        """Returns the command of the program in a language."""
        self.build("c", "libController.so")
        if language == "c":
            return self.compiled("cc", PROGRAMS / "walk.c", "c")
        self.build("cpp", "libCppController.so")
        if language == "cpp":
            walk = PROGRAMS / "walk.cpp"
            return self.compiled("c++", walk, "cpp", "-lCppController")
        if language == "python":
            return [sys.executable, str(PROGRAMS / "walk.py")]
        self.build("java", "java/libJavaController.so")
        java = self.library / "java"
        jar = java / "Controller.jar"
        source = PROGRAMS / "Walk.java"
        made = ["javac", "-cp", jar, "-d", self.scratch, source]
        subprocess.run(made, check=True)
        places = f"{jar}:{self.scratch}"
        return ["java", "-cp", places, f"-Djava.library.path={java}", "Walk"]

    def environment(self, address: str) -> dict[str, str]:
        """Returns a program's environment."""
        return {
            **os.environ,
            "WEBOTS_HOME": str(self.path),
            "WEBOTS_CONTROLLER_URL": address,
            "PYTHONPATH": str(self.library / "python"),
            "LD_LIBRARY_PATH": str(self.library),
        }


class Run:
    """A run of `webmotor run --extern`.

    Args:
        scratch: where its results go.
        text: overrides parts of the scenario.
    """

    def __init__(self, scratch: Path, text: str):
        self.out = scratch / "run"
        command = [sys.executable, "-m", "webmotor_drake", "run", str(SCENARIO)]
        command += ["--extern", "--extern_port", "0", "--quiet"]
        command += ["--out", str(self.out), "--scenario_text", text]
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if found := re.search(r"ipc://(\d+)/robot", line):
                self.port = int(found[1])
                break
        drain = self.process.stderr.read
        threading.Thread(target=drain, daemon=True).start()

    def address(self, transport: str) -> str:
        """Returns the address of the robot."""
        host = f"127.0.0.1:{self.port}" if transport == "tcp" else self.port
        return f"{transport}://{host}/robot"


def numbers(text: str) -> np.ndarray:
    """Returns the numbers that a program has printed."""
    lines = [line.split() for line in text.splitlines()]
    return np.array([[float(x) for x in row] for row in lines if len(row) == 6])


def in_process(scratch: Path) -> tuple[np.ndarray, Path]:
    """Runs the Python program in process; returns what it printed, and the run."""
    out = scratch / "in_process"
    command = [sys.executable, "-m", "webmotor_drake", "run", str(SCENARIO)]
    command += ["--controller", str(PROGRAMS / "walk.py"), "--quiet"]
    command += ["--out", str(out), "--scenario_text", LONG]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return numbers(done.stdout), out


def same(home: Home, language: str, transport: str, expected: tuple) -> str:
    """Returns how a program differs from the one in process, or "same bits"."""
    command = home.command(language)
    run = Run(home.scratch, LONG)
    environment = home.environment(run.address(transport))
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300
    )
    if run.process.wait(300) or done.returncode:
        return (
            f"status {run.process.returncode}, {done.returncode}: {done.stderr}"
        )
    if not np.array_equal(numbers(done.stdout), expected[0], equal_nan=True):
        return "other numbers"
    ours, theirs = Results.load(expected[1]), Results.load(run.out)
    for name, values in ours.signals.items():
        if not np.array_equal(values, theirs.signals[name], equal_nan=True):
            return f"another {name}"
    return "same bits"


def survives(home: Home, transport: str) -> str:
    """Kills a program in C after a second; returns what became of the next one."""
    command = home.command("c")
    run = Run(home.scratch, PACED)
    environment = home.environment(run.address(transport))
    quiet = subprocess.DEVNULL
    first = subprocess.Popen(command, env=environment, stdout=quiet)
    time.sleep(1.5)
    first.kill()
    first.wait()
    second = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60
    )
    run.process.wait(60)
    printed = numbers(second.stdout)
    if second.returncode or not 0 < printed[0, 1] < 3:
        return f"status {second.returncode}, {second.stdout[:80]!r}"
    return "served"


def started(home: Home) -> str:
    """Has a world start a program in C; returns what it says."""
    folder = home.scratch / "project" / "controllers" / "hello"
    folder.mkdir(parents=True)
    (folder.parents[1] / "worlds").mkdir()
    (folder / "hello.c").write_text(HELLO)
    built = home.compiled("cc", folder / "hello.c", "c")
    Path(built[0]).rename(folder / "hello")
    world = folder.parents[1] / "worlds" / "w.wbt"
    world.write_text(WORLD.format(name="hello"))
    command = [
        sys.executable,
        "-m",
        "webmotor_drake",
        "run",
        str(world),
        "--quiet",
    ]
    command += ["--out", str(home.scratch / "w")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    told = "started" if done.stdout == "r 3 two words\n" else repr(done.stdout)
    return told if done.returncode == 0 else done.stderr


def main() -> int:
    """Prints one row per language and transport; returns how many differ."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("home", type=Path, metavar="WEBOTS_HOME")
    arguments.add_argument("--only", default="c,cpp,java,python")
    given = arguments.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        home = Home(given.home, Path(folder))
        expected = in_process(home.scratch)
        for language in given.only.split(","):
            for transport in ("ipc", "tcp"):
                told = same(home, language, transport, expected)
                failed += told != "same bits"
                print(f"{language:7} {transport}  {told}", flush=True)
        for transport in ("ipc", "tcp"):
            told = survives(home, transport)
            failed += told != "served"
            print(f"killed  {transport}  next one {told}", flush=True)
        told = started(home)
        failed += told != "started"
        print(f"world        {told}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
