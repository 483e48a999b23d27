"""Checks of a scenario's values that need no model.

Drake takes some wrong values silently, hangs on others or ends the process, and
names no place. So they are refused here, before Drake sees them.
"""

import copy
import dataclasses as dc
import enum
import inspect
import ipaddress
import math
import re
import sys
import typing
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

import numpy as np
from pydrake.geometry import HydroelasticContactRepresentation
from pydrake.multibody.plant import ContactModel, DiscreteContactApproximation
from pydrake.systems.analysis import GetIntegrationSchemes

from webmotor_drake.contact.materials import (
    check_contact_properties,
    check_material,
)
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.motor.driver_checks import CheckedDriver, checked
from webmotor_drake.nodes.check import check_finite, check_types
from webmotor_drake.nodes.rules import POINT
from webmotor_drake.scenario.directives import check_directive
from webmotor_drake.scenario.scenario import Scenario, placed, robots_of
from webmotor_drake.scenario.source import Source
from webmotor_drake.scenario.yaml_document import Document, Keys
from webmotor_drake.scenario.yaml_typed import fields_of, read_typed

# Shortest step, s: shorter ones never come to an end. Commands are timed no finer.
_SHORTEST = 1e-9
# Longest simulation, s: longer ones never end.
_LONGEST = 1e9
# Largest side of an image: larger ones take gigabytes, which Drake allocates at once.
_MAX_PIXELS = 8192
# Each LCM bus has threads and open files, of which a process has some hundred.
_MAX_BUSES = 50
# Each Solid in stock takes some microseconds per step.
_MAX_STOCK = 1000
# Beyond this, squared distances overflow in Drake, which ends the process, m.
MAX_LENGTH = 1e9

_FINITE = sys.float_info.max
_SIMULATOR, _PLANT = "simulator_config.", "plant_config."
_DURATION = f"a time from 0 to {_LONGEST:g} s, or .inf: until Ctrl-C"
_TIME = f"a time from {_SHORTEST:g} s on"
_RATE = "0 (as fast as possible) or above"
_LENGTH, _SPEED = "a length from 1e-12 m on", "a speed from 1e-12 m/s on"
_STEP = f"0 (a continuous plant) or a time from {_SHORTEST:g} s on"
# Path of a number, its least and its largest value, and these in words.
_NUMBERS = (
    ("random_seed", 0, 2**32 - 1, "a whole number from 0 to 4294967295"),
    ("simulation_duration", 0, _LONGEST, _DURATION),
    ("stock", 0, _MAX_STOCK, f"a whole number from 0 to {_MAX_STOCK}"),
    ("default_bounce", 0, 1, "a share from 0 to 1"),
    (f"{_SIMULATOR}max_step_size", _SHORTEST, math.inf, _TIME),
    (f"{_SIMULATOR}accuracy", 1e-12, 1, "a number from 1e-12 to 1"),
    (f"{_SIMULATOR}target_realtime_rate", 0, _FINITE, _RATE),
    (f"{_SIMULATOR}start_time", 0, 0, "0 s"),
    (f"{_PLANT}time_step", _SHORTEST, _FINITE, _STEP),
    (f"{_PLANT}penetration_allowance", 1e-12, _FINITE, _LENGTH),
    (f"{_PLANT}stiction_tolerance", 1e-12, _FINITE, _SPEED),
    (f"{_PLANT}sap_near_rigid_threshold", 0, _FINITE, "at least 0"),
    ("visualization.publish_period", _SHORTEST, _FINITE, _TIME),
)


