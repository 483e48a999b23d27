"""Logs from ROS bags: joints by their topics, with the stamps of their messages."""

import sys

import numpy as np
import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.fitting.log_file import load_log

pytest.importorskip("rosbags")

START = 1_700_000_000


@pytest.fixture
def bag(tmp_path, monkeypatch):
    """Writes a bag of ROS 2: joint states, commands and a topic without joints."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.LATEST)
    # Each bag that is read has a new module of its types.
    monkeypatch.setitem(
        sys.modules, "rosbags.usertypes", sys.modules.get("rosbags.usertypes")
    )
    types = store.types
    header, stamp = (
        types["std_msgs/msg/Header"],
        types["builtin_interfaces/msg/Time"],
    )

    def at(nanoseconds):
        return header(stamp=stamp(sec=START, nanosec=nanoseconds), frame_id="")

    def states(i):
        numbers = np.array([0.1 * i, -0.1 * i])
        kind = types["sensor_msgs/msg/JointState"]
        empty = np.array([])
        return kind(at(10_000_000 * i), ["a", "b"], numbers, 2 * numbers, empty)

    def command(i):
        numbers = np.array([0.5 * i, 0.25])
        layout = types["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
        return types["std_msgs/msg/Float64MultiArray"](layout, numbers)

    def desired(i):
        numbers = np.array([float(i), 7.0])
        kind = types["sensor_msgs/msg/JointState"]
        empty = np.array([])
        return kind(at(10_000_000 * i + 1), ["a", "b"], numbers, empty, empty)

    makers = {
        "/joint_states": ("sensor_msgs/msg/JointState", states),
        "/commands": ("std_msgs/msg/Float64MultiArray", command),
        "/joint_commands": ("sensor_msgs/msg/JointState", desired),
        "/said": (
            "std_msgs/msg/String",
            lambda i: types["std_msgs/msg/String"](str(i)),
        ),
    }

    def write(*topics, storage="MCAP"):
        folder = tmp_path / f"bag_{storage}_{len(topics)}"
        plugin = StoragePlugin[storage]
        with Writer(folder, version=9, storage_plugin=plugin) as writer:
            for topic in topics:
                kind, make = makers[topic]
                connection = writer.add_connection(topic, kind, typestore=store)
                for i in range(30):
                    # They arrive 5 ms late.
                    arrived = START * 10**9 + 10_000_000 * i + 5_000_000
                    data = store.serialize_cdr(make(i), kind)
                    writer.write(connection, arrived, data)
        return folder

    return write


@pytest.mark.parametrize("storage", ["MCAP", "SQLITE3"])
def test_joints_are_told_by_their_topics(bag, storage):
    folder = bag("/joint_states", "/joint_commands", "/said", storage=storage)
    for path in (folder, *folder.glob("*.[md][cb]*")):
        log = load_log(path)
        assert log.names == ["a", "b"]
        known = np.isfinite(log.get("b", "position"))
        np.testing.assert_allclose(log.time[known], 0.01 * np.arange(30))
        position = log.get("b", "position")[known]
        np.testing.assert_allclose(position, -0.1 * np.arange(30))
        target = log.get("a", "target")
        np.testing.assert_array_equal(target[np.isfinite(target)], range(30))
        assert log.alternates


def test_numbers_of_other_messages_are_mapped(bag):
    given = {"/commands.data[0]": "a.target deg"}
    log = load_log(bag("/joint_states", "/commands"), given)
    target = log.get("a", "target")
    told = np.isfinite(target)
    np.testing.assert_allclose(target[told], np.radians(0.5 * np.arange(30)))
    # Without a header they have the time of their arrival.
    np.testing.assert_allclose(log.time[told], 0.005 + 0.01 * np.arange(30))
    assert "/commands.data[1]: no joint and signal" in log.remarks()[0]


def test_a_bag_without_joints_lists_its_topics(bag):
    with pytest.raises(
        InputError, match=r"there are: /said \(std_msgs/msg/String\)"
    ):
        load_log(bag("/said"))


def test_a_bag_that_is_cut_is_refused_in_a_line(bag):
    folder = bag("/joint_states")
    (file,) = folder.glob("*.mcap")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(InputError, match="is it cut off") as caught:
        load_log(folder)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="cannot be read as a bag"):
        load_log(folder.parent / "none.bag")


def test_a_single_mcap_file_is_read_without_its_folder(bag, tmp_path):
    (file,) = bag("/joint_states").glob("*.mcap")
    alone = tmp_path / "downloads" / "walk.mcap"
    alone.parent.mkdir()
    alone.write_bytes(file.read_bytes())
    np.testing.assert_array_equal(
        load_log(alone).get("a", "position"),
        load_log(file).get("a", "position"),
    )


def test_a_bag_of_ros_1_is_read(tmp_path, monkeypatch):
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_typestore

    monkeypatch.setitem(
        sys.modules, "rosbags.usertypes", sys.modules.get("rosbags.usertypes")
    )
    store = get_typestore(Stores.ROS1_NOETIC)
    types, kind = store.types, "sensor_msgs/msg/JointState"
    stamp = types["builtin_interfaces/msg/Time"]
    nothing = np.array([])
    file = tmp_path / "run.bag"
    with Writer(file) as writer:
        for topic in ("/joint_states", "/joint_commands"):
            connection = writer.add_connection(topic, kind, typestore=store)
            for i in range(30):
                header = types["std_msgs/msg/Header"](
                    seq=i,
                    stamp=stamp(sec=START, nanosec=10_000_000 * i),
                    frame_id="",
                )
                position = np.array([0.1 * i])
                message = types[kind](header, ["a"], position, nothing, nothing)
                data = store.serialize_ros1(message, kind)
                writer.write(connection, START * 10**9 + i, data)
    log = load_log(file)
    np.testing.assert_allclose(log.time, 0.01 * np.arange(30))
    for signal in ("position", "target"):
        np.testing.assert_allclose(log.get("a", signal), 0.1 * np.arange(30))
