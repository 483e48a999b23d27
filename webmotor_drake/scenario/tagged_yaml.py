"""Writes YAML with tags, such as !RotationalMotor."""

from collections.abc import Mapping

import yaml


class Tagged(dict[str, object]):
    """A mapping with a tag.

    Args:
        tag: with its exclamation mark.
        values: what is in it.
    """

    def __init__(self, tag: str, values: Mapping[str, object] | None = None):
        super().__init__(values or {})
        self.tag = tag


class TaggedDumper(yaml.SafeDumper):
    """Writes `Tagged` mappings, besides YAML's own types."""


TaggedDumper.add_representer(
    Tagged, lambda dumper, node: dumper.represent_mapping(node.tag, dict(node))
)
