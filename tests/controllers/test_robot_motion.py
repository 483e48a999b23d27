"""How a Motion plays, step by step."""

import gc

import pytest

from webmotor_drake.robot import Motion

WAVE = """\
#WEBOTS_MOTION,V1.0,hinge motor
00:00:000,Pose1,0
00:00:020,Pose2,1
00:00:040,Pose3,*
00:00:060,Pose4,1.5
"""


@pytest.fixture
def wave(tmp_path):
    """The name of a file of 60 ms; the basic step is 8 ms."""
    file = tmp_path / "wave.motion"
    file.write_text(WAVE)
    return str(file)


def played(robot, motor, steps: int, step: int = 8) -> list[float]:
    """Returns the targets that a motion sends in some steps; None for none."""
    targets = []
    for _ in range(steps):
        motor._device.target_position = None
        robot.step(step)
        targets.append(motor.getTargetPosition())
    return targets


def test_targets_are_those_of_the_time_before_the_step(robot, motor, wave):
    motion = Motion(wave)
    assert played(robot, motor, 2) == [None, None]  # not before play()
    motion.play()
    seen = played(robot, motor, 4)
    assert seen == pytest.approx([0, 0.4, 0.8, None], nan_ok=True)
    assert motion.getTime() == 32


def test_no_command_is_sent_beside_a_value_that_is_not_there(
    robot, motor, wave
):
    motion = Motion(wave)
    motion.play()
    # 20 ms is the end of the first stretch; 40 and 60 ms have no neighbour.
    assert played(robot, motor, 3, 20)[:2] == [0, 1]
    assert motor.getTargetPosition() is None
    assert motion.time == 60


def test_it_is_over_one_step_before_its_last_pose_is_sent(robot, motor, wave):
    motion = Motion(wave)
    motion.play()
    assert not motion.isOver()
    played(robot, motor, 8)  # 64 ms: beyond the end by 4
    assert motion.isOver()
    assert motion.getTime() == 64
    assert played(robot, motor, 2) == [1.5, None]  # sent once, then it stops
    assert motion.getTime() == motion.getDuration() == motion.duration == 60


def test_a_loop_takes_a_step_more_than_its_duration(robot, motor, wave):
    motion = Motion(wave)
    motion.setLoop(True)
    motion.play()
    seen = played(robot, motor, 10)
    assert seen[8] == 1.5
    assert seen[9] == seen[0] == 0
    assert not motion.isOver()


def test_backwards_it_begins_at_the_end(robot, motor, wave):
    motion = Motion(wave)
    motion.setReverse(True)
    motion.play()
    assert motion.getTime() == 60
    seen = played(robot, motor, 9)
    assert seen[0] == 1.5
    assert seen[5:8] == pytest.approx([1, 0.6, 0.2])
    assert motion.isOver()
    assert played(robot, motor, 1) == [None]
    assert motion.getTime() == 0
    motion.setLoop(True)
    motion.play()
    assert motion.getTime() == 60


def test_stop_keeps_the_time_and_play_goes_on(robot, motor, wave):
    motion = Motion(wave)
    motion.play()
    played(robot, motor, 2)
    motion.stop()
    assert played(robot, motor, 2) == [None, None]
    motion.play()
    assert played(robot, motor, 1) == pytest.approx([0.8])


def test_play_at_the_end_starts_again(robot, motor, wave):
    motion = Motion(wave)
    motion.setTime(60)
    motion.play()
    assert motion.getTime() == 0


def test_a_time_is_kept_within_the_motion(wave, robot):
    motion = Motion(wave)
    for given, kept in ((-5, 0), (1000, 60), (33, 33)):
        motion.setTime(given)
        assert motion.getTime() == kept
    motion.time = 12
    assert motion.time == 12
    with pytest.raises(TypeError):
        motion.setTime(1.5)


def test_no_time_passes_in_step_0(robot, motor, wave):
    motion = Motion(wave)
    motion.play()
    assert played(robot, motor, 1, 0) == [None]
    assert motion.getTime() == 0


def test_commands_pass_multiplier_and_coupling(pair, tmp_path):
    left, right = pair
    robot = left._client.robot
    file = tmp_path / "grip.motion"
    file.write_text("#WEBOTS_MOTION,V1.0,grip::left\n0,a,0.01\n1000,b,0.03\n")
    motion = Motion(file)
    motion.play()
    robot.step(8)
    assert (left.getTargetPosition(), right.getTargetPosition()) == (
        0.01,
        -0.02,
    )


def test_the_older_of_two_motions_of_a_motor_wins(robot, motor, tmp_path):
    motions = []
    for name, position in (("old", 0.1), ("new", 0.2)):
        file = tmp_path / name
        file.write_text(
            f"#WEBOTS_MOTION,V1.0,hinge motor\n0,a,{position}\n9,b,{position}\n"
        )
        motions.append(Motion(str(file)))
        motions[-1].play()
    assert played(robot, motor, 1) == [0.1]


def test_a_motion_that_nobody_holds_does_not_play(robot, motor, wave):
    Motion(wave).play()
    gc.collect()
    assert played(robot, motor, 1) == [None]
    assert not robot._client.motions


def test_names_that_are_no_motors_are_left_out(robot, motor, tmp_path, capsys):
    file = tmp_path / "other.motion"
    file.write_text(
        "#WEBOTS_MOTION,V1.0,elbow,hinge sensor,hinge motor\n0,a,1,2,0.5\n"
    )
    motion = Motion(str(file))
    error = capsys.readouterr().err
    assert "the robot has no motor 'elbow'" in error
    assert "'hinge sensor' is not a motor" in error
    assert motion.isValid()
    motion.play()
    assert played(robot, motor, 1) == [0.5]


def test_a_motion_that_cannot_be_read_does_nothing(robot, tmp_path, capsys):
    motion = Motion(str(tmp_path / "none.motion"))
    assert "cannot read" in capsys.readouterr().err
    assert not motion.isValid()
    motion.play()
    motion.stop()
    motion.setLoop(True)
    motion.setReverse(True)
    motion.setTime(3)
    assert motion.getDuration() == motion.getTime() == -1
    assert not motion.isOver()
    assert capsys.readouterr().err.count("is not a valid motion") == 8
    robot.step(8)


def test_a_valid_motion_says_so(robot, wave):
    assert Motion(wave).isValid()
