"""The loops as their text stands, beside what a compiler has made of it."""

import functools
import importlib
import os
import sys
import types
from unittest import mock

import webmotor_drake
from webmotor_drake.loops import UNCOMPILED, binaries

NAME = "webmotor_drake.loops"


@functools.cache
def loops_as_text() -> types.ModuleType:
    """Returns the package `webmotor_drake.loops` once more, with all its modules."""
    compiled = webmotor_drake.loops
    others = {
        name: module
        for name, module in sys.modules.items()
        if not name.startswith(NAME)
    }
    with (
        mock.patch.dict(sys.modules, others, clear=True),
        mock.patch.dict(os.environ, {UNCOMPILED: "1"}),
    ):
        package = importlib.import_module(NAME)
        for name in binaries.modules():
            importlib.import_module(f"{NAME}.{name}")
    webmotor_drake.loops = compiled
    assert not package.COMPILED
    return package
