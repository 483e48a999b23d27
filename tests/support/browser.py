"""A browser without a screen that looks at Meshcat, where one is installed."""

import contextlib
import random
import shutil
import typing
from collections.abc import Iterator

import pytest

# It draws by itself: there may be no graphics card.
_OPTIONS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]


class Page:
    """Sees a page as somebody would, and acts on it.

    Attributes:
        page: of Playwright.
        problems: what was written to the console as an error or warning.
        requests: the addresses of all that was asked for.
    """

    def __init__(self, page):
        self.page = page
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._log)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def _log(self, message) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def go(self, address: str) -> None:
        """Opens an address, and waits until something is drawn."""
        self.page.goto("about:blank")  # a page whose server is gone reloads
        self.problems.clear()
        self.requests.clear()
        self.page.goto(address)
        self.page.wait_for_function(
            "viewer.scene_tree.find(['drake']).children"
        )

    def place(self, *path: str) -> list[float]:
        """Returns where a part of the scene is drawn, in Drake's world, m."""
        return self.page.evaluate(
            """path => {
                const o = viewer.scene_tree.find(path).object;
                o.updateWorldMatrix(true, false);
                const e = o.matrixWorld.elements;  // three.js has y up
                return [e[12], -e[14], e[13]];
            }""",
            list(path),
        )


@contextlib.contextmanager
def started_browser() -> Iterator[typing.Any]:
    """Gives a browser of Playwright; skips the test where there is none."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium")
    drawn = random.getstate()  # Playwright draws from it
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=chromium, args=_OPTIONS, timeout=300_000
        )
        try:
            random.setstate(drawn)
            yield browser
        finally:
            browser.close()
            random.setstate(drawn)


@contextlib.contextmanager
def page_in(
    browser, width: int = 1000, height: int = 700, scale: float = 0.5
) -> Iterator[Page]:
    """Gives a page of a browser, which knows nothing of its other pages.

    It draws with half the pixels each way, unless pictures of it are to be looked at:
    without a graphics card that is what costs.
    """
    drawn = random.getstate()
    page = browser.new_page(
        viewport={"width": width, "height": height}, device_scale_factor=scale
    )
    try:
        page.set_default_timeout(300_000)  # ms; met only by what hangs
        yield Page(page)
    finally:
        page.close()
        random.setstate(drawn)


@contextlib.contextmanager
def browser_page(width: int = 1000, height: int = 700) -> Iterator[Page]:
    """Gives a page of a browser of its own, with all its pixels."""
    with (
        started_browser() as browser,
        page_in(browser, width, height, scale=1) as page,
    ):
        yield page
