"""Boxes that would fall through each other are warned of."""

import warnings

import pytest
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.contact.configure import configure_contact
from webmotor_drake.data import MODELS
from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.errors import MotorWarning
from webmotor_drake.nodes.body_sensors import GPS


def built(step: float, *, configured: bool):
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, step)
    parser = Parser(plant)
    for name in ("ground", "small_box"):
        parser.AddModels(str(MODELS / f"{name}.urdf"))
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("ground"))
    config = WebotsMotorDriver(devices={"gps": GPS()})
    configure_actuators(config, "small_box", plant)
    if configured:
        configure_contact(plant, graph)
    plant.SetDefaultFloatingBaseBodyPose(
        plant.GetBodyByName("box"), RigidTransform([0, 0, 1])
    )
    plant.Finalize()
    ApplyDriverConfig(config, "small_box", plant, builder=builder)
    builder.Build()


def test_boxes_of_an_own_diagram_in_point_contact_are_warned_of():
    with pytest.warns(MotorWarning, match="call configure_contact") as caught:
        built(0.004, configured=False)
    text = str(caught[0].message)
    assert "small_box::box can meet ground::ground" in text


@pytest.mark.parametrize(
    ("step", "configured"), [(0.002, False), (0.008, True)]
)
def test_short_steps_and_configured_contact_are_not(step, configured):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        built(step, configured=configured)
