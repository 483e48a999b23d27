"""Files that models name pass a gate: what Drake and VTK get of them cannot hurt."""

import base64
import io
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pydrake.geometry import ReadObjToTriangleSurfaceMesh
from pydrake.multibody.parsing import PackageMap, Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder
from stranger_meshes import BUFFER, gltf

from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.limits import unlimited
from webmotor_drake.results import project_files
from webmotor_drake.results.project_files import check_asset
from webmotor_drake.scenario import pictures
from webmotor_drake.scenario.assets import passed, safe_assets
from webmotor_drake.scenario.gltf import _glb, _parts, safe_gltf
from webmotor_drake.scenario.meshes import check_indices
from webmotor_drake.scenario.model_files import ModelFiles
from webmotor_drake.scenario.pictures import safe_png

TRIANGLE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
URDF = """<robot name="m"><link name="l"><visual><geometry>
<mesh filename="{}"/></geometry></visual></link></robot>"""


def png(mode="RGB", size=(8, 8), kind="PNG") -> bytes:
    data = io.BytesIO()
    Image.effect_noise(size, 50).convert(mode).save(data, kind)
    return data.getvalue()


def decoded(data: bytes) -> np.ndarray:
    return np.array(Image.open(io.BytesIO(data)).convert("RGB"))


@pytest.fixture
def project(tmp_path):
    """Returns a folder with a mesh, its materials and a picture."""
    folder = tmp_path / "a" / "b" / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "m.obj").write_bytes(
        b"mtllib m.mtl\n" + TRIANGLE + b"usemtl s\nf 1 2 3\n"
    )
    (folder / "m.mtl").write_bytes(b"newmtl s\nKd 1 0 0\nmap_Kd p.png\n")
    (folder / "p.png").write_bytes(png())
    (folder / "m.urdf").write_text(URDF.format("m.obj"))
    return folder


def readable(folder) -> str:
    uri = (folder / "m.urdf").as_uri()
    return ModelFiles(PackageMap()).readable(uri)


def test_what_can_do_no_harm_is_read_where_it_is(project):
    assert readable(project) == (project / "m.urdf").as_uri()
    files = [project / name for name in ("m.obj", "m.mtl", "p.png")]
    _, named = passed(project / "m.obj", False)
    assert set(named) == {*files, project / "m.png"}
    found = safe_assets(project / "m.obj")
    contents = {f: f.read_bytes() for f in files}
    assert found == (contents, False, [project / "m.png"])


