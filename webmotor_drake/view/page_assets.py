"""The files of our pages, as a server gives them to browsers."""

import functools
from pathlib import Path

import pydrake

_HERE = Path(__file__).parent / "page_files"


@functools.cache
def page_assets() -> dict[str, str | bytes]:
    """Returns the files by their path in the address: text or bytes."""
    drake = Path(pydrake.__file__).parent / "share/drake/geometry"
    own = {
        f"/{file.name}": file.read_text(encoding="utf-8")
        for file in sorted(_HERE.iterdir())
        if file.suffix in (".html", ".css", ".js")
    }
    return {
        **own,
        "/": own["/index.html"],
        "/meshcat.js": (drake / "meshcat.js").read_text(encoding="utf-8"),
        "/favicon.ico": (drake / "meshcat.ico").read_bytes(),
    }
