"""Hostile files of all kinds: each is read or refused in a line, within its budget.

    python benchmarks/fuzz_strangers.py [--calls N] [--seed S] [--only CLASS]

Each case is checked and stepped in a process of its own, with limits of processor time
and memory. What ends that process, or takes more, fell; the exit status is 1. After the
cases each reader gets an input and its double: 2.6 times the time, or the memory, is
more than what it is long.
"""

import argparse
import contextlib
import io
import json
import os
import resource
import shutil
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from webmotor_drake.cli.loading_time import limited_loading
from webmotor_drake.errors import WebmotorError
from webmotor_drake.loading import load_scenario
from webmotor_drake.results.results import Results
from webmotor_drake.runner import ready
from webmotor_drake.scenario.model_file import ModelFile
from webmotor_drake.scenario.obj_indices import check_indices
from webmotor_drake.worlds.imported import import_world
from webmotor_drake.worlds.project import Options
from webmotor_drake.worlds.template_scripts import statements, without_imports

# Of a case: processor time, s, and address space, bytes.
SECONDS, SPACE = 15, 4 * 2**30
GROWTH = 2.6
_HEAD = "#VRML_SIM R2023b utf8\n"
_OLD = "#VRML_SIM R2021b utf8\n"
_ROBOT = 'Robot { name "r" children [ ] }\n'
_INERTIA = (
    '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"'
    ' iyz="0"/></inertial>'
)
Random = np.random.Generator


def some(random: Random, *choices: str) -> str:
    """Returns one of several texts."""
    return choices[int(random.integers(len(choices)))]


def number(random: Random) -> int:
    """Returns a number, small or large."""
    return int(10 ** random.uniform(0, 3.7))


def damaged(random: Random, data: bytes) -> bytes:
    """Returns bytes cut, flipped, doubled, or replaced at a few places."""
    changed = bytearray(data)
    for _ in range(random.integers(1, 4)):
        at = int(random.integers(len(changed) + 1))
        kind = random.integers(5)
        if kind == 0:
            del changed[at:]
        elif kind == 1 and at < len(changed):
            changed[at] ^= 1 << int(random.integers(8))
        elif kind == 2:
            changed[at:at] = changed[: int(random.integers(200))]
        elif kind == 3:
            changed[at:at] = some(
                random, "nan", "-1", "99999999999", "1e999", "\0", "<", '"', "/"
            ).encode()
        else:
            del changed[at : at + int(random.integers(20))]
    return bytes(changed)


# Worlds, PROTOs and templates

_NODES = (
    "Group {{ {} }}",
    "Solid {{ {} }}",
    "Robot {{ {} }}",
    "Shape {{ geometry Box {{ }} }}",
    "Pose {{ children [ {} ] }}",
    "Transform {{ scale 2 2 2 children [ {} ] }}",
    "HingeJoint {{ device RotationalMotor {{ }} endPoint Solid {{ physics Physics"
    " {{ }} boundingObject Sphere {{ }} }} }}",
    "Shape {{ appearance PBRAppearance {{ baseColorMap ImageTexture {{ url"
    ' "t.png" }} }} geometry Box {{ }} }}',
    'Mesh {{ url "m.obj" }}',
)


def world(random: Random, folder: Path) -> str:
    """Writes a world: nodes in nodes, USE of USE, long names, many of one kind."""
    text, name = "", "a" * number(random) if random.random() < 0.1 else "a"
    for i in range(random.integers(1, 6)):
        node = some(random, *_NODES).format(f'name "{name}"')
        for _ in range(random.integers(0, 160 if random.random() < 0.1 else 4)):
            node = some(random, _NODES[0], _NODES[1], _NODES[4]).format(
                f"children [ {node} ]"
            )
        text += f"DEF D{i} {node}\n" * (number(random) if i == 0 else 1)
    if random.random() < 0.3:
        use = "".join(
            f"DEF U{i + 1} Group {{ children [ USE U{i} USE U{i} ] }} "
            for i in range(random.integers(2, 60))
        )
        text += f"DEF U0 Group {{ }} {use}"
    version = some(random, _HEAD, _OLD, "#VRML_SIM V8.6.0 utf8\n", _HEAD * 2)
    data = (version + text + _ROBOT).encode()
    if random.random() < 0.3:
        data = damaged(random, data)
    (folder / "w.wbt").write_bytes(data)
    (folder / "t.png").write_bytes(damaged(random, _png(random)))
    (folder / "m.obj").write_bytes(damaged(random, _OBJ))
    return "w.wbt"


