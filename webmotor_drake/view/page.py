"""A run as one web page that plays in any browser, offline."""

import base64
import json
import struct
import tempfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from webmotor_drake.errors import warn
from webmotor_drake.results.results import Results
from webmotor_drake.results.whole_file import write_whole
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.page_assets import page_assets
from webmotor_drake.view.page_server import Message
from webmotor_drake.view.replay_page import replay_messages

# A page of more bytes than that is made again, with simpler meshes and fewer frames.
_LARGE = 5e6
_FEW = 900  # frames


def write_page(
    results: Results,
    file: str | Path,
    *,
    scenario: Scenario | None = None,
    show: Iterable[str] = (),
    beside: Mapping[str, Results] | None = None,
) -> None:
    """Writes a run as a page, whole or not at all: its motion, plots and numbers.

    It is the page that `replay_page` serves, in one file that needs nothing else. What
    would be larger than a mail takes is thinned, which is told.

    Example:
        ::

            wm.write_page(wm.run("package:two_link_arm"), "arm.html")

    Args:
        results: of a run, or loaded from a run's folder.
        file: the page.
        scenario: the one that ran; None: as the results record it.
        show: the marks to draw over the robots; see `view.marks.MARKS`.
        beside: another run of the same robots, a ghost, by the name to show.

    Raises:
        InputError: the results don't have what it takes, or the file cannot be
            written.
    """
    options = {"scenario": scenario, "show": show, "beside": beside}
    page = _page(replay_messages(results, **options))
    if len(page) > _LARGE:
        with tempfile.TemporaryDirectory(prefix="webmotor_") as folder:
            options |= {"light": Path(folder), "most": _FEW}
            light = _page(replay_messages(results, **options))
        if len(light) < len(page):
            warn(
                f"{file}: its meshes are simplified and its frames fewer, for"
                f" {len(light) / 1e6:.1f} MB instead of {len(page) / 1e6:.1f} MB"
            )
            page = light
    write_whole(file, page)


def _page(messages: list[Message]) -> bytes:
    """Returns the page that plays some messages."""
    files = {path.lstrip("/"): text for path, text in page_assets().items()}
    index = files["index.html"]
    assert isinstance(index, str)
    code = {
        name: text if isinstance(text, str) else text.decode()
        for name, text in files.items()
        if name.endswith((".js", ".css"))
    }
    parts = {
        "code": json.dumps(code).encode(),
        "run": b"".join(map(_packed, messages)),
    }
    blocks = "".join(
        f'<script type="application/octet-stream" id="packed-{name}">'
        f"{base64.b64encode(zlib.compress(data, 9)).decode()}</script>\n"
        for name, data in parts.items()
    )
    # What a server would give comes out of the page itself.
    head, _, rest = index.partition('<link rel="icon"')
    body = rest[rest.index("</head>") :]
    body = body[: body.index('<script src="meshcat.js">')]
    loader = f"<script>\n{files['unpack.js']}</script>\n"
    return f"{head}{body}{blocks}{loader}</body>\n</html>\n".encode()


def _packed(message: Message) -> bytes:
    """Returns a message with its kind and its length before it."""
    data = message.encode() if isinstance(message, str) else message
    return struct.pack("<BI", isinstance(message, str), len(data)) + data
