"""Templates make nodes, and nothing else: they neither hang nor reach out."""

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.worlds.project import Options, Project
from webmotor_drake.worlds.template_process import Spent
from webmotor_drake.worlds.templates import expanded_body

pytest.importorskip("quickjs")
pytest.importorskip("lupa")

JAVASCRIPT = "#VRML_SIM R2023b utf8\n# template language: javascript\n"
LUA = "#VRML_SIM R2021b utf8\n"


@pytest.fixture
def body(tmp_path):
    """Returns a function that expands a PROTO with its defaults."""

    def expanded(text):
        file = tmp_path / "T.proto"
        file.write_text(text)
        project = Project(tmp_path / "world.wbt", Options())
        proto = project.load_proto(file, (2023, 1, 0))
        values = {n: p.default for n, p in proto.parameters.items()}
        (node,) = expanded_body(proto, values, None, Spent())
        return node

    return expanded


def test_javascript_makes_a_body(body):
    node = body(
        JAVASCRIPT + "PROTO T [ field SFVec3f size 1 2 0.5 field SFInt32 n 2"
        ' field MFString names [ "a" "b`${x}" ] field SFNode app NULL ] {\n'
        "%<\n  import * as wbrandom from 'wbrandom.js';\n"
        "  import {circle} from 'wbgeometry.js';\n"
        "  const s = fields.size.value;\n>%\n"
        'Solid { name "%<= fields.names.value[1] >%" children [\n'
        "%< for (let i = 0; i < fields.n.value; ++i) { >%\n"
        "  Pose { translation %<= i * s.x >% %<= s.z >%"
        " %<= circle(1, 4).length >% }\n"
        "%< } if (fields.app.value) { >% Unknown { } %< } >% ] }\n}"
    )
    assert node.text("name") == "b`${x}"
    poses = [
        child.numbers("translation", (0,) * 3)
        for child in node.nodes("children")
    ]
    assert poses == [[0, 0.5, 4], [1, 0.5, 4]]


def test_lua_makes_a_body(body):
    node = body(
        LUA
        + "PROTO T [ field SFVec3f size 1 2 3 field MFFloat h [ 1 2.5 ] ] {\n"
        "%{ local s = fields.size.value\n"
        "   local wbrandom = require('wbrandom') wbrandom.seed(1) }%\n"
        'Solid { name "%{= #fields.h.value }%" children [\n'
        "%{ for i = 1, 2 do }%\n"
        "  Pose { translation %{= i * s.x }% 0 %{= fields.h.value[2] }% }\n"
        "%{ end }% ] }\n}"
    )
    assert node.text("name") == "2"
    poses = [
        child.numbers("translation", (0,) * 3)
        for child in node.nodes("children")
    ]
    assert poses == [[1, 0, 2.5], [2, 0, 2.5]]


@pytest.mark.parametrize(
    "script",
    [
        "throw new Error('no\\nmore');",
        "nope(",
        "(function f() { f(); })();",
        "const a = []; while (true) a.push('x'.repeat(1e5));",
        "wbfile.readTextFile('/etc/passwd');",
        "std.open('/etc/passwd');",
    ],
)
def test_a_script_in_javascript_that_fails_is_one_error(body, script):
    with pytest.raises(InputError, match=r"T\.proto: its template fails: \w+"):
        body(JAVASCRIPT + f"PROTO T [ ] {{ %< {script} >% Solid {{ }} }}")


@pytest.mark.parametrize(
    "script",
    [
        "error('no')",
        "x(",
        "io.open('/etc/passwd'):read('*a')",
        "for line in io.lines('/etc/passwd') do end",
        "io.open('T.proto', 'w')",
        "local s = ('x'):rep(1e9)",
        "require('os').exit()",
        "debug.sethook()",
    ],
)
def test_a_script_in_lua_that_fails_is_one_error(body, script):
    with pytest.raises(InputError, match=r"T\.proto: its template fails: "):
        body(LUA + f"PROTO T [ ] {{ %{{ {script} }}% Solid {{ }} }}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        JAVASCRIPT + "PROTO T [ ] { %< while (true) {} >% Solid { } }",
        LUA + "PROTO T [ ] { %{ while true do end }% Solid { } }",
        LUA
        + "PROTO T [ ] { %{ while true do pcall(function() while true do end end)"
        " end }% Solid { } }",
    ],
)
def test_an_endless_script_ends(body, text):
    with pytest.raises(InputError, match="its template fails"):
        body(text)