_SCRIPTS = (
    "%< while (true) {} >%",
    "%< throw {get message() { for (;;) {} }} >%",
    "%< [].reverse.call({length: 2**53 - 1}) >%",
    "%< [].indexOf.call({length: 2**53 - 1}, 1) >%",
    "%< [].join.call({length: 2**53 - 1}) >%",
    "%< __out.push('\\ud800') >%",
    "%< __out.push('#'.repeat(3e7)) >%",
    "%< Array.prototype.join = 3 >%",
    "%< throw new Error('webmotor wants \"x\"') >%",
    "%< wbfile.readTextFile('/etc/passwd') >%",
    "%< new RegExp('(a+)+$').test('a'.repeat(50) + 'b') >%",
    "%< const f = () => f(); f() >%",
    "%< let a = []; for (;;) a.push(a.concat(a)) >%",
    "%{ while true do end }%",
    "%{ coroutine.wrap(function() while true do end end)() }%",
    "%{ setmetatable({}, {__gc = function() while true do end end}) }%",
    "%{ __start(1e18) while true do end }%",
    "%{ ('a'):rep(9e8) }%",
    "%{ ('a'):rep(40):find(('a?'):rep(40) .. ('a'):rep(40)) }%",
    "%{ error('\\255') }%",
    "%{ table.concat = error }%",
    "%{ string.format('%99999d', 1) }%",
    "%{ local t = {} for i = 1, 1e9 do t[i] = t end }%",
    "%{ io.open('/etc/passwd') }%",
    "%< ",
    "%{ ",
    "%<= 1 >%",
    "%< >%",
    "%{ }%",
)


def template(random: Random, folder: Path) -> str:
    """Writes a world with instances of a template that goes on, or makes odd text."""
    body = "".join(
        some(random, *_SCRIPTS, "\n" * number(random), "import {a} from 'b.js'")
        for _ in range(random.integers(1, 4))
    )
    proto = (
        f"{some(random, _HEAD, _OLD)}PROTO T [ field SFInt32 n 1 ] {{\n{body}\n"
        "Solid { }\n}"
    )
    (folder / "T.proto").write_bytes(
        damaged(random, proto.encode())
        if random.random() < 0.2
        else proto.encode()
    )
    text = f"T {{ n {some(random, '1', '1e300', '-5')} }}\n"
    many = int(random.integers(1, 20))
    (folder / "w.wbt").write_text(
        f'{_HEAD}EXTERNPROTO "T.proto"\n{text * many}{_ROBOT}'
    )
    return "w.wbt"


def protos(random: Random, folder: Path) -> str:
    """Writes PROTOs in PROTOs, several times each, some in a circle."""
    levels = int(random.integers(1, 40))
    for i in range(levels):
        times, other = int(random.integers(1, 4)), i + 1
        if random.random() < 0.05:
            other = int(random.integers(levels))
        (folder / f"P{i}.proto").write_text(
            f'{_HEAD}EXTERNPROTO "P{other}.proto"\nPROTO P{i} [ field MFNode c [ ] ]'
            f" {{ Group {{ children [ {f'P{other} {{ }} ' * times} ] }} }}"
        )
    (folder / f"P{levels}.proto").write_text(
        f"{_HEAD}PROTO P{levels} [ field MFNode c [ ] ] {{ Solid {{ }} }}"
    )
    (folder / "w.wbt").write_text(
        f'{_HEAD}EXTERNPROTO "P0.proto"\nP0 {{ }}\n{_ROBOT}'
    )
    return "w.wbt"


# Models, meshes and pictures

_OBJ = (
    b"mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nvt 0 0\n"
    b"usemtl s\nf 1/1/1 2/1/1 3/1/1\nf 1//1 2//1 4//1\nf 1 3 4\nf 2 3 4\n"
)
_MTL = b"newmtl s\nKd 1 0 0\nmap_Kd t.png\n"


def _png(random: Random) -> bytes:
    data = io.BytesIO()
    mode = some(random, "RGB", "RGBA", "L", "P", "1")
    Image.effect_noise((32, 32), 50).convert(mode).save(data, "PNG")
    return data.getvalue()


