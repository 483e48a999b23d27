"""Worlds that are small as files and have no end as nodes are refused at once."""

import pytest
from read_world import read_world

from webmotor_drake.errors import InputError
from webmotor_drake.limits import unlimited
from webmotor_drake.worlds import expansion


@pytest.fixture
def world(tmp_path):
    def read(text, version="R2023b", **files):
        return read_world(tmp_path, text, version, files)

    return read


def doubled(levels, first="Box { }"):
    """Returns a group of which each part is the one before, twice."""
    return f"DEF A0 {first} " + " ".join(
        f"DEF A{i + 1} Group {{ children [ USE A{i} USE A{i} ] }}"
        for i in range(levels)
    )


def protos(levels):
    """Returns PROTOs of which each has the next one twice."""
    head = "#VRML_SIM R2023b utf8\n"
    files = {
        f"worlds/P{i}.proto": f'{head}EXTERNPROTO "P{i + 1}.proto"\n'
        f"PROTO P{i} [ ] {{ Group {{ children [ P{i + 1} {{ }} P{i + 1} {{ }} ]"
        " } }"
        for i in range(levels)
    }
    files[f"worlds/P{levels}.proto"] = (
        f"{head}PROTO P{levels} [ ] {{ Group {{ }} }}"
    )
    return files


@pytest.mark.parametrize(
    "text",
    [
        "Robot { physics Physics { } boundingObject Group { children ["
        f"{doubled(40)} ] }} }}",
        doubled(40, 'Solid { name "x" }'),
    ],
)
def test_a_group_that_is_used_twice_again_and_again_is_refused(world, text):
    with pytest.raises(InputError, match=r"w.wbt:2:\d+: Group: more than"):
        world(text)


@pytest.fixture
def steps(monkeypatch):
    """Returns the nodes that the importer makes, as it makes them."""
    made = []
    step = expansion.Expander._step
    monkeypatch.setattr(
        expansion.Expander,
        "_step",
        lambda self, node: (made.append(node), step(self, node)),
    )
    return made


def test_protos_that_expand_without_an_end_are_refused_at_once(world, steps):
    text = 'EXTERNPROTO "P0.proto"\nRobot { children [ P0 { } ] }'
    with pytest.raises(InputError, match="more than 500,000 nodes, PROTOs"):
        world(text, **protos(30))
    assert len(steps) < 200  # all 500,000 take 4 s


def test_protos_that_make_a_little_too_much_are_refused(world, monkeypatch):
    monkeypatch.setattr(expansion, "MAX_NODES", 5000)  # 500,000 take 4 s
    text = 'EXTERNPROTO "P0.proto"\nRobot { children [ P0 { } ] }'
    with pytest.raises(InputError, match="more than 5,000 nodes, PROTOs"):
        world(text, **protos(12))


def test_links_in_links_are_as_many_as_they_are(world, steps):
    """Each has two parts, which are not in those of the ones around it."""
    head = "#VRML_SIM R2023b utf8\n"
    link = (
        f'{head}EXTERNPROTO "Part.proto"\nPROTO Link [ field SFNode end NULL ]'
        " { Solid { children [ Part { } Part { } Group { children IS end } ] } }"
    )
    part = f"{head}PROTO Part [ ] {{ Group {{ }} }}"
    chain = "Link { end " * 30 + "Link { }" + " }" * 30
    text = f'EXTERNPROTO "Link.proto"\n{chain}'
    files = {"worlds/Link.proto": link, "worlds/Part.proto": part}
    world(text, **files)
    assert len(steps) < 1000


def test_an_option_lifts_the_limit(world, monkeypatch):
    monkeypatch.setattr(expansion, "MAX_NODES", 4)
    text = 'Robot { name "r" children [ Group { } Group { } Group { } Group { } ] }'
    with pytest.raises(InputError, match="more than 4 nodes.*--unlimited"):
        world(text)
    with unlimited():
        world(text)


def test_a_version_of_thousands_of_digits_is_one(world):
    world('Robot { name "r" }', version="R2023b revision " + "1" * 5000)


def test_a_controller_with_a_name_that_no_file_has_is_not_there(world):
    found = world(f'Robot {{ name "r" controller "{"c" * 5000}" }}')
    assert found.said("motors hold")


def test_names_that_many_have_are_numbered_in_order(world):
    text = 'Solid { name "a" physics Physics { } boundingObject Sphere { } }\n'
    found = world(5 * text + 'Robot { name "r" }')
    adds = (d.get("add_model") for d in found.scenario["directives"])
    names = [add["name"] for add in adds if add and add["name"][0] == "a"]
    assert names == ["a", "a (1)", "a (2)", "a (3)", "a (4)"]
