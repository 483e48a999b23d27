"""A warning that repeats is issued once, with its count."""

import warnings
from collections import Counter

import pytest

import webmotor_drake as wm
from webmotor_drake import errors
from webmotor_drake.errors import InputError, MotorWarning, counted_warnings

# No multiple of the motor period: told.
ODD_END = "{simulation_duration: 0.05}"


def warn(text, category=MotorWarning):
    warnings.warn(text, category, stacklevel=2)


def test_each_text_is_issued_once_with_its_count_after_the_block():
    counts = Counter()
    with pytest.warns(MotorWarning) as caught, counted_warnings(counts):
        for text in ("often", "once", "often", "often"):
            warn(text)
        assert not caught
    assert [str(w.message) for w in caught] == ["often (3 times)", "once"]
    assert counts == {"often": 3, "once": 1}


def test_what_was_issued_before_is_counted_on_in_silence():
    # A run warns of what building has warned of already.
    counts = Counter({"often": 1})
    with pytest.warns(MotorWarning) as caught, counted_warnings(counts):
        warn("often")
        warn("new")
    assert [str(w.message) for w in caught] == ["new"]
    assert counts == {"often": 2, "new": 1}


def test_other_warnings_pass_at_once():
    # They are not ours to count.
    counts = Counter()
    with pytest.warns(UserWarning) as caught, counted_warnings(counts):
        warn("other", UserWarning)
        assert [str(w.message) for w in caught] == ["other"]
    assert counts == {}


def test_a_block_that_fails_has_its_warnings_issued():
    # They may say why it failed.
    counts = Counter()
    with (
        pytest.raises(RuntimeError, match="failed"),
        pytest.warns(MotorWarning, match="before"),
        counted_warnings(counts),
    ):
        warn("before")
        raise RuntimeError("failed")
    assert counts == {"before": 1}


def test_the_callers_filters_come_back():
    # Who turns MotorWarnings into errors has them after the block, too.
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotorWarning)
        told = pytest.raises(MotorWarning, match=r"^a \(2 times\)$")
        with told, counted_warnings(Counter()):
            warn("a")
            warn("a")
        with pytest.raises(MotorWarning, match=r"^b$"):
            warn("b")


def test_warnings_that_differ_in_numbers_only_are_issued_once():
    counts = Counter()
    with pytest.warns(MotorWarning) as caught, counted_warnings(counts):
        for value in (1.5, -2.0, 3e-7):
            warn(f"motor 1: requested velocity {value:g} exceeds 1 rad/s")
        warn("motor 2: requested velocity 5 exceeds 1 rad/s")
    assert [str(w.message) for w in caught] == [
        "motor 1: requested velocity 1.5 exceeds 1 rad/s (3 times, with other"
        " numbers)",
        "motor 2: requested velocity 5 exceeds 1 rad/s",
    ]
    assert sum(counts.values()) == 4
    with (
        warnings.catch_warnings(record=True) as again,
        counted_warnings(counts),
    ):
        warn("motor 1: requested velocity 9 exceeds 1 rad/s")
    assert not again
    assert list(counts.values()) == [4, 1]


def test_pythons_own_filter_sees_one_warning_in_them(recwarn):
    warnings.simplefilter("default")
    for value in (1.5, -2.0, 3e-7):
        errors.warn(f"motor: requested velocity {value:g} exceeds 1 rad/s")
    errors.warn("motor: requested position 1 exceeds 1 rad")
    assert [str(w.message) for w in recwarn] == [
        "motor: requested velocity 1.5 exceeds 1 rad/s",
        "motor: requested position 1 exceeds 1 rad",
    ]


def test_texts_with_other_numbers_are_other_texts_to_all_but_the_filters():
    text = str(MotorWarning("m: 1"))
    assert text == "m: 1"
    assert text != "m: 2"


def test_of_a_line_of_megabytes_the_middle_is_left_out():
    error = InputError("x" * 1_000_000 + "end", where="a.yaml:1:1")
    assert len(str(error)) <= 2_000
    assert str(error).startswith("a.yaml:1:1: xxx") and " ... " in str(error)
    assert str(error).endswith("xend")


def test_a_warning_points_at_the_users_own_line(recwarn):
    wm.load_scenario("package:pendulum", name="Lift", text=ODD_END)
    wm.run(wm.load_scenario("package:pendulum", name="Lift", text=ODD_END))
    assert {warning.filename for warning in recwarn} == {__file__}
