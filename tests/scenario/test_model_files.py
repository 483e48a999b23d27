"""Models that Drake would never come to the end of are refused before it reads them."""

import os

import numpy as np
import pytest
from pydrake.geometry import Rgba
from pydrake.multibody.parsing import PackageMap, Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.directives import add_models
from webmotor_drake.scenario.model_files import ModelFiles
from webmotor_drake.simulation.diagram import assemble
from webmotor_drake.simulation.simulation import Simulation

SDF = """<sdf version='1.9'><model name='m'><link name='l'/>
{}</model></sdf>"""
INCLUDE = "<include><name>{name}</name><uri>file://{file}</uri></include>"
MESH = "<geometry><mesh>{}</mesh></geometry>"
MODELS = {
    "self.sdf": SDF.format(
        "<include><uri>file://FOLDER/self.sdf</uri></include>"
    ),
    "one.sdf": SDF.format(
        "<include><uri>file://FOLDER/two.sdf</uri></include>"
    ),
    "two.sdf": SDF.format(
        "<include><uri>file://FOLDER/one.sdf</uri></include>"
    ),
    "self.xml": "<mujoco><include file='self.xml'/></mujoco>",
    "deep.xml": "<mujoco><include file='parts/part.xml'/></mujoco>",
    "parts/part.xml": "<mujoco><include file='../deep.xml'/></mujoco>",
    "mesh.urdf": "<robot name='r'><link name='l'><collision><geometry>"
    "<mesh filename='pipe.obj'/></geometry></collision></link></robot>",
    "mesh.sdf": SDF.format(
        "<link name='n'><collision name='c'><geometry><mesh><uri>pipe.obj"
        "</uri></mesh></geometry></collision></link>"
    ),
    "mesh.xml": "<mujoco><compiler meshdir='.'/><asset><mesh file='pipe.obj'/>"
    "</asset></mujoco>",
}
KINDS = "urdf", "sdf", "xml"
PIPES = "pipe.obj", "pipe.urdf", "pipe.sdf", "pipe.xml", "pipe.dmd.yaml"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "parts").mkdir()
    for name, text in MODELS.items():
        (tmp_path / name).write_text(text.replace("FOLDER", str(tmp_path)))
    for name in PIPES:
        os.mkfifo(tmp_path / name)
    return tmp_path


def assembled(folder, directive: str):
    (folder / "s.yaml").write_text(
        "S:\n  simulation_duration: 1\n  plant_config: {time_step: 0.01}\n"
        f"  directives:\n  - {directive}\n"
    )
    return assemble(load_scenario(folder / "s.yaml"))


def add_model(file: str) -> str:
    return f"add_model: {{name: a, file: {file}}}"


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("self.sdf", "self.sdf includes itself"),
        ("one.sdf", "one.sdf includes itself"),
        ("self.xml", "self.xml includes itself"),
        ("deep.xml", "deep.xml includes itself"),
        *(
            (f"mesh.{kind}", "pipe.obj is a pipe")
            for kind in ("urdf", "sdf", "xml")
        ),
        *(
            (f"pipe.{kind}", f"pipe.{kind} is a pipe")
            for kind in ("urdf", "sdf", "xml")
        ),
        ("/dev/zero", "/dev/zero is a pipe or a device, not a file"),
    ],
)
def test_a_model_without_end_is_refused_with_its_place(folder, model, told):
    with pytest.raises(InputError) as caught:
        assembled(folder, add_model(model))
    text = str(caught.value)
    assert text.startswith(
        f"{folder / 's.yaml'}:5:26: S.directives[0].add_model.file: "
    )
    assert told in text


@pytest.mark.parametrize(
    ("bodies", "refused"),
    [
        ('body1="ball"', True),
        ('body1="ball" body2="world"', True),
        ('body1="world" body2="ball"', True),
        ('body1="ball" body2="post"', False),
    ],
)
def test_a_body_connected_to_the_world_is_refused_with_its_place(
    tmp_path, bodies, refused
):
    # Drake's first step would end the process.
    file = tmp_path / "ball.xml"
    file.write_text(
        '<mujoco model="m">\n<worldbody>\n<body name="post"/>'
        '<body name="ball" pos="0 0 1"><freejoint/>'
        '<geom type="sphere" size="0.1" mass="1"/></body></worldbody>\n'
        f'<equality><connect {bodies} anchor="0 0 0"/></equality></mujoco>\n'
    )
    if not refused:
        ModelFiles(PackageMap()).readable(file.as_uri())
        return
    with pytest.raises(InputError, match=r"ball\.xml:4:11: Drake cannot step"):
        ModelFiles(PackageMap()).readable(file.as_uri())


