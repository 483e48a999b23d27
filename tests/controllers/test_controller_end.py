"""Controllers from files: how they end."""

import os
import signal
import sys
import textwrap
import threading
import time

import pytest
from robots import IDLE, controller, run, scenario, unlabelled

from webmotor_drake.controllers.in_process import lockstep, turns
from webmotor_drake.controllers.in_process.controller_file import (
    ControllerError,
    load_controller,
)
from webmotor_drake.controllers.in_process.controller_run import (
    run_controllers,
    run_with_controllers,
)
from webmotor_drake.simulation.simulation import Simulation

pytestmark = pytest.mark.usefixtures("simulated", "leaves_nothing_behind")


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Controllers have time to end, however busy the machine is."""
    monkeypatch.setattr(lockstep, "INTERRUPTED_GRACE", 60.0)
    monkeypatch.setattr(turns, "STOP_GRACE", 60.0)


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
        " ZeroDivisionError: division by zero (line 6)"
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


def test_other_controllers_go_on_when_one_fails(tmp_path, capsys):
    good = controller(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        while robot.step(80) != -1:
            pass
        print('told')
        """,
        "good.py",
    )
    bad = controller(
        tmp_path,
        """
        from controller import Robot
        Robot().step(80)
        raise SystemError("broken")
        """,
        "bad.py",
    )
    whole = run_with_controllers(scenario("TwoArms"), {"first": good}).time[-1]
    for order, end in (
        ({"first": good, "second": bad}, whole),
        ({"first": bad, "second": good}, whole),
        ({"first": bad}, 0.08),
    ):
        with pytest.raises(ControllerError) as failure:
            run_with_controllers(scenario("TwoArms"), order)
        assert "at 0.08 s the controller bad.py of" in str(failure.value)
        assert failure.value.results.time[-1] == pytest.approx(end)
    assert unlabelled(capsys.readouterr().out) == ["told"] * 3


@pytest.mark.parametrize(
    ("module", "told"),
    [
        ("stable_baselines3", "-m pip install stable-baselines3"),
        ("webmotor_helpers", "neither beside the controller nor installed"),
    ],
)
def test_a_missing_module_says_what_to_install(
    tmp_path, monkeypatch, module, told
):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ControllerError, match=f"'?{module}'?.*; .*{told}"):
        run(tmp_path, f"import {module}")


def test_what_is_commanded_after_the_last_step_is_sent_at_the_end(tmp_path):
    # As by wb_robot_cleanup: a conveyor is started and left, a rover stopped.
    results = run(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        motor = robot.getDevice('hinge motor')
        motor.setPosition(1.0)
        robot.step(800)
        motor.setPosition(-1.0)
        motor.setVelocity(2.0)
        """,
    )
    assert results.time[-1] == pytest.approx(4.0)
    position = results["arm/hinge motor/position"]
    assert position[100] == pytest.approx(1, abs=1e-3)
    assert position[-1] == pytest.approx(-1, abs=1e-5)
    # They act in the very next step, as those of a step() would.
    target = results["arm/hinge motor/target_position"]
    assert target[[100, 101]].tolist() == [1, -1]


@pytest.mark.parametrize("end", ["", "import sys; sys.exit(0)"])
def test_a_controller_that_never_steps_commands_the_whole_run(tmp_path, end):
    results = run(
        tmp_path,
        f"""
        from controller import Robot
        Robot().getDevice('hinge motor').setPosition(1.0)
        {end}
        """,
    )
    assert results["arm/hinge motor/target_position"][1] == 1
    assert results["arm/hinge motor/position"][-1] == pytest.approx(1, abs=1e-5)


def test_the_last_commands_of_one_do_not_wait_for_the_other(tmp_path):
    first = controller(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        robot.step(80)
        robot.getDevice('hinge motor').setPosition(0.7)
        """,
        "first.py",
    )
    second = controller(tmp_path, IDLE, "second.py")
    results = run_with_controllers(
        scenario("TwoArms"), {"first": first, "second": second}
    )
    target = results["first/hinge motor/target_position"]
    assert target[10] != 0.7
    assert (target[11:] == 0.7).all()


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


