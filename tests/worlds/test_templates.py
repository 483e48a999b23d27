"""Templates make nodes, and nothing else: they neither hang nor reach out."""

import re

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.worlds import template_process
from webmotor_drake.worlds.project import Options, Project
from webmotor_drake.worlds.template_process import Spent
from webmotor_drake.worlds.templates import expanded_body

pytest.importorskip("_quickjs")
pytest.importorskip("lupa")

JAVASCRIPT = "#VRML_SIM R2023b utf8\n# template language: javascript\n"
LUA = "#VRML_SIM R2021b utf8\n"


@pytest.fixture
def body(tmp_path):
    """Returns a function that expands a PROTO with its defaults."""

    def expanded(text, spent=None):
        file = tmp_path / "T.proto"
        file.write_text(text)
        project = Project(tmp_path / "world.wbt", Options())
        proto = project.load_proto(file, (2023, 1, 0))
        return expanded_body(proto, proto.parameters, None, spent or Spent())

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


# Each goes on past the limits that its interpreter has.
ENDLESS = [
    "%< while (true) {} >%",
    "%< throw {get message() { while (true) {} }, toString() { while (true) {} }} >%",
    "%< [].reverse.call({length: 2**53 - 1}) >%",
    "%{ while true do end }%",
    "%{ while true do pcall(function() while true do end end) end }%",
    "%{ coroutine.wrap(function() while true do end end)() }%",
    "%{ setmetatable({}, {__gc = function() while true do end end}) }%",
    "%{ ('a'):rep(40):find(('a?'):rep(40) .. ('a'):rep(40)) }%",
]


@pytest.mark.parametrize("script", ENDLESS)
def test_an_endless_script_is_ended_and_the_next_one_runs(
    body, script, monkeypatch
):
    monkeypatch.setattr(template_process, "_PATIENCE", 0.3)
    with pytest.raises(InputError, match="its template fails: "):
        body(f"{LUA}PROTO T [ ] {{ {script} Solid {{ }} }}")
    monkeypatch.undo()
    node = body(LUA + 'PROTO T [ ] { Solid { name "%{= 1 }%" } }')
    assert node.text("name") == "1"


@pytest.mark.slow
@pytest.mark.parametrize("script", [ENDLESS[1], ENDLESS[5]])
def test_the_system_ends_a_script_by_its_processor_time(body, script):
    with pytest.raises(InputError, match="more than 1.0 s of processor time"):
        body(f"{LUA}PROTO T [ ] {{ {script} Solid {{ }} }}")


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("%< throw new Error('webmotor wants x') >%", "webmotor wants x"),
        ("%< Array.prototype.join = () => 3; >%", "is not a text"),
        ("%< __out.push('\\ud800') >%", "UTF-8"),
        ("%< __out.push('#'.repeat(1.1e7)) >%", "10,000,000 characters"),
        ("%{ error('\\255') }%", "UTF-8"),
        ("%{ table.concat = function() return {} end }%", "is not a text"),
        ("%{ __out[1] = '\\255' }%", "UTF-8"),
    ],
)
def test_what_is_no_text_of_nodes_is_one_error(body, script, told):
    with pytest.raises(InputError, match=rf"^\S*T.proto: .* fails: .*{told}"):
        body(f"{LUA}PROTO T [ ] {{ {script} Solid {{ }} }}")


def test_a_number_is_one_of_32_bits(body):
    proto = (
        LUA + "PROTO T [ field SFInt32 n {} ] {{ Solid {{ mass"
        " %{{= fields.n.value }}% }} }}"
    )
    for number in (2**31, -(2**31) - 1, "1e300"):
        told = re.escape(f"n: {float(number):g} is not allowed")
        with pytest.raises(InputError, match=rf"T.proto:2:\d+: {told}"):
            body(proto.format(number))
    for number in (2**31 - 1, -(2**31)):
        node = body(proto.format(number))
        assert node.numbers("mass", (0,)) == [number]


def test_all_templates_of_a_world_have_a_limit_together(body):
    spent = Spent(seconds=10.5)
    with pytest.raises(InputError, match="those before it take more than 10 s"):
        body(JAVASCRIPT + "PROTO T [ ] { %< >% Solid { } }", spent)


def test_the_same_template_twice_in_a_world_runs_once(body):
    spent = Spent()
    first, second = (
        body(JAVASCRIPT + "PROTO T [ ] { %< >% Solid { } }", spent)
        for _ in range(2)
    )
    assert len(spent.texts) == 1
    assert spent.characters == len(*spent.texts.values())
    assert first is not second


def test_line_ends_and_openings_without_an_end_cost_what_they_are_long(body):
    """They were looked at again from each of them: 300,000 took 40 minutes."""
    node = body(
        JAVASCRIPT
        + "PROTO T [ ] {\n%< let a = 1; >%\n"
        + "\n" * 300_000
        + 'Solid { name "%<= a >%" }\n#'
        + "%< " * 300_000
        + "\n}"
    )
    assert node.text("name") == "1"


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
