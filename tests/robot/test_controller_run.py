"""Controllers from files: how they run, and how they end."""

import os
import signal
import sys
import textwrap
import threading
import types

import numpy as np
import pytest
from robots import controller, run, scenario

from webmotor_drake.animation import animation
from webmotor_drake.errors import InputError
from webmotor_drake.robot import host, lockstep
from webmotor_drake.robot.controller_file import (
    ControllerError,
    load_controller,
)
from webmotor_drake.robot.controller_run import (
    run_controllers,
    run_with_controllers,
)
from webmotor_drake.simulation import Simulation

IDLE = """
    from controller import Robot
    robot = Robot()
    while robot.step(int(robot.getBasicTimeStep())) != -1:
        pass
"""


@pytest.fixture(autouse=True, params=["anywhere", "at home"])
def _simulated(request, monkeypatch):
    """Runs every test twice: a simulation that draws stays in its thread."""
    drawn = request.param == "at home"
    monkeypatch.setattr(host, "is_drawn", lambda simulation: drawn)


@pytest.fixture(autouse=True)
def _leaves_nothing_behind():
    """No thread, module or changed stream stays after a run."""
    threads = set(threading.enumerate())
    before = sys.argv, sys.path, sys.stdin, sys.modules["__main__"]
    folder = os.getcwd()
    yield
    assert set(threading.enumerate()) == threads
    assert (sys.argv, sys.path, sys.stdin, sys.modules["__main__"]) == before
    assert os.getcwd() == folder
    assert "controller" not in sys.modules


def test_a_controller_runs_as_it_does_in_webots(tmp_path, capsys):
    results = run(
        tmp_path,
        """
        '''A controller.'''
        from controller import Robot, Motor, PositionSensor
        import math

        robot = Robot()
        timestep = int(robot.getBasicTimeStep())
        motor = robot.getDevice('hinge motor')
        sensor = robot.getDevice('hinge sensor')
        sensor.enable(timestep)
        motor.setPosition(float('inf'))
        motor.setVelocity(0.0)
        while robot.step(timestep) != -1:
            motor.setVelocity(1.0 if sensor.getValue() < 1.0 else 0.0)
        print('done at', robot.getTime())
        """,
    )
    assert capsys.readouterr().out == "done at 4.0\n"
    # It stops one step after the first position of 1 rad or more.
    assert results["arm/hinge motor/position"][-1] == pytest.approx(1, abs=0.05)
    assert results["arm/hinge motor/mode"][-1] == 1


def test_an_idle_controller_changes_no_bit(tmp_path):
    without = Simulation(scenario()).run()
    results = run(tmp_path, IDLE)
    for name, values in without.signals.items():
        assert np.array_equal(results[name], values, equal_nan=True), name


def test_it_is_the_main_module_in_its_own_folder(tmp_path, capsys):
    folder = tmp_path / "my controller"
    folder.mkdir()
    (folder / "data.txt").write_text("data")
    (folder / "helper_of_a.py").write_text("NAME = __name__\n")
    file = controller(
        folder,
        """
        import os, sys
        import helper_of_a
        import __main__
        print(__name__, os.path.basename(__file__), sys.argv[1:])
        print(helper_of_a.NAME, open("data.txt").read(), __main__.sys is sys)
        print(os.getcwd() == os.path.dirname(__file__) == sys.path[0])
        def f():
            return sys
        print(f() is sys)
        """,
    )
    loaded = load_controller(file, ["--speed", 3])
    run_controllers(Simulation(scenario()), {"arm": loaded})
    assert capsys.readouterr().out == (
        "__main__ controller_a.py ['--speed', '3']\n"
        "helper_of_a data True\nTrue\nTrue\n"
    )
    assert "helper_of_a" not in sys.modules


def test_everything_webots_exports_here_can_be_imported(tmp_path, capsys):
    run(
        tmp_path,
        """
        from controller import *
        import controller
        print(sorted(controller.__all__))
        print(all(name in globals() for name in controller.__all__))
        """,
    )
    out = capsys.readouterr().out
    assert "'Brake', 'Device', 'Keyboard', 'Motion', 'Motor'" in out
    assert out.endswith("True\n")


def test_an_unsupported_class_says_what_is_supported(tmp_path, capsys):
    with pytest.raises(ControllerError, match=r"controller\.Camera is not"):
        run(tmp_path, "from controller import Robot, Camera")
    error = capsys.readouterr().err
    assert "supported are Brake, Device, Keyboard, Motion, Motor" in error
    assert "ImportError" in error


def test_webots_own_package_is_back_afterwards(tmp_path, monkeypatch):
    webots = types.ModuleType("controller")
    part = types.ModuleType("controller.robot")
    monkeypatch.setitem(sys.modules, "controller", webots)
    monkeypatch.setitem(sys.modules, "controller.robot", part)
    results = run(tmp_path, IDLE)
    assert sys.modules["controller"] is webots
    assert sys.modules["controller.robot"] is part
    assert results.time[-1] == pytest.approx(4)
    monkeypatch.undo()