def check_scenario(scenario: Scenario) -> dict[str, CheckedDriver]:
    """Checks all of a scenario that can be checked without its models.

    Returns:
        The drivers of Webots motors by model name.

    Raises:
        InputError: the scenario cannot run; with the place of the fault.
    """
    with placed(scenario):
        check_kinds(scenario)
        for path, least, most, allowed in _NUMBERS:
            _check_number(scenario, path, least, most, allowed)
        _check_choices(scenario)
        for i, directive in enumerate(scenario.directives):
            with below("directives", i):
                check_directive(directive)
        with below("gravity"):
            POINT.check(scenario.gravity, "m/s²")
        _check_buses(scenario)
        _check_cameras(scenario)
        _check_bodies(scenario)
        drivers = {
            model: _checked_driver(scenario, model, driver)
            for model, driver in robots_of(scenario).items()
        }
        for path, number in _numbers(scenario, ()):
            placed_in_world = path[0] in ("directives", "cameras", "gravity")
            if math.isnan(number) or (placed_in_world and math.isinf(number)):
                raise _not_allowed(number, "a finite number", path)
            if placed_in_world and abs(number) > MAX_LENGTH:
                allowed = f"a number from -{MAX_LENGTH:g} to {MAX_LENGTH:g}"
                raise _not_allowed(number, allowed, path)
    return drivers


def complete(
    scenario: Scenario, source: Source, names: Sequence[str]
) -> Scenario:
    """Returns a scenario with its overriding values and its source, checked.

    Args:
        scenario: scenario of the file.
        source: its source.
        names: names of the scenarios in the file.
    """
    for over in (source.overlay, source.override):
        if over.names:
            _check_begins_with_fields(over, names)
            scenario = read_typed(Scenario, over, defaults=scenario)
    scenario.source = source
    check_scenario(scenario)
    return scenario


def _check_begins_with_fields(over: Document, names: Sequence[str]) -> None:
    """Refuses an overriding text that begins with a scenario's name."""
    fields = {field.name for field in dc.fields(Scenario)}
    for name in over.names:
        if name in names and name not in fields:
            raise over.error(
                f"{name!r} is the scenario's name; what overrides a scenario"
                " begins with its fields, such as simulation_duration, without"
                " the name above them",
                (name,),
            )


def check_kinds(scenario: Scenario) -> None:
    """Refuses values that a program set and whose type no file can hold."""
    without = copy.copy(scenario)
    without.model_drivers = {}
    check_types(without)
    for model, driver in scenario.model_drivers.items():
        module = inspect.getmodule(type(driver))
        if not hasattr(module, "ApplyDriverConfig"):
            raise InputError(
                f"{driver!r} is not a driver; a WebotsMotorDriver is allowed, or"
                " another with an ApplyDriverConfig in its module",
                path=("model_drivers", model),
            )


def _check_bodies(scenario: Scenario) -> None:
    """Refuses impossible bodies, materials and damping."""
    entries = scenario.contact_properties
    for field in ("contact_properties", "default_damping", "bodies"):
        with below(field):
            check_finite(getattr(scenario, field))
    with below("contact_properties"):
        check_contact_properties(entries)
    for model, bodies in scenario.bodies.items():
        for body, parameters in bodies.items():
            with below("bodies", model, body):
                if parameters.contact_material is not None:
                    with below("contact_material"):
                        check_material(parameters.contact_material, entries)
                for shape, material in parameters.shape_materials.items():
                    with below("shape_materials", shape):
                        check_material(material, entries)


def _check_number(
    scenario: Scenario, path: str, least: float, most: float, allowed: str
) -> None:
    value: typing.Any = scenario
    for field in path.split("."):
        value = getattr(value, field, None)
    apart = {_STEP: 0, _DURATION: math.inf}.get(allowed)  # besides the range
    if value is not None and value != apart and not least <= value <= most:
        raise _not_allowed(value, allowed, tuple(path.split(".")))


def _check_choices(scenario: Scenario) -> None:
    """Refuses names that Drake does not know."""
    choices = {
        ("simulator_config", "integration_scheme"): GetIntegrationSchemes(),
        ("plant_config", "contact_model"): _names(ContactModel),
        ("plant_config", "discrete_contact_approximation"): (
            "",  # Drake's own choice
            *_names(DiscreteContactApproximation),
        ),
        ("plant_config", "contact_surface_representation"): _names(
            HydroelasticContactRepresentation
        ),
    }
    for (config, field), known in choices.items():
        value = getattr(getattr(scenario, config), field)
        if value not in known:
            kind = field.replace("_", " ")
            raise InputError(
                unknown_name(kind, value, filter(None, known)),
                path=(config, field),
            )