def _gltf() -> tuple[bytes, bytes]:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
    buffers = [{"uri": "m.bin", "byteLength": 42}]
    views = [
        {"buffer": 0, "byteLength": 36},
        {"buffer": 0, "byteOffset": 36, "byteLength": 6},
    ]
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
        {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
    ]
    content = {
        "asset": {"version": "2.0"},
        "buffers": buffers,
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}
        ],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "scene": 0,
    }
    buffer = points + np.array([0, 1, 2], "<u2").tobytes()
    return json.dumps(content).encode(), buffer


def _meshes(random: Random) -> dict[str, bytes]:
    stl = bytes(80) + (2).to_bytes(4, "little") + bytes(100)
    vtk = (
        b"# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4"
        b" double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
    )
    gltf, buffer = _gltf()
    return {
        "m.obj": _OBJ,
        "m.mtl": _MTL,
        "t.png": _png(random),
        "m.stl": stl,
        "m.vtk": vtk,
        "m.gltf": gltf,
        "m.bin": buffer,
    }


def mesh(random: Random, folder: Path) -> str:
    """Writes a model with a mesh of which a file is damaged, a pipe, a link."""
    files = _meshes(random)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    hurt = folder / some(random, *files)
    kind = random.integers(12)
    if kind == 0:
        hurt.unlink()
        os.mkfifo(hurt)
    elif kind == 1:
        hurt.unlink()
        hurt.symlink_to(some(random, "/etc/passwd", "/dev/zero", hurt.name))
    elif kind == 2:
        hurt.write_text("version https://git-lfs.github.com/spec/v1\noid 1\n")
    else:
        hurt.write_bytes(damaged(random, files[hurt.name]))
    role = some(random, "visual", "collision")
    name = some(random, "m.obj", "m.stl", "m.vtk", "m.gltf")
    (folder / "m.urdf").write_text(
        f'<robot name="m"><link name="l">{_INERTIA}<{role}><geometry><mesh'
        f' filename="{name}"/></geometry></{role}></link></robot>'
    )
    return _scenario(folder, "m.urdf")


def picture(random: Random, folder: Path) -> str:
    """Writes a model with a damaged picture."""
    (folder / "t.png").write_bytes(damaged(random, _png(random)))
    (folder / "m.mtl").write_bytes(_MTL)
    (folder / "m.obj").write_bytes(_OBJ)
    looks = some(
        random,
        '<geometry><mesh filename="m.obj"/></geometry>',
        '<geometry><box size="1 1 1"/></geometry><material name="a"><texture'
        ' filename="t.png"/></material>',
    )
    (folder / "m.urdf").write_text(
        f'<robot name="m"><link name="l">{_INERTIA}<visual>{looks}</visual></link>'
        "</robot>"
    )
    return _scenario(folder, "m.urdf")


def model(random: Random, folder: Path) -> str:
    """Writes a URDF, SDF or MJCF that is deep, long, damaged, or in itself."""
    n = number(random)
    kind = some(random, "urdf", "sdf", "xml")
    inside = some(
        random,
        "<a>" * n + "</a>" * n,
        "\n" * 10 * n,
        "<link name='x'/>" * min(n, 3000),
        "".join(f"<link name='x{i}'/>" for i in range(min(n, 3000))),
        f"<include><uri>file://{folder}/m.{kind}</uri></include>",
        "<include file='m.xml'/>",
        "<uri>" + "x<b/>" * n + "</uri>",
        "<!-- " + "-" * n,
        "<joint name='j' type='revolute'><parent link='l'/><child link='l'/></joint>",
        "&a;" * n,
    )
    frame = {
        "urdf": "<robot name='m'><link name='l'/>{}</robot>",
        "sdf": "<sdf version='1.9'><model name='m'><link name='l'/>{}</model></sdf>",
        "xml": "<mujoco model='m'><worldbody><body name='l'><geom size='1'/></body>"
        "</worldbody>{}</mujoco>",
    }
    data = frame[kind].format(inside).encode()
    if random.random() < 0.5:
        data = damaged(random, data)
    (folder / f"m.{kind}").write_bytes(data)
    return _scenario(folder, f"m.{kind}")


