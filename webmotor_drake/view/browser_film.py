"""Pictures of a run by our own page, in a browser without a window, if one is there."""

import base64
import contextlib
import functools
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
import typing
from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np

if typing.TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

# The browsers that can do it, by their names on Linux and macOS.
_BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
_FLAGS = (
    "--headless=new",
    "--remote-debugging-port=0",
    "--enable-unsafe-swiftshader",  # where there is no graphics card
    "--no-first-run",
    "--disable-background-networking",
    "--hide-scrollbars",
)
_ADDRESS = re.compile(r"DevTools listening on (ws://\S+)")
_PATIENCE = 120.0  # s; met only by what hangs

Picture = Callable[[int], np.ndarray]


class BrowserError(Exception):
    """The browser does not draw."""


def browser() -> str | None:
    """Returns the browser that draws films; None: there is none."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


@contextlib.contextmanager
def drawing_browser() -> Generator[Callable[..., Picture]]:
    """Yields a function that loads a page, and returns one that draws its frames.

    The first takes the page, as `page_of` returns it; the size, width and height in
    pixels; and `follow`, True for a camera that goes along with the robots. The second
    takes a frame's number and returns a picture, shape (height, width, 3).

    Raises:
        BrowserError: there is no browser, or it cannot draw.
    """
    from websockets.sync.client import connect

    options = {"max_size": None, "proxy": None, "open_timeout": _PATIENCE}
    with (
        tempfile.TemporaryDirectory(
            prefix="webmotor_", ignore_cleanup_errors=True
        ) as name,
        _started(Path(name)) as address,
        connect(address, **options) as socket,
    ):
        file = Path(name, "film.html")
        yield functools.partial(_loaded, _new_tab(socket), file)


def _loaded(
    call: Callable[..., typing.Any],
    file: Path,
    page: bytes,
    size: tuple[int, int],
    *,
    follow: bool,
) -> Picture:
    """Loads a page in a browser's tab; see `drawing_browser`."""
    from PIL import Image

    def evaluated(code: str) -> typing.Any:
        told = call("Runtime.evaluate", expression=code, awaitPromise=True)
        if "exceptionDetails" in told:
            raise BrowserError(told["exceptionDetails"]["text"])
        return told["result"].get("value")

    def picture(frame: int) -> np.ndarray:
        url = evaluated(f"webmotor.film.picture({frame})")
        data = base64.b64decode(url.partition(",")[2])
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))

    file.write_bytes(page)
    metrics = {"width": size[0], "height": size[1], "mobile": False}
    call("Emulation.setDeviceMetricsOverride", deviceScaleFactor=1, **metrics)
    call("Page.navigate", url="about:blank")
    call("Page.navigate", url=f"{file.as_uri()}#film")
    while not evaluated("window.webmotor?.film ? true : false"):
        evaluated("new Promise(done => setTimeout(done, 50))")
    evaluated(f"webmotor.film.begin({json.dumps(follow)})")
    return picture


def _new_tab(socket: "ClientConnection") -> Callable[..., typing.Any]:
    """Returns a function that calls a method of a browser's new tab."""
    numbers, session = itertools.count(), {}

    def call(method: str, **values: typing.Any) -> typing.Any:
        number = next(numbers)
        message = {"id": number, "method": method, "params": values}
        socket.send(json.dumps(message | session))
        told: dict[str, typing.Any] = {}
        while told.get("id") != number:
            told = json.loads(socket.recv(timeout=_PATIENCE))
        if "error" in told:
            raise BrowserError(told["error"]["message"])
        return told["result"]

    target = call("Target.createTarget", url="about:blank")
    found = call("Target.attachToTarget", flatten=True, **target)
    session["sessionId"] = found["sessionId"]
    return call


@contextlib.contextmanager
def _started(folder: Path) -> Generator[str]:
    found = browser()
    if found is None:
        raise BrowserError("there is none")
    command = [found, *_FLAGS, f"--user-data-dir={folder / 'profile'}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--no-sandbox")  # as root there is none
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as started:
        try:
            for line in started.stderr:
                if told := _ADDRESS.search(line):
                    yield told[1]
                    return
            raise BrowserError("it ended at once")
        finally:
            started.terminate()
