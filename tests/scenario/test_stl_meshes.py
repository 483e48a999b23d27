"""Models with STL meshes load as if they had come with OBJ ones."""

import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pydrake.multibody.parsing import PackageMap

from webmotor_drake.contact.corner_names import own_shapes
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.meshes import load_triangles
from webmotor_drake.scenario.model_files import ModelFiles
from webmotor_drake.simulation.diagram import assemble

# A tetrahedron: its corners, and its faces by corner, seen from outside.
CORNERS = np.array([[0, 0, 0], [0.5, 0, 0], [0, 0.25, 0], [0, 0, 1]])
FACES = CORNERS[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]]

URDF = """<robot name="tool">
  <link name="tool">
    <inertial>
      <mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
    <visual><geometry><mesh filename="look.obj"/></geometry></visual>
    <collision><geometry>
      <mesh filename='{name}' scale="2 2 2"/>
    </geometry></collision>
  </link>
</robot>"""
SDF = """<sdf version="1.9"><model name="tool"><link name="tool">
  <collision name="c"><geometry><mesh>
    <uri>tool.STL</uri><scale>2 2 2</scale>
  </mesh></geometry></collision>
</link></model></sdf>"""
INCLUDING = """<sdf version="1.9"><model name="whole">
  <include><uri>tool.sdf</uri></include>
</model></sdf>"""
DIRECTIVES = """directives:
- add_directives: {file: "file://FOLDER/inner.yaml", model_namespace: left}
"""
INNER = """directives:
- add_model_instance: {name: hand}
- add_model: {name: "hand::tool", file: "file://FOLDER/tool.urdf"}
"""
SCENARIO = """Tool:
  simulation_duration: 1
  directives:
  - add_model: {name: tool, file: tool.urdf}
"""


def binary(head: bytes = b"") -> bytes:
    triangles = [
        struct.pack("<12fH", 0, 0, 0, *face.ravel(), 0) for face in FACES
    ]
    return head.ljust(80) + struct.pack("<I", len(FACES)) + b"".join(triangles)


def text() -> bytes:
    lines = ["solid tetrahedron"]
    for face in FACES:
        lines += [" facet normal 0 0 0", "  outer loop"]
        lines += ["   vertex {:e} {:e} {:e}".format(*v) for v in face]
        lines += ["  endloop", " endfacet"]
    return "\n".join([*lines, "endsolid"]).encode()


KINDS = {
    "binary": binary(),
    "binary that calls itself solid": binary(b"solid thing"),
    "text": text(),
}


@pytest.fixture
def folder(tmp_path):
    """Returns a folder with a model and a scenario; its mesh is missing."""
    (tmp_path / "tool.urdf").write_text(URDF.format(name="tool.STL"))
    (tmp_path / "look.obj").write_text("v 0 0 0\n")
    (tmp_path / "s.yaml").write_text(SCENARIO)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_triangles_are_read(tmp_path, kind):
    file = tmp_path / "tool.stl"
    file.write_bytes(KINDS[kind])
    np.testing.assert_array_equal(load_triangles(file), FACES)


def readable(model: Path, packages: PackageMap) -> Path:
    uri = ModelFiles(packages).readable(f"file://{model}")
    return Path(uri.removeprefix("file://"))


def collides_as_the_tool(assembly):
    """Asserts that there is one body called tool, of twice the mesh's size."""
    body = assembly.plant.GetBodyByName("tool")
    (shape,) = own_shapes(
        assembly.scene_graph.model_inspector(),
        assembly.plant.GetCollisionGeometriesForBody(body),
    )
    hull = assembly.scene_graph.model_inspector().GetConvexHull(shape)
    vertices = [hull.vertex(i) for i in range(hull.num_vertices())]
    assert sorted(map(tuple, vertices)) == sorted(map(tuple, 2 * CORNERS))


@pytest.mark.parametrize("kind", KINDS)
def test_a_mesh_collides_with_its_shape_and_scale(folder, kind):
    (folder / "tool.STL").write_bytes(KINDS[kind])
    collides_as_the_tool(assemble(load_scenario(folder / "s.yaml")))