def test_a_failure_shows_the_controllers_own_traceback(tmp_path, capsys):
    with pytest.raises(ControllerError) as failure:
        run(
            tmp_path,
            """
            from controller import Robot
            robot = Robot()
            def turn():
                robot.step(80)
                return 1 / 0
            turn()
            """,
        )
    error = capsys.readouterr().err
    assert error.startswith("Traceback (most recent call last):\n  File ")
    assert error.count("  File ") == 2
    assert 'controller_a.py", line 7, in <module>' in error
    assert "ZeroDivisionError: division by zero" in error
    assert str(failure.value) == (
        "at 0.08 s the controller controller_a.py of arm failed:"
        " ZeroDivisionError: division by zero"
    )
    assert failure.value.results.time[-1] == pytest.approx(0.08)


def test_a_traceback_ends_where_the_controller_called(tmp_path, capsys):
    with pytest.raises(ControllerError, match="ValueError: bad step"):
        run(
            tmp_path,
            """
            from controller import Robot
            try:
                Robot().step(33.7)
            except TypeError as error:
                raise ValueError("bad step") from error
            """,
        )
    error = capsys.readouterr().err
    assert error.count("  File ") == 2
    assert "Robot().step(33.7)" in error
    assert "direct cause" in error


def test_another_controller_is_told_when_one_fails(tmp_path, capsys):
    good = controller(tmp_path, IDLE + "    print('told')\n", "good.py")
    bad = controller(
        tmp_path,
        """
        from controller import Robot
        Robot().step(80)
        raise SystemError("broken")
        """,
        "bad.py",
    )
    for order in ({"first": good, "second": bad}, {"first": bad}):
        with pytest.raises(ControllerError, match=r"bad\.py of .* broken"):
            run_with_controllers(scenario("TwoArms"), order)
    assert capsys.readouterr().out == "told\n"


def test_after_the_last_line_the_robot_goes_on_alone(tmp_path):
    results = run(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        robot.getDevice('hinge motor').setPosition(1.0)
        robot.step(8)
        robot.getDevice('hinge motor').setPosition(-1.0)  # never sent
        """,
    )
    assert results.time[-1] == pytest.approx(4.0)
    assert results["arm/hinge motor/position"][-1] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("", ""),
        ("0", ""),
        ("3", "exited with status 3"),
        ("'enough'", "enough\nWarning: arm: the controller"),
    ],
)
def test_sys_exit_ends_the_controller_only(tmp_path, capsys, code, said):
    results = run(
        tmp_path,
        f"""
        import sys
        from controller import Robot
        Robot().step(8)
        sys.exit({code})
        """,
    )
    assert results.time[-1] == pytest.approx(4.0)
    error = capsys.readouterr().err
    assert said in error
    assert bool(error) == bool(said)


def test_after_minus_one_it_may_go_on_but_not_step(tmp_path, capsys):
    run(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        try:
            while True:
                if robot.step(32) == -1:
                    print("over at", robot.getTime())
        except Exception:
            print("no exception of that kind")
        finally:
            print("cleaned up")
        print("not reached")
        """,
    )
    assert capsys.readouterr().out == "over at 4.0\ncleaned up\n"


def test_standard_input_is_at_its_end(tmp_path, capsys):
    run(
        tmp_path,
        """
        import sys
        print(repr(sys.stdin.read()), list(sys.stdin))
        try:
            input()
        except EOFError:
            print("EOF")
        """,
    )
    assert capsys.readouterr().out == "'' []\nEOF\n"


def test_a_second_thread_of_a_controller_must_not_step(tmp_path, capsys):
    results = run(
        tmp_path,
        """
        import threading
        from controller import Robot
        robot = Robot()
        def other():
            try:
                robot.step(8)
            except RuntimeError as error:
                print(error)
        thread = threading.Thread(target=other)
        thread.start()
        while thread.is_alive():
            thread.join(0.01)
        robot.step(8)
        """,
    )
    assert "called in a second thread" in capsys.readouterr().out
    assert results.time[-1] == pytest.approx(4.0)


