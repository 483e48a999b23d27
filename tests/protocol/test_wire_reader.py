"""Fields of a request, never past its end."""

import pytest
from hypothesis import given, strategies as st

from webmotor_drake.protocol.framing import BadRequestError, Reader, packed


@given(st.binary(max_size=20), st.integers(-(2**31), 2**31))
def test_it_never_reads_past_the_end(data, size):
    reader = Reader(data)
    if 0 <= size <= len(data):
        assert reader.take(size) == data[:size]
        assert reader.left == len(data) - size
    else:
        with pytest.raises(BadRequestError):
            reader.take(size)


def test_it_reads_little_endian_fields():
    reader = Reader(bytes.fromhex("01 0200 03000000 ffffffff 000000000000f03f"))
    assert reader.values("BHIid") == [1, 2, 3, -1, 1.0]


def test_a_layout_has_lists_texts_and_what_is_skipped():
    data = b"\1\2\0ab\0\3\0cd\0\2\0\0\0\xff\0xyrest"
    layout = "2B1xzty2x*"
    *found, rest = Reader(data).values(layout)
    assert found == [[1, 2], "ab", "cd", b"\xff\0"]
    assert rest.take(rest.left) == b"rest"


def test_packed_fields_are_read_again():
    data = packed("Biz2dz", 1, -2, "a", 0.5, 0.25, "b")
    assert Reader(data).values("Biz2dz") == [1, -2, "a", [0.5, 0.25], "b"]


@given(st.text())
def test_a_text_has_one_zero_at_its_end(value):
    assert packed("z", value).count(b"\0") == 1
    assert packed("z", value).endswith(b"\0")


def test_a_text_that_is_no_utf_8_is_read_all_the_same():
    assert Reader(b"\2\0\xff\0").one("t") == "�"