@pytest.mark.parametrize("model", ["tool.sdf", "whole.sdf"])
def test_meshes_of_an_sdf_are_read_wherever_it_is_included(folder, model):
    (folder / "tool.STL").write_bytes(binary())
    (folder / "tool.sdf").write_text(SDF)
    (folder / "whole.sdf").write_text(INCLUDING)
    (folder / "s.yaml").write_text(SCENARIO.replace("tool.urdf", model))
    collides_as_the_tool(assemble(load_scenario(folder / "s.yaml")))


@pytest.fixture
def included(folder):
    """Returns the folder; its scenario includes directives that include others."""
    for name, text in (("outer", DIRECTIVES), ("inner", INNER)):
        file = folder / f"{name}.yaml"
        file.write_text(text.replace("FOLDER", str(folder)))
    (folder / "s.yaml").write_text(
        "Tool:\n  simulation_duration: 1\n  directives:\n"
        "  - add_model_instance: {name: left}\n"
        "  - add_directives: {file: outer.yaml}\n"
    )
    return folder


def test_meshes_of_included_directives_are_read(included):
    (included / "tool.STL").write_bytes(binary())
    assembly = assemble(load_scenario(included / "s.yaml"))
    assert assembly.plant.HasModelInstanceNamed("left::hand::tool")
    collides_as_the_tool(assembly)


def test_a_mesh_of_included_directives_is_told_with_its_place(included):
    (included / "tool.STL").write_bytes(b"nothing")
    with pytest.raises(InputError) as caught:
        assemble(load_scenario(included / "s.yaml"))
    assert str(caught.value).startswith(
        f"{included / 'inner.yaml'}:3:35: directives[1].add_model.file:"
        f" {included / 'tool.STL'} is not a whole STL mesh"
    )


def test_other_meshes_are_still_found_and_lines_keep_their_numbers(folder):
    (folder / "tool.STL").write_bytes(binary())
    copy = readable(folder / "tool.urdf", PackageMap())
    lines = copy.read_text().splitlines()
    assert len(lines) == len(URDF.splitlines())
    assert f'"{folder / "look.obj"}"' in lines[6]
    # Each corner once, though three faces share it.
    mesh = re.search("'([^']*tool.obj)'", copy.read_text())[1]
    obj = Path(mesh).read_text().splitlines()
    assert [line[0] for line in obj] == 8 * ["v"] + 4 * ["f"]


def test_a_package_leads_to_a_mesh(folder):
    robot = folder / "robot"
    robot.mkdir()
    (robot / "tool.stl").write_bytes(binary())
    urdf = folder / "tool.urdf"
    urdf.write_text(URDF.format(name="package://robot/tool.stl"))
    packages = PackageMap()
    packages.Add("robot", str(robot))
    assert readable(urdf, packages) != urdf


MJCF = """<mujoco model="tool"><compiler meshdir="meshes"/>
  <include file="assets.xml"/>
  <worldbody><body name="tool"><joint name="j" axis="0 1 0"/>
    <geom type="mesh" mesh="tool" mass="1"/></body></worldbody>
</mujoco>"""
ASSETS = """<mujocoinclude><asset><mesh file="tool.STL" scale="2 2 2"/></asset>
</mujocoinclude>"""


def test_an_mjcf_loads_with_stl(folder):
    # Drake refuses an MJCF with STL; nearly all of real robots have it.
    (folder / "meshes").mkdir()
    (folder / "meshes" / "tool.STL").write_bytes(binary())
    (folder / "assets.xml").write_text(ASSETS)
    (folder / "tool.xml").write_text(MJCF)
    text = SCENARIO.replace("tool.urdf", "tool.xml")
    (folder / "m.yaml").write_text(text)
    plant = assemble(load_scenario(folder / "m.yaml")).plant
    # A tetrahedron's is a quarter of the sum of its corners, here twice as far.
    expected = 2 * CORNERS.sum(axis=0) / 4
    found = plant.GetBodyByName("tool").default_com()
    np.testing.assert_allclose(found, expected, atol=1e-7)


