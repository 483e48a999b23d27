"""Writes YAML with tags, such as !RotationalMotor."""

from collections.abc import Mapping

import yaml


class Tagged(dict[str, object]):
    """A mapping with a tag.

    Args:
        tag: with its exclamation mark; "": none.
        values: what is in it.
        one_a_line: True if each value has a line of its own; else few share one.
    """

    def __init__(
        self,
        tag: str,
        values: Mapping[str, object] | None = None,
        *,
        one_a_line: bool = False,
    ):
        super().__init__(values or {})
        self.tag = tag or "tag:yaml.org,2002:map"
        self.flow_style = False if one_a_line else None


class TaggedDumper(yaml.SafeDumper):
    """Writes `Tagged` mappings, besides YAML's own types."""


TaggedDumper.add_representer(
    Tagged,
    lambda dumper, node: dumper.represent_mapping(
        node.tag, dict(node), node.flow_style
    ),
)
