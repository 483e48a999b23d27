"""Tracks: bodies whose surface moves, as a conveyor belt or a caterpillar.

A track's motor drives the travel of the belt: a joint of its own that no other body
feels. Drake's contact uses its velocity as the surface's.
"""

from collections.abc import Mapping
from importlib import metadata
from typing import Any

import numpy as np
from pydrake.common.value import Value
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    ModelInstanceIndex,
    PrismaticJoint,
    SpatialInertia,
)
from pydrake.systems.framework import (
    BusValue,
    Context,
    DiagramBuilder,
    LeafSystem,
)

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import carrier_frame
from webmotor_drake.errors import InputError
from webmotor_drake.motor.driver_config import DriverConfig
from webmotor_drake.nodes.joints import Track

# The body that travels: a sphere, kg and m. It hangs on the world; no body feels it.
_MASS, _RADIUS = 1e-4, 0.01


def lacks_surfaces() -> str:
    """Returns a message if this Drake lacks moving surfaces, else ""."""
    if hasattr(MultibodyPlant, "SetSurfaceVelocityAxis"):
        return ""
    return (
        f"surfaces that move, which came after Drake {metadata.version('drake')};"
        " 1.58 has them, from Python 3.12 on"
    )


def add_track_joint(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    node: Track,
) -> None:
    """Adds the joint of a track's travel; its body's surface moves along x.

    Args:
        plant: not yet finalized.
        instance: the model.
        name: name of the joint.
        node: checked track node.

    Raises:
        InputError: the body does not exist, the joint exists already, or this Drake has
            no moving surfaces.
    """
    if problem := lacks_surfaces():
        raise InputError(f"a Track needs {problem}")
    moving: Any = getattr(plant, "SetSurfaceVelocityAxis", None)
    body = carrier_frame(plant, instance, node.body, "body").body()
    if plant.HasJointNamed(name, instance):
        raise InputError(
            f"the model has a joint {name} already; a track brings its own"
        )
    down = plant.gravity_field().gravity_vector()
    level = np.cross(down, [0, 1, 0]) if down[[0, 2]].any() else np.eye(3)[0]
    inertia = SpatialInertia.SolidSphereWithMass(_MASS, _RADIUS)
    belt = plant.AddRigidBody(f"{name}_belt", instance, inertia)
    plant.AddJoint(
        PrismaticJoint(
            name,
            plant.world_frame(),
            belt.body_frame(),
            level / np.linalg.norm(level),
        )
    )
    # Where the surface looks up (z) it moves along y x z = x, below it comes back.
    moving(body, [0.0, 1.0, 0.0])


class _TrackSpeeds(LeafSystem):
    """The speeds of the surfaces of tracks: their `places` in the plant's state."""

    def __init__(self, plant: MultibodyPlant, places: Mapping[str, int]):
        super().__init__()
        self.places = dict(places)
        self.DeclareVectorInputPort("state", plant.num_multibody_states())
        self.DeclareAbstractOutputPort(
            "surface_speeds",
            lambda: Value[BusValue](BusValue()),
            self._calc_speeds,
        )

    def _calc_speeds(self, context: Context, output: Value) -> None:
        state = self.GetInputPort("state").Eval(context)
        speeds = BusValue()
        for name, place in self.places.items():
            speeds.Set(name, Value[float](float(state[place])))
        output.set_value(speeds)


def add_tracks(
    builder: DiagramBuilder, config: DriverConfig, model: ModelMotors
) -> None:
    """Moves the tracks of a driver, whose joints are there.

    Raises:
        InputError: something else moves surfaces of the plant.
    """
    if not config.tracks:
        return
    plant, instance = model.plant, model.instance
    places = {}
    for name, node in config.tracks.items():
        body = carrier_frame(plant, instance, node.body, "body").body()
        v = plant.GetJointByName(name, instance).velocity_start()
        places[str(body.scoped_name())] = plant.num_positions() + v
    # Those of earlier calls are at the plant's one port already.
    port = plant.GetInputPort("surface_speeds")
    before = builder.connection_map().get((plant, port.get_index()))
    if before is not None:
        earlier = before[0]
        if not isinstance(earlier, _TrackSpeeds):
            raise InputError(
                "the plant's surface_speeds are connected already",
                path=("tracks",),
            )
        builder.Disconnect(earlier.get_output_port(), port)
        places = earlier.places | places
    system = builder.AddSystem(_TrackSpeeds(plant, places))
    builder.Connect(plant.get_state_output_port(), system.GetInputPort("state"))
    builder.Connect(system.get_output_port(), port)
