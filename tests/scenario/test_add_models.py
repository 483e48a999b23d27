"""STL and COLLADA models load into a diagram of one's own as into a scenario."""

import numpy as np
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder
from test_dae_meshes import CORNERS, DAE, KINDS, URDF as DAE_URDF
from test_stl_meshes import URDF, binary

import webmotor_drake as wm
from webmotor_drake import InputError


@pytest.fixture
def world():
    """Makes a plant, its scene graph and a parser."""
    plant, scene_graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.008)
    return plant, scene_graph, Parser(plant)


def hull(scene_graph, plant):
    """Returns the corners of the only shape that collides, sorted."""
    (shape,) = plant.GetCollisionGeometriesForBody(plant.GetBodyByName("tool"))
    hull = scene_graph.model_inspector().GetConvexHull(shape)
    corners = [hull.vertex(i) for i in range(hull.num_vertices())]
    return np.array(sorted(map(tuple, corners)))


@pytest.mark.parametrize("kind", [str, lambda path: path, "file://{}".format])
def test_a_model_with_stl_meshes_loads_from_path_or_url(kind, world, tmp_path):
    plant, scene_graph, parser = world
    file = tmp_path / "tool one.urdf"
    file.write_text(URDF.format(name="tool.stl"))
    (tmp_path / "tool.stl").write_bytes(binary())
    (tmp_path / "look.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (model,) = wm.add_models(parser, kind(file))
    assert plant.GetModelInstanceName(model) == "tool"
    scaled = sorted(map(tuple, 2 * CORNERS))
    np.testing.assert_allclose(hull(scene_graph, plant), scaled, atol=1e-6)


def test_a_model_with_collada_meshes_loads(world, tmp_path):
    pytest.importorskip("collada")
    plant, scene_graph, parser = world
    mesh = DAE.format(unit="", kind="triangles", vcount=KINDS["triangles"])
    (tmp_path / "tool.DAE").write_text(mesh)
    (tmp_path / "tool.urdf").write_text(DAE_URDF.format(element="collision"))
    wm.add_models(parser, tmp_path / "tool.urdf")
    assert hull(scene_graph, plant).max() == pytest.approx(1.5)


def test_models_of_a_package_load(world):
    plant, _, parser = world
    wm.add_packages(parser.package_map())
    url = "package://webmotor_models/pendulum.urdf"
    (model,) = wm.add_models(parser, url)
    assert plant.HasJointNamed("hinge", model)


def test_what_cannot_be_read_is_told_with_the_users_files(world, tmp_path):
    _, _, parser = world
    with pytest.raises(InputError, match="none.urdf: Drake refuses it: .* not"):
        wm.add_models(parser, tmp_path / "none.urdf")
    file = tmp_path / "tool.urdf"
    file.write_text(URDF.format(name="tool.stl"))
    (tmp_path / "tool.stl").write_bytes(b"not a mesh")
    with pytest.raises(InputError, match="tool.stl is not a whole STL mesh"):
        wm.add_models(parser, file)
    (tmp_path / "tool.stl").write_bytes(binary())
    with pytest.raises(InputError) as caught:
        wm.add_models(parser, file)
    message = str(caught.value)
    assert message.startswith(f"{file}: Drake refuses it: {file}:7: error: ")
    assert f"{tmp_path / 'look.obj'}' does not exist" in message
    assert "webmotor_" not in message
