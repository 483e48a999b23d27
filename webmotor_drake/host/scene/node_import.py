"""Imports nodes into the world (importMFNodeFromString)."""

from webmotor_drake.host.scene.node_string import base_node_string
from webmotor_drake.host.scene.scene import AT_START, Scene
from webmotor_drake.host.scene.scene_node import SceneNode


def import_nodes(
    scene: Scene, call: str, text: str, parent: SceneNode, position: int
) -> None:
    """Brings nodes into the world; their pose there is their state at the start.

    What of the text has no effect is said once; see `Stock.bring` for the arguments
    and errors.
    """

    def text_of(definition: str) -> str | None:
        used = scene.find(definition)
        return None if used is None else base_node_string(scene, used)

    before = set(parent.children)
    ignored = scene.stock.bring(text, parent, position, text_of)
    for node in parent.children:
        if node not in before and node.is_solid:
            scene.save_state(node, AT_START)
    if ignored:
        scene.say_once(call, f"without effect here: {ignored}")
