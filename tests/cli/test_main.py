"""The command line: what it prints, writes and returns, whatever happens."""

import contextlib
import errno
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from folders import ROOT

import webmotor_drake as wm
from webmotor_drake.cli.main import main
from webmotor_drake.comparison.comparison import Comparison
from webmotor_drake.engines.stepped_motors import SteppedMotors
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.results.results import Results

PENDULUM = str(ROOT / "scenarios" / "pendulum.scenario.yaml")
SHORT = "{simulation_duration: 0.08}"
LIFT = [PENDULUM, "--scenario_name", "Lift", "--scenario_text", SHORT]
ENDLESS = [*LIFT[:3], "--scenario_text", "{simulation_duration: 1e5}"]
PROGRAM = [sys.executable, "-m", "webmotor_drake"]

GOOD = """\
Lift:
  simulation_duration: 0.08
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/pendulum.urdf}
  - add_weld: {parent: world, child: arm::base}
  model_drivers:
    arm: !WebotsMotorDriver
      motors:
        m: !RotationalMotor {joint: hinge}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Makes an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder="."):
    """Returns all files and folders there, by their relative names."""
    return sorted(str(p.relative_to(folder)) for p in Path(folder).rglob("*"))


def program(*arguments, **options):
    """Runs the program as a process of its own, to its end."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        **options,
    )


# -- What goes well


