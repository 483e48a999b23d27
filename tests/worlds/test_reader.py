import pytest
from hypothesis import given, strategies as st

from webmotor_drake.errors import InputError
from webmotor_drake.worlds.reader import read_nodes, read_texts
from webmotor_drake.worlds.source import Source, read_version


def read(text):
    return read_texts(Source("a.wbt", text))


def test_a_comma_is_a_blank_and_a_bare_value_is_a_list_of_one():
    (node,) = read_nodes('Robot { battery [1, 2,3], controllerArgs "x" }')
    assert node.fields["battery"].items == [1.0, 2.0, 3.0]
    assert node.fields["controllerArgs"].texts() == ["x"]


def test_a_comment_ends_a_word_but_not_a_text():
    (node,) = read_nodes('A { a 1#x }\n b "#" }')
    assert node.fields["a"].items == [1.0]
    assert node.text("b") == "#"


def test_a_text_loses_the_backslash_before_a_quote_but_keeps_its_n():
    (node,) = read_nodes(r'A { a "\"x\" \\ \n" }')
    assert node.text("a") == r"\"x\" \ \n".replace(r"\"", '"')


def test_use_means_the_nearest_def_before_it():
    first, second = read_nodes(
        "G { a DEF X A { } b USE X c DEF X B { } d USE X }G { a USE X }"
    )
    assert first.node("b") is first.node("a")
    assert first.node("d") is first.node("c")
    assert second.node("a") is first.node("c")


def test_a_descendant_of_the_same_def_is_the_one_that_is_used():
    group, other = read_nodes("DEF X G { a DEF X A { } } G { a USE X }")
    assert other.node("a") is group.node("a")


def test_a_use_of_nothing_is_null_and_reported():
    texts = read("G {\n a USE X\n}")
    assert texts.nodes[0].fields["a"].items == [None]
    (entry,) = texts.source.report.entries
    assert str(entry).startswith("a.wbt:2:8: X: USE of it: no such DEF")


def test_a_use_inside_of_its_own_node_is_null():
    texts = read("DEF X G { a USE X }")
    assert texts.nodes[0].fields["a"].items == [None]
    assert len(texts.source.report.entries) == 1


def test_hidden_fields_stand_apart():
    (node,) = read_nodes("E { a 1 hidden position_0_0 12.5 }")
    assert list(node.fields) == ["a"]
    assert node.hidden["position_0_0"].items == [12.5]


def test_a_node_without_blanks_and_an_end_of_line_is_read():
    (node,) = read_nodes('\ufeffA{a[1 2]b B{}c -.5e-1 d TRUE e["x""y"]}')
    assert node.node("b").type == "B" and node.number("c", 0) == -0.05
    assert node.truth("d", False) and node.fields["e"].texts() == ["x", "y"]


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("Solid {", "1:8", "not the end of the file"),
        ("Solid { size 1 2x }", "1:16", "expected a number, not '2x'"),
        ("Solid", "1:6", "expected '{' after Solid"),
        ('Solid {\n name "a\n }', "2:7", "closing quote"),
        ("Solid { 3 }", "1:9", "expected a field of Solid or '}'"),
        ("A { a -inf }", "1:7", "expected a number"),
        ("A { a 1_0 }", "1:7", "expected a number"),
        ("A { a [ 1 2 }", "1:13", "expected a value of a"),
        ("A { a IS }", "1:10", "a parameter after IS"),
        ("PROTO A [ fild SFBool a TRUE ] { B {} }", "1:11", "expected field"),
        ("PROTO A [ field SFBol a TRUE ] { B {} }", "1:17", "a type such as"),
        ("EXTERNPROTO A", "1:13", "a url in quotes"),
    ],
)
def test_an_error_has_its_place_and_says_what_was_expected(
    text, place, problem
):
    with pytest.raises(InputError) as error:
        read(text)
    assert str(error.value).startswith(f"a.wbt:{place}: ")
    assert problem in str(error.value)


def test_what_is_nested_without_end_is_refused():
    with pytest.raises(InputError, match="nested deeper than 150"):
        read("A { a " * 5000)


def test_a_proto_has_parameters_with_types_and_defaults():
    texts = read(
        'EXTERNPROTO "../b/Wheel.proto"\n'
        "PROTO Car [ field SFVec3f size 1 2 3"
        ' field SFString{"a", "b"} kind "a"'
        " field MFNode{Solid{}, Pose{}} parts [ Wheel { } ] ]"
        "{ Solid { translation IS size } }"
    )
    assert texts.proto == "Car"
    assert texts.parameters["size"][0] == "SFVec3f"
    assert texts.parameters["kind"][1].items == ["a"]
    assert texts.parameters["parts"][1].nodes[0].type == "Wheel"
    assert texts.nodes[0].place.source.urls == {"Wheel": "../b/Wheel.proto"}
    assert texts.nodes[0].fields["translation"].alias == "size"


def test_the_body_of_a_template_is_not_read():
    texts = read("PROTO A [ ] { Solid { %< if (a) { >% %< } >% } }")
    start, end = texts.template
    assert texts.nodes == []
    assert (
        "PROTO A [ ] { Solid { %< if (a) { >% %< } >% } }"[start:end].strip()
        == "Solid { %< if (a) { >% %< } >% }"
    )


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("#VRML_SIM R2023b utf8", (2023, 1, 0)),
        ("#VRML_SIM R2021a revision 2 utf8", (2021, 0, 2)),
        ("#VRML_SIM R2019a-rev1 utf8", (2019, 0, 1)),
        ("#VRML_SIM V8.6.0 utf8", (8, 6, 0)),
        ("#VRML V6.0 utf8", (6, 0, 0)),
        ("#VRML_OBJ R2025a utf8", (2025, 0, 0)),
        ("WorldInfo { }", None),
    ],
)
def test_the_first_line_says_the_version(line, version):
    assert read_version(line) == version


_PIECES = st.sampled_from(
    [*'{}[],#"', "DEF", "USE", "IS", "A", "a", "x", '"x"', "1", "-2.5e3"]
    + [".", "TRUE", "NULL", "PROTO", "EXTERNPROTO", "field", "hidden"]
    + ["SFFloat", "\n", "\\", "'", "%", "\x00", "é"]
)


@given(st.lists(_PIECES, max_size=30), st.sampled_from([" ", "", "\n"]))
def test_a_garbled_text_is_read_or_refused_with_a_place(pieces, between):
    try:
        read(between.join(pieces))
    except InputError as error:
        assert error.where.startswith("a.wbt:")


def test_a_missing_quote_after_many_blanks_is_found_at_once():
    # A pattern that tries all ways to split the blanks would take for ever.
    with pytest.raises(InputError, match="closing quote"):
        read("A { " + " ,\n" * 20000 + '"')


def test_nodes_before_a_proto_have_a_place():
    with pytest.raises(InputError, match=r"a\.wbt:1:11: nodes stand before"):
        read("Solid { } PROTO X [ ] { Solid { } }")
