"""Programs that `webmotor run` starts, and those that it waits for."""

import gc
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import webots_client
from connected import port_of_instance
from folders import TEST_SCENARIOS
from robots import scenario
from webots_client import WebotsClient, extern_socket

from webmotor_drake.errors import InputError
from webmotor_drake.protocol.programs import _command_of
from webmotor_drake.protocol.runtime_ini import read_runtime_ini
from webmotor_drake.runner import ready
from webmotor_drake.scenario.robot_controllers import make_extern
from webmotor_drake.view.page_console import PageConsole

ARM = [f"{TEST_SCENARIOS / 'robots.scenario.yaml'}", "--scenario_name", "Arm"]


def program(folder: Path, text: str) -> Path:
    """Writes a program that has the test client."""
    file = folder / "program"
    home = Path(webots_client.__file__).parent
    file.write_text(
        f"#!{sys.executable}\nimport sys, os\n"
        f"sys.path.insert(0, {str(home)!r})\n"
        "from webots_client import WebotsClient\n"
        "home, name = (os.environ['WEBOTS_' + n] for n in"
        " ('INSTANCE_PATH', 'ROBOT_NAME'))\n"
        "socket = f'{home}ipc/{name}/intern'\n" + textwrap.dedent(text)
    )
    file.chmod(0o755)
    return file


def with_controller(file: Path | str, *arguments: str):
    arm = scenario()
    driver = arm.model_drivers["arm"]
    driver.controller, driver.controller_args = str(file), list(arguments)
    return arm


@pytest.mark.slow
def test_a_program_is_started_with_what_it_expects(tmp_path, capfd):
    file = program(
        tmp_path,
        """
        client = WebotsClient(local=socket)
        client.motor("hinge motor", 1, float(sys.argv[1]))
        while client.step(8) != -1:
            pass
        print(client.controller, os.path.basename(os.getcwd()))
        client.clean_up()
        """,
    )
    simulation = ready(with_controller(file, "0.6"), port=0)
    results = simulation.run()
    target = results["arm/hinge motor/target_position"][-1]
    assert target == 0.6
    assert capfd.readouterr().out == f"program {tmp_path.name}\n"


@pytest.mark.slow
def test_a_program_gets_the_variables_of_its_runtime_ini_and_libraries(
    tmp_path, capfd
):
    folder = tmp_path / "controllers" / "walk"
    folder.mkdir(parents=True)
    (tmp_path / "libraries" / "legs").mkdir(parents=True)
    (folder / "runtime.ini").write_text(
        "[environment variables]\nHOW = slowly\n"
        "[environment variables with paths]\nWEBOTS_LIBRARY_PATH = /mine\n"
    )
    file = program(
        folder,
        """
        print(os.environ["HOW"], os.environ["LD_LIBRARY_PATH"])
        """,
    )
    short = with_controller(file)
    short.simulation_duration = 0.008
    ready(short, port=0).run()
    libraries = f"{tmp_path}/libraries/legs:/mine:{folder}"
    assert capfd.readouterr().out.startswith(f"slowly {libraries}")


@pytest.mark.slow
def test_a_page_is_told_what_a_program_prints_when_it_prints_it(tmp_path):
    file = program(
        tmp_path,
        """
        client = WebotsClient(local=socket)
        client.step(8)
        print("here é")
        print("there", file=sys.stderr)
        while client.step(8) != -1:
            pass
        print("a" * 3000 + "z", end="")
        client.clean_up()
        """,
    )
    console = PageConsole()
    here: list[str] = []

    def look(time: float, end: float) -> None:
        here.extend(text for _, text in console.take())

    gc.collect()  # what tests before have left
    before = len(os.listdir("/proc/self/fd"))
    with console.listening():
        ready(with_controller(file), port=0).run(progress=look)
        assert "here é" in here
        print()
    told = console.take()
    assert "there" in [*here, *(text for _, text in told)]
    assert told[-1][1].startswith("aaa")
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.slow
def test_a_program_that_never_connects_is_told_and_the_run_goes_on(
    tmp_path, capfd
):
    file = program(tmp_path, "sys.exit(3)")
    results = ready(with_controller(file), port=0).run()
    assert results.time[-1] == pytest.approx(4)
    assert "exited with status 3" in capfd.readouterr().err


