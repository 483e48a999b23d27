"""Numbers and tables as plain text."""

import math

import pytest

from webmotor_drake.results import text
from webmotor_drake.results.text import aligned, number, quantity, window


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (math.nan, "-"),
        (-0.0, "0"),
        (1.23456, "1.23"),
        (999.4, "999"),
        (12345.6, "12346"),
        (1.5e300, "1.5e+300"),  # not 300 digits
        (math.inf, "inf"),
    ],
)
def test_a_number_has_three_digits_or_is_whole(value, shown):
    assert number(value) == shown


def test_a_quantity_has_its_unit_but_nothing_has_none():
    assert quantity(1.23456, "rad", digits=4) == "1.235 rad"
    assert quantity(math.nan, "rad") == "-"
    assert quantity(2.0, "") == "2"


def test_columns_of_a_table_stand_left_or_right_and_lines_end_with_text():
    rows = [("motor", "step"), ("a", "1"), ("b", "")]
    assert aligned(rows, left=1) == ["motor  step", "a         1", "b"]


WIDE = [
    ["motor", "mode", "position", "effort"],
    ["arm/shoulder", "position", "1.25 rad", "12.5 N·m"],
    ["arm/elbow", "position", "0.5 rad", "1.5 N·m"],
]


def test_a_table_that_fits_or_has_no_window_is_whole():
    whole = aligned(WIDE, left=2)
    assert whole[1] == "arm/shoulder  position  1.25 rad  12.5 N·m"
    with window(42):
        assert aligned(WIDE, left=2) == whole


def test_in_a_narrow_window_the_shared_model_goes_first():
    with window(38):
        lines = aligned(WIDE, left=2)
    assert lines[0].split() == WIDE[0]
    assert lines[1] == "shoulder  position  1.25 rad  12.5 N·m"
    assert lines[3:] == ["all of arm/"]


def test_then_columns_go_in_the_order_that_is_said_and_that_is_told():
    with window(30):
        lines = aligned(WIDE, left=2, first_out=("mode", "effort", "position"))
        usual = aligned(WIDE, left=2)
    assert lines[0].split() == ["motor", "position", "effort"]
    assert lines[1] == "shoulder  1.25 rad  12.5 N·m"
    assert lines[-1] == "all of arm/; without mode (--wide)"
    assert usual[-1] == "all of arm/; without effort (--wide)"


def test_names_of_several_models_keep_them_and_text_is_cut():
    rows = [["motor", "x"], ["left/arm", "1"], ["left_2/arm", "2"]]
    with window(9):
        assert aligned(rows, left=1) == text._lines(rows, 1)
        assert aligned([["package:a", "Look at it"]], left=2) == ["package:…"]


def test_letters_of_two_columns_and_of_none_stand_in_line():
    rows = [("motor", "step"), ("肩", "1"), ("e\u0301", "2"), ("abc", "3")]
    assert aligned(rows, left=1) == [
        "motor  step",
        "肩        1",
        "e\u0301         2",
        "abc       3",
    ]
    with window(6):
        assert aligned([("肩の", "モータ")], left=2) == ["肩の …"]


def test_names_that_fit_no_window_keep_their_ends():
    rows = [
        ("motor", "error"),
        ("the left knee's", "1"),
        ("the right knee's", "2"),
    ]
    with window(20):
        assert aligned(rows, left=1) == [
            "motor          error",
            "… left knee's      1",
            "…right knee's      2",
        ]
    with window(3):
        assert aligned(rows, left=1)[1] == "…ft knee's      1"