DAMAGED = {
    "half": lambda data: data[: len(data) // 2],
    "a bit": lambda data: data[:80] + bytes([data[80] ^ 255]) + data[81:],
    "nothing": lambda data: b"",
    "its head": lambda data: data[:20],
    "text": lambda data: b"x" * 100,
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=list(DAMAGED))
def test_a_picture_that_cannot_be_decoded_leaves_its_colour(project, damage):
    """VTK ends the process at some of them."""
    (project / "p.png").write_bytes(damage(png()))
    with pytest.warns(MotorWarning, match="p.png is not a picture"):
        files, *_ = safe_assets(project / "m.obj")
    assert decoded(files[project / "p.png"]).tolist() == [[[255] * 3]]
    with pytest.warns(MotorWarning, match="its colour is drawn instead"):
        copy = readable(project)
    assert copy != (project / "m.urdf").as_uri()


def test_a_copy_has_all_that_it_names_beside_it(project, tmp_path):
    shutil.move(project / "p.png", project / "q.png")
    other = project / "textures"
    other.mkdir()
    (other / "p.png").write_bytes(png()[:-8])  # Pillow still decodes it
    (project / "m.mtl").write_bytes(b"newmtl s\nmap_Kd textures/p.png\n")
    text = Path(readable(project).removeprefix("file://")).read_text()
    there = Path(text.split('filename="')[1].split('"')[0]).parent
    assert sorted(os.listdir(there)) == ["m.mtl", "m.obj", "textures"]
    data = (there / "textures" / "p.png").read_bytes()
    assert decoded(data).shape == (8, 8, 3)
    assert data.endswith(b"IEND\xaeB`\x82")


@pytest.mark.parametrize("mode", ["P", "L", "LA", "I;16", "RGBA", "1"])
def test_a_sound_png_of_any_kind_is_left_as_it_is(tmp_path, mode):
    data = io.BytesIO()
    Image.new(mode, (4, 4)).save(data, "PNG")
    assert safe_png(tmp_path, data.getvalue()) == data.getvalue()


def test_a_jpeg_that_is_called_png_is_drawn(tmp_path):
    made = safe_png(tmp_path, png(kind="JPEG"))
    assert made.startswith(b"\x89PNG") and decoded(made).shape == (8, 8, 3)


def test_a_picture_has_a_number_of_pixels(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "_MOST_PIXELS", 63)
    with pytest.raises(InputError, match="more than 63 pixels"):
        safe_png(tmp_path, png())
    with unlimited():
        assert safe_png(tmp_path, png())


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("m.mtl", os.mkfifo),
        ("p.png", os.mkfifo),
        ("m.obj", os.mkfifo),
    ],
)
def test_a_pipe_at_any_depth_is_told(project, name, make):
    (project / name).unlink()
    make(project / name)
    if name.endswith(".png"):
        with pytest.warns(MotorWarning, match="p.png is a pipe"):
            assert readable(project) != (project / "m.urdf").as_uri()
        return
    with pytest.raises(InputError, match=f"{name} is a pipe or a device"):
        readable(project)


def test_a_link_out_of_the_project_is_told(project, tmp_path):
    secret = tmp_path / "secret.obj"
    secret.write_bytes(TRIANGLE)
    (project / "m.obj").unlink()
    (project / "m.obj").symlink_to(secret)
    with pytest.raises(InputError, match=r"m.obj leads out of its project"):
        readable(project)
    (project / "m.urdf").write_text(URDF.format("../../../secret.obj"))
    with pytest.raises(InputError, match=r"secret.obj is outside of its proj"):
        readable(project)


def test_links_inside_of_a_project_and_into_packages_are_followed(
    project, tmp_path
):
    """colcon build --symlink-install makes such packages."""
    package = tmp_path / "x" / "y" / "source"
    package.mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>s</name></package>")
    (package / "p.png").write_bytes(png())
    (project / "p.png").unlink()
    (project / "p.png").symlink_to(package / "p.png")
    (project / "link.obj").symlink_to(project / "m.obj")
    check_asset(project / "link.obj", project / "m.urdf")
    assert readable(project) == (project / "m.urdf").as_uri()


def test_without_a_project_the_folders_beside_a_model_are_its_own(tmp_path):
    urdf = tmp_path / "robots" / "arm" / "urdf"
    meshes = tmp_path / "robots" / "arm" / "meshes"
    for folder in (urdf, meshes):
        folder.mkdir(parents=True)
    (meshes / "m.obj").write_bytes(TRIANGLE + b"f 1 2 3\n")
    (urdf / "m.urdf").write_text(URDF.format("../meshes/m.obj"))
    assert readable(urdf) == (urdf / "m.urdf").as_uri()


def test_a_pointer_of_git_lfs_is_named_as_such(project):
    (project / "m.obj").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    )
    with pytest.raises(InputError, match="m.obj is a pointer of Git LFS"):
        readable(project)


def test_a_file_has_a_size(project, monkeypatch):
    monkeypatch.setattr(project_files, "_MOST_BYTES", 10)
    with pytest.raises(InputError, match="m.obj has more than 10 bytes"):
        readable(project)


