"""Controllers from files: how they end."""

import signal
import textwrap
import threading

import pytest
from robots import IDLE, controller, run, scenario

from webmotor_drake.robot.controllers import lockstep
from webmotor_drake.robot.controllers.controller_file import (
    ControllerError,
    load_controller,
)
from webmotor_drake.robot.controllers.controller_run import (
    run_controllers,
    run_with_controllers,
)
from webmotor_drake.simulation.simulation import Simulation

pytestmark = pytest.mark.usefixtures("simulated", "leaves_nothing_behind")


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
