"""A supervisor resets the simulation, and the results go on."""

import textwrap

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded
from robots import controller, unlabelled

from webmotor_drake.robot import RobotSession, run_with_controllers

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"


def world(text="{}"):
    return loaded(FILE, "World", text)


def episode(session, supervisor):
    """Moves the arm and the box; returns what the sensor read."""
    sensor = supervisor.getDevice("hinge sensor")
    sensor.enable(8)
    motor = supervisor.getDevice("hinge motor")
    motor.setAvailableTorque(9)
    motor.setPosition(1.2)
    supervisor.getFromDef("BOX").setVelocity([0, 0, 1, 1, 0, 0])
    readings = []
    for _ in range(20):
        supervisor.step(8)
        readings.append(sensor.getValue())
    return readings


def reset(supervisor):
    """Resets the simulation; the step until then is that of the old episode."""
    supervisor.simulationReset()
    supervisor.step(8)


DRIVES = {
    "torque": "{model_drivers: {arm: {drive: torque}}}",
    "implicit": "{model_drivers: {arm: {drive: implicit}}}",
    "kinematic": "{model_drivers: {arm: {drive: kinematic}}}",
    "continuous": "{plant_config: {time_step: 0}, spares: {Ball: []}, model_drivers:"
    " {arm: {basic_time_step: 0.008}, referee: {basic_time_step: 0.008}}}",
}


@pytest.mark.parametrize("text", DRIVES.values(), ids=DRIVES)
def test_an_episode_is_the_same_to_the_last_bit(text):
    with RobotSession(world(text)) as session:
        supervisor = session.supervisor("arm")
        first = episode(session, supervisor)
        reset(supervisor)
        assert supervisor.getTime() == session.time == 0
        assert supervisor.getFromDef("BOX").getPosition() == [0.5, 0, 0.05]
        # The noise of the sensor begins again, too.
        assert episode(session, supervisor) == first
        results = session.results()
    # 20 steps, one until the reset, 20 again; time goes on.
    assert results.metadata["resets"] == [pytest.approx(0.168)]
    np.testing.assert_allclose(results.time, np.arange(42) * 0.008, atol=1e-12)
    for name, values in results.signals.items():
        # Of the last row not all is known before the next step.
        np.testing.assert_array_equal(values[1:20], values[22:41], err_msg=name)


def test_a_reset_takes_back_what_motors_and_bodies_were(capsys):
    with RobotSession(world()) as session:
        supervisor = session.supervisor("arm")
        motor = supervisor.getDevice("hinge motor")
        motor.setAcceleration(3)
        motor.setTorque(2)
        supervisor.batterySensorEnable(8)
        supervisor.getSelf().getField("translation").setSFVec3f([0, 0, 5])
        supervisor.getSelf().getField("customData").setSFString("kept")
        supervisor.step(160)
        assert supervisor.batterySensorGetValue() < 100
        reset(supervisor)
        assert supervisor.batterySensorGetValue() == 100
        assert motor.getAcceleration() == 40
        assert motor.getTargetPosition() == 0.25
        assert supervisor.getSelf().getPosition() == [0, 2, 1]
        # Webots' table of resets: fields other than poses stay.
        assert supervisor.getCustomData() == "kept"
        supervisor.step(8)
        mode = session.results()["arm/hinge motor/mode"]
        assert mode[-1] == 0


def test_timed_commands_come_again():
    commands = "commands: [{time: 0.04, motor: hinge motor, set_position: 1}]"
    text = f"{{model_drivers: {{arm: {{{commands}}}}}}}"
    with RobotSession(world(text)) as session:
        supervisor = session.supervisor("arm")
        supervisor.step(80)
        reset(supervisor)
        supervisor.step(80)
        target = session.results()["arm/hinge motor/target_position"]
    # A command at 0.04 s is in the row at the end of its step.
    assert np.flatnonzero(target == 1).tolist() == [
        *range(6, 12),
        *range(17, 22),
    ]


def test_the_scenarios_end_counts_all_episodes():
    with RobotSession(world("{simulation_duration: 0.08}")) as session:
        supervisor = session.supervisor("arm")
        supervisor.step(32)
        reset(supervisor)
        steps = 0
        while supervisor.step(8) != -1:
            steps += 1
        assert steps == 5
        assert session.results().time[-1] == pytest.approx(0.08)


REFEREE = """
    import os
    from controller import Supervisor
    s = Supervisor()
    print("starts", s.getTime())
    for _ in range(5):
        s.step(8)
    {what}
    s.step(8)
    print("goes on", s.getTime())
    while s.step(8) != -1:
        pass
    """
ARM = """
    from controller import Robot
    robot = Robot()
    print("arm", robot.getTime())
    while robot.step(8) != -1:
        pass
    print("told", robot.getTime())
    """


def run(tmp_path, what, arm=ARM, text="{simulation_duration: 0.08}"):
    referee = controller(
        tmp_path, textwrap.dedent(REFEREE).format(what=what), "referee.py"
    )
    arm = controller(tmp_path, arm, "arm.py")
    return run_with_controllers(world(text), {"arm": arm, "referee": referee})


@pytest.mark.usefixtures("simulated", "leaves_nothing_behind")
def test_controllers_go_on_after_a_reset(tmp_path, capsys):
    results = run(tmp_path, "s.simulationReset()")
    out = unlabelled(capsys.readouterr().out)
    assert out == ["arm 0.0", "starts 0.0", "goes on 0.0", "told 0.032"]
    assert results.time[-1] == pytest.approx(0.08)