def test_sys_exit_before_there_is_a_robot_is_told_and_ends_no_run(
    tmp_path, capsys
):
    results = run(tmp_path, "import sys; sys.exit(3)")
    assert results.time[-1] == pytest.approx(4.0)
    told = "the controller controller_a.py exited with status 3"
    assert told in capsys.readouterr().err


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


def test_what_fails_after_minus_one_leaves_the_run_whole(tmp_path, capsys):
    # In Webots nothing comes of it either: the simulation is over.
    results = run(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        while robot.step(32) != -1:
            pass
        robot.cleanup()
        """,
    )
    assert results.time[-1] == pytest.approx(4.0)
    error = capsys.readouterr().err
    assert "line 6, in <module>" in error
    assert "controller_a.py failed after it was told to end" in error


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


def test_a_thread_of_a_controller_may_step_and_keeps_it_alive(tmp_path, capsys):
    # Webots' rule: Python waits for threads where the process would end.
    file = controller(
        tmp_path,
        """
        import threading
        from controller import Motor, Robot
        robot = Robot()
        def other():
            Motor("hinge motor").setPosition(1)
            while robot.step(8) != -1:
                pass
            print(threading.current_thread().daemon, robot.getTime())
        threading.Thread(target=other).start()
        """,
    )
    short = scenario(text="{simulation_duration: 0.08}")
    results = run_with_controllers(short, {"arm": file})
    assert capsys.readouterr().out == "False 0.08\n"
    assert results["arm/hinge motor/target_position"][-1] == 1


def test_threads_that_step_take_turns_and_a_daemon_ends_with_its_controller(
    tmp_path, capsys
):
    file = controller(
        tmp_path,
        """
        import threading, time
        from controller import Robot
        robot = Robot()
        def other():
            try:
                while True:
                    robot.step(8)
                    time.sleep(0.001)  # the other threads' turn
            except SystemExit:  # of which Python says nothing, but pytest does
                pass
        for _ in range(2):
            threading.Thread(target=other, daemon=True).start()
        while robot.getTime() < 0.04:
            robot.step(8)
        print("over")
        """,
    )
    short = scenario(text="{simulation_duration: 1.6}")
    run_with_controllers(short, {"arm": file})
    captured = capsys.readouterr()
    assert captured.out == "over\n"
    assert captured.err == ""


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
    # Ctrl-C as the next step begins leaves the last row unwritten.
    assert simulated - 1e-9 <= float(when) <= simulated + 0.008 + 1e-9
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


@pytest.mark.slow
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
    monkeypatch.setattr(lockstep, "_REFUSED", 0.01)
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
            thread.join(timeout=600)


@pytest.mark.slow
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


def test_os_exit_ends_the_controller_and_not_the_run(tmp_path, capsys):
    results = run(
        tmp_path,
        """
        import os
        from controller import Robot
        if os.fork() == 0:
            os._exit(0)  # a child's own end
        os.wait()
        Robot().step(80)
        os._exit(3)
        """,
    )
    assert results.time[-1] == pytest.approx(4.0)
    assert "exited with status 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    "harm",
    [
        "sys.stderr.close()",
        "sys.stderr = None",
        "sys.stderr = object()",
        "del sys.stderr",
        "sys.modules.clear()",
        "import builtins; builtins.__dict__.clear()",
        "import builtins; builtins.len = builtins.isinstance = None",
    ],
)
def test_a_failure_is_told_whatever_is_broken(tmp_path, harm):
    with pytest.raises(ControllerError, match="ZeroDivisionError") as failure:
        run(
            tmp_path,
            f"""
            import sys
            from controller import Robot
            Robot().step(80)
            {harm}
            1 / 0
            """,
        )
    assert failure.value.results.time[-1] == pytest.approx(0.08)


def test_an_error_that_cannot_say_what_it_is_ends_the_run_all_the_same(
    tmp_path, capsys
):
    for raised in ("Silent()", "SystemExit(Silent())"):
        text = f"""
            class Silent(Exception):
                def __str__(self):
                    raise TypeError("no words")
            raise {raised}
        """
        if raised == "Silent()":
            with pytest.raises(ControllerError, match=r"failed: Silent: <.*>"):
                run(tmp_path, text)
        else:
            assert run(tmp_path, text).time[-1] == pytest.approx(4.0)
        assert "Silent" in capsys.readouterr().err


def test_a_closed_standard_output_is_closed_for_the_controller_only(
    tmp_path, capsys
):
    run(
        tmp_path,
        """
        import sys
        from controller import Robot
        print("before")
        sys.stdout.close()
        try:
            print("lost")
        except ValueError as error:
            print(error, file=sys.stderr)
        """,
    )
    print("after")
    output = capsys.readouterr()
    assert output.out == "before\nafter\n"
    assert output.err == "I/O operation on closed file.\n"


def test_a_deleted_folder_hangs_nothing(tmp_path, capsys):
    folder = tmp_path / "its own"
    folder.mkdir()
    before = os.getcwd()
    file = controller(
        folder,
        """
        import os, shutil
        from controller import Robot
        robot = Robot()
        shutil.rmtree(os.getcwd())
        robot.step(80)
        try:
            os.getcwd()
        except FileNotFoundError:
            print("deleted")
        """,
    )
    other = controller(tmp_path, IDLE)
    results = run_with_controllers(
        scenario("TwoArms"), {"first": file, "second": other}
    )
    assert results.time[-1] == pytest.approx(1.0)
    assert unlabelled(capsys.readouterr().out) == ["deleted"]
    assert os.getcwd() == before


@pytest.mark.slow
def test_steps_are_not_lost_when_a_controller_sleeps(tmp_path, monkeypatch):
    # They are put off while nobody looks; it has been told that they are done.
    monkeypatch.setattr(lockstep, "INTERRUPTED_GRACE", 0.1)
    monkeypatch.setattr(turns, "STOP_GRACE", 0.1)
    simulated = interrupted(
        tmp_path,
        """
        import time
        from controller import Robot
        robot = Robot()
        for i in range(20):
            robot.step(8)
        ctrl_c()
        time.sleep(1.5)
        """,
    )
    assert simulated == pytest.approx(0.16)
    for thread in threading.enumerate():
        if thread.name == "controller of arm":
            thread.join(timeout=600)


def test_ctrl_c_again_and_again_never_tears_a_step(tmp_path, monkeypatch):
    # Two threads in one simulator end the process.
    monkeypatch.setattr(lockstep, "INTERRUPTED_GRACE", 0.1)
    simulation = Simulation(scenario(text="{simulation_duration: 1.0e+6}"))
    advance, inside = simulation.advance_to_step, []

    def slow(time_to):
        inside.append(threading.get_ident())
        assert len(inside) == 1
        try:
            for _ in range(4):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.1)
            advance(time_to)
        finally:
            inside.pop()

    simulation.advance_to_step = slow
    file = controller(tmp_path, IDLE)
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_controllers(simulation, {"arm": load_controller(file)})
    finally:
        signal.signal(signal.SIGINT, old)
    assert not inside
    assert 0 < simulation.results().time[-1] < 10


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "BaseException"])
def test_what_a_controller_raises_is_its_failure_and_no_ctrl_c(tmp_path, error):
    with pytest.raises(ControllerError, match=f"failed: {error}") as failure:
        run(
            tmp_path,
            f"""
            from controller import Robot
            Robot().step(80)
            raise {error}
            """,
        )
    assert failure.value.results.time[-1] == pytest.approx(0.08)
