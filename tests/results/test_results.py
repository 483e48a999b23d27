"""A run must come back from its folder exactly as it went in."""

import errno
import json
import os
import tempfile

import numpy as np
import pytest
from drawn import draws
from hypothesis import given, settings, strategies as st

from webmotor_drake import limits
from webmotor_drake.errors import InputError
from webmotor_drake.results.results import Results, check_writable

NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\0"),
    min_size=1,
    max_size=12,
).filter(lambda name: name not in (".", ".."))
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)


def small_run(**metadata) -> Results:
    """Returns two motors of two models, three rows."""
    return Results(
        time=np.array([0.0, 0.1, 0.2]),
        signals={
            "arm/hinge motor/position": np.array([0.0, 0.5, 1.0]),
            "arm/hinge motor/mode": np.zeros(3),
            "rover::left/wheel::back/position": np.array([0.0, np.nan, np.inf]),
        },
        metadata=metadata,
    )


@st.composite
def runs(draw) -> Results:
    """Draws a run of any names, numbers and metadata."""
    rows = draw(st.integers(1, 5))
    column = st.lists(st.floats(), min_size=rows, max_size=rows)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    times = st.lists(finite, min_size=rows, max_size=rows).map(sorted)
    name = st.tuples(NAMES, NAMES, NAMES).map("/".join)
    return Results(
        time=draw(times),
        signals=draw(st.dictionaries(name, column, max_size=4)),
        metadata=draw(st.dictionaries(st.text(), JSON_VALUES, max_size=3)),
    )


@given(runs())
@settings(max_examples=draws(15, 50), deadline=None)
def test_a_saved_run_is_loaded_bit_for_bit(run):
    # Archives and JSON each have their own idea of names, NaN and Unicode.
    with tempfile.TemporaryDirectory() as folder:
        run.save(folder)
        loaded = Results.load(folder)
    assert loaded.time.tobytes() == run.time.tobytes()
    assert list(loaded.signals) == list(run.signals)
    for name, values in run.signals.items():
        assert loaded[name].dtype == np.float64
        assert loaded[name].tobytes() == values.tobytes()
    assert loaded.metadata == run.metadata


def test_names_that_differ_by_the_archives_own_suffix_stay_apart(tmp_path):
    # Inside the archive, signal "a" is the member "a.npy".
    names = ["m/n/a", "m/n/a.npy", "m/n/a.npy.npy"]
    run = Results([0.0], {name: [i] for i, name in enumerate(names)})
    run.save(tmp_path)
    loaded = Results.load(tmp_path)
    assert {n: float(loaded[n][0]) for n in names} == dict(
        zip(names, range(3), strict=True)
    )


def test_any_reader_of_numpy_archives_opens_a_run(tmp_path):
    # The format is a promise: plain members, no pickles, time beside them.
    small_run().save(tmp_path)
    with np.load(tmp_path / "run.npz", allow_pickle=False) as archive:
        assert sorted(archive.files) == [
            "arm/hinge motor/mode",
            "arm/hinge motor/position",
            "rover::left/wheel::back/position",
            "time",
        ]
        assert archive["arm/hinge motor/position"].tolist() == [0.0, 0.5, 1.0]


def test_motors_and_signals_are_listed_in_the_order_of_the_run():
    # Device order is the user's; tables and plots follow it.
    run = small_run()
    assert run.motors == ["arm/hinge motor", "rover::left/wheel::back"]
    assert run.signal_names == ["position", "mode"]
    assert "arm/hinge motor/mode" in run
    assert "arm/hinge motor/power" not in run


def test_an_unknown_signal_is_answered_with_the_nearest_name():
    # Typing errors in names are the commonest error in a notebook.
    with pytest.raises(InputError) as caught:
        small_run()["arm/hinge motor/positon"]
    assert str(caught.value) == (
        "unknown signal 'arm/hinge motor/positon';"
        " did you mean arm/hinge motor/position?"
        " (known: arm/hinge motor/position, arm/hinge motor/mode,"
        " rover::left/wheel::back/position)"
    )


def test_units_follow_the_joint_and_an_unknown_motor_has_none():
    # A guess would put rad on a lift.
    run = small_run(motors={"arm/hinge motor": {"unit": "m"}})
    assert run.units("arm/hinge motor") == ("m", "m/s", "N")
    with pytest.raises(InputError, match=r"metadata.motors: unknown motor"):
        run.units("rover::left/wheel::back")


