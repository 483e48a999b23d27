"""A recorded run plays in a browser by itself."""

import subprocess
import sys

import pytest
from browser import browser_page
from live_command import until

TOOL = "drake", "illustration", "arm", "tool"

pytestmark = pytest.mark.slow


@pytest.fixture
def page():
    """Returns the page of a new browser: an old one still asks for its server."""
    with browser_page(width=500, height=350) as page:
        yield page


def test_a_page_plays_without_any_network(page, tmp_path):
    file = tmp_path / "arm.html"
    subprocess.run(
        [
            *(sys.executable, "-m", "webmotor_drake", "run", "--quiet"),
            *("package:six_axis", "--html", file, "--out", tmp_path),
        ],
        check=True,
    )
    # 6 s; the limit for 10 s of it is 10 MB.
    assert file.stat().st_size < 6e6
    page.page.goto(file.as_uri())
    places = set()
    until(lambda: places.add(tuple(page.place(*TOOL))) or len(places) > 5)
    assert page.requests == [file.as_uri()]
    assert page.problems == []
