"""Lists of timed commands, loaded here: Drake's loader takes 1 ms for each line.

The trajectory of a robot is tens of thousands of lines.
"""

import dataclasses as dc
import typing

import yaml

from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.scenario.yaml_document import (
    LIST,
    Document,
    entries_of,
    tag_of,
)

_TYPES = typing.get_type_hints(TimedCommand)


@dc.dataclass(frozen=True)
class Lists:
    """The commands of a document, and the rest of it.

    Attributes:
        commands: the lists by model name.
        rest: the document's text without them.
    """

    commands: dict[str, yaml.SequenceNode]
    rest: str

    @classmethod
    def of(cls, document: Document, name: str | None) -> "Lists":
        """Returns the lists of the scenario `name`; None: of the whole `document`.

        A list that stands behind a merge (`<<`) stays in the rest.
        """
        found: dict[str, yaml.SequenceNode] = {}
        path = (name,) if name is not None else ()
        rest = _without(document.root, (*path, "model_drivers"), found)
        text = document.text
        if found:
            text = yaml.serialize(rest, Dumper=yaml.SafeDumper)
        return cls(found, text)

    def loaded(self, model: str) -> list[TimedCommand]:
        """Returns the commands of a model; their structure has been checked."""
        construct = yaml.constructor.SafeConstructor().construct_object
        return [
            TimedCommand(
                **{
                    field: _converted(construct(node, deep=True), field)
                    for field, (_, node) in entries_of(command).items()
                }
            )
            for command in self.commands[model].value
        ]


def _without(
    node: yaml.Node, path: tuple[str, ...], found: dict[str, yaml.SequenceNode]
) -> yaml.Node:
    """Returns `node` without the lists of the drivers at `path`, which it collects."""
    if not isinstance(node, yaml.MappingNode):
        return node
    pairs = []
    for key, value in node.value:
        inner = value
        if path and key.value == path[0]:
            inner = _without(value, path[1:], found)
        elif not path and tag_of(value) == "!WebotsMotorDriver":
            inner = _without_list(key.value, value, found)
        pairs.append((key, inner))
    return yaml.MappingNode(node.tag, pairs)


def _without_list(
    model: str, driver: yaml.Node, found: dict[str, yaml.SequenceNode]
) -> yaml.MappingNode:
    pairs = []
    for key, value in driver.value:
        inner = value
        if key.value == "commands" and isinstance(value, yaml.SequenceNode):
            found[model] = value
            inner = yaml.SequenceNode(LIST, [], flow_style=True)
        pairs.append((key, inner))
    return yaml.MappingNode(driver.tag, pairs)


def _converted(value: object, field: str) -> object:
    """Returns `value` as Drake would: a whole number, or one in quotes, as float."""
    if value is None or _TYPES[field] is str:
        return value
    if isinstance(value, list):
        return [float(number) for number in value]
    return float(value)