@pytest.mark.parametrize(
    "name", ["box.obj", "missing.stl", "package://nobody/knows.stl"]
)
def test_a_model_that_needs_no_copy_gets_none(folder, name):
    # What is missing Drake tells.
    urdf = folder / "tool.urdf"
    urdf.write_text(URDF.format(name=name))
    assert readable(urdf, PackageMap()) == urdf


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            binary()[:-1],
            " is not a whole STL mesh: neither text nor 4 triangles, as its"
            " head says",
        ),
        (b"", " is not a whole STL mesh: neither text nor 0 triangles, as its"),
        (
            text().replace(b"vertex 5", b"vertex x", 1),
            " is not a whole STL mesh: three numbers per vertex, three vertices"
            " per triangle",
        ),
        (
            text().replace(b"vertex", b"vortex", 1),
            " is not a whole STL mesh: three numbers per vertex",
        ),
        (b"solid\nendsolid", ": finite vertices of triangles are needed"),
        (
            text().replace(b"vertex 5.000000e-01", b"vertex nan"),
            ": finite vertices of triangles are needed",
        ),
    ],
)
def test_a_mesh_that_cannot_be_read_is_told_with_its_place(
    folder, content, told
):
    mesh = folder / "tool.STL"
    mesh.write_bytes(content)
    with pytest.raises(InputError) as caught:
        assemble(load_scenario(folder / "s.yaml"))
    assert str(caught.value).startswith(
        f"{folder / 's.yaml'}:4:29: Tool.directives[0].add_model.file:"
        f" {mesh}{told}"
    )


@pytest.mark.slow
def test_the_copy_is_gone_when_the_program_ends(folder, tmp_path):
    (folder / "tool.STL").write_bytes(binary())
    code = (
        "from pathlib import Path\n"
        "from pydrake.multibody.parsing import PackageMap\n"
        "from webmotor_drake.scenario.model_files import ModelFiles\n"
        "uri = Path('tool.urdf').absolute().as_uri()\n"
        "uri = ModelFiles(PackageMap()).readable(uri)\n"
        "copy = Path(uri.removeprefix('file://'))\n"
        "assert copy.is_file()\n"
        "print(copy)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not Path(done.stdout.strip()).parent.exists()


def test_what_drake_says_of_a_copy_is_said_of_the_users_file(folder, caplog):
    # It refuses the hull of a flat mesh, and warns of friction at joints.
    flat = KINDS["text"].replace(b"1.000000e+00", b"0.000000e+00")
    (folder / "tool.STL").write_bytes(flat)
    urdf = URDF.format(name="tool.STL").replace(
        "</robot>",
        '<link name="b"><inertial><mass value="1"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        '</inertial></link><joint name="j" type="revolute">'
        '<parent link="tool"/><child link="b"/>'
        '<dynamics friction="1"/><limit effort="1" velocity="1"/>'
        "</joint></robot>",
    )
    (folder / "tool.urdf").write_text(urdf)
    try:
        assemble(load_scenario(folder / "s.yaml"))
        told = ""
    except InputError as error:
        told = str(error)
    told += caplog.text
    assert str(folder / "tool.urdf") in told
    assert "/webmotor_" not in told


def test_a_model_that_is_built_again_has_one_copy(folder):
    """A worker of a sweep builds thousands of times; a changed mesh is read anew."""
    mesh = folder / "tool.STL"
    mesh.write_bytes(binary())

    def copy():
        return readable(folder / "tool.urdf", PackageMap())

    first = copy()
    folders = first.parent.parent
    number = len(list(folders.iterdir()))
    assert copy() == first
    assert len(list(folders.iterdir())) == number
    mesh.write_bytes(text())
    assert copy() == first  # the same triangles
    mesh.write_bytes(text().replace(b"vertex 0", b"vertex 9", 1))
    assert copy() != first