def test_directives_in_a_pipe_are_refused(folder):
    with pytest.raises(
        InputError, match=r"pipe\.dmd\.yaml: a pipe or a device"
    ):
        assembled(folder, "add_directives: {file: pipe.dmd.yaml}")


def test_a_model_in_a_file_of_directives_is_looked_at_too(folder):
    file = folder / "d.dmd.yaml"
    file.write_text(
        f"directives:\n- {add_model(f'file://{folder}/self.sdf')}\n"
    )
    with pytest.raises(InputError, match=r"self\.sdf includes itself"):
        assembled(folder, "add_directives: {file: d.dmd.yaml}")


def test_a_scenario_in_a_pipe_or_a_device_is_refused(folder):
    for file in (folder / "pipe.dmd.yaml", "/dev/zero"):
        with pytest.raises(
            InputError, match=": a pipe or a device, not a file"
        ):
            load_scenario(file)


def test_a_model_may_be_included_twice(folder):
    link = folder / "link.sdf"
    link.write_text(SDF.format(""))
    both = "".join(INCLUDE.format(name=name, file=link) for name in "ab")
    (folder / "two_links.sdf").write_text(SDF.format(both))
    assert assembled(folder, add_model("two_links.sdf")).plant.num_bodies() == 4


def test_what_stands_in_a_comment_is_not_included(folder):
    model = SDF.format(
        "<!-- <include><uri>file://FOLDER/c.sdf</uri></include> -->"
    )
    (folder / "c.sdf").write_text(model.replace("FOLDER", str(folder)))
    assert assembled(folder, add_model("c.sdf")).plant.num_bodies() == 2


TETRAHEDRON = b"""# vtk DataFile Version 3.0
a tetrahedron
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0
1 0 0
0 1 0
0 0 1
CELLS 1 5
4 0 1 2 3
CELL_TYPES 1
10
"""
SOFT = SDF.format(
    "<link name='n'><collision name='c'><geometry><mesh><uri>soft.vtk</uri>"
    "</mesh></geometry></collision></link>"
)


def test_a_vtk_mesh_is_read(folder):
    (folder / "soft.vtk").write_bytes(TETRAHEDRON)
    (folder / "soft.sdf").write_text(SOFT)
    assert assembled(folder, add_model("soft.sdf")).plant.num_bodies() == 3


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\xfe",
        TETRAHEDRON.replace(b"POINTS", b"\xff\xfe\x07"),
        TETRAHEDRON.replace(b"# vtk", b"# vtq"),
        TETRAHEDRON.replace(b"ASCII", b"ASCIJ"),
    ],
)
def test_a_broken_vtk_mesh_is_told_without_its_bytes(folder, content, capfd):
    (folder / "soft.vtk").write_bytes(content)
    (folder / "soft.sdf").write_text(SOFT)
    with pytest.raises(InputError, match=r"soft\.vtk is not a VTK mesh$"):
        assembled(folder, add_model("soft.sdf"))
    assert capfd.readouterr() == ("", "")


def test_the_pendulum_is_the_same_in_both_formats():
    runs = []
    for file in ("pendulum.urdf", "pendulum.sdf"):
        scenario = load_scenario(
            SCENARIOS / "pendulum.scenario.yaml",
            name="Lift",
            text="{simulation_duration: 0.2}",
        )
        add = scenario.directives[0].add_model
        add.file = f"package://webmotor_models/{file}"
        runs.append(Simulation(scenario).run())
    for name, values in runs[0].signals.items():
        np.testing.assert_array_equal(values, runs[1][name], name)


def test_models_that_include_four_others_each_are_too_many(folder):
    for i in range(15):
        name, file = f"level{i}.sdf", folder / f"level{i + 1}.sdf"
        four = "".join(INCLUDE.format(name=n, file=file) for n in "abcd")
        (folder / name).write_text(SDF.format(four if i < 14 else ""))
    with pytest.raises(InputError, match="more than 5,000 models"):
        assembled(folder, add_model("level0.sdf"))


def test_directives_that_add_two_others_each_are_too_many(folder):
    for i in range(20):
        more = f"- add_directives: {{file: file://{folder}/d{i + 1}.yaml}}\n"
        text = f"directives:\n{2 * more}" if i < 19 else "directives: []\n"
        (folder / f"d{i}.yaml").write_text(text)
    with pytest.raises(InputError, match="more than 300 files of directives"):
        assembled(folder, "add_directives: {file: d0.yaml}")


