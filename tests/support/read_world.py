"""What the importer makes of a world: its text only, nothing is built."""

import dataclasses as dc
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import yaml

from webmotor_drake.worlds.imported import import_world, imported_yaml
from webmotor_drake.worlds.project import Options


class _Loader(yaml.SafeLoader):
    """Reads tagged mappings as plain ones."""


_Loader.add_multi_constructor(
    "!", lambda loader, _, node: loader.construct_mapping(node, deep=True)
)


@dc.dataclass
class World:
    """What a world became: the scenario, its models, and what is reported."""

    scenario: dict
    models: dict
    report: list

    def said(self, word):
        return any(word in line for line in self.report)

    def link(self, name):
        (found,) = (
            link
            for model in self.models.values()
            for link in model.iter("link")
            if link.get("name") == name
        )
        return found

    def joint(self, name):
        (found,) = (
            joint
            for model in self.models.values()
            for joint in model.iter("joint")
            if joint.get("name") == name
        )
        return found

    def driver(self, name="robot"):
        return self.scenario["model_drivers"][name]


def numbers(element, path):
    return np.array([float(x) for x in element.findtext(path).split()])


def read_world(folder: Path, text: str, version: str, files: dict) -> World:
    """Imports a world, in a project with other files by their names in it."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    file = folder / "worlds" / "w.wbt"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#VRML_SIM {version} utf8\n{text}")
    made, imported = import_world(file, Options())
    return World(
        yaml.load(imported_yaml(made, imported.name), _Loader)["w"],
        {
            name: ET.fromstring(model)
            for name, model in imported.models.files.items()
            if name.endswith(".sdf")
        },
        [f"{e.kind}: {e.name}: {e.text}" for e in imported.report.entries],
    )
