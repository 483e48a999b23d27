"""Meshes that are not drawn as they are have copies that are."""

import pytest
from pydrake.geometry import Mesh, Role

import webmotor_drake as wm
from webmotor_drake.view.drawn_scene import DrawnScene, _MeshCopies
from webmotor_drake.view.puppet import Puppet

VERTICES = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n"


@pytest.mark.parametrize(
    ("faces", "lacks"),
    [
        ("f 1//1 2//1 3//1\n", False),
        ("f 1/1/1 2/1/1 3/1/1\n", False),
        ("f 1 2 3\n", True),
        ("f 1/1 2/1 3/1\n", True),
        ("f 1//1 2//1 3//1\nf 1//1 2 3//1\n", True),
    ],
)
def test_cameras_get_copies_of_meshes_without_normals(tmp_path, faces, lacks):
    """Drake's renderer refuses them; pages draw them as they are."""
    file = tmp_path / "m.obj"
    file.write_text(VERTICES + faces)
    mesh = Mesh(str(file))
    assert _MeshCopies(tmp_path).copy(mesh) is None
    copied = _MeshCopies(tmp_path, for_cameras=True).copy(mesh)
    assert (copied is not None) == lacks
    if copied is not None:
        text = copied[0].source().path().read_text()
        assert text.splitlines()[-1].count("//1") == 3


def test_a_drawn_scene_has_each_shape_that_is_seen_once(tmp_path):
    puppet = Puppet(wm.load_scenario("package:two_link_arm"))
    dressed = []
    scene = DrawnScene(
        puppet, tmp_path, dress=lambda body, shape: dressed.append(body.name())
    )
    robots = puppet.scene_graph.model_inspector()
    seen = robots.NumGeometriesWithRole(Role.kIllustration)
    copies = scene.scene_graph.model_inspector()
    assert copies.num_geometries() == seen == len(dressed) > 1
    assert {body.name() for body in scene.bodies} == set(dressed)
