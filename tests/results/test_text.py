"""Numbers and tables as plain text."""

import math

import pytest

from webmotor_drake.results.text import aligned, number, quantity


@pytest.mark.parametrize(
    ("value", "text"),
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
def test_a_number_has_three_digits_or_is_whole(value, text):
    assert number(value) == text


def test_a_quantity_has_its_unit_but_nothing_has_none():
    assert quantity(1.23456, "rad", digits=4) == "1.235 rad"
    assert quantity(math.nan, "rad") == "-"
    assert quantity(2.0, "") == "2"


def test_columns_of_a_table_stand_left_or_right_and_lines_end_with_text():
    rows = [("motor", "step"), ("a", "1"), ("b", "")]
    assert aligned(rows, left=1) == ["motor  step", "a         1", "b"]
