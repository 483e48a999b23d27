"""How many random cases a test draws: few at each push, all before a release."""

import os

FULL = os.environ.get("CI_FULL") == "1"


def draws(few: int, many: int) -> int:
    """Returns `few`, or `many` with CI_FULL=1."""
    return many if FULL else few
