"""One reader finds the files that models name, and renames them in their places."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from webmotor_drake.errors import InputError
from webmotor_drake.scenario import model_file
from webmotor_drake.scenario.model_file import Element, ModelFile

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
    ("text", "named", "folders"),
    [
        (URDF, ["seen.obj", "hit.stl"], []),
        (SDF, ["other.sdf", "seen.obj"], []),
        (MJCF, ["other.xml", "a.obj"], ["parts"]),
    ],
)
def test_what_each_format_names(model, text, named, folders):
    read = model(text)
    assert read.named_files() == named
    assert read.folders == folders


def test_what_collides_is_told_from_what_is_seen(model):
    found = {e.named_file for e in model(URDF).elements if e.collides}
    assert found - {""} == {"hit.stl"}


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


def test_what_drake_does_not_read_for_its_depth_is_not_whole(model):
    """A path per element took 5.6 GB of 60,000 nested tags."""
    read = model("<robot>" + "<a>" * 60_000 + "</a>" * 60_000 + "</robot>")
    assert not read.is_whole
    assert len(read.elements) == 500


def test_texts_in_many_pieces_are_one(model):
    """Each line comes alone; added one by one, 5 MB of them took ten minutes."""
    read = model("<sdf>" + "\n" * 300_000 + "<uri>a&amp;\n<b/>b</uri></sdf>")
    assert read.named_files() == ["a&\nb"]


def test_a_model_of_too_many_elements_is_refused(model, monkeypatch):
    monkeypatch.setattr(model_file, "_MOST", 10)
    with pytest.raises(InputError, match="more than 10 elements"):
        model("<robot>" + "<a/>" * 10 + "</robot>")


@pytest.mark.parametrize("name", ["name", "filename"])
def test_a_name_that_ends_drakes_process_is_refused_with_its_place(model, name):
    """Of 50,000 characters in the name of a visual Drake's stack overflows."""
    text = f'<robot>\n <visual {name}="{{}}"/></robot>'
    assert model(text.format("a" * 5_000)).is_whole
    told = rf"model\.xml:2:2: a {name} of 5,001 characters; Drake reads 5,000"
    with pytest.raises(InputError, match=told):
        model(text.format("a" * 5_001))


@pytest.mark.parametrize(
    ("default", "needed"),
    [
        ((0.0,), "a number is"),
        ((0.0, 0.0), "2 numbers are"),
        ((1.0, 1.0, 1.0), "3 numbers are"),
    ],
)
def test_an_attribute_with_too_few_numbers_is_told_how_many(default, needed):
    given = {"full": "7 8 9", "short": " ".join("5" * (len(default) - 1))}
    element = Element("a", given, Path("m.xml"), "", False, 3, 4, 0, 0)
    assert element.numbers("none", *default) == list(default)
    assert element.numbers("full", *default) == [7, 8, 9]
    with pytest.raises(
        InputError, match=rf"m.xml:3: short .*; {needed} needed"
    ):
        element.numbers("short", *default)
