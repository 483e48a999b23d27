"""Meshes that are not drawn as they are have copies that are."""

import pytest
from pydrake.geometry import Mesh

from webmotor_drake.view.drawn_scene import _MeshCopies

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
