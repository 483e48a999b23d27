"""Fields of a request, never past its end."""

import pytest
from hypothesis import given, strategies as st

from webmotor_drake.protocol.reader import BadRequestError, Reader, text


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
    read = reader.u8(), reader.u16(), reader.u32(), reader.i32(), reader.f64()
    assert read == (1, 2, 3, -1, 1.0)


@given(st.text())
def test_a_text_has_one_zero_at_its_end(value):
    assert text(value).count(b"\0") == 1
    assert text(value).endswith(b"\0")


def test_a_text_that_is_no_utf_8_is_read_all_the_same():
    assert Reader(b"\xff\0").text(2) == "�"
