"""The fields of a node's pose in its parent."""

from pydrake.math import RigidTransform

from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import Live
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.worlds.poses import axis_angle, pose as pose_by


def pose_fields(scene: Scene, node: SceneNode) -> dict[str, Live]:
    """Returns the pose of a node in its parent; a model's can be set."""
    physics = scene.physics

    def pose() -> RigidTransform:
        return physics.pose_in_parent(node)

    def move(X_PN: RigidTransform) -> None:
        if scene.holds(node):
            scene.move_all(node, X_PN)
        else:
            physics.set_pose_in_parent(node, X_PN)

    def translate(value: list[float]) -> None:
        move(RigidTransform(pose().rotation(), value))

    def rotate(value: list[float]) -> None:
        move(pose_by(pose().translation(), value))

    # Those of a part of a model can be asked for: it is told why not.
    return {
        "translation": (lambda: pose().translation().tolist(), translate),
        "rotation": (lambda: axis_angle(pose().rotation()), rotate),
    }
