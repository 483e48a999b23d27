"""Requests in a stream, answers as Webots frames them; the sheet's example bytes."""

import struct

import pytest
from drawn import draws
from hypothesis import given, settings, strategies as st

from webmotor_drake.protocol.framing import (
    LARGEST,
    BadRequestError,
    Request,
    Requests,
    local_answer,
    tcp_answer,
)

BLOCKS = st.lists(
    st.tuples(st.integers(0, 2**16 - 1), st.binary(min_size=1, max_size=9)),
    max_size=4,
)


def framed(milliseconds: int, blocks) -> bytes:
    data = b"".join(struct.pack("<Hi", t, len(b)) + b for t, b in blocks)
    return struct.pack("<II", 8 + len(data), milliseconds) + data


def all_of(requests: Requests) -> list[Request]:
    return list(iter(requests.next, None))


@given(
    st.lists(st.tuples(st.integers(0, 2**32 - 1), BLOCKS), max_size=4),
    st.lists(st.integers(1, 9), max_size=60),
)
def test_requests_arrive_whole_however_the_stream_is_cut(sent, cuts):
    stream = b"".join(framed(*request) for request in sent)
    requests, got = Requests(), []
    for cut in [*cuts, len(stream)]:
        requests.feed(stream[:cut])
        stream = stream[cut:]
        got += all_of(requests)
    assert [(r.milliseconds, list(r.blocks)) for r in got] == sent


# A block with the size that it says, or with another one; requests of such blocks.
_PIECES = st.builds(
    lambda tag, size, data: struct.pack("<Hi", tag, size) + data,
    st.integers(0, 3),
    st.integers(-1, 3),
    st.binary(max_size=3),
)
_GARBAGE = st.lists(_PIECES, max_size=3).map(
    lambda pieces: (
        struct.pack("<II", 8 + len(b"".join(pieces)), 1) + b"".join(pieces)
    )
)


def test_garbage_is_a_request_or_refused():
    found = []

    @settings(max_examples=draws(300, 100_000))
    @given(st.one_of(st.binary(max_size=60), _GARBAGE))
    def look(data):
        requests = Requests()
        requests.feed(data)
        try:
            for request in all_of(requests):
                assert all(block for _, block in request.blocks)
                found.append(bool(request.blocks))
        except BadRequestError:
            found.append(None)

    look()
    assert set(found) == {True, False, None}


@pytest.mark.parametrize("size", [1, 7, LARGEST + 1, 2**32 - 1])
def test_a_size_that_no_request_has_is_refused_before_it_arrives(size):
    requests = Requests()
    requests.feed(struct.pack("<I", size))
    with pytest.raises(BadRequestError):
        requests.next()


@pytest.mark.parametrize("size", [0, -1, 4, 2**31 - 1])
def test_a_block_beyond_its_request_is_refused(size):
    requests = Requests()
    requests.feed(struct.pack("<IIHi", 17, 0, 1, size) + b"abc")
    with pytest.raises(BadRequestError):
        requests.next()


def test_a_size_of_0_is_the_last_word():
    requests = Requests()
    requests.feed(bytes(4))
    assert requests.next() == Request(0, (), last=True)
    # Nothing comes after it: it must not wait for more.
    for part in (bytes(1), bytes(2)):
        requests.feed(part)
        assert requests.next() is None
    requests.feed(bytes(1))
    assert requests.next() == Request(0, (), last=True)


STEP = bytes.fromhex("0000 04 fca9f1d24d62a03f 0200 01 000000000000d03f")


def test_local_answers_are_those_of_the_recorded_example():
    assert local_answer(0, STEP).hex() == "1e00000000000000" + STEP.hex()
    quit_ = local_answer(0, b"\0\0\x02")
    assert quit_.hex(" ", 1) == "0b 00 00 00 00 00 00 00 00 00 02"


def test_tcp_answers_are_those_of_the_recorded_example():
    head = "01001a0000001a0000000000000000"
    assert tcp_answer(0, STEP).hex() == head + STEP.hex()
    quit_ = tcp_answer(0, b"\0\0\x02")
    assert quit_.hex() == "0100070000000700000000" + "00000000" + "000002"


def test_images_follow_in_chunks_whose_length_has_no_head():
    answer = tcp_answer(0, b"", ((3, 0, b"abcd"),))
    assert answer.hex() == (
        "0200" + "04000000" + "04000000" + "00" + "00000000"
        "04000000" + "01" + "0300" + "00" + b"abcd".hex()
    )
