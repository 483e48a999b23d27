"""Reading .motion files as Webots does, and writing them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from webmotor_drake.errors import InputError
from webmotor_drake.results.motion_file import (
    MotionFile,
    load_motion,
    write_motion,
)
from webmotor_drake.results.results import Results

HEADER = "#WEBOTS_MOTION,V1.0"


def motion(tmp_path, text: str) -> MotionFile:
    file = tmp_path / "a.motion"
    file.write_text(text)
    return load_motion(file)


def test_times_are_minutes_seconds_milliseconds(tmp_path):
    read = motion(
        tmp_path, f"{HEADER},a\n0,p,1\n1:005,p,2\n02:01:250,p,3\n121251,p,4\n"
    )
    assert read.times.tolist() == [0, 1005, 121_250, 121_251]
    assert read.motors == ("a",)
    assert read.duration == 121_251


def test_a_star_is_no_value(tmp_path):
    read = motion(tmp_path, f"{HEADER},a,b\n0,p,*,-1.5e-3\n")
    assert np.isnan(read.positions[0, 0])
    assert read.positions[0, 1] == -1.5e-3


def test_webots_marker_is_no_value_either(tmp_path):
    read = motion(tmp_path, f"{HEADER},a\n0,p,-9999999.9\n")
    assert np.isnan(read.positions[0, 0])


def test_reading_ends_at_the_first_blank_line(tmp_path):
    read = motion(tmp_path, f"{HEADER},a\r\n0,p,1\r\n\r\n5,p,nonsense\r\n")
    assert read.times.tolist() == [0]


def test_repeated_commas_are_one_as_with_webots(tmp_path):
    assert motion(tmp_path, f"{HEADER},a\n0,,p,,1,\n").positions == [[1.0]]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the first line is empty"),
        ("\n", "the first line is empty"),
        ("#MOTION,V1.0,a\n0,p,1\n", ":1: '#MOTION' where '#WEBOTS_MOTION'"),
        ("#WEBOTS_MOTION,V2.0,a\n0,p,1\n", ":1: 'V2.0' where 'V1.0'"),
        ("#WEBOTS_MOTION\n", ":1: 'V1.0' is missing"),
        (f"{HEADER}\n0,p\n", "at least one motor and one pose"),
        (f"{HEADER},a\n", "at least one motor and one pose"),
        (f"{HEADER},a\n\n0,p,1\n", "at least one motor and one pose"),
        (f"{HEADER},a\n0\n", ":2: the pose has no name"),
        (f"{HEADER},a,b\n0,p,1\n", ":2: 1 values for 2 motors"),
        (f"{HEADER},a\n0,p,1,2\n", ":2: 2 values for 1 motors"),
        (f"{HEADER},a\n0,p,one\n", ":2: 'one' is neither a position nor *"),
        (f"{HEADER},a\n0,p,nan\n", "neither a position nor *"),
        (f"{HEADER},a\n0,p,inf\n", "neither a position nor *"),
        (f"{HEADER},a\n0,p,1\n0,p,1\n", ":3: the time 0 (0 ms) is not after"),
        (f"{HEADER},a\n9,p,1\n8,p,1\n", ":3: the time 8 (8 ms) is not after"),
        (f"{HEADER},a\n-1,p,1\n", "'-1' is not a time"),
        (f"{HEADER},a\n1.5,p,1\n", "'1.5' is not a time"),
        (f"{HEADER},a\n1:2:3:4,p,1\n", "'1:2:3:4' is not a time"),
        (f"{HEADER},a\n{'9' * 400},p,1\n", "a time beyond 2147483647 ms"),
        (f"{HEADER},a\n \n", "' ' is not a time"),
        (f"{HEADER},a\n0,{'p' * 4100},1\n", "longer than 4095 characters"),
    ],
)
def test_what_is_no_motion_says_why(tmp_path, text, problem):
    with pytest.raises(InputError) as error:
        motion(tmp_path, text)
    assert problem in str(error.value)
    assert "a.motion" in str(error.value)


def test_a_file_that_is_not_there_or_not_text_says_so(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        load_motion(tmp_path / "none.motion")
    with pytest.raises(InputError, match="Is a directory"):
        load_motion(tmp_path)
    (tmp_path / "bits").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not text"):
        load_motion(tmp_path / "bits")


@given(st.binary(max_size=60))
def test_no_bytes_make_the_reader_fail_otherwise(tmp_path_factory, data):
    file = tmp_path_factory.getbasetemp() / "any.motion"
    file.write_bytes(f"{HEADER},a\n".encode() + data)
    try:
        assert load_motion(file).motors[0] == "a"
    except InputError as error:
        assert "\n" not in str(error)


def test_between_poses_positions_are_interpolated():
    file = MotionFile(
        ("a", "b"),
        np.array([10, 20, 40]),
        np.array([[0.0, 1.0], [1.0, np.nan], [3.0, 3.0]]),
    )

    def at(time):
        return file.at(time).tolist()

    assert at(0) == at(10) == [0.0, 1.0]
    assert at(15)[0] == 0.5
    assert np.isnan(at(15)[1])
    assert np.isnan(at(20)[1])
    assert at(30)[0] == 2.0
    assert at(40) == at(99) == [3.0, 3.0]


def results(**motors) -> Results:
    """Returns a run of 0.1 s with positions of "arm/<motor>"."""
    time = np.arange(11) * 0.01
    return Results(
        time=time,
        signals={
            f"{name.replace('__', '/')}/position": np.asarray(values, float)
            for name, values in motors.items()
        },
        metadata={"motors": {"arm/b": {"multiplier": -2.0}}},
    )


def test_a_run_is_written_pose_by_pose(tmp_path):
    file = tmp_path / "run.motion"
    run = results(arm__a=np.arange(11) / 7, arm__b=np.full(11, 3.0))
    write_motion(run, file)
    read = load_motion(file)
    assert read.motors == ("a", "b")
    assert read.times.tolist() == list(range(0, 101, 10))
    assert np.array_equal(read.positions[:, 0], run["arm/a/position"])
    assert set(read.positions[:, 1]) == {-1.5}  # divided by its multiplier
    assert file.read_text().splitlines()[2].startswith("00:00:010,Pose2,")


def test_a_step_of_its_own_is_interpolated(tmp_path):
    file = tmp_path / "run.motion"
    write_motion(results(arm__a=np.arange(11)), file, step=0.025)
    read = load_motion(file)
    assert read.times.tolist() == [0, 25, 50, 75, 100]
    assert read.positions[:, 0] == pytest.approx([0, 2.5, 5, 7.5, 10])


def test_a_position_that_is_no_number_is_a_star(tmp_path):
    file = tmp_path / "run.motion"
    write_motion(results(arm__a=[np.nan] * 11), file)
    assert np.isnan(load_motion(file).positions).all()


def test_of_several_models_one_is_named(tmp_path):
    run = results(arm__a=np.zeros(11), leg__c=np.ones(11))
    file = tmp_path / "run.motion"
    with pytest.raises(InputError, match="give the name of one: arm, leg"):
        write_motion(run, file)
    with pytest.raises(InputError, match="did you mean leg"):
        write_motion(run, file, model="lag")
    assert not file.exists()
    write_motion(run, file, model="leg")
    assert load_motion(file).motors == ("c",)


@pytest.mark.parametrize("step", [0, -1, float("nan"), float("inf"), 0.0125])
def test_a_step_that_the_format_does_not_have_is_refused(tmp_path, step):
    with pytest.raises(InputError, match="a step of"):
        write_motion(
            results(arm__a=np.zeros(11)), tmp_path / "a.motion", step=step
        )


def test_what_webots_could_not_read_is_not_written(tmp_path):
    run = results(**{"arm__a,b": np.zeros(11)})
    with pytest.raises(InputError, match="commas and line breaks"):
        write_motion(run, tmp_path / "a.motion")
    many = results(**{f"arm__{'m' * 40}{i}": np.zeros(11) for i in range(100)})
    with pytest.raises(InputError, match="too many motors"):
        write_motion(many, tmp_path / "a.motion")
    assert not list(tmp_path.iterdir())


@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False).filter(
            lambda value: value != -9999999.9  # Webots' own mark for none
        ),
        min_size=11,
        max_size=11,
    )
)
def test_what_was_written_is_read_back(tmp_path_factory, values):
    file = tmp_path_factory.getbasetemp() / "back.motion"
    write_motion(results(arm__a=values), file)
    assert load_motion(file).positions[:, 0].tolist() == values


@pytest.mark.parametrize("step", [0.001, 0.04, 0.5, 1.0])
def test_poses_are_a_step_apart_up_to_the_end(tmp_path, step):
    time = np.arange(2001) * 0.001
    run = Results(time, {"m/a/position": time}, {"motors": {"m/a": {}}})
    write_motion(run, tmp_path / "a.motion", step=step)
    times = load_motion(tmp_path / "a.motion").times
    assert times.tolist() == list(range(0, 2001, round(1000 * step)))
