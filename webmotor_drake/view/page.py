"""A run as one web page that plays in any browser, offline."""

import base64
import html
import json
import struct
import typing
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from webmotor_drake.errors import warn
from webmotor_drake.results.results import Results
from webmotor_drake.results.whole_file import write_whole
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.page_server import Message, page_assets
from webmotor_drake.view.replay_page import replay_messages

# A page of more bytes than that is made again, with simpler meshes and fewer frames.
_LARGE = 5e6
_FEW = 900  # frames
_MANY = 2**16  # bytes of a message that may be like another one
# The scripts of a page on which nothing moves.
_OF_REPORTS = ("uPlot.js", "report.js")


def write_page(
    results: Results,
    file: str | Path,
    *,
    scenario: Scenario | None = None,
    show: Iterable[str] = (),
    beside: Mapping[str, Results] | None = None,
) -> None:
    """Writes a run as a page, whole or not at all: its motion, plots and numbers.

    It is the page that `replay_page` serves, in one file that needs nothing else. A
    page that is too large for a mail is thinned; a warning tells of that.

    Example:
        ::

            wm.write_page(wm.run("package:two_link_arm"), "arm.html")

    Args:
        results: results of a run, or loaded from a run's folder.
        file: the page.
        scenario: scenario that ran; None: as the results record it.
        show: the marks to draw over the robots; see `view.marks.MARKS`.
        beside: another run of the same robots, a ghost, by the name to show.

    Raises:
        InputError: the results lack something that a page needs, or the file cannot be
            written.
    """
    page = page_of_run(results, scenario=scenario, show=show, beside=beside)
    write_whole(file, page)


def page_of_run(
    results: Results,
    *,
    report: str = "",
    **options: typing.Any,
) -> bytes:
    """Returns a run as a page; see `write_page`.

    Args:
        results: signals of the run.
        report: HTML to stand beside the motion.
        **options: `scenario`, `show` and `beside`, as `replay_messages` takes them.
    """
    page = page_of(replay_messages(results, **options), report=report)
    if len(page) > _LARGE:
        messages = replay_messages(results, **options, light=True, most=_FEW)
        light = page_of(messages, report=report)
        if len(light) < len(page):
            warn(
                "the page's meshes are simplified and its frames fewer, for"
                f" {len(light) / 1e6:.1f} MB instead of {len(page) / 1e6:.1f} MB"
            )
            page = light
    return page


def page_of(
    messages: list[Message], *, report: str = "", title: str = "webmotor"
) -> bytes:
    """Returns the page that plays some messages, or only has a report.

    Args:
        messages: messages that `replay_messages` made; empty: nothing moves.
        report: HTML to stand beside the motion.
        title: title of the page.
    """
    files = {
        path.lstrip("/"): text
        for path, text in page_assets().items()
        if isinstance(text, str)
    }
    names = [name for name in files if name.endswith(".js")]
    code = {name: files[name] for name in (names if messages else _OF_REPORTS)}
    parts = {
        "code": json.dumps(code).encode(),
        "run": b"".join(_packed(messages)),
    }
    blocks = "".join(
        f'<script type="application/octet-stream" id="packed-{name}">'
        f"{base64.b64encode(zlib.compress(data, 9)).decode()}</script>\n"
        for name, data in parts.items()
    )
    page = _dressed(files, title)
    if report:
        kind = "report" if messages else "report alone"
        page = page.replace("<body>", f'<body class="{kind}">')
        page = page.replace("<!-- report -->", report)
    loader = f"<script>\n{files['unpack.js']}</script>\n"
    return f"{page}{blocks}{loader}</body>\n</html>\n".encode()


def _dressed(files: Mapping[str, str], title: str) -> str:
    """Returns the page with its styles in it, up to its scripts."""
    head, _, rest = files["index.html"].partition('<link rel="icon"')
    head = head.replace("<title>webmotor", f"<title>{html.escape(title)}")
    styles = "".join(
        f"<style>\n{text}</style>\n"
        for name, text in files.items()
        if name.endswith(".css")
    )
    body = rest[rest.index("</head>") : rest.index('<script src="meshcat.js">')]
    return f'{head}<link rel="icon" href="data:,">\n{styles}{body}'


def _packed(messages: list[Message]) -> Iterator[bytes]:
    """Yields the messages with their kind and their length before them.

    Kinds are 0 for bytes, 1 for text, and 2 for many bytes that were XORed with the
    last ones of that length: a mesh that several legs have is compressed once.
    """
    before: dict[int, np.ndarray] = {}
    for message in messages:
        data = message.encode() if isinstance(message, str) else message
        kind = int(isinstance(message, str))
        if not kind and len(data) > _MANY:
            own = np.frombuffer(data, np.uint8)
            if len(data) in before:
                kind, data = 2, (own ^ before[len(own)]).tobytes()
            before[len(own)] = own
        yield struct.pack("<BI", kind, len(data)) + data
