"""Webots' fields of all nodes, from classes and from the table of the others."""

from webmotor_drake.nodes.node_types import TYPES
from webmotor_drake.nodes.webots_fields import fields_of_type, node_types


def test_each_type_of_node_is_listed_once_devices_among_them():
    types = node_types()
    assert len(types) == len(set(types))
    assert {"Solid", "GPS", "RotationalMotor", "WorldInfo"} <= set(types)
    # Worlds may hold no others: `worlds/node_kinds.py` says what each does there.
    assert set(types) <= set(TYPES), "a node of webots_nodes.toml has no number"


def test_a_device_has_the_fields_of_a_solid_and_its_own():
    gps = fields_of_type("GPS")
    assert {"translation", "physics", "noiseCorrelation"} <= set(gps)


def test_a_type_that_nobody_knows_has_no_fields():
    assert fields_of_type("Teapot") == {}
    # A module of the room has that name; it is no node.
    assert fields_of_type("field") == {}
