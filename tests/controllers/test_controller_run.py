"""Controllers from files: how they run."""

import gc
import os
import sys
import threading
import types
import weakref

import numpy as np
import pytest
from robots import IDLE, controller, run, scenario, with_driver

from webmotor_drake.controllers.in_process.controller_file import (
    load_controller,
)
from webmotor_drake.controllers.in_process.controller_run import (
    run_controllers,
    run_with_controllers,
)
from webmotor_drake.errors import InputError
from webmotor_drake.host import stepped_simulation
from webmotor_drake.simulation.simulation import Simulation

pytestmark = pytest.mark.usefixtures("simulated", "leaves_nothing_behind")


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
        import os, pathlib, sys
        import helper_of_a
        import __main__
        print(__name__, os.path.basename(__file__), sys.argv[1:])
        with open("data.txt") as file:
            print(helper_of_a.NAME, file.read(), __main__.sys is sys)
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


def test_nothing_keeps_the_simulation_of_a_run_that_is_over(tmp_path):
    simulation = Simulation(scenario(text="{simulation_duration: 0.08}"))
    file = controller(tmp_path, IDLE)
    run_controllers(simulation, {"arm": load_controller(file)})
    kept = weakref.ref(simulation)
    del simulation
    gc.collect()
    assert kept() is None


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
    assert "'Brake', 'Camera', 'CameraRecognitionObject', 'Compass'" in out
    assert out.endswith("True\n")


def test_classes_are_in_modules_of_their_own_too(tmp_path, capsys):
    # Controllers import them from there for their annotations.
    run(
        tmp_path,
        """
        import controller.ansi_codes
        from controller import Motor
        from controller.motor import Motor as TheSame
        from controller.position_sensor import PositionSensor
        print(TheSame is Motor, PositionSensor.__name__)
        print(repr(controller.ansi_codes.AnsiCodes.RESET))
        from controller.camera import Camera, CameraRecognitionObject
        from controller.wb import wb
        from controller.constants import constant
        try:
            import controller.wheels
        except ImportError as error:
            print(error)
        """,
    )
    assert capsys.readouterr().out == (
        "True PositionSensor\n'\\x1b[0m'\nNo module named 'controller.wheels'\n"
    )
    assert not [name for name in sys.modules if name.startswith("controller.")]


def test_what_is_not_here_can_be_imported_and_says_so_when_used(
    tmp_path, capsys
):
    run(
        tmp_path,
        """
        from controller import Robot
        import controller

        robot = Robot()
        for use in (
            lambda: controller.wb.wb.wb_robot_step(8),
            lambda: controller.DifferentialWheels,
        ):
            try:
                use()
            except (AttributeError, ImportError) as error:
                print(error)
        """,
    )
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("wb_robot_step: controller.wb is not supported")
    assert out[1].startswith("controller.DifferentialWheels: unknown class")
    assert len(out) == 2


def test_a_device_that_the_robot_does_not_have_answers_as_one_that_is_off(
    tmp_path, capsys
):
    # One in seven controllers imports classes that it never uses, or hardly.
    run(
        tmp_path,
        """
        from controller import Robot, GPS, Speaker, Camera, Radar
        from controller import Mouse, Joystick, MouseState, RadarTarget
        robot = Robot()
        speaker, radar = Speaker("speaker"), Radar("radar")
        speaker.playSound(speaker, speaker, "a.wav", 1, 1, 0, False)
        Speaker.stop(speaker, "a.wav")
        print(speaker.isSpeaking(), radar.getTargets(), radar.enable(8))
        print(GPS("gps").getValues(), Camera("camera").getWidth())
        print(robot.getMouse().getState().left, Mouse(8).getSamplingPeriod())
        print(robot.getJoystick().isConnected(), Joystick().getPressedButton())
        robot.wwiSendText("hello")
        """,
    )
    done = capsys.readouterr()
    assert done.out.splitlines() == [
        "False [] None",
        "[nan, nan, nan] 0",
        "False 0",
        "False -1",
    ]
    assert "unknown device 'gps'" in done.err
    told = "there is no robot window; texts to it are dropped, first 'hello'"
    assert told in done.err