def test_limits_that_are_equal_absent_or_infinite_are_no_limits():
    # Webots writes "none" as equal limits; JSON writes infinity as null.
    def limits(low, high):
        motors = {"a/b": {"min_stop": low, "max_stop": high}}
        return Results([0.0], {}, {"motors": motors}).limits("a/b", "stop")

    assert limits(-1.0, 2.0) == [-1.0, 2.0]
    assert limits(-np.inf, 2.0) == limits(None, 2.0) == [2.0]
    assert limits(0.0, 0.0) == limits(None, None) == []


@pytest.mark.parametrize(
    ("time", "signals", "problem"),
    [
        ([0, 1], {"a/b/c": [0]}, "signals.a/b/c: 1 rows beside 2 of time"),
        ([[0]], {}, "time: expected shape (K+1,), found (1, 1)"),
        ([], {}, "time: expected shape (K+1,), found (0,)"),
        (["x"], {}, "time: not a list of numbers"),
        ([0, float("nan")], {}, "time: not finite times that rise"),
        ([1, 0], {}, "time: not finite times that rise"),
        ([0], {"b/c": [0]}, "signal name 'b/c' is not <model>/<motor>/<sig"),
        ([0], {"a//c": [0]}, "signal name 'a//c' is not <model>/<motor>"),
        ([0], {"../../c": [0]}, "signal name '../../c' is not <model>/<motor>"),
        ([0], {"a/./c": [0]}, "signal name 'a/./c' is not <model>/<motor>/"),
        ([0], {"a/b\0/c": [0]}, "signal name 'a/b\\x00/c' is not <model>"),
    ],
)
def test_arrays_that_do_not_make_a_run_are_refused(time, signals, problem):
    # Found here, not by whoever plots the run a week later.
    with pytest.raises(InputError) as caught:
        Results(time, signals)
    assert str(caught.value).startswith(problem)


def test_positions_that_are_no_numbers_are_refused():
    with pytest.raises(InputError, match="positions: not a list of numbers"):
        Results([0], {}, positions=np.array([["a"]]))


def test_metadata_becomes_strict_json_with_null_for_infinity(tmp_path):
    # Infinity is no JSON: browsers and jq refuse the whole file.
    small_run(
        stop=np.inf,
        nan=float("nan"),
        count=np.int64(3),
        array=np.array([1.0, np.nan]),
        pair=(1, 2),
        file=tmp_path,
        name="Gelenk·α",
    ).save(tmp_path)

    def refuse(word):
        raise AssertionError(word)

    text = (tmp_path / "run.json").read_text(encoding="utf-8")
    saved = json.loads(text, parse_constant=refuse)
    assert len(saved.pop("arrays_sha256")) == 64
    assert saved == {
        "stop": None,
        "nan": None,
        "count": 3,
        "array": [1.0, None],
        "pair": [1, 2],
        "file": str(tmp_path),
        "name": "Gelenk·α",
    }
    assert "Gelenk·α" in text


def test_a_lone_surrogate_in_a_text_does_not_lose_the_run(tmp_path):
    # Python lets undecodable file names into texts; UTF-8 has none of it.
    small_run(file="\udcff").save(tmp_path)
    assert Results.load(tmp_path).metadata == {"file": "\udcff"}


def test_a_full_disk_leaves_the_earlier_run_whole(tmp_path, monkeypatch):
    # Both files or neither: a new run.npz must not meet an old run.json.
    small_run(number=1).save(tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    calls = []

    def fill_up(_):
        calls.append(1)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fill_up)
    with pytest.raises(InputError) as caught:
        small_run(number=2).save(tmp_path)
    assert str(caught.value) == (
        f"cannot write {tmp_path}/run.json: No space left on device"
    )
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_a_folder_that_cannot_be_written_is_found_before_the_run(tmp_path):
    # An hour of simulation must not end in "Not a directory".
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/run.npz: Not a directory"):
        check_writable(tmp_path / "file")
    (tmp_path / "out" / "run.json").mkdir(parents=True)
    with pytest.raises(InputError, match=r"run.json: Is a directory"):
        check_writable(tmp_path / "out")
    check_writable(tmp_path / "a" / "b")
    assert os.listdir(tmp_path / "a" / "b") == []


