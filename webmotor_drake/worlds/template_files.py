"""The files that a template may read: text below its project's folder."""

import json
from pathlib import Path

from webmotor_drake.worlds.source import Source

# The most bytes that are read, and files.
_MOST_BYTES, _MOST_FILES = 10_000_000, 50
# How a script says that it wants a file, which it gets the next time it is run.
WANTS = "webmotor wants "


class TemplateFiles:
    """The files of a template, read as it asks for them.

    An engine with a time limit calls nothing of ours, so a script is run again with
    what it asked for.

    Args:
        source: the PROTO.

    Attributes:
        texts: of the files so far, by path; None: not there, or not below.
        context: paths of the template and its project.
    """

    def __init__(self, source: Source):
        folder = source.folder.absolute()
        above = [up.parent for up in folder.parents if up.name == "protos"]
        if folder.name == "protos":
            above.insert(0, folder.parent)
        self._folder = folder
        self._root = above[0] if above else folder
        self._room = _MOST_BYTES
        self.texts: dict[str, str | None] = {}
        self.context = {
            "proto": str(folder / Path(source.name).name),
            # With a slash at its end, as Webots has it: templates add names.
            "project_path": f"{self._root}/",
        }

    def add_wanted(self, error: str) -> bool:
        """Reads the file that an error asks for; returns whether it asks for any."""
        if not error.endswith('"') or WANTS not in error:
            return False
        try:
            name = json.loads(error.partition(WANTS)[2])
        except ValueError:  # an error of the script's own
            return False
        if name in self.texts or len(self.texts) >= _MOST_FILES:
            return False
        self.texts[name] = text = self._text(name)
        self._room -= len(text or "")
        return True

    def _text(self, name: str) -> str | None:
        """Returns the text of a file; None if it is not there or not below."""
        try:
            file = (self._folder / name.replace("\\", "/")).resolve()
            if not file.is_relative_to(self._root.resolve()):
                return None
            if not file.is_file() or file.stat().st_size > self._room:
                return None
            return file.read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):
            return None