def test_a_negative_step_lasts_to_the_end(tmp_path, capsys):
    run(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        print(robot.step(-5), robot.getTime())
        """,
    )
    assert capsys.readouterr().out == "-1 4.0\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot read the controller .*No such file"),
        (b"x = 1\nwhile True\n  pass\n", r"a\.py:2:11: not valid Python: "),
        (b"x = '\xff'\n", "not valid Python"),
        (b"x = 1\0\n", "not valid Python"),
        (b"  x = 1\n", r"a\.py:1:\d+: not valid Python: unexpected indent"),
    ],
)
def test_what_is_no_controller_says_where(tmp_path, content, problem):
    file = tmp_path / "a.py"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=problem):
        load_controller(file)


def test_a_folder_is_no_controller(tmp_path):
    with pytest.raises(InputError, match="Is a directory"):
        load_controller(tmp_path)


def test_a_controller_is_for_a_robot_that_there_is(tmp_path):
    file = controller(tmp_path, IDLE)
    with pytest.raises(InputError, match="did you mean arm"):
        run_with_controllers(scenario(), {"arn": file})


def test_progress_is_told(tmp_path):
    told = []
    run_with_controllers(
        scenario(),
        {"arm": controller(tmp_path, IDLE)},
        progress=lambda now, end: told.append((now, end)),
    )
    assert told[-1] == (4.0, 4.0)
    assert 100 < len(told) < 300
    assert told == sorted(told)


def test_a_failing_simulation_is_no_fault_of_the_controller(tmp_path, capsys):
    simulation = Simulation(scenario())

    def fail(step):
        raise RuntimeError("the plant fell apart")

    simulation.advance_to_step = fail
    file = controller(tmp_path, IDLE + "    print('told')\n")
    with pytest.raises(RuntimeError, match="fell apart"):
        run_controllers(simulation, {"arm": load_controller(file)})
    output = capsys.readouterr()
    assert (output.out, output.err) == ("told\n", "")


def interrupted(tmp_path, text: str) -> float:
    """Runs a controller that has Ctrl-C pressed; returns how far it came."""
    ctrl_c = "import os, signal\ndef ctrl_c():\n"
    ctrl_c += "    os.kill(os.getpid(), signal.SIGINT)\n"
    file = controller(tmp_path, ctrl_c + textwrap.dedent(text))
    simulation = Simulation(scenario(text="{simulation_duration: 1.0e+6}"))
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_controllers(simulation, {"arm": load_controller(file)})
    finally:
        signal.signal(signal.SIGINT, old)
    return simulation.results().time[-1]


def test_ctrl_c_ends_a_controller_that_steps(tmp_path, capsys):
    simulated = interrupted(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        robot.step(800)
        ctrl_c()
        while robot.step(8) != -1:
            pass
        print("told at", robot.getTime())
        """,
    )
    told, at, when = capsys.readouterr().out.split()
    assert (told, at) == ("told", "at")
    assert float(when) == pytest.approx(simulated)
    assert 0.8 <= simulated < 1e6


def test_ctrl_c_ends_a_controller_that_takes_one_long_step(tmp_path, capsys):
    interrupted(
        tmp_path,
        """
        from controller import Robot
        ctrl_c()
        print(Robot().step(10**9))
        """,
    )
    assert capsys.readouterr().out == "-1\n"


def test_ctrl_c_ends_a_controller_that_never_steps(tmp_path, monkeypatch):
    monkeypatch.setattr(lockstep, "INTERRUPTED_GRACE", 0.1)
    interrupted(
        tmp_path,
        """
        ctrl_c()
        while True:
            pass
        """,
    )


def test_a_controller_that_catches_everything_cannot_step_on(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(lockstep, "_LOOK", 0.01)
    results = run(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        for _ in range(630):
            try:
                robot.step(8)
            except:
                pass
        print("done")
        """,
    )
    assert results.time[-1] == pytest.approx(4.0)
    for thread in threading.enumerate():
        if thread.name == "controller of arm":
            assert thread.daemon
            thread.join(timeout=30)


def test_a_controller_that_ignores_the_end_is_stopped(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(lockstep, "GRACE", 0.1)
    results = run(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        while robot.step(32) != -1:
            pass
        while True:
            pass
        """,
    )
    assert "goes on after the end" in capsys.readouterr().err
    assert results.time[-1] == pytest.approx(4.0)


def test_a_run_that_is_drawn_is_simulated_where_it_was_made(
    tmp_path, monkeypatch
):
    threads = set()
    advance = host.World.advance

    def noted(self, step):
        threads.add(threading.get_ident())
        advance(self, step)

    monkeypatch.setattr(host.World, "advance", noted)
    monkeypatch.setattr(host, "is_drawn", lambda simulation: True)
    run(tmp_path, IDLE)
    assert threads == {threading.get_ident()}


def test_meshcat_can_record_a_run(tmp_path, monkeypatch):
    monkeypatch.undo()
    page = tmp_path / "run.html"
    with animation(page) as meshcat:
        simulation = Simulation(
            scenario(text="{simulation_duration: 0.1}"), meshcat=meshcat
        )
        assert host.is_drawn(simulation)
        file = load_controller(controller(tmp_path, IDLE))
        run_controllers(simulation, {"arm": file})
    assert page.stat().st_size > 1e5
