"""A warning that repeats is issued once, with its count."""

import warnings
from collections import Counter

import pytest

from webmotor_drake.errors import MotorWarning, counted_warnings


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
        with pytest.raises(MotorWarning, match="^b$"):
            warn("b")