@pytest.mark.usefixtures("simulated", "leaves_nothing_behind")
def test_a_reload_starts_all_controllers_again(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("RELOADED", "")
    results = run(
        tmp_path,
        "if not os.environ['RELOADED']: os.environ['RELOADED'] = 'yes';"
        " s.worldReload()",
    )
    out = unlabelled(capsys.readouterr().out)
    assert out.count("starts 0.0") == out.count("arm 0.0") == 2
    assert results.time[-1] == pytest.approx(0.08)
    assert results.metadata["resets"] == [pytest.approx(0.04)]


@pytest.mark.usefixtures("simulated", "leaves_nothing_behind")
def test_one_controller_is_started_again(tmp_path, capsys):
    run(tmp_path, "s.getFromDef('ROBOT').restartController()")
    out = unlabelled(capsys.readouterr().out)
    assert out[:3] == ["arm 0.0", "starts 0.0", "told 0.048"]
    assert out[3:5] == ["arm 0.048", "goes on 0.048"]


@pytest.mark.usefixtures("simulated", "leaves_nothing_behind")
def test_one_that_fails_as_it_ends_is_started_again_too(tmp_path, capsys):
    # Webots ends its process, whatever it does then.
    restart = "s.getFromDef('ROBOT').restartController()"
    results = run(tmp_path, restart, arm=ARM + "robot.cleanup()")
    out, error = capsys.readouterr()
    assert unlabelled(out)[3:5] == ["arm 0.048", "goes on 0.048"]
    assert "arm.py failed after it was told to end" in error
    assert results.time[-1] == pytest.approx(0.08)


@pytest.mark.usefixtures("simulated", "leaves_nothing_behind")
def test_the_run_ends_where_the_supervisor_says(tmp_path, capsys):
    results = run(tmp_path, "s.simulationQuit(7)")
    assert results.time[-1] == pytest.approx(0.04)
    assert results.metadata["exit_status"] == 7
    assert "told 0.04" in capsys.readouterr().out


def test_what_is_set_last_counts(tmp_path):
    # Webots' library sends what is queued when a controller ends.
    arm = """
        from controller import Supervisor
        box = Supervisor().getFromDef("BOX")
        box.getField("translation").setSFVec3f([0, 0, 4])
        """
    results = run(tmp_path, "pass", arm=arm)
    # One step of free fall later.
    z = results["box/box/position"][1, 2]
    assert z == pytest.approx(4 - 9.81 * 0.008**2)


@pytest.mark.parametrize(
    ("status", "seen"), [(42, 42), (0, 0), (256, 1), (-1, 255), (2**70, 1)]
)
def test_the_command_line_ends_with_the_supervisors_status(
    tmp_path, capsys, status, seen
):
    """A failure stays one, though the system keeps eight bits only."""
    from webmotor_drake.cli.main import main

    file = controller(
        tmp_path,
        f"""
        from controller import Supervisor
        s = Supervisor()
        s.step(80)
        s.simulationQuit({status})
        """,
    )
    out = tmp_path / "run"
    arguments = ["run", str(FILE), "--controller", f"arm={file}", "--quiet"]
    assert main([*arguments, "--out", str(out)]) == seen
    assert (out / "run.json").exists()


RELOADS_ONCE = (
    "if not os.environ['RELOADED']: os.environ['RELOADED'] = 'yes'; {what};"
    " s.worldReload()"
)


@pytest.mark.usefixtures("simulated", "leaves_nothing_behind")
def test_a_reload_brings_back_what_was_at_the_start(
    tmp_path, capsys, monkeypatch
):
    # A removed box, a text, a label and a sensor that is on.
    monkeypatch.setenv("RELOADED", "")
    what = (
        "s.getFromDef('BOX').remove(); s.setCustomData('kept');"
        " s.getFromDef('ROBOT').getField('name').setSFString('other');"
        " s.setLabel(0, 'a', 0, 0, 0.1, 0)"
    )
    arm = """
        from controller import Supervisor
        s = Supervisor()
        box = s.getFromDef("BOX")
        print(box is not None, s.getFromDef("ROBOT").getField("name").getSFString())
        s.getDevice("hinge sensor").enable(8)
        while s.step(8) != -1:
            pass
        """
    results = run(tmp_path, RELOADS_ONCE.format(what=what), arm=arm)
    out = unlabelled(capsys.readouterr().out)
    assert out.count("True arm") == 2
    assert "labels" not in results.metadata
    height = results["box/box/position"][:, 2]
    assert height[5] > 100  # removed, in the row of the reload
    assert height[6] < 1


@pytest.mark.usefixtures("simulated", "leaves_nothing_behind")
@pytest.mark.parametrize(
    ("again", "starts"),
    [
        # The fifth reload would be at the end: there is nothing to start for.
        ("s.step(16); s.worldReload(); s.step(16)", 5),
        ("s.worldReload(); s.step(16)", 11),
        ("while s.step(16) != -1: pass\ns.worldReload()", 1),
        ("s.simulationQuit(0); s.worldReload(); s.step(16)", 1),
    ],
    ids=["each step", "at once", "after the end", "after a quit"],
)
def test_a_run_that_is_reloaded_for_ever_ends_with_its_scenario(
    tmp_path, capsys, again, starts
):
    file = tmp_path / "controller_a.py"
    file.write_text(
        "from controller import Supervisor\n"
        f"s = Supervisor()\nprint('starts')\n{again}\n"
    )
    short = world("{simulation_duration: 0.08}")
    results = run_with_controllers(short, {"arm": file})
    output = capsys.readouterr()
    assert output.out.count("starts") == starts
    assert output.err.count("worldReload()") == 1
    ends = 0.0 if "Quit" in again else 0.08
    assert results.time[-1] == pytest.approx(ends)
