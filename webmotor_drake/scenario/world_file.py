"""The world that a scenario was made of."""

import dataclasses as dc


@dc.dataclass
class WorldFile:
    """The file whose tree of nodes supervisors see, and how it is read.

    Attributes:
        file: the .wbt file, relative to the scenario's.
        proto_paths: folders with PROTOs, searched after the world's own.
        allow_webots_assets: True if files are read whose header allows them to be
            used with Webots only.
        without: names of PROTOs and nodes to go on without.
    """

    file: str = ""
    proto_paths: list[str] = dc.field(default_factory=list[str])
    allow_webots_assets: bool = False
    without: list[str] = dc.field(default_factory=list[str])
