"""Parts of a report besides its comparison, such as a sweep."""

import base64
import dataclasses as dc


@dc.dataclass(frozen=True)
class Appendix:
    """A section at the end of the report.

    Attributes:
        title: its heading.
        about: its subject, in a sentence.
        rows: a table, its head first; the first row is the best.
        pictures: PNG files by what they show.
    """

    title: str
    about: str
    rows: list[list[str]] = dc.field(default_factory=list)
    pictures: dict[str, bytes] = dc.field(default_factory=dict)

    @property
    def images(self) -> dict[str, str]:
        """The pictures as data URIs."""
        return {
            title: f"data:image/png;base64,{base64.b64encode(png).decode()}"
            for title, png in self.pictures.items()
        }
