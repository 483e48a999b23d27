"""COLLADA meshes that collide are read, as STL ones are."""

import sys

import numpy as np
import pytest

from webmotor_drake.contact.corner_names import own_shapes
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.meshes import load_triangles
from webmotor_drake.simulation.diagram import assemble

# A tetrahedron, twice: as it is, and moved by 1 along x.
DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset>{unit}<up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="t"><mesh>
    <source id="p"><float_array id="a" count="12">
      0 0 0  0.5 0 0  0 0.25 0  0 0 1
    </float_array><technique_common>
      <accessor source="#a" count="4" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/>
        <param name="Z" type="float"/>
      </accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <{kind} count="4">
      <input semantic="VERTEX" source="#v" offset="0"/>
      {vcount}<p>0 2 1  0 1 3  0 3 2  1 2 3</p>
    </{kind}>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s">
    <node id="a1"><instance_geometry url="#t"/></node>
    <node id="a2"><translate>1 0 0</translate>
      <instance_geometry url="#t"/></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""
CORNERS = np.array([[0, 0, 0], [0.5, 0, 0], [0, 0.25, 0], [0, 0, 1]])
FACES = CORNERS[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]]
KINDS = {"triangles": "", "polylist": "<vcount>3 3 3 3</vcount>"}

URDF = """<robot name="tool">
  <link name="tool">
    <inertial>
      <mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
    <{element}><geometry><mesh filename="tool.DAE"/></geometry></{element}>
  </link>
</robot>"""
SCENARIO = """Tool:
  simulation_duration: 1
  directives:
  - add_model: {name: tool, file: tool.urdf}
"""
needs_pycollada = pytest.mark.usefixtures("pycollada")


@pytest.fixture
def pycollada():
    pytest.importorskip("collada", reason="pip install pycollada brings it")


@pytest.fixture
def folder(tmp_path):
    """Returns a folder with a scenario, a model and its mesh."""
    (tmp_path / "s.yaml").write_text(SCENARIO)
    (tmp_path / "tool.urdf").write_text(URDF.format(element="collision"))
    (tmp_path / "tool.DAE").write_text(dae())
    return tmp_path


def dae(kind: str = "triangles", unit: str = "") -> str:
    return DAE.format(kind=kind, vcount=KINDS[kind], unit=unit)


@needs_pycollada
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("unit", "scale"), [("", 1), ('<unit meter="0.01" name="cm"/>', 0.01)]
)
def test_shapes_are_where_the_scene_puts_them_in_metres(
    tmp_path, kind, unit, scale
):
    file = tmp_path / "t.dae"
    file.write_text(dae(kind, unit))
    wanted = scale * np.concatenate([FACES, FACES + [1, 0, 0]])
    # Floats of 32 bits in the file's reader.
    np.testing.assert_allclose(load_triangles(file), wanted, atol=1e-7)


@needs_pycollada
def test_a_mesh_that_collides_does_so_with_its_hull(folder):
    assembly = assemble(load_scenario(folder / "s.yaml"))
    body = assembly.plant.GetBodyByName("tool")
    (shape,) = own_shapes(
        assembly.scene_graph.model_inspector(),
        assembly.plant.GetCollisionGeometriesForBody(body),
    )
    hull = assembly.scene_graph.model_inspector().GetConvexHull(shape)
    vertices = [hull.vertex(i) for i in range(hull.num_vertices())]
    # The first one's far corner in x is inside.
    assert sorted(map(tuple, vertices)) == sorted(
        map(tuple, [*CORNERS[[0, 2, 3]], *(CORNERS[1:] + [1, 0, 0])])
    )


@needs_pycollada
def test_a_mesh_of_included_directives_is_read_and_told_with_its_place(folder):
    (folder / "s.yaml").write_text(
        "Tool:\n  simulation_duration: 1\n  directives:\n"
        "  - add_directives: {file: parts.yaml}\n"
    )
    (folder / "parts.yaml").write_text(
        "directives:\n- add_model:\n    name: tool\n"
        f"    file: file://{folder}/tool.urdf\n"
    )
    assembly = assemble(load_scenario(folder / "s.yaml"))
    shapes = assembly.plant.GetCollisionGeometriesForBody(
        assembly.plant.GetBodyByName("tool")
    )
    inspector = assembly.scene_graph.model_inspector()
    assert len(own_shapes(inspector, shapes)) == 1
    (folder / "tool.DAE").write_text("what?")
    with pytest.raises(InputError) as caught:
        assemble(load_scenario(folder / "s.yaml"))
    assert str(caught.value).startswith(
        f"{folder / 'parts.yaml'}:4:5: directives[0].add_model.file: "
    )


@needs_pycollada
@pytest.mark.parametrize("content", ["", "<COLLADA/>", "what?", DAE[:900]])
def test_a_file_that_is_no_mesh_is_named(folder, content):
    mesh = folder / "tool.DAE"
    mesh.write_text(content)
    with pytest.raises(InputError) as caught:
        assemble(load_scenario(folder / "s.yaml"))
    assert str(caught.value).startswith(
        f"{folder / 's.yaml'}:4:29: Tool.directives[0].add_model.file: {mesh}"
    )


def test_without_pycollada_it_is_told_how_to_get_it(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "collada", None)
    with pytest.raises(InputError) as caught:
        assemble(load_scenario(folder / "s.yaml"))
    assert str(caught.value).endswith(
        "tool.DAE: COLLADA meshes need pycollada: pip install pycollada"
    )


def test_what_is_only_looked_at_needs_no_pycollada(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "collada", None)
    (folder / "tool.urdf").write_text(URDF.format(element="visual"))
    assemble(load_scenario(folder / "s.yaml"))