def archive(random: Random, folder: Path) -> str:
    """Writes a damaged run, or one that unfolds to gigabytes."""
    rows = int(random.integers(1, 50))
    time = np.arange(rows * 1.0)
    Results(time=time, signals={"a/b/c": time}, metadata={}).save(folder)
    if random.random() < 0.02:
        _unfolding(folder / "run.npz")
    else:
        name = some(random, "run.npz", "run.json")
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(damaged(random, data))
    return "."


def _unfolding(file: Path) -> None:
    """Writes an archive of two megabytes with two gigabytes of zeros."""
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("time.npy", "w", force_zip64=True) as member,
    ):
        header = io.BytesIO()
        about = {"descr": "<f8", "fortran_order": False, "shape": (2**28,)}
        np.lib.format.write_array_header_1_0(header, about)
        member.write(header.getvalue())
        for _ in range(2**11):
            member.write(bytes(2**20))


def _scenario(folder: Path, model: str) -> str:
    (folder / "s.yaml").write_text(
        "S:\n  simulation_duration: 0.002\n  plant_config: {time_step: 0.001}\n"
        f"  directives:\n  - add_model: {{name: a, file: {model}}}\n"
    )
    return "s.yaml"


def _plain(folder: Path) -> str:
    """Writes a scenario without any harm in it."""
    (folder / "m.urdf").write_text(
        f'<robot name="m"><link name="l">{_INERTIA}</link></robot>'
    )
    return _scenario(folder, "m.urdf")


CLASSES: dict[str, Callable[[Random, Path], str]] = {
    function.__name__: function
    for function in (
        world,
        template,
        protos,
        mesh,
        picture,
        model,
        archive,
    )
}


def attempt(file: Path) -> None:
    """Reads what a case wrote, as `check` does, and steps it."""
    if file.is_dir():
        Results.load(file)
        return
    with limited_loading(str(file)):
        simulation = ready(load_scenario(file))
    simulation.run()


