"""Drake's errors, with their place in the scenario."""

import contextlib
import re
from collections.abc import Generator

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.limits import out_of_memory
from webmotor_drake.scenario.copies import users_files
from webmotor_drake.scenario.packages import where_looked
from webmotor_drake.scenario.scenario import Scenario, located, placed

# What Drake raises; a failed assertion in its C++ code is a SystemExit.
DRAKE_ERRORS = (
    IndexError,
    MemoryError,
    OSError,
    OverflowError,
    RuntimeError,
    SystemExit,
    TypeError,
    ValueError,
)

# Parts of Drake's texts that are of no use to a user, and their replacements.
_NOISE = {
    r"Failure at \S+ in (.+?)\(\): condition (.+) failed\.": (r"\1() needs \2"),
    r"^error: ": "",
    r"URI '[^']*' resolved to ('[^']*') which does": r"\1 does",
    r"\s*Invoked with.*": "",
    r"@[0-9a-f]{16}": "",
}
_MAX_TEXT = 400


@contextlib.contextmanager
def blame(scenario: Scenario, *path: str | int) -> Generator[None]:
    """Turns exceptions of the block into an error at `path` of the scenario."""
    try:
        with placed(scenario, *path):
            yield
    except DRAKE_ERRORS as error:
        problem = f"Drake refuses it: {drake_text(error)}"
        raise located(scenario, InputError(problem, path=path)) from error


def drake_text(error: BaseException) -> str:
    """Returns Drake's text of `error`, without its internals."""
    if isinstance(error, MemoryError):
        return out_of_memory()
    text = users_files(one_line(error)) or type(error).__name__
    for noise, instead in _NOISE.items():
        text = re.sub(noise, instead, text)
    text = text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}..."
    unknown = re.search(r"unknown package '([^']+)'", text)
    return f"{text}; {where_looked(unknown[1])}" if unknown else text
