"""Shapes that others land on: their faces."""

import numpy as np
from pydrake.geometry import Convex
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.contact.configure import configure_contact
from webmotor_drake.contact.landing_shapes import landing_shapes

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
FACES = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def test_a_hull_has_a_plane_for_each_of_its_faces(tmp_path):
    file = tmp_path / "tetrahedron.obj"
    file.write_text(TETRAHEDRON + FACES)
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, 0.01)
    body = plant.AddRigidBody(
        "body", SpatialInertia.SolidBoxWithMass(1, 1, 1, 1)
    )
    plant.RegisterCollisionGeometry(
        body,
        RigidTransform([0, 0, 2.0]),
        Convex(str(file), 1.0),
        "hull",
        CoulombFriction(1.0, 1.0),
    )
    configure_contact(plant, graph)
    plant.Finalize()
    bodies = {int(body.index()): (1, RigidTransform())}
    inspector = graph.model_inspector()
    [shape], _ = landing_shapes(plant, inspector, bodies, [], cores="")
    # A unit tetrahedron, whose frame is 2 m up.
    third = 1 / np.sqrt(3)
    expected = [
        [-1.0, 0.0, 0.0, 0.0],
        [0.0, -1.0, 0.0, 0.0],
        [0.0, 0.0, -1.0, -2.0],
        [third, third, third, 3 * third],
    ]
    found = shape.planes[np.argsort(shape.planes @ [1, 2, 3, 4])]
    wanted = np.array(expected)
    wanted = wanted[np.argsort(wanted @ [1, 2, 3, 4])]
    np.testing.assert_allclose(found, wanted, atol=1e-12)