def test_a_wrong_runtime_ini_is_told_with_its_line(tmp_path):
    file = program(tmp_path, "pass")
    (tmp_path / "runtime.ini").write_text("[java]\n; all right\nCOMMAND java\n")
    with pytest.raises(InputError, match=r"runtime\.ini:3: 'COMMAND java'"):
        ready(with_controller(file))


@pytest.mark.parametrize("name", ["walk.m", "walk.jar", "walk.exe"])
def test_what_is_not_there_is_said_with_its_place(name):
    with pytest.raises(InputError, match=r"arm\.controller.*walk"):
        ready(with_controller(name))


@pytest.mark.parametrize(
    ("name", "language"), [("walk.m", "MATLAB"), ("Walk.class", "Java")]
)
def test_other_languages_need_webots_library(
    monkeypatch, tmp_path, name, language
):
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    (tmp_path / name).touch()
    with pytest.raises(InputError, match=rf"in {language}.*set WEBOTS_HOME"):
        ready(with_controller(tmp_path / name))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("walk", ["/c/walk", "1", "2"]),
        (
            "Walk.class",
            [
                *("java", "-classpath"),
                "/w/lib/controller/java/Controller.jar:/c",
                "-Djava.library.path=/w/lib/controller/java",
                *("Walk", "1", "2"),
            ],
        ),
        (
            "Walk.jar",
            [
                *("java", "-classpath"),
                "/w/lib/controller/java/Controller.jar:/c:/c/Walk.jar",
                "-Djava.library.path=/w/lib/controller/java",
                *("Walk", "1", "2"),
            ],
        ),
        (
            "walk.m",
            [
                *("matlab", "-sd", "/w/lib/controller/matlab"),
                *("-batch", "launcher"),
            ],
        ),
    ],
)
def test_programs_are_started_by_their_extension(name, expected):
    home = {"WEBOTS_HOME": "/w"}
    assert _command_of(Path("/c", name), ["1", "2"], home, {}) == expected


def test_a_runtime_ini_chooses_java_its_options_and_classes(tmp_path):
    (tmp_path / "runtime.ini").write_text(
        "[environment variables with paths]\n"
        "CLASSPATH = /a.jar:$(MORE)\n"
        "[java]\nCOMMAND = /opt/java\nOPTIONS = -Xms6144k -ea ; both\n"
    )
    environment = {"WEBOTS_HOME": "/w", "MORE": "/b.jar"}
    settings = read_runtime_ini(tmp_path, environment)
    command = _command_of(tmp_path / "Walk.jar", [], environment, settings)
    library = "/w/lib/controller/java"
    classes = f"{library}/Controller.jar:{tmp_path}:{tmp_path}/Walk.jar"
    assert command == [
        *("/opt/java", "-classpath", f"{classes}:/a.jar:/b.jar"),
        *(f"-Djava.library.path={library}", "-Xms6144k", "-ea", "Walk"),
    ]


@pytest.mark.slow
def test_the_command_line_waits_for_a_controller(tmp_path):
    command = [
        sys.executable, "-m", "webmotor_drake", "run", *ARM, "--extern",
        "--extern_port", "0", "--out", str(tmp_path / "out"), "--quiet",
    ]  # fmt: skip
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        told = run.stderr.readline()
        client = WebotsClient(local=extern_socket(port_of_instance(), "arm"))
        while client.step(32) != -1:
            pass
        client.clean_up()
        assert run.wait(30) == 0
    finally:
        run.kill()
        run.stderr.close()
        run.wait()
    assert "arm waits for its controller" in told
    assert (tmp_path / "out" / "run.npz").exists()


def test_extern_without_robots_is_refused():
    arm = scenario()
    arm.model_drivers = {}
    with pytest.raises(InputError, match="--extern"):
        make_extern(arm)


@pytest.mark.slow
def test_a_program_that_restarts_itself_at_once_is_told_after_three_times(
    tmp_path, capfd
):
    file = program(
        tmp_path,
        """
        client = WebotsClient(local=socket)
        print("start", flush=True)
        client.ask(68, "I", client.self_node)
        assert client.step(8) == -1
        client.clean_up()
        """,
    )
    arm = with_controller(file)
    arm.model_drivers["arm"].supervisor = True
    ready(arm, port=0).run()
    done = capfd.readouterr()
    assert done.out == "start\n" * 4
    assert "restarted 3 times while no time passed" in done.err
