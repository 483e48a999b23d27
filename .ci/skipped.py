"""Names the tests that were skipped in every run.

    python .ci/skipped.py [--again] RECORD.xml ...

A record is what pytest's --junitxml writes. With --again each test that the records
skip is printed, one per line, as arguments of pytest. Else those that no record has
run are printed with their reasons, and the exit status is 1 if there is one whose
reason is not among those that no machine of ours can lift.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# Reasons that may hold on every machine that CI has: Webots itself is on none.
MAY_STAY = ("no libController in WEBOTS_HOME",)


def outcomes(record: str) -> tuple[set[str], dict[str, str]]:
    """Returns the tests that ran, and those that were skipped with their reasons."""
    ran, skipped = set(), {}
    for case in ElementTree.parse(record).iter("testcase"):
        name = _node(case.get("classname", ""), case.get("name", ""))
        reason = case.find("skipped")
        if reason is None:
            ran.add(name)
        else:
            skipped[name] = reason.get("message", "")
    return ran, skipped


def _node(place: str, name: str) -> str:
    """Returns what pytest calls a test; a file that is skipped whole has no place."""
    if not place:
        return name.replace(".", "/") + ".py"
    return place.replace(".", "/") + f".py::{name}"


def main(arguments: list[str]) -> int:
    """Prints the tests; returns the exit status."""
    again = "--again" in arguments
    ran: set[str] = set()
    skipped: dict[str, str] = {}
    for record in (a for a in arguments if a != "--again"):
        here, there = outcomes(record)
        ran |= here
        skipped |= there
    if again:
        print("\n".join(sorted(skipped)))
        return 0
    files = {name.partition("::")[0] for name in ran}
    never = {
        name: reason
        for name, reason in skipped.items()
        if name not in ran
        and ("::" in name or name not in files)
        and not any(known in reason for known in MAY_STAY)
    }
    for name, reason in sorted(never.items()):
        print(f"{name}: skipped in every run: {reason}")
    return 1 if never else 0


if __name__ == "__main__":
    if not sys.argv[1:] or not all(
        Path(a).is_file() for a in sys.argv[1:] if a != "--again"
    ):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
