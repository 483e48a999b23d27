"""PROTOs that are templates: their bodies are made by a script."""

from webmotor_drake.errors import InputError
from webmotor_drake.worlds.nodes import Field, Node
from webmotor_drake.worlds.project import Project, ProtoFile
from webmotor_drake.worlds.source import Place


def expanded_body(
    proto: ProtoFile,
    values: dict[str, Field],
    project: Project,
    place: Place,
) -> list[Node]:
    """Returns the nodes that a template makes."""
    raise InputError("a template", where=str(place))
