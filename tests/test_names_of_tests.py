"""Files of tests have names of their own, as pytest imports them by these alone."""

from collections import Counter
from pathlib import Path


def test_no_two_files_of_tests_have_the_same_name():
    files = Path(__file__).parent.rglob("*.py")
    count = Counter(
        file.name
        for file in files
        if file.name not in ("__init__.py", "conftest.py")
    )
    assert [name for name, times in count.items() if times > 1] == []
