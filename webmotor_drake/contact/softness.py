"""Softness of shapes whose ContactProperties differ from Webots' defaults.

ODE's contact point is a spring of ERP / (CFM h): 6250 N/m at 32 ms by default. That is
not taken over, since it lets things sink; soft_erp and soft_cfm of other values are.
"""

from collections.abc import Mapping

import numpy as np
from pydrake.geometry import GeometryId, ProximityProperties, SceneGraph
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.contact.corner_names import corners_of
from webmotor_drake.contact.inboard import fixed_shapes
from webmotor_drake.contact.proximity import (
    DRAKES_STIFFNESS,
    HYDROELASTIC,
    STIFFNESS,
    replace_properties,
)
from webmotor_drake.nodes.contact import ContactProperties

# Corners of a face, each with ODE's spring.
_CORNERS = 4
# What is harder falls through, what has no spring at all does, too.
_HARDEST, _HARDEST_POINT, _LEAST_ERP = 1e12, 1e9, 1e-3  # Pa, N/m and 1


def soften(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    materials: Mapping[GeometryId, str],
    entries: Mapping[tuple[str, str], ContactProperties],
) -> None:
    """Gives moving shapes the stiffness of ODE's contacts, where entries say so.

    Args:
        plant: a discrete one.
        scene_graph: with its geometry.
        materials: those of shapes.
        entries: by pairs of materials.
    """
    inspector, fixed = scene_graph.model_inspector(), fixed_shapes(plant)
    for geometry, material in materials.items():
        stiffness = _stiffness(material, entries, plant.time_step())
        if stiffness is None or geometry in fixed:
            continue
        properties = ProximityProperties(
            inspector.GetProximityProperties(geometry)
        )
        name = HYDROELASTIC, "hydroelastic_modulus"
        if properties.HasProperty(*name):
            edges = 2 * np.sort(
                inspector.GetObbInGeometryFrame(geometry).half_width()
            )
            corners = corners_of(inspector, geometry)
            # What has corners stands half on these, half on its patch.
            spring = stiffness / 2 if corners else stiffness
            modulus = _CORNERS * spring * edges[0] / 2 / (edges[1] * edges[2])
            for corner in corners:
                own = ProximityProperties(
                    inspector.GetProximityProperties(corner)
                )
                own.UpdateProperty(*STIFFNESS, min(spring, _HARDEST_POINT))
                replace_properties(plant, scene_graph, corner, own)
            properties.UpdateProperty(*name, min(float(modulus), _HARDEST))
        else:  # in series with the other shape's
            own = 1 / max(1 / stiffness - 1 / DRAKES_STIFFNESS, 1e-12)
            properties.UpdateProperty(*STIFFNESS, own)
        replace_properties(plant, scene_graph, geometry, properties)


def _stiffness(
    material: str,
    entries: Mapping[tuple[str, str], ContactProperties],
    step: float,
) -> float | None:
    """Returns the softest spring of a material's pairs, N/m; None: the default."""
    springs = [
        max(entry.soft_erp, _LEAST_ERP) / (entry.soft_cfm * step)
        for entry in entries.values()
        if material in entry.materials
        and (entry.soft_erp, entry.soft_cfm)
        != (ContactProperties.soft_erp, ContactProperties.soft_cfm)
    ]
    return min(springs, default=None)