def in_child(act: Callable[[], object], seconds: int = SECONDS) -> str:
    """Does something in a process of its own; returns what came of it.

    Returns:
        "read", "refused", or how it fell.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        said = "read"
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            for stream in (1, 2):
                os.dup2(null, stream)
            used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
            resource.setrlimit(
                resource.RLIMIT_CPU, (used + seconds, used + seconds + 1)
            )
            # What the parent has already is the child's, too.
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            space = pages * resource.getpagesize() + SPACE
            resource.setrlimit(resource.RLIMIT_AS, (space, space))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            warnings.simplefilter("ignore")
            act()
        except WebmotorError:
            said = "refused"
        except BaseException as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__} {str(error)[:80]} ({last.name})"
        finally:
            os.write(writer, said.encode(errors="replace")[:4000])
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as said:
        text = said.read()
    _, status = os.waitpid(child, 0)
    return text or f"signal {os.waitstatus_to_exitcode(status)}"


def fuzz(
    calls: int, seed: int, folder: Path, only: str = ""
) -> tuple[dict, list]:
    """Tries so many cases; returns what came of each class, and those that fell."""
    found = {name: Counter() for name in CLASSES if only in ("", name)}
    attempt(folder / _plain(folder))  # what is imported here is in each child
    fell = []
    for i in range(calls):
        name = [*found][i % len(found)]
        random = np.random.default_rng([seed, i])
        case = folder / str(i)
        case.mkdir()
        file = case / CLASSES[name](random, case)
        said = in_child(lambda file=file: attempt(file))
        found[name][said if said in ("read", "refused") else "fell"] += 1
        if said in ("read", "refused"):
            shutil.rmtree(case)
        else:
            fell.append(f"{name} {seed}/{i}: {said} ({case})")
    return found, fell


# Growth


def _written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def _urdf(inside: Callable[[int], str]) -> Callable[[Path, int], object]:
    def read(folder: Path, n: int) -> None:
        text = f"<robot name='m'>{inside(n)}</robot>"
        found = ModelFile(_written(folder, "g.urdf", text))
        found.named_files("collision")
        found.renamed(lambda name: name)

    return read


def _world(inside: Callable[[int], str]) -> Callable[[Path, int], object]:
    def read(folder: Path, n: int) -> None:
        text = f"{_HEAD}{inside(n)}{_ROBOT}"
        import_world(_written(folder, "g.wbt", text), Options())

    return read


READERS: dict[str, tuple[Callable[[Path, int], object], int]] = {
    "elements in elements": (_urdf(lambda n: "<a>" * n + "</a>" * n), 100_000),
    "elements": (_urdf(lambda n: "<a/>" * n), 50_000),
    "blank lines of a model": (_urdf(lambda n: "\n" * n), 500_000),
    "names of files": (_urdf(lambda n: "<mesh filename='a'/>" * n), 60_000),
    "texts of uris": (_urdf(lambda n: "<uri>a</uri>" * n), 60_000),
    "attributes": (
        _urdf(lambda n: "<a " + " ".join(f"b{i}='1'" for i in range(n)) + "/>"),
        50_000,
    ),
    "Solids of one name": (
        _world(lambda n: 'Solid { name "a" physics Physics { } }\n' * n),
        500,
    ),
    "devices of one name": (
        _world(lambda n: f"Robot {{ children [ {'GPS { } ' * n} ] }}"),
        1_000,
    ),
    "groups": (_world(lambda n: "Group { }\n" * n), 5_000),
    "a long name": (_world(lambda n: f'Robot {{ name "{"a" * n}" }}'), 500_000),
    "a text without an end": (
        _world(lambda n: f'Solid {{ name "{"a" * n}'),
        500_000,
    ),
    "openings of scripts": (
        lambda folder, n: statements("%< " * n, "%<", ">%", "{}", "{}"),
        500_000,
    ),
    "imports of scripts": (
        lambda folder, n: without_imports("\n" * n + "import {\n" * n),
        200_000,
    ),
    "faces": (
        lambda folder, n: check_indices(
            folder, b"v 0 0 0\n" * n + b"f 1 1 1\n" * n
        ),
        100_000,
    ),
    "faces of all kinds": (
        lambda folder, n: check_indices(
            folder, b"vn 0 0 1\n" + b"v 0 0 0\n" * n + b"f 1 1//1 1\n" * n
        ),
        50_000,
    ),
}


def cost(reader: Callable[[Path, int], object], folder: Path, n: int) -> tuple:
    """Returns the processor time, s, and the memory, MB, of a reader's input."""
    best = (np.inf, np.inf)
    for _ in range(3):
        out = folder / "cost"

        def measured() -> None:
            before = resource.getrusage(resource.RUSAGE_SELF)
            with contextlib.suppress(WebmotorError):
                reader(folder, n)
            after = resource.getrusage(resource.RUSAGE_SELF)
            time = after.ru_utime + after.ru_stime
            time -= before.ru_utime + before.ru_stime
            memory = (after.ru_maxrss - before.ru_maxrss) / 1024
            out.write_text(f"{time} {memory}")  # noqa: B023

        out.write_text("inf inf")
        in_child(measured, 60)
        now = tuple(map(float, out.read_text().split()))
        best = tuple(map(min, best, now))
    return best


def grows(reader: Callable[[Path, int], object], folder: Path, n: int) -> str:
    """Returns how a reader's cost grows with its input's double, if by too much."""
    (time, memory), (twice, more) = (
        cost(reader, folder, k * n) for k in (1, 2)
    )
    # Below that it is the noise of a process.
    if twice > 0.1 and twice > GROWTH * time:
        return f"{time:.2f} s, of the double {twice:.2f} s"
    if more > 50 and more > GROWTH * max(memory, 20.0):
        return f"{memory:.0f} MB, of the double {more:.0f} MB"
    return ""


def main() -> int:
    """Runs it; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=700)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", choices=["", *CLASSES])
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="strangers_"))
    found, fell = fuzz(args.calls, args.seed, folder, args.only)
    print(f"{'class':10} {'tried':>6} {'read':>6} {'refused':>8} {'fell':>5}")
    for name, counts in found.items():
        print(
            f"{name:10} {sum(counts.values()):6} {counts['read']:6}"
            f" {counts['refused']:8} {counts['fell']:5}"
        )
    for name, (reader, n) in READERS.items() if not args.only else ():
        if problem := grows(reader, folder, n):
            fell.append(f"{name}: {problem}")
    print("\n".join(fell))
    if not fell:
        shutil.rmtree(folder)
    return bool(fell)


if __name__ == "__main__":
    sys.exit(main())