@pytest.mark.parametrize(
    ("element", "number", "told"),
    [
        ("<link name='l{}'/>", 5_001, "more than 5,000 bodies"),
        (
            "<link name='l{}'><collision name='c'/></link>",
            2_501,
            "more than 2,500 collision shapes",
        ),
    ],
)
def test_what_drake_would_take_minutes_for_is_refused(
    folder, element, number, told
):
    text = "".join(element.format(i) for i in range(number // 2 + 1))
    (folder / "many.sdf").write_text(SDF.format(text))
    two = "".join(
        INCLUDE.format(name=n, file=folder / "many.sdf") for n in "ab"
    )
    (folder / "twice.sdf").write_text(SDF.format(two))
    with pytest.raises(InputError, match=f"twice.sdf: {told}.*--unlimited"):
        ModelFiles(PackageMap()).readable((folder / "twice.sdf").as_uri())


@pytest.mark.parametrize("others", [5, 6])
def test_a_plane_among_many_shapes_is_refused_with_its_place(tmp_path, others):
    def link(name, shape):
        shape = f"<geometry>{shape}</geometry>"
        drawn = f'<visual name="v">{shape}</visual>'
        return (
            f'<link name="{name}"><collision name="c">{shape}</collision>'
            f"{drawn}</link>\n"
        )

    boxes = [
        link(f"b{i}", "<box><size>1 1 1</size></box>") for i in range(others)
    ]
    plane = link("p", "<plane><normal>0 0 1</normal></plane>")
    file = tmp_path / "field.sdf"
    text = "".join([plane, *boxes])
    file.write_text(
        f'<sdf version="1.7"><model name="m"><static>true</static>\n{text}'
        "</model></sdf>"
    )
    files = ModelFiles(PackageMap())
    if others == 5:
        assert files.readable(f"file://{file}") == f"file://{file}"
        return
    with pytest.raises(
        InputError, match=r"field.sdf:2:\d+: a plane .* 6 other"
    ):
        files.readable(f"file://{file}")


SHAPE = """
  <link name="{link}"><visual><geometry><sphere radius="1"/></geometry>
    <material name="grey">{look}</material></visual></link>"""


def test_materials_of_one_name_that_differ_have_their_own_colours(tmp_path):
    # Drake refuses such a file; that of many a robot is one.
    looks = {
        "a": '<color rgba=".1 .1 .1 1"/>',
        "b": '<color rgba=".9 .9 .9 1"/>',
        "c": "",
        "d": '<color rgba=".1 .1 .1 1"/>',
        "e": "",
    }
    links = "".join(SHAPE.format(link=n, look=k) for n, k in looks.items())
    file = tmp_path / "two_greys.urdf"
    links = links.replace('name="grey"></material>', 'name="grey"/>')
    head, of_e = links.rsplit('"grey"', 1)
    file.write_text(f'<robot name="r">{head}"unknown"{of_e}</robot>')
    plant, scene_graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.01)
    add_models(Parser(plant), file)
    inspector, found = scene_graph.model_inspector(), []
    for name in looks:
        (shape,) = plant.GetVisualGeometriesForBody(plant.GetBodyByName(name))
        look = inspector.GetIllustrationProperties(shape)
        grey = look.GetPropertyOrDefault("phong", "diffuse", Rgba(0.5, 0, 0))
        found.append(grey.r())
    # What names no material has no colour.
    assert found == pytest.approx([0.1, 0.9, 0.1, 0.1, 0.5])


def test_boxes_without_a_size_are_left_out(tmp_path):
    # Virtual links have them; Drake refuses such a file.
    parts = "".join(
        f'<{tag}>\n<geometry><box size="{size}"/></geometry>{look}</{tag}>\n'
        for tag, size, look in (
            ("visual", "0 0 0", '<material name="unknown"/>'),
            ("visual", "0.1 0.1 0.1", ""),
            ("collision", "0.0 0 0.", ""),
        )
    )
    file = tmp_path / "virtual.urdf"
    file.write_text(f'<robot name="r"><link name="l">\n{parts}</link></robot>')
    plant, _ = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.01)
    add_models(Parser(plant), file)
    body = plant.GetBodyByName("l")
    assert len(plant.GetVisualGeometriesForBody(body)) == 1
    assert not plant.GetCollisionGeometriesForBody(body)