def test_a_template_makes_one_node(body):
    with pytest.raises(InputError, match="makes 0 nodes"):
        body(
            JAVASCRIPT + "PROTO T [ ] { %< if (false) { >% Solid { } %< } >% }"
        )


def test_names_are_added_to_the_projects_path_as_in_webots(body, tmp_path):
    (tmp_path / "track.csv").write_text("7")
    read = "wbfile.readTextFile(context.project_path + 'track.csv')"
    node = body(
        f'{JAVASCRIPT}PROTO T [ ] {{ Solid {{ name "%<= {read} >%" }} }}'
    )
    assert node.text("name") == "7"


def test_lua_has_maxn(body):
    most = "table.maxn({[2] = 1, [5.5] = 1, x = 1})"
    node = body(f'{LUA}PROTO T [ ] {{ Solid {{ name "%{{= {most} }}%" }} }}')
    assert node.text("name") == "5.5"


def test_a_template_reads_files_of_its_project_and_no_others(body, tmp_path):
    (tmp_path / "track.csv").write_text("1 2 0\n3 4 0\n")
    (tmp_path.parent / "secret.txt").write_text("nobody's")
    node = body(
        JAVASCRIPT + "PROTO T [ ] {\n"
        "%<\n  const there = ['track.csv', 'no.csv', '../secret.txt',"
        " '/etc/passwd'].map(f => wbfile.fileExists(f));\n"
        "  const folder = context.proto.slice(0, context.proto.lastIndexOf('/'));\n"
        "  const rows = wbfile.readTextFile(folder + '/track.csv')"
        ".trim().split('\\n');\n>%\n"
        'Solid { name "%<= there.join() >%" children [\n'
        "%< for (const row of rows) { >% Pose { translation %<= row >% } %< } >%"
        " ] }\n}"
    )
    assert node.text("name") == "true,false,false,false"
    poses = [c.numbers("translation", (0,) * 3) for c in node.nodes("children")]
    assert poses == [[1, 2, 0], [3, 4, 0]]
    with pytest.raises(InputError, match="no file below the project"):
        body(
            JAVASCRIPT + "PROTO T [ ] {"
            " %< wbfile.readTextFile('../secret.txt'); >% Solid { } }"
        )


def test_a_template_in_lua_reads_files_of_its_project_and_no_others(
    body, tmp_path
):
    (tmp_path / "track.csv").write_text("3 2 0\n5 4 0\r\nlast 7\nend")
    (tmp_path.parent / "secret.txt").write_text("nobody's")
    node = body(
        LUA + "PROTO T [ ] {\n"
        "%{\n  local secret = io.open('../secret.txt', 'r')\n"
        "  local folder = context.proto:match('(.*)/')\n"
        "  local file = io.open(folder .. '/track.csv')\n"
        "  local x, y = file:read('*number', '*number')\n"
        "  file:read()\n"
        "  local second, four = file:read('*line'), file:read(4)\n"
        "  local rest = file:read('*all')\n"
        "  file:close()\n"
        "  local count = 0\n"
        "  for line in io.lines('track.csv') do count = count + #line end\n}%\n"
        'Solid { name "%{= tostring(secret) .. second .. four .. #rest }%"'
        " children Pose { translation %{= x }% %{= y }% %{= count }% } }\n}"
    )
    assert node.text("name") == "nil5 4 0last6"
    pose = node.nodes("children")[0]
    assert pose.numbers("translation", (0,) * 3) == [3, 2, 19]
