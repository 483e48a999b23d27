"""Tells a run's record what comes into its world, and leaves it."""

from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.shapes import Shapes
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.simulation.imports import DrawnShape


class ImportNotes:
    """Notes imported nodes, with what is drawn of them, for replays.

    Args:
        stepped: the simulation, whose `imports` has the notes.
        shapes: the scene graph's.
    """

    def __init__(self, stepped: SteppedSimulation, shapes: Shapes):
        self._stepped, self._shapes = stepped, shapes

    def come(self, node: SceneNode) -> None:
        """Notes that a node is in the world, as it looks now."""
        drawn = dict.fromkeys(
            part.geometry
            for part in node.subtree()
            if part.geometry is not None
            and part.geometry not in self._shapes.colliding
        )
        shapes = [
            DrawnShape(
                self._shapes.shape(geometry),
                self._shapes.pose(geometry),
                self._shapes.rgba(geometry),
            )
            for geometry in drawn
        ]
        imports = self._stepped.simulation.imports
        imports.come(node.id, node.model, shapes, self._stepped.elapsed)

    def go(self, node: SceneNode) -> None:
        """Notes that a node is in the world no more."""
        imports = self._stepped.simulation.imports
        imports.go(node.id, self._stepped.elapsed)