@pytest.mark.parametrize(
    ("faces", "problem"),
    [
        (b"f 1 2 2147483647", "4: 2147483647 is not a corner"),
        (b"f 1 2 3\nf 1 2 4", "5: the face's corner 4 is not there; 3 are"),
        (b"f 1 2 -4", "4: the face's corner -4 is not there; 3 are"),
        (b"f 0 1 2", "4: 0 is not a corner"),
        (b"f 1/1 2/1 3/1", "4: the face's corner 1/1 is not there; 0 are"),
        (b"f 1//2 2 3", "4: the face's corner 1//2 is not there; 0 are"),
        # Read as pairs they would look as if they fitted.
        (
            b"vt 0 0\nvt 0 0\nvt 0 0\nvt 0 0\nf 1/1 3 4",
            "8: the face's corner 4",
        ),
        (b"f 1 \\\n 2 9", "4: the face's corner 9 is not there; 3 are"),
    ],
)
def test_a_corner_of_no_vertex_is_told(tmp_path, faces, problem):
    with pytest.raises(InputError, match=f"m.obj:{problem}"):
        check_indices(tmp_path / "m.obj", TRIANGLE + faces)


@pytest.mark.parametrize(
    "faces",
    [
        b"",
        b"f 1 2 3",
        b"f -3 -2 -1 # all",
        b"vn 0 0 1\nf 1//1 2//1 3//1",
        b"vn 0 0 1\nvt 0 0\nf 1/1/1 2/1 3\r\nf 1 2 3",
    ],
)
def test_corners_that_are_there_are_read_as_drake_reads_them(tmp_path, faces):
    file = tmp_path / "m.obj"
    file.write_bytes(TRIANGLE + faces)
    check_indices(file, file.read_bytes())
    if b"-" not in faces and faces:
        assert ReadObjToTriangleSurfaceMesh(file).num_triangles() >= 1


def checked(data: bytes, buffer: bytes = BUFFER) -> None:
    safe_gltf(Path("m.gltf"), data, {"m.bin": buffer})


def test_a_whole_gltf_passes():
    checked(gltf())


@pytest.mark.parametrize(
    ("changes", "buffer", "problem"),
    [
        ({}, BUFFER[:-1], "a buffer of 41 bytes"),
        ({}, bytes(36) + b"\3\0" * 3, "an index of no vertex"),
        ({"nodes": [{"children": [0]}]}, BUFFER, "not a tree"),
        ({"nodes": [{"children": [7]}]}, BUFFER, "not a tree"),
        ({"bufferViews": [{"buffer": 0, "byteLength": 43}]}, BUFFER, "behind"),
        ({"bufferViews": [{"buffer": 9, "byteLength": 3}]}, BUFFER, "Index"),
        ({"accessors": 5}, BUFFER, "accessors is not a list"),
        ({"meshes": [{"primitives": [{}]}]}, BUFFER, "attributes"),
    ],
)
def test_a_gltf_that_leads_out_of_its_buffers_is_told(changes, buffer, problem):
    with pytest.raises(InputError, match=f"m.gltf is not a whole .*{problem}"):
        checked(gltf(**changes), buffer)


def test_an_mjcf_has_a_copy_with_a_picture_that_can_be_drawn(project):
    (project / "p.png").write_bytes(png()[:60])
    (project / "meshes").mkdir()
    for name in ("m.obj", "m.mtl", "p.png"):
        shutil.move(project / name, project / "meshes" / name)
    (project / "m.xml").write_text(
        '<mujoco model="m"><compiler meshdir="meshes"/><asset><mesh name="m"'
        ' file="m.obj"/></asset><worldbody><body name="b"><geom type="mesh"'
        ' mesh="m"/></body></worldbody></mujoco>'
    )
    faces = b"v 0 0 1\nusemtl s\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    tetrahedron = b"mtllib m.mtl\n" + TRIANGLE + faces
    (project / "meshes" / "m.obj").write_bytes(tetrahedron)
    with pytest.warns(MotorWarning, match="p.png"):
        uri = ModelFiles(PackageMap()).readable((project / "m.xml").as_uri())
    plant, scene = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.0)
    Parser(plant).AddModelsFromUrl(uri)
    inspector = scene.model_inspector()
    for shape in inspector.GetAllGeometryIds():
        mesh = inspector.GetShape(shape).source().path()
        assert decoded(Path(mesh).with_name("p.png").read_bytes()).size == 3


