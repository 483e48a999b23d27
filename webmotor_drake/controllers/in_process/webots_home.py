"""The folder that WEBOTS_HOME names while controllers run.

Controllers add parts of it to `sys.path`: `lib/controller/python`, or a folder of
`projects` with a module beside a sample. Without it `os.environ["WEBOTS_HOME"]` ends
them. Where Webots is installed its own stays.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_NAME = "WEBOTS_HOME"
FOLDER = Path(__file__).with_name("home")


@contextlib.contextmanager
def webots_home() -> Iterator[None]:
    """Sets WEBOTS_HOME to a folder inside the block, unless it is set."""
    before = os.environ.get(_NAME)
    if not before:
        os.environ[_NAME] = str(FOLDER)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_NAME, None)
        else:
            os.environ[_NAME] = before
