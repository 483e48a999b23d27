"""The DEF names of a scenario, and the nodes that they name."""

import functools
import re
import typing
from collections.abc import Callable, Mapping

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.drive.plant_queries import model_instance
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.motor.driver_config import COUNTED
from webmotor_drake.results.whole_file import is_file
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario, path_in

# A body's shapes, which Webots' tree has in several fields.
SHAPES = ("visual", "collision")
# Fields of nodes that hold nodes.
_FIELDS = (
    *SHAPES,
    "jointParameters",
    "endPoint",
    "device",
    "children",
    "physics",
    "boundingObject",
    "appearance",
    "material",
    "geometry",
)
# Nodes of each world, which a DEF names by their type.
WORLD_NODES = ("WorldInfo", "Viewpoint")
_FIELD = re.compile(r"\.([A-Za-z]+)(?:\[(\d+)\])?$")


class _DefinedName(typing.NamedTuple):
    """The node that a DEF name stands for."""

    model: str
    part: str  # its body, joint or device; "": the model itself
    fields: list[tuple[str, int]]  # Webots' fields inside, each with an index


def split_definition(of: str) -> _DefinedName:
    """Returns the parts of a DEF name's definition."""
    fields = []
    while (match := _FIELD.search(of)) and match[1] in _FIELDS:
        fields.insert(0, (match[1], int(match[2] or 0)))
        of = of[: match.start()]
    model, _, part = of.partition("::")
    return _DefinedName(model, part, fields)


def check_defs(scenario: Scenario, plant: MultibodyPlant) -> None:
    """Refuses DEF names of nodes that do not exist.

    Raises:
        InputError: a DEF stands for a name that nothing has, or another model has the
            DEF as its name.
    """
    parts = functools.cache(functools.partial(_parts_of, scenario, plant))

    def check_node(of: str) -> None:
        if of not in WORLD_NODES:
            meant = split_definition(of)
            known = parts(model_instance(plant, meant.model))
            if meant.part and meant.part not in known:
                kind = f"part of {meant.model}"
                raise InputError(unknown_name(kind, meant.part, known))

    for name, of in scenario.defs.items():
        with blame(scenario, "defs", name):
            model = split_definition(of).model
            if name != model and plant.HasModelInstanceNamed(name):
                raise InputError(f"another model is called {name}; change one")
            check_node(of)
            _check_name(name)
    if scenario.world is not None and not hasattr(scenario.source, "nodes"):
        with blame(scenario, "world", "file"):
            if not is_file(path_in(scenario, scenario.world.file)):
                raise InputError(f"{scenario.world.file}: no such file")
    _check_groups(scenario, plant, check_node)


def _check_groups(
    scenario: Scenario,
    plant: MultibodyPlant,
    check_node: Callable[[str], None],
) -> None:
    """Refuses groups of parts that do not exist, or are in another group."""
    spares = {m for models in scenario.spares.values() for m in models}
    seen: set[str] = set()
    before: set[str] = set()
    for name, models in scenario.groups.items():
        with blame(scenario, "groups", name):
            if name in scenario.defs or plant.HasModelInstanceNamed(name):
                raise InputError(f"{name} is the name of something else")
            _check_name(name)
        for i, model in enumerate(models):
            with blame(scenario, "groups", name, i):
                if model not in before:
                    check_node(model)
                if model in seen:
                    raise InputError(f"{model} is in a group already")
                if model in spares:
                    raise InputError(
                        f"{model} is a spare, which is in no group"
                    )
                seen.add(model)
        before.add(name)


def _check_name(name: str) -> None:
    if not name or "." in name:
        raise InputError("a DEF is not empty and has no dots")


def _parts_of(
    scenario: Scenario, plant: MultibodyPlant, instance: ModelInstanceIndex
) -> list[str]:
    frames = map(plant.get_frame, plant.GetFrameIndices(instance))
    parts = (
        *map(plant.get_body, plant.GetBodyIndices(instance)),
        *map(plant.get_joint, plant.GetJointIndices(instance)),
        *(frame for frame in frames if not frame.name().startswith("__")),
    )
    names = [part.name() for part in parts]
    driver = scenario.model_drivers.get(plant.GetModelInstanceName(instance))
    if isinstance(driver, WebotsMotorDriver):
        names += [name for table in device_tables(driver) for name in table]
    return list(dict.fromkeys(names))


def device_tables(driver: WebotsMotorDriver) -> list[Mapping[str, object]]:
    """Returns a driver's devices by name, in the order of their tags."""
    return [getattr(driver, table) for table in COUNTED]