@pytest.mark.parametrize("name", ["run.npz", "run.json"])
def test_a_missing_file_is_named(tmp_path, name):
    # A run without its metadata has no units.
    small_run().save(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(InputError) as caught:
        Results.load(tmp_path)
    assert str(caught.value) == (
        f"cannot read {tmp_path}/{name}: No such file or directory"
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.npz", b""),
        ("run.npz", b"no archive"),
        ("run.npz", b"PK\x05\x06" + bytes(18)),  # an archive of nothing
        ("run.npz", b"\x93NUMPY\x01\x00"),
        ("run.json", b""),
        ("run.json", b"{"),
        ("run.json", b"[1]"),
        ("run.json", b"\xff\xff"),
    ],
)
def test_a_file_that_is_no_run_is_refused(tmp_path, name, content):
    # Never NumPy's own words, which here advise to allow pickles.
    small_run().save(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        Results.load(tmp_path)
    assert str(caught.value) == (
        f"cannot read {tmp_path}/{name}: damaged, or not from a saved run"
    )


def test_a_pipe_or_a_file_in_place_of_a_run_is_told_and_not_waited_for(
    tmp_path,
):
    os.mkfifo(tmp_path / "run.npz")
    with pytest.raises(InputError, match="run.npz is a pipe or a device"):
        Results.load(tmp_path)
    small_run().save(tmp_path / "run")
    with pytest.raises(
        InputError, match=r"run\.npz: the folder of a saved run"
    ):
        Results.load(tmp_path / "run" / "run.npz")


def test_halves_of_two_runs_are_no_run(tmp_path):
    # Killed between two renames, or two writers in turns.
    old, new = tmp_path / "old", tmp_path / "new"
    small_run(number=1).save(old)
    Results(np.array([0.0, 0.2, 0.3]), small_run().signals).save(new)
    os.replace(old / "run.json", new / "run.json")
    with pytest.raises(InputError) as caught:
        Results.load(new)
    assert str(caught.value) == (
        f"cannot read {new}: run.npz and run.json are of different runs, or"
        " damaged"
    )


def test_a_run_of_before_there_was_a_digest_is_loaded(tmp_path):
    small_run(number=1).save(tmp_path)
    (tmp_path / "run.json").write_text('{"number": 1}')
    assert Results.load(tmp_path).metadata == {"number": 1}


def test_an_archive_with_a_pickle_is_not_opened(tmp_path):
    # A pickle runs code; results are passed between people.
    small_run().save(tmp_path)
    np.savez(tmp_path / "run.npz", time=np.array([None], dtype=object))
    with pytest.raises(InputError, match="damaged, or not from a saved run"):
        Results.load(tmp_path)


@given(st.data())
@settings(max_examples=draws(20, 60), deadline=None)
def test_damage_anywhere_in_the_arrays_gives_an_error_or_the_same_run(data):
    # Bits rot and copies stop short; a wrong number must never come out.
    run = small_run()
    with tempfile.TemporaryDirectory() as folder:
        run.save(folder)
        path = os.path.join(folder, "run.npz")
        with open(path, "r+b") as file:
            content = bytearray(file.read())
            place = data.draw(st.integers(0, len(content) - 1))
            content[place] ^= data.draw(st.integers(1, 255))
            file.seek(0)
            file.write(content)
            file.truncate(data.draw(st.integers(place, len(content))))
        try:
            loaded = Results.load(folder)
        except InputError:
            return
    assert loaded.time.tobytes() == run.time.tobytes()
    for name in set(loaded.signals) & set(run.signals):
        assert loaded[name].tobytes() == run[name].tobytes()


def test_the_gains_of_a_compared_model_can_be_loaded_again(tmp_path):
    about = {"motors": {"arm/hinge motor": {"gains": [104.3, 12.5]}}}
    signals = {"arm/hinge motor/position": np.zeros(2)}
    Results(np.array([0.0, 0.008]), signals, about).save(tmp_path)
    assert Results.load(tmp_path).metadata["motors"] == about["motors"]


def test_an_archive_that_unfolds_to_gigabytes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "_MOST_UNPACKED", 1_000)
    time = np.linspace(0, 1, 200)
    Results(time=time, signals={"a/b/c": time}, metadata={}).save(tmp_path)
    with pytest.raises(
        InputError, match=r"run.npz: more than 1,000 bytes, unpacked"
    ):
        Results.load(tmp_path)
    with limits.unlimited():
        assert np.array_equal(Results.load(tmp_path).time, time)