def test_devices_that_are_not_simulated_stand_in_the_scenario(tmp_path, capsys):
    kinds = "Connector", "Pen", "Radar", "Skin", "Speaker", "VacuumGripper"
    devices = ", ".join(f"{kind.lower()}: !{kind} {{}}" for kind in kinds)
    file = controller(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        for i in range(robot.getNumberOfDevices()):
            device = robot.getDeviceByIndex(i)
            print(type(device).__name__)
        print(robot.getConnector("connector").isLocked())
        print(robot.getDevice("vacuumgripper").isOn())
        print(robot.getDevice("skin").getBoneCount())
        """,
    )
    run_with_controllers(with_driver(f"devices: {{{devices}}}"), {"arm": file})
    done = capsys.readouterr()
    assert done.out.splitlines()[-9:] == [
        "Connector",
        "Pen",
        "Radar",
        "Skin",
        "Speaker",
        "VacuumGripper",
        "False",
        "False",
        "0",
    ]
    assert done.err.count("it is not simulated") == 1  # a Skin


def test_a_controller_may_colour_what_it_prints(tmp_path, capsys):
    # Webots' own samples of Motor and PositionSensor clear the screen.
    run(
        tmp_path,
        """
        from controller import AnsiCodes
        print(AnsiCodes.RED_FOREGROUND + "red" + AnsiCodes.RESET)
        print(AnsiCodes.CLEAR_SCREEN)
        """,
    )
    assert capsys.readouterr().out == "\x1b[31mred\x1b[0m\n\x1b[2J\n"


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


def test_a_file_that_never_ends_is_no_controller(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(InputError, match="a pipe or a device, not a file"):
            load_controller(file)
    with pytest.raises(InputError, match=r"no file has the name 'a\\x00b'"):
        load_controller("a\0b")


def test_a_controller_that_is_too_deep_for_python_is_refused(tmp_path):
    file = tmp_path / "a.py"
    file.write_text(f"x = {'-' * 100_000}1\n")
    with pytest.raises(InputError, match=r"a\.py: .*nested too deeply"):
        load_controller(file)


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
    assert 5 <= len(told) < 300
    assert told == sorted(told)


def test_a_run_that_is_drawn_is_simulated_where_it_was_made(
    tmp_path, monkeypatch
):
    threads = set()
    advance = stepped_simulation.SteppedSimulation.advance

    def noted(self, step, listen=None):
        threads.add(threading.get_ident())
        advance(self, step, listen)

    monkeypatch.setattr(stepped_simulation.SteppedSimulation, "advance", noted)
    monkeypatch.setattr(stepped_simulation, "is_drawn", lambda simulation: True)
    run(tmp_path, IDLE)
    assert threads == {threading.get_ident()}


def test_steps_are_put_off_while_nobody_looks(tmp_path, monkeypatch):
    monkeypatch.setattr(
        stepped_simulation, "is_drawn", lambda simulation: False
    )
    simulation = Simulation(scenario())  # 500 steps
    advance, steps = simulation.advance_to_step, []
    simulation.advance_to_step = lambda k: steps.append(k) or advance(k)
    file = load_controller(controller(tmp_path, IDLE))
    run_controllers(simulation, {"arm": file})
    assert len(steps) < 10
    assert simulation.results().time[-1] == pytest.approx(4)


def test_what_is_put_off_is_there_when_somebody_looks(
    tmp_path, monkeypatch, capsys
):
    text = """
        from controller import Robot
        robot = Robot()
        motor = robot.getDevice("hinge motor")
        sensor = robot.getDevice("hinge sensor")
        motor.setPosition(1.0)
        robot.step(8)
        for i in range(30):
            robot.step(8)
        print(motor.joint_velocity)
        sensor.enable(16)
        for i in range(7):
            robot.step(8)
            print(sensor.getValue())
        sensor.disable()
        for i in range(9):
            robot.step(24)
        motor.setControlPID(5, 0, 0)
        robot.step(8)
        motor.setPosition(-1.0)
        motor.setVelocity(2.0)
        print(motor.getTargetPosition())
        for i in range(200):
            robot.step(8)
        motor.enableTorqueFeedback(8)
        robot.step(8)
        print(motor.getTorqueFeedback(), robot.getTime())
    """
    runs, outputs = [], []
    for drawn in (False, True):
        monkeypatch.setattr(
            stepped_simulation, "is_drawn", lambda simulation, d=drawn: d
        )
        runs.append(run(tmp_path, text))
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    for name, values in runs[0].signals.items():
        assert np.array_equal(runs[1][name], values, equal_nan=True), name


def test_meshcat_can_record_a_run(meshcat, tmp_path, monkeypatch):
    monkeypatch.undo()
    simulation = Simulation(
        scenario(text="{simulation_duration: 0.1}"), meshcat=meshcat
    )
    meshcat.StartRecording(frames_per_second=30)
    assert stepped_simulation.is_drawn(simulation)
    file = load_controller(controller(tmp_path, IDLE))
    run_controllers(simulation, {"arm": file})
    without = len(meshcat.StaticHtml())
    meshcat.PublishRecording()
    assert len(meshcat.StaticHtml()) > without
