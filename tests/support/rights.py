"""Takes root's rights over files from this thread, by Linux's capabilities."""

import contextlib
import ctypes
import os
from collections.abc import Iterator

_VERSION_3 = 0x20080522
# CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: who has them need not ask.
_OVERRIDE = 1 << 1 | 1 << 2


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Data(ctypes.Structure):
    _fields_ = [
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    ]


@contextlib.contextmanager
def without_override() -> Iterator[None]:
    """Has root be refused what the modes of its own files refuse."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, data = _Header(_VERSION_3, 0), (_Data * 2)()

    def call(function) -> None:
        if function(ctypes.byref(header), data):
            raise OSError(ctypes.get_errno(), "capabilities cannot be set")

    call(libc.capget)
    before = data[0].effective
    data[0].effective = before & ~_OVERRIDE
    call(libc.capset)
    try:
        yield
    finally:
        data[0].effective = before
        call(libc.capset)
