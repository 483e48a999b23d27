"""A scenario's YAML file, and the YAML that overrides parts of it."""

import dataclasses as dc
import typing
from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.source import Source
from webmotor_drake.scenario.yaml_document import Document, entries_of


class Overridden(Source):
    """The source of a scenario of which YAML overrides parts.

    Attributes:
        override: the text that does.
        overlay: the file that does, before the text.
    """

    override: Document
    overlay: Document

    def overridden(self, error: InputError, known: int) -> InputError | None:
        """Returns `error`, whose path starts in the Scenario, with its place.

        None: neither the text nor the overlay says more of the path.

        Args:
            error: the error.
            known: number of the path's steps that are known without them.
        """
        for document in (self.override, self.overlay):
            depth = _depth(document, error.path)
            if depth and depth >= known:
                return error.at(document.locate(error.path))
        return None

    def gives(self, *path: str | int) -> bool:
        """Returns whether a value stands in the text, if only with its default."""
        documents = self.override, self.overlay
        return any(
            _depth(document, path) == len(path) for document in documents
        )

    def metadata(self) -> dict[str, typing.Any]:
        """Returns the origin of the scenario for a run's metadata."""
        return super().metadata() | {
            "scenario_text": self.override.text,
            "scenario_overlay": self.overlay.text,
        }


@dc.dataclass(frozen=True)
class YamlSource(Overridden):
    """A scenario of a YAML file.

    Attributes:
        document: the file.
        name: the scenario's name in it.
        folder: start of relative names of files.
        override: the text that overrides parts of it.
        overlay: the file that does, before the text.
    """

    document: Document
    name: str
    folder: Path
    override: Document
    overlay: Document

    @property
    def file(self) -> str:  # type: ignore[override]
        """The file as the user knows it."""
        return self.document.file

    @property
    def text(self) -> str:  # type: ignore[override]
        """The content of the file."""
        return self.document.text

    def gives(self, *path: str | int) -> bool:
        """Returns whether a value stands in the text, if only with its default."""
        whole = self.name, *path
        own = _depth(self.document, whole) == len(whole)
        return own or super().gives(*path)

    def locate(self, path: Sequence[str | int]) -> str:
        """Returns where a value stands, in the document that sets it."""
        return self.located(InputError("", path=path)).where

    def located(self, error: InputError) -> InputError:
        """Returns `error`, whose path starts in the Scenario, with its place.

        That is in the text, the overlay or the file, whichever says more of the
        path; the text overrides what several say, then the overlay. In the file
        the path starts with the scenario's name.
        """
        in_file = error.below(self.name)
        known = _depth(self.document, in_file.path) - 1
        own = in_file.at(self.document.locate(in_file.path))
        return self.overridden(error, known) or own


def _depth(document: Document, path: Sequence[str | int]) -> int:
    """Returns how many steps of the `path` the document knows."""
    node = document.root
    for depth, step in enumerate(path):
        entries = entries_of(node)
        if step not in entries:
            return depth
        _, node = entries[step]
    return len(path)