def in_gltf(data: bytes, name: str = "") -> dict:
    """Returns changes that put a picture into a glTF file, or into one beside it."""
    text = base64.b64encode(data).decode()
    uri = name or f"data:image/png;base64,{text}"
    return {"images": [{"uri": uri}, {"mimeType": "image/png"}]}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=list(DAMAGED))
@pytest.mark.parametrize("name", ["", "p.jpg"])
def test_a_gltf_has_the_colour_of_a_picture_that_cannot_be_decoded(
    tmp_path, damage, name
):
    data = damage(png())
    if not data:
        return
    content = gltf(**in_gltf(data, name))
    with pytest.warns(MotorWarning, match="m.gltf is not a picture"):
        safe = safe_gltf(
            tmp_path / "m.gltf", content, {"m.bin": BUFFER, name: data}
        )
    first, second = json.loads(safe)["images"]
    assert second == {"mimeType": "image/png"}
    picture = base64.b64decode(first["uri"].partition(",")[2])
    assert decoded(picture).tolist() == [[[255] * 3]]


def test_a_glb_keeps_its_own_buffer_beside_a_mended_picture(tmp_path):
    bad = png()[:60]
    content = json.loads(gltf())
    content["buffers"] = [{"byteLength": 42 + len(bad)}]
    view = {"buffer": 0, "byteOffset": 42, "byteLength": len(bad)}
    content["bufferViews"].append(view)
    content["images"] = [{"bufferView": 2, "mimeType": "image/png"}]
    file = tmp_path / "m.glb"
    whole = _glb(json.dumps(content).encode(), BUFFER + bad)
    with pytest.warns(MotorWarning, match="its colour is drawn instead"):
        safe = safe_gltf(file, whole, {})
    found, binary = _parts(file, safe)
    assert found["images"][0]["uri"].startswith("data:image/png;base64,")
    assert binary.startswith(BUFFER + bad)
    assert safe_gltf(file, safe, {}) == safe
    assert len(safe) == int.from_bytes(safe[8:12], "little")


def test_pictures_of_a_gltf_that_can_be_decoded_are_left_as_they_are(tmp_path):
    for data, name in (
        (png(), ""),
        (png(kind="JPEG"), "p.jpg"),
        (b"\xabKTX 20" + bytes(40), ""),
    ):
        content = gltf(**in_gltf(data, name))
        files = {"m.bin": BUFFER, name: data}
        assert safe_gltf(tmp_path, content, files) == content
    # VTK believes the label.
    content = gltf(**in_gltf(png(kind="JPEG")))
    assert safe_gltf(tmp_path, content, {"m.bin": BUFFER}) != content


def test_an_absolute_path_out_of_the_project_is_told(project, tmp_path):
    other = tmp_path / "x" / "y" / "z" / "m.obj"
    other.parent.mkdir(parents=True)
    other.write_bytes(TRIANGLE + b"f 1 2 3\n")
    (project / "m.urdf").write_text(URDF.format(other))
    with pytest.warns(MotorWarning, match="m.urdf names .*outside of its proj"):
        readable(project)
    (project / "m.urdf").write_text(URDF.format(project / "m.obj"))
    readable(project)


def test_models_in_models_have_a_depth(project):
    sdf = "<sdf version='1.9'><model name='m'><link name='l'/>{}</model></sdf>"
    include = "<include><uri>m{}.sdf</uri></include>"
    for i in range(120):
        text = sdf.format(include.format(i + 1))
        (project / f"m{i}.sdf").write_text(text)
    with pytest.raises(InputError, match="more than 100 deep"):
        ModelFiles(PackageMap()).readable((project / "m0.sdf").as_uri())
