"""Which shapes bounce off each other."""

from webmotor_drake.contact.bounce import Bounce
from webmotor_drake.contact.friction_fit import combined
from webmotor_drake.contact.inboard import ShapePair
from webmotor_drake.contact.materials import Touching
from webmotor_drake.contact.proximity import friction_of, has_patch
from webmotor_drake.errors import warn


def bouncing_pairs(
    touching: Touching, default: float | None = None
) -> dict[ShapePair, Bounce]:
    """Returns the pairs of shapes that bounce, and how.

    Args:
        touching: shapes with their friction.
        default: restitution where an entry does not say it, and without an entry.
    """
    if not default and not any(entry.bounce for entry in touching.entries):
        return {}
    if not touching.plant.time_step():
        warn("nothing bounces on a continuous plant (time_step 0)")
        return {}
    inspector = touching.scene_graph.model_inspector()
    friction = {g: friction_of(inspector, g) for g in touching.materials}
    patches = {
        g: has_patch(inspector.GetProximityProperties(g)) for g in friction
    }
    pairs: dict[ShapePair, Bounce] = {}
    for a, b in touching.pairs:
        entry = touching.entry(a, b)
        bounce = default if entry.bounce is None else entry.bounce
        if bounce:
            mu = combined(friction[a], friction[b])
            pairs[a, b] = Bounce(entry, bounce, mu, patches[a] and patches[b])
    return pairs