def _names(choices: type[enum.Enum]) -> list[str]:
    """Returns the names of choices as YAML has them: with_fallback of kWithFallback."""
    members = dict.fromkeys(m.name for m in choices.__members__.values())
    return [re.sub("(?<=.)(?=[A-Z])", "_", m[1:]).lower() for m in members]


def _check_buses(scenario: Scenario) -> None:
    """Refuses URLs that LCM cannot open, and too many of them."""
    for number, (name, bus) in enumerate(scenario.lcm_buses.items()):
        with below("lcm_buses", name):
            if number == _MAX_BUSES:
                raise InputError(
                    f"{len(scenario.lcm_buses)} buses; {_MAX_BUSES} are allowed"
                )
            with below("lcm_url"):
                _check_lcm_url(bus.lcm_url or "memq://")


def _check_lcm_url(url: str) -> None:
    """Refuses URLs that LCM cannot open; Drake would go on without them."""
    kind, found, _ = url.partition("://")
    kinds = ("memq", "udpm", "mpudpm", "tcpq", "file")
    if not found or kind not in kinds:
        allowed = ", ".join(f"{kind}://" for kind in kinds)
        raise InputError(f"{url!r} is not one of {allowed}")
    try:
        parts = urlsplit(url)
        good = parts.port != 0
        if kind.endswith("udpm") and parts.hostname:
            good &= ipaddress.IPv4Address(parts.hostname).is_multicast
    except ValueError:
        good = False
    if not good:
        raise InputError(
            f"{url!r} has no such address as {kind}://239.255.76.67:7667"
            " (224.0.0.0 to 239.255.255.255, port 1 to 65535)"
        )


def _check_cameras(scenario: Scenario) -> None:
    """Refuses cameras that share a name, and images that no memory holds."""
    owners = {}
    for key, camera in scenario.cameras.items():
        path = ("cameras", key)
        if camera.name in owners:
            raise InputError(
                f"camera {owners[camera.name]!r} is called {camera.name!r} too;"
                " give each a name of its own",
                path=(*path, "name"),
            )
        owners[camera.name] = key
        for side in ("width", "height"):
            if getattr(camera, side) > _MAX_PIXELS:
                raise _not_allowed(
                    getattr(camera, side),
                    f"a whole number from 1 to {_MAX_PIXELS}",
                    (*path, side),
                )


def _checked_driver(
    scenario: Scenario, model: str, driver: WebotsMotorDriver
) -> CheckedDriver:
    """Checks a driver as `checked` does, and refuses names that no signal can have."""
    path = ("model_drivers", model)
    time_step = scenario.plant_config.time_step
    with below(*path):
        result = checked(driver, time_step)
    places = {
        path: model,
        **{(*path, "motors", name): name for name in driver.motors},
    }
    for place, name in places.items():
        if "/" in name or not name.isprintable() or name in ("", ".", ".."):
            raise InputError(
                f"{name!r} cannot be part of the name of a signal"
                " (model/motor/signal); it must not be empty, . or .., and have"
                " printable characters only, no /",
                path=place,
            )
    return result


def _numbers(node: object, path: Keys) -> Iterator[tuple[Keys, float]]:
    """Yields all floating-point numbers in `node`, with their paths."""
    items: Iterable = ()
    if isinstance(node, np.ndarray):  # of any dimension
        node = node.tolist()
    if (fields := fields_of(node)) is not None:
        items = [(name, getattr(node, name)) for name in fields]
    elif isinstance(node, dict):
        items = node.items()
    elif isinstance(node, list):
        items = enumerate(node)
    elif isinstance(node, float):
        yield path, node
    for key, value in items:
        yield from _numbers(value, (*path, key))


def _not_allowed(value: float, allowed: str, path: Keys) -> InputError:
    return InputError(f"{value} is not allowed; must be {allowed}", path=path)
