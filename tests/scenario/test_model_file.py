"""One reader finds the files that models name, and renames them in their places."""

import pytest
from hypothesis import given, strategies as st

from webmotor_drake.scenario.model_file import ModelFile

URDF = """<robot name="a" xmlns:drake="x"><!-- filename="no.obj" -->
 <link name="l">
  <visual><geometry><mesh filename='seen.obj' scale="1 1 1"/></geometry></visual>
  <collision name="a > b"><geometry><mesh
     scale="1 1 1" filename="hit.stl"/></geometry></collision>
 </link>
 <joint name="j" type="fixed"/>
</robot>
"""
SDF = """<sdf version="1.7"><model name="m">
 <include><uri> other.sdf </uri></include>
 <link name="l"><visual name="v"><geometry><mesh><uri>seen.obj</uri></mesh>
 </geometry></visual></link></model></sdf>
"""
MJCF = """<mujoco><compiler meshdir="parts"/><include file="other.xml"/>
 <asset><mesh name="a" file="a.obj"/></asset></mujoco>
"""


@pytest.fixture
def model(tmp_path):
    def write(text: str) -> ModelFile:
        file = tmp_path / "model.xml"
        file.write_text(text)
        return ModelFile(file)

    return write


@pytest.mark.parametrize(
    ("text", "named", "included", "folders"),
    [
        (URDF, ["seen.obj", "hit.stl"], [], []),
        (SDF, ["other.sdf", "seen.obj"], ["other.sdf"], []),
        (MJCF, ["other.xml", "a.obj"], ["other.xml"], ["parts"]),
    ],
)
def test_what_each_format_names(model, text, named, included, folders):
    read = model(text)
    assert read.named_files() == named
    assert read.included_models() == included
    assert read.folders() == folders


def test_what_collides_is_told_from_what_is_seen(model):
    assert model(URDF).named_files(inside="collision") == ["hit.stl"]


@pytest.mark.parametrize("text", [URDF, SDF, MJCF])
def test_only_names_change_and_nothing_moves_to_another_line(model, text):
    read = model(text)
    assert read.renamed(lambda name: name).decode() == text
    renamed = read.renamed(lambda name: f"/a & b's/{name}").decode()
    assert renamed.count("\n") == text.count("\n")
    changed = model(renamed)
    assert changed.named_files() == [
        f"/a & b's/{name}" for name in read.named_files()
    ]


@given(st.text(max_size=60))
def test_whatever_the_text_is_it_is_read(tmp_path_factory, text):
    file = tmp_path_factory.getbasetemp() / "any.urdf"
    file.write_text(f"<robot>{text}", encoding="utf-8", errors="replace")
    read = ModelFile(file)
    assert read.renamed(lambda name: name) is not None
    assert not read.is_whole or read.elements
