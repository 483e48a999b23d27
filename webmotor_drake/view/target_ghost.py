"""A ghost of the robots that has reached its targets."""

import numpy as np
from pydrake.geometry import Meshcat, Rgba, Role
from pydrake.multibody.tree import BodyIndex, RigidBody

from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.puppet import Puppet

_PREFIX = "/webmotor/targets"
_COLOR = Rgba(0.2, 0.6, 1.0, 0.3)


class TargetGhost:
    """The robots once more, as a ghost, where their motors are to bring them.

    Joints whose motors are not in position control are where they are.

    Args:
        scenario: scenario of the robots.
        meshcat: Meshcat that it is drawn in.
    """

    def __init__(self, scenario: Scenario, meshcat: Meshcat):
        self._meshcat = meshcat
        self._puppet = Puppet(scenario)
        self._places = {
            f"{model}/{motor}": int(place)
            for model, system in self._puppet.motors.items()
            for motor, place in zip(
                system.devices.names, system.position_indices, strict=True
            )
        }
        meshcat.Delete(_PREFIX)
        plant = self._puppet.plant
        bodies = map(plant.get_body, map(BodyIndex, range(plant.num_bodies())))
        self._bodies = {
            path: body
            for body in bodies
            if plant.num_positions(body.model_instance())
            and self._make(path := _path(body), body)
        }

    def _make(self, path: str, body: RigidBody) -> bool:
        """Makes the ghost of a body; returns whether there is anything to see."""
        frame = self._puppet.plant.GetBodyFrameIdIfExists(body.index())
        inspector = self._puppet.scene_graph.model_inspector()
        shapes = inspector.GetGeometries(frame, Role.kIllustration)
        for number, shape in enumerate(shapes):
            own = f"{path}/{number}"
            self._meshcat.SetObject(own, inspector.GetShape(shape), _COLOR)
            # Meshes have their own materials.
            self._meshcat.SetProperty(own, "opacity", _COLOR.a())
            self._meshcat.SetTransform(own, inspector.GetPoseInFrame(shape))
        return bool(shapes)

    def draw(self, moment: Moment) -> None:
        """Puts the ghost where the targets of a moment are."""
        positions = moment.positions.copy()
        for motor, place in self._places.items():
            target = moment.signals.get(f"{motor}/target_position", np.inf)
            if np.isfinite(target) and moment.signals[f"{motor}/mode"] == 0:
                positions[place] = target
        puppet = self._puppet
        puppet.pose(positions)
        for path, body in self._bodies.items():
            X_WB = body.EvalPoseInWorld(puppet.context)
            self._meshcat.SetTransform(path, X_WB, moment.time)


def _path(body: RigidBody) -> str:
    return f"{_PREFIX}/{body.scoped_name().get_full().replace('::', '/')}"