def test_a_run_is_saved_where_it_says_and_summed_up_in_a_table(capsys):
    assert main(["run", *LIFT]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "arm/hinge motor  position" in out
    assert out.endswith("saved in runs/Lift\n")
    assert files() == ["runs", "runs/Lift", *RUN_FILES]
    results = Results.load("runs/Lift")
    assert results.time[-1] == pytest.approx(0.08)
    assert results.metadata["scenario_name"] == "Lift"


RUN_FILES = ["runs/Lift/run.json", "runs/Lift/run.npz"]


@pytest.mark.slow
def test_out_plot_html_and_graphviz_go_where_they_are_told_to(capsys):
    # Into folders that do not exist yet.
    options = ["--out", "a/b", "--plot", "--html", "c/d.html"]
    options += ["--graphviz", "e/f.dot", "--quiet"]
    assert main(["run", *LIFT, *options]) == 0
    assert capsys.readouterr() == ("", "")
    made = [file for file in files() if Path(file).is_file()]
    assert made == [
        "a/b/run.json",
        "a/b/run.npz",
        "a/b/run.png",
        "c/d.html",
        "e/f.dot",
    ]
    assert Path("e/f.dot").read_text().startswith("digraph")
    assert Path("a/b/run.png").read_bytes().startswith(b"\x89PNG")


def test_a_name_that_is_no_file_name_stays_inside_of_runs(capsys):
    # A scenario that somebody sends must not write elsewhere.
    for name, folder in {
        "../../up": "_.._up",
        "/tmp/there": "_tmp_there",
        ".hidden": "hidden",
        "two arms": "two arms",
    }.items():
        Path("s.yaml").write_text(GOOD.replace("Lift:", f'"{name}":'))
        assert main(["run", "s.yaml", "--quiet"]) == 0
        assert Path("runs", folder, "run.npz").is_file()
    assert files()[:1] + files()[-1:] == ["runs", "s.yaml"]


def test_check_says_what_would_run_and_writes_nothing(capsys):
    assert main(["check", *LIFT]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("0.08 s; plant: time step 0.008 s")
    assert err == ""
    assert files() == []


def test_check_opens_no_network_file_or_port(capsys):
    # lcm_url with mode=w empties the file that it names.
    Path("log.lcm").write_text("keep me")
    Path("s.yaml").write_text(
        f"{GOOD}  lcm_buses:\n"
        f"    default: {{lcm_url: 'file://{Path('log.lcm').absolute()}?mode=w'}}\n"
        "  visualization: {}\n"
    )
    assert main(["check", "s.yaml"]) == 0
    assert Path("log.lcm").read_text() == "keep me"
    _, err = capsys.readouterr()
    assert "Meshcat" not in err


def test_a_scenario_is_found_from_any_folder(monkeypatch, capsys):
    # So are the models beside it.
    shutil.copy(ROOT / "models/pendulum.urdf", "my pendulum.urdf")
    Path("s.yaml").write_text(
        GOOD.replace("package://webmotor_models/pendulum", "my pendulum")
    )
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert main(["check", "../s.yaml"]) == 0


def test_warnings_are_told_once_each_and_counted(capsys):
    text = "{model_drivers: {arm: {motors: {hinge motor: !RotationalMotor"
    text += " {max_torque: 30}}}}}"
    assert main(["run", *LIFT[:3], "--scenario_text", text, "--quiet"]) == 0
    warning = (
        "hinge motor.max_torque: 30 N·m is above the model's effort limit"
        " 20 N·m; the motor's is used"
    )
    assert capsys.readouterr().err == f"webmotor: warning: {warning}\n"
    saved = json.loads(Path("runs/Lift/run.json").read_text())
    assert saved["warnings"] == {warning: 1}


def test_what_drake_warns_of_is_told_in_a_line(capsys):
    # Drake's own text has nine, none of which says who speaks.
    model = """
        <robot name="r"><link name="l"><inertial><mass value="1"/>
        <inertia ixx="-1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
        </inertial></link></robot>
    """
    Path("r.urdf").write_text(model)
    text = "  - add_model: {name: r, file: r.urdf}\n  model_drivers:"
    Path("s.yaml").write_text(GOOD.replace("  model_drivers:", text))
    assert main(["check", "s.yaml"]) == 0
    err = capsys.readouterr().err
    assert err.startswith("webmotor: warning: ")
    assert "r.urdf" in err
    assert err.count("\n") == 1


def test_the_caller_gets_his_warnings_back(capsys):
    # main() is also a function in somebody's program.
    main(["check", *LIFT])
    with pytest.warns(MotorWarning, match="mine"):
        warnings.warn("mine", MotorWarning, stacklevel=1)


def test_the_address_of_a_viewer_is_told_and_is_of_this_machine(capsys):
    # Drake's own default would open it to the network.
    text = "{simulation_duration: 0.008, visualization: {}}"
    assert main(["run", *LIFT[:3], "--scenario_text", text]) == 0
    told, *_ = capsys.readouterr().err.splitlines()  # it may compile, too
    assert re.fullmatch(r"webmotor: .* http://localhost:\d+", told)


@pytest.mark.parametrize(
    "arguments", [[], ["walk"], ["run"], ["run", "a", "-x"]]
)
def test_a_wrong_command_line_is_answered_with_its_usage(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("usage: webmotor")


@pytest.mark.slow
def test_help_imports_neither_drake_nor_numpy():
    # They take a second; help is there at once.
    code = (
        "import sys\n"
        "from webmotor_drake.cli.main import main\n"
        "try:\n"
        "  main(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "  heavy = {'pydrake', 'numpy', 'yaml', 'tqdm'} & set(sys.modules)\n"
        "  sys.exit(end.code or ' '.join(heavy) or None)\n"
    )
    for arguments in (["--help"], ["run", "--help"], ["check", "--help"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("usage: webmotor")
        assert all(len(line) <= 80 for line in done.stdout.splitlines())


@pytest.mark.slow
def test_the_module_is_the_same_program_as_the_script():
    script = Path(sys.executable).with_name("webmotor")
    if not script.exists():
        pytest.skip("the project is not installed")
    told = [
        subprocess.run(
            [*command, "scenarios"], capture_output=True, check=True
        ).stdout
        for command in ([script], PROGRAM)
    ]
    assert told[0] == told[1]


@pytest.mark.slow
def test_what_a_controller_leaves_behind_does_not_keep_us(tmp_path):
    controller = tmp_path / "endless.py"
    controller.write_text(
        "import concurrent.futures, threading, time\n"
        "def task():\n"
        "    for _ in range(10**9):\n"
        "        time.sleep(0.1)\n"
        "for name in ('', 'named'):\n"
        "    pool = concurrent.futures.ThreadPoolExecutor(1, name)\n"
        "    pool.submit(task)\n"
        "threading.Thread(target=task).start()\n"
        # What such wrappers hold is closed when they go.
        "import io, sys\n"
        "sys.stdout = io.TextIOWrapper(sys.stdout.buffer)\n"
        "sys.stderr = io.TextIOWrapper(sys.stderr.buffer)\n"
        "sys.stdout = sys.stderr = None\n"
    )
    done = program("run", *LIFT, "--controller", str(controller), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("saved in")


# -- Wrong input


MOTOR = "m: !RotationalMotor {joint: hinge}"
WRONG = {
    "a field that is unknown": (GOOD + "  fps: 3\n", "s.yaml:11:3: Lift.fps: "),
    "a value of the wrong type": (
        GOOD.replace("0.08", "soon"),
        "s.yaml:2:3: Lift.simulation_duration: expected a number, not the text",
    ),
    "nothing for a value": (
        GOOD.replace("0.08", ""),
        "s.yaml:2:3: Lift.simulation_duration: expected a number, not null",
    ),
    "a field given twice": (
        GOOD + "  simulation_duration: 2\n",
        "s.yaml:11:3: Lift.simulation_duration: given twice; first on line 2",
    ),
    "a joint that does not exist": (
        GOOD.replace("joint: hinge", "joint: henge"),
        "s.yaml:10:30: Lift.model_drivers.arm.motors.m.joint: unknown revolute"
        " or prismatic joint 'henge'; did you mean hinge? (known: hinge)",
    ),
    "a motor that does not fit": (
        GOOD.replace("Rotational", "Linear"),
        "s.yaml:10:26: Lift.model_drivers.arm.motors.m.joint: a LinearMotor",
    ),
    "two motors on a joint": (
        GOOD + f"        {MOTOR.replace('m:', 'n:')}\n",
        "s.yaml:11:30: Lift.model_drivers.arm.motors.n.joint: joint hinge has",
    ),
    "a model file that is missing": (
        GOOD.replace("package://webmotor_models/", ""),
        "s.yaml:5:5: Lift.directives[0]: Drake refuses it: ",
    ),
    "two models of one name": (
        GOOD.replace(
            "  - add_weld", "  - add_model_instance: {name: arm}\n  - add_weld"
        ),
        "s.yaml:6:5: Lift.directives[1]: Drake refuses it: This model already",
    ),
    "a plant that steps backwards": (
        GOOD.replace("0.008", "-0.008"),
        "s.yaml:3:18: Lift.plant_config.time_step: -0.008 is not allowed;",
    ),
    "an empty file": ("", "s.yaml: empty; expected a mapping"),
    "no text at all": ("\0\1\2", "s.yaml:1:1: not a YAML text: control chara"),
}


@pytest.mark.parametrize("verb", ["check", "run"])
@pytest.mark.parametrize("what", WRONG)
def test_wrong_input_is_one_line_and_nothing_written(capsys, verb, what):
    # No traceback, no log of Drake's, no folder: exit status 2.
    text, told = WRONG[what]
    Path("s.yaml").write_text(text)
    assert main([verb, "s.yaml"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"webmotor: {told}")
    assert err.count("\n") == 1
    assert err[:-1].isprintable()
    assert files() == ["s.yaml"]


# Each of these ends or hangs the process, once it has reached Drake.
DEADLY = {
    "a file of directives that includes itself": (
        "add_directives: {file: self.dmd.yaml}",
        "self.dmd.yaml:2:20: directives[0].add_directives.file: {folder}/self.dmd"
        ".yaml includes",
    ),
    "a directive that holds nothing": (
        "{}",
        "s.yaml:6:5: Lift.directives[1]: nothing in one directive; one of",
    ),
    "an included file of aliases of aliases": (
        "add_directives: {file: bomb.dmd.yaml}",
        "bomb.dmd.yaml:6:5: a5: more than 200,000 values, aliases expanded",
    ),
}


CHECK_ALL = """
import sys
from webmotor_drake.cli.main import main
assert all(main(["check", file]) == 2 for file in sys.argv[1:])
"""


@pytest.mark.slow
def test_what_would_end_the_process_is_refused_before(folder):
    # In a process of its own, as it would take this one with it.
    Path("self.dmd.yaml").write_text(
        f"directives:\n- add_directives: {{file: file://{folder}/self.dmd.yaml}}"
    )
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    bomb += [
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)
    ]
    Path("bomb.dmd.yaml").write_text("\n".join(bomb))
    names = [f"{i}-s.yaml" for i in range(len(DEADLY))]
    for name, (directive, _) in zip(names, DEADLY.values(), strict=True):
        text = GOOD.replace("  - add_weld", f"  - {directive}\n  - add_weld")
        Path(name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", CHECK_ALL, *names],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stdout) == (0, "")
    lines = done.stderr.splitlines()
    for line, (_, told) in zip(lines, DEADLY.values(), strict=True):
        assert told.format(folder=folder) in line


def test_a_wrong_text_is_told_with_its_place_in_the_text(capsys):
    for text, told in {
        "{x": "--scenario_text:2:1: not valid YAML: ",
        "{x: 1}": "--scenario_text:1:2: x: unknown field (known: ",
        "simulation_duration: -1": "--scenario_text:1:1: simulation_duration",
    }.items():
        assert main(["run", *LIFT[:3], "--scenario_text", text]) == 2
        assert capsys.readouterr().err.startswith(f"webmotor: {told}")
    assert files() == []


def test_an_unknown_scenario_is_answered_with_those_that_exist(capsys):
    assert main(["run", PENDULUM, "--scenario_name", "Lfit"]) == 2
    assert capsys.readouterr().err.endswith(
        ": unknown scenario 'Lfit'; did you mean Lift? (known: Lift, Turn)\n"
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--out", "file"], "cannot write file/run.npz: Not a directory"),
        (["--out", "file/a"], "cannot write file/a/run.npz: Not a directory"),
        (["--out", "/dev/full"], "cannot write /dev/full/run.npz: Not a direc"),
        (["--html", "file/a"], "cannot write file/a: Not a directory"),
        (["--graphviz", "dir"], "cannot write dir: Is a directory"),
        (
            ["--plot", "--out", "dir"],
            "cannot write dir/run.png: Is a directory",
        ),
    ],
)
def test_what_cannot_be_written_is_told_before_the_run(
    capsys, monkeypatch, options, told
):
    # Not after an hour of simulation.
    Path("file").write_text("")
    Path("dir/run.png").mkdir(parents=True)
    before = files()
    monkeypatch.setattr(
        "webmotor_drake.simulation.simulation.Simulation.run",
        lambda *_, **__: pytest.fail("it ran"),
    )
    assert main(["run", *LIFT, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"webmotor: {told}")
    assert err.count("\n") == 1
    assert files() == before


def test_a_folder_that_is_read_only_is_told_before_the_run(
    capsys, without_rights
):
    without_rights.chmod(0o500)
    assert main(["run", *LIFT]) == 2
    without_rights.chmod(0o700)
    assert "Permission denied" in capsys.readouterr().err


def test_a_disk_that_is_full_leaves_no_half_file(capsys, monkeypatch):
    # fsync is where a full disk shows at the latest.
    def refuse(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    assert main(["run", *LIFT]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "webmotor: cannot write runs/Lift/run.npz: No space left on device\n"
    )
    assert not [file for file in files() if Path(file).is_file()]


def disk_fills(monkeypatch, *full) -> None:
    """Lets nothing be saved in the folders `full` once the run has begun."""
    save = Results.save

    def refuse(results, folder):
        if not full or str(folder) in full:
            raise InputError(f"cannot write {folder}/run.npz: No space left")
        save(results, folder)

    monkeypatch.setattr(Results, "save", refuse)


def test_a_disk_that_fills_up_during_a_run_does_not_cost_the_run(
    capsys, monkeypatch
):
    disk_fills(monkeypatch, "runs/Lift")
    assert main(["run", *LIFT]) == 1
    out, err = capsys.readouterr()
    told = r"webmotor: cannot write runs/Lift/run.npz: No space left; saved in (.*)"
    folder = re.fullmatch(f"{told}\n", err)[1]
    assert Results.load(folder).time[-1] == pytest.approx(0.08)
    assert "arm/hinge motor  position" in out
    assert out.endswith(f"saved in {folder}\n")
    shutil.rmtree(folder)


def test_a_run_that_can_be_saved_nowhere_is_told_all_the_same(
    capsys, monkeypatch, folder
):
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    disk_fills(monkeypatch)
    assert main(["run", *LIFT]) == 1
    out, err = capsys.readouterr()
    assert "arm/hinge motor  position" in out
    assert out.endswith("not saved\n")
    assert err.endswith("No space left; not saved\n")
    assert err.count("\n") == 1


def test_a_picture_that_cannot_be_written_does_not_cost_the_table(
    capsys, monkeypatch
):
    def refuse(results, file):
        raise InputError(f"cannot write {file}: No space left on device")

    monkeypatch.setattr("webmotor_drake.results.plots.plot_run", refuse)
    assert main(["run", *LIFT, "--plot"]) == 1
    out, err = capsys.readouterr()
    assert out.endswith("saved in runs/Lift\n")
    assert err == (
        "webmotor: cannot write runs/Lift/run.png: No space left on device\n"
    )


def test_a_report_that_cannot_be_written_does_not_cost_the_table(
    capsys, monkeypatch
):
    save = Comparison.save

    def refuse(comparison, folder, appendix):
        if folder == Path("runs/Lift-compare"):
            raise InputError(f"cannot write {folder}: No space left on device")
        save(comparison, folder, appendix)

    monkeypatch.setattr(Comparison, "save", refuse)
    assert main(["compare", *LIFT]) == 1
    out, err = capsys.readouterr()
    assert "drake_pd" in out
    folder = re.search(r"No space left on device; saved in (.*)\n$", err)[1]
    assert Path(folder, "report.html").is_file()
    assert out.endswith(f"saved in {folder}\n")
    shutil.rmtree(folder)


# -- Simulations that fail


def test_a_simulation_that_fails_is_saved_as_far_as_it_went(capsys):
    # At 0.04 s the motor applies more than a double can square.
    text = (
        "{simulation_duration: 1, model_drivers: {arm: {motors: {hinge motor:"
        " !RotationalMotor {max_torque: 1e305}}, commands: [{time: 0.04, motor:"
        " hinge motor, set_torque: 1e300}]}}}"
    )
    options = ["--scenario_text", text, "--plot"]
    assert main(["run", *LIFT[:3], *options]) == 1
    out, err = capsys.readouterr()
    error = err.splitlines()[-1]
    assert re.match(r"webmotor: at 0\.04\d* s ", error)
    assert "joint hinge" in error
    assert "motor arm/hinge motor" in error
    assert "Traceback" not in err
    assert "saved in runs/Lift" in out
    results = Results.load("runs/Lift")
    # To 0.04 s, five periods of 8 ms, and hardly on.
    assert results.time[:6] == pytest.approx(np.arange(6) * 0.008)
    assert results.time[-1] < 0.06
    assert Path("runs/Lift/run.png").is_file()


# -- Pipes, terminals and Ctrl-C: properties of the process


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error():
    # webmotor scenarios | head -1
    with subprocess.Popen(
        [*PROGRAM, "scenarios"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (0, b"")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
def test_an_output_that_is_full_is_told_in_a_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, "scenarios"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (
        1,
        "webmotor: cannot write the standard output: No space left on device\n",
    )


@pytest.mark.slow
def test_an_output_that_has_only_ascii_is_no_reason_to_fail():
    # N·m and rad/s² are not in it.
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = program("run", *LIFT, "--out", "x\udcff", env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "N\\xb7m" in done.stdout
    assert Path("x\udcff", "run.npz").is_file()


@pytest.fixture
def on_terminal(monkeypatch):
    """Returns what returns what a command draws on a terminal of 80 columns."""

    def drawn(*arguments):
        ours, theirs = pty.openpty()
        size = struct.pack("HHHH", 24, 80, 0, 0)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
        found = []

        def read():
            with contextlib.suppress(OSError):  # the end of a terminal
                while data := os.read(ours, 4096):
                    found.append(data)

        reader = threading.Thread(target=read)
        reader.start()
        with open(theirs, "w") as terminal, monkeypatch.context() as patched:
            patched.setattr(sys, "stderr", terminal)
            assert main(list(arguments)) == 0
        reader.join()
        os.close(ours)
        return b"".join(found).decode()

    return drawn


def test_a_terminal_has_a_progress_bar_that_leaves_no_trace(on_terminal):
    drawn = on_terminal("run", *LIFT)
    assert "  0%|" in drawn
    assert "0/0.08 s" in drawn
    assert drawn.endswith("\r")


def test_a_warning_on_a_terminal_has_a_line_of_its_own(on_terminal):
    # The bar stands where it begins; "\r\033[K" wipes it away.
    text = (
        "{simulation_duration: 0.096, model_drivers: {arm: {commands: [{motor:"
    )
    text += " hinge motor, set_velocity: 20}]}}}"
    drawn = on_terminal("run", *LIFT[:3], "--scenario_text", text)
    assert "\r\033[Kwebmotor: warning: hinge motor: requested vel" in drawn


def test_a_comparison_on_a_terminal_has_a_progress_bar(on_terminal):
    drawn = on_terminal("compare", *LIFT)
    assert "webots:   0%|" in drawn
    assert drawn.endswith("\r")


def test_a_quiet_run_draws_nothing_on_a_terminal(on_terminal):
    assert on_terminal("run", *LIFT, "--quiet") == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_saves_what_was_simulated(name):
    number = getattr(signal, name)
    with subprocess.Popen(
        [*PROGRAM, "run", *ENDLESS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as process:
        while not Path("runs/Lift").is_dir() and process.poll() is None:
            time.sleep(0.05)  # it is made just before the first step
        time.sleep(0.5)
        process.send_signal(number)
        out, err = process.communicate(timeout=600)
    assert process.returncode == 128 + number
    assert out.endswith("saved in runs/Lift\n")
    told = r"webmotor: interrupted at (\S+) s; saved in runs/Lift\n"
    interrupted_at = float(re.fullmatch(told, err)[1])
    # Told to six digits.
    last = Results.load("runs/Lift").time[-1]
    assert last == pytest.approx(interrupted_at, rel=1e-5)
    assert files() == ["runs", "runs/Lift", *RUN_FILES]


def test_what_a_program_without_streams_starts_has_some():
    # Those of a sweep's workers are inherited; joblib's need a standard error.
    ask = "import os; [os.fstat(number) for number in range(3)]"
    start = (
        "import subprocess, sys;"
        "from webmotor_drake.cli.console import open_closed_streams;"
        "open_closed_streams();"
        f"sys.exit(subprocess.call([sys.executable, '-c', {ask!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", start],
        preexec_fn=lambda: [os.close(number) for number in range(3)],
    )
    assert done.returncode == 0


@pytest.mark.slow
def test_a_signal_ends_a_supervisor_and_saves_what_it_has_reset():
    Path("boss.py").write_text(
        "from controller import Supervisor\n"
        "robot = Supervisor()\n"
        "while robot.step(8) != -1:\n"
        "    if robot.getTime() > 0.1:\n"
        "        robot.simulationReset()\n"
        "        print('reset', flush=True)\n"
        "print('over', flush=True)\n"
    )
    text = (
        "{simulation_duration: 1e5, model_drivers: {arm: {supervisor: true}}}"
    )
    with subprocess.Popen(
        [*PROGRAM, "run", *LIFT[:3], "--scenario_text", text]
        + ["--controller", "boss.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        # A reset acts at the end of its step: the second is asked for after the first.
        for _ in range(2):
            while process.stdout.readline() not in ("reset\n", ""):
                pass
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "over\n" in out
    assert re.search(r"interrupted at \S+ s; saved in runs/Lift\n", err)
    assert Results.load("runs/Lift").metadata["resets"]


@pytest.mark.slow
def test_streams_may_be_closed():
    def closed(*numbers):
        return {"preexec_fn": lambda: [os.close(n) for n in numbers]}

    done = program("run", *LIFT, **closed(0, 2))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("saved in runs/Lift\n")
    Results.load("runs/Lift")
    assert program("run", "nothing", **closed(2)).returncode == 2
    done = program("check", "nothing", **closed(1))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("webmotor: ")


def press_ctrl_c(*_, **__):
    """Interrupts this process."""
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("model", ["drake_pd", "ideal"])
def test_ctrl_c_saves_what_an_engine_simulated(model, capsys, monkeypatch):
    start_step, steps = SteppedMotors.start_step, []

    def start_and_press(*arguments):
        start_step(*arguments)
        steps.append(arguments)
        if len(steps) == 5:
            press_ctrl_c()

    monkeypatch.setattr(SteppedMotors, "start_step", start_and_press)
    assert main(["run", *LIFT, "--model", model]) == 130
    found = Results.load("runs/Lift")
    assert f"interrupted at {found.time[-1]:g} s; saved in" in (
        capsys.readouterr().err
    )
    assert len(found.time) == 5  # the start, and four steps


def test_ctrl_c_a_second_time_does_not_lose_what_is_being_saved(
    capsys, monkeypatch
):
    # Whoever is impatient presses it twice.
    save = Results.save

    def save_and_press(*arguments):
        press_ctrl_c()
        save(*arguments)

    monkeypatch.setattr(Results, "save", save_and_press)
    monkeypatch.setattr(
        "webmotor_drake.simulation.simulation.Simulation.run", press_ctrl_c
    )
    assert main(["run", *LIFT]) == 130
    assert capsys.readouterr().err == (
        "webmotor: interrupted at 0 s; saved in runs/Lift\n"
        "webmotor: interrupted\n"
    )
    assert files() == ["runs", "runs/Lift", *RUN_FILES]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_while_a_finished_run_is_saved_does_not_lose_it(
    capsys, monkeypatch
):
    monkeypatch.setattr(os, "replace", lambda *a: (press_ctrl_c(), move(*a)))
    assert main(["run", *LIFT]) == 130
    assert files() == ["runs", "runs/Lift", *RUN_FILES]


move = os.replace


@pytest.mark.slow
def test_ctrl_c_while_drake_is_imported_is_told_in_a_line():
    # Interrupted midway the import would fail with an ImportError.
    code = (
        "import os, signal, sys\n"
        "class Press:\n"
        "  def find_spec(self, name, *_):\n"
        "    if name == 'pydrake.geometry':\n"
        "      os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Press())\n"
        "from webmotor_drake.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "run", *ENDLESS],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (130, "webmotor: interrupted\n")
    assert files() == []


@pytest.mark.slow
def test_a_job_that_ignores_ctrl_c_goes_on_to_its_end():
    # As shells start what is to run in the background.
    done = subprocess.run(
        [*PROGRAM, "run", *LIFT, "--quiet"],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_scenarios_of_the_package_are_listed_with_what_to_look_at(capsys):
    assert main(["scenarios"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list(wm.SCENARIOS.glob("*.scenario.yaml")))
    (line,) = [line for line in lines if line.startswith("package:pendulum ")]
    assert "  Lift, Turn  " in line
    assert "Look at the effort in Lift" in line


def test_a_scenario_of_the_package_runs_by_name_in_any_folder(folder):
    arguments = ["package:two_link_arm", *("--out", "out"), "--quiet"]
    text = "{simulation_duration: 0.08}"
    assert main(["run", *arguments, "--scenario_text", text]) == 0
    assert Results.load("out").motors == [
        "arm/shoulder motor",
        "arm/elbow motor",
    ]


def test_one_that_is_not_in_the_package_is_told_with_those_that_are(capsys):
    assert main(["check", "package:six_axes"]) == 2
    told = capsys.readouterr().err
    assert "unknown scenario of the package 'six_axes'" in told
    assert "did you mean six_axis?" in told
