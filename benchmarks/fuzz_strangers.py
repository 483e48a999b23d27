"""Hostile files of all kinds: each is read or refused in a line, within its budget.

    python benchmarks/fuzz_strangers.py [--calls N] [--seed S] [--only CLASS]

Each case is checked and stepped, some are drawn, in a process of its own, forked from
one that has all modules, with limits of processor time and memory. What ends that
process, or takes more, fell; the exit status is 1. After the cases each reader gets an
input and its double: 2.6 times the time, or the memory, is more than what it is long.
"""

import argparse
import base64
import contextlib
import functools
import gc
import importlib
import io
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import numpy as np
from PIL import Image
from stranger_meshes import BUFFER, gltf

from webmotor_drake.cli.loading_time import accepted, limited_loading
from webmotor_drake.errors import WebmotorError
from webmotor_drake.fitting.log_file import load_log
from webmotor_drake.loading import load_scenario
from webmotor_drake.nodes.webots_fields import fields_of_type, node_types
from webmotor_drake.results.motion_file import load_motion
from webmotor_drake.results.results import Results
from webmotor_drake.runner import ready
from webmotor_drake.scenario.assets import safe_assets
from webmotor_drake.scenario.gltf import _glb, safe_gltf
from webmotor_drake.scenario.key_list import load_keys
from webmotor_drake.scenario.meshes import (
    check_indices,
    load_mesh,
    load_triangles,
)
from webmotor_drake.scenario.model_file import ModelFile
from webmotor_drake.scenario.pictures import safe_png
from webmotor_drake.view.film import Film
from webmotor_drake.worlds.imported import import_world
from webmotor_drake.worlds.project import Options
from webmotor_drake.worlds.templates import _script, _without_imports

# Of a case: processor time, s, and address space, bytes.
SECONDS, SPACE = 15, 4 * 2**30
GROWTH = 2.6
# Of a run: it may go on with slow steps, as of many bodies in one place; s.
SLOW = 8
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


def often(random: Random, share: float) -> bool:
    """Returns True in a share of the calls."""
    return bool(random.random() < share)


def length(random: Random) -> int:
    """Returns a number, mostly small, now and then thousands."""
    return int(10 ** random.uniform(0, 3.7 if often(random, 0.1) else 1.5))


def number(random: Random) -> str:
    """Returns a number, now and then one that nobody expects."""
    if often(random, 0.95):
        return f"{random.uniform(0.1, 2):.3g}"
    odd = "0 -0 1e-300 1e300 -1e300 1e39 1e9 inf nan 1e-12 999999999999 0x7 1e999 -1 +"
    return some(random, *odd.split())


def text(random: Random) -> str:
    """Returns a text in quotes, now and then an odd one."""
    if often(random, 0.7):
        return some(random, '"a"', '"b"', '"m.obj"', '"t.png"', '"robot"')
    long = "a" * (length(random) * (200 if often(random, 0.2) else 1))
    odd = ("", "/dev/zero", "../../../etc/passwd", "a\\\\b", "%s%n", "\U0001f916", ".",
           "a::b", "a/b", "http://x/y.obj", "\x7f", long, f"{long}/{long}")  # fmt: skip
    return f'"{some(random, *odd)}"'


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


def write(random: Random, file: Path, data: bytes | str, share: float) -> None:
    """Writes a file, in a share of the cases a damaged one."""
    data = data if isinstance(data, bytes) else data.encode(errors="replace")
    file.write_bytes(damaged(random, data) if often(random, share) else data)


# Worlds, PROTOs and templates

# The numbers of an item of a field.
_ITEMS = {
    "Vec2f": 2,
    "Vec3f": 3,
    "Rotation": 4,
    "Color": 3,
    "Float": 1,
    "Int32": 1,
}
_CHILDREN = (
    "Solid Solid Pose Group Shape Transform HingeJoint SliderJoint Hinge2Joint"
    " BallJoint Robot Camera GPS DistanceSensor TouchSensor Lidar Receiver Emitter"
    " Propeller Track Charger Connector"
    " SolidReference Slot Billboard CadShape Radar Display"
).split()
_GEOMETRIES = (
    "Box Sphere Cylinder Capsule Cone Plane ElevationGrid IndexedFaceSet Mesh"
).split()
# The nodes that fields hold; of others any.
_HELD = {
    "children": _CHILDREN,
    "physics": ["Physics"],
    "geometry": _GEOMETRIES,
    "boundingObject": [*_GEOMETRIES, "Pose", "Shape", "Group"],
    "endPoint": ["Solid", "SolidReference"],
    "device": ["RotationalMotor", "LinearMotor", "PositionSensor", "Brake"],
    "appearance": ["PBRAppearance", "Appearance"],
    "coord": ["Coordinate"],
    "texCoord": ["TextureCoordinate"],
    "baseColorMap": ["ImageTexture"],
    "texture": ["ImageTexture"],
    "jointParameters": ["HingeJointParameters", "JointParameters"],
}


def node(random: Random, kind: str, depth: int) -> str:
    """Returns a node of a type, with some of its fields, and others."""
    fields = fields_of_type(kind)
    names = [n for n in fields if n in _HELD and often(random, 0.5)]
    if fields:
        names += random.choice([*fields], min(len(fields), 3)).tolist()
    said = [f"{n} {_value(random, n, fields[n].kind, depth)}" for n in {*names}]
    if often(random, 0.03):
        said.append(
            some(random, "x 1", "children 3", "name NULL", "}", "[", "IS a")
        )
    define = f"DEF D{random.integers(9)} " if often(random, 0.2) else ""
    return f"{define}{kind} {{ {' '.join(said)} }}"


def _value(random: Random, name: str, kind: str, depth: int) -> str:
    """Returns a value of a field of a type."""
    many, kind = kind[0] == "M", kind[2:]
    count = int(random.integers(4)) if many else 1
    if kind == "Node":
        if depth <= 0:
            return "[ ]" if many else "NULL"
        kinds = _HELD.get(name) or node_types()
        items = [
            f"USE D{random.integers(9)}"
            if often(random, 0.1)
            else node(random, some(random, *kinds), depth - 1)
            for _ in range(count)
        ]
    elif kind == "String":
        items = [text(random) for _ in range(count)]
    elif kind == "Bool":
        items = [some(random, "TRUE", "FALSE") for _ in range(count)]
    else:
        if many and often(random, 0.3):
            count = length(random)
        each = _ITEMS.get(kind, 1)
        whole = kind == "Int32" and often(random, 0.9)
        items = [
            str(int(random.integers(-1, 6))) if whole else number(random)
            for _ in range(count * each)
        ]
    return f"[ {' '.join(items)} ]" if many else " ".join(items)


def world(random: Random, folder: Path) -> str:
    """Writes a world: nodes in nodes, USE of USE, long names, many of one kind."""
    depth = 150 if often(random, 0.03) else int(random.integers(1, 5))
    body = node(random, "WorldInfo", 1) if often(random, 0.3) else ""
    for _ in range(random.integers(1, 4)):
        one = node(random, some(random, *_CHILDREN), min(depth, 5))
        if depth > 5:
            one = "Group { children [ " * depth + one + " ] }" * depth
        body += f"\n{one}" * (length(random) if often(random, 0.1) else 1)
    if often(random, 0.1):
        body += "DEF U0 Group { }" + "".join(
            f"DEF U{i + 1} Group {{ children [ USE U{i} USE U{i} ] }} "
            for i in range(random.integers(2, 60))
        )
    head = some(random, _HEAD, _HEAD, _OLD, "#VRML_SIM V8.6.0 utf8\n")
    write(random, folder / "w.wbt", head + body + "\n" + _ROBOT, 0.15)
    write(random, folder / "t.png", _picture(random), 0.3)
    write(random, folder / "m.obj", _OBJ, 0.3)
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
    "%< eval('for (;;) {}') >%",
    "%< Promise.resolve().then(() => { for (;;) {} }) >%",
    "%< new Proxy({}, {get() { for (;;) {} }}).x >%",
    "%< JSON.stringify({toJSON() { for (;;) {} }}) >%",
    "%< ''.padEnd(2**30 - 1).split('') >%",
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
    "%{ error(setmetatable({}, {__tostring = function() while true do end end})) }%",
    "%< ",
    "%{ ",
)
_KIND = (
    "%< for (let i = 0; i < fields.n.value; i++) { >% %<= i >% %< } >%",
    "%<= fields.n.value >%",
    "%< import {a} from 'wbrandom.js' >%",
    "%{ for i = 1, fields.n.value do }% %{= i }% %{ end }%",
    "%{= fields.s.value }%",
    "%< const x = fields.s.value; __out.push('#' + x.length + '\\n') >%",
)


def template(random: Random, folder: Path) -> str:
    """Writes a world with instances of a template that goes on, or makes odd text."""
    opening = some(random, "%<", "%{")
    scripts = [
        script
        for script in (_SCRIPTS if often(random, 0.25) else _KIND)
        if script.startswith(opening) or often(random, 0.02)
    ]
    body = "".join(
        some(random, *scripts, "\n" * length(random))
        for _ in range(random.integers(1, 4))
    )
    proto = (
        f"{some(random, _HEAD, _OLD)}PROTO T [ field SFInt32 n 1 field SFString s"
        f' "a" ] {{\nSolid {{ name "a"\n#{body}\n }}\n}}'
        if often(random, 0.6)
        else f"{some(random, _HEAD, _OLD)}PROTO T [ field SFInt32 n 1 field SFString s"
        f' "a" ] {{\n{body}\n{node(random, "Solid", 2)}\n}}'
    )
    write(random, folder / "T.proto", proto, 0.1)
    value = (
        some(random, "1", "5", "3000") if often(random, 0.9) else number(random)
    )
    # Up to thirty bodies in one place.
    count = int(random.integers(1, 30))
    instances = f"T {{ n {value} s {text(random)} }}\n" * count
    (folder / "w.wbt").write_text(
        f'{_HEAD}EXTERNPROTO "T.proto"\n{instances}{_ROBOT}'
    )
    return "w.wbt"


def protos(random: Random, folder: Path) -> str:
    """Writes PROTOs in PROTOs, several times each, some in a circle."""
    levels = length(random) % 40 + 1
    for i in range(levels):
        times = 1 if often(random, 0.8) else int(random.integers(1, 4))
        other = int(random.integers(levels)) if often(random, 0.03) else i + 1
        inside = (
            f"P{other} {{ t IS t c {some(random, 'IS c', '[ Solid { } ]')} }} "
            * times
        )
        (folder / f"P{i}.proto").write_text(
            f'{_HEAD}EXTERNPROTO "P{other}.proto"\nPROTO P{i} [ field SFVec3f t 0 0 0'
            f" field MFNode c [ ] ] {{ Group {{ children [ {inside} ] }} }}"
        )
    (folder / f"P{levels}.proto").write_text(
        f"{_HEAD}PROTO P{levels} [ field SFVec3f t 0 0 0 field MFNode c [ ] ]"
        f" {{ Solid {{ translation IS t children IS c }} }}"
    )
    given = node(random, "Solid", int(random.integers(3)))
    where = f"{number(random)} 0 0" if often(random, 0.5) else "0 0 1"
    main = f'EXTERNPROTO "P0.proto"\nP0 {{ t {where} c [ {given} ] }}\n{_ROBOT}'
    write(random, folder / "w.wbt", _HEAD + main, 0.1)
    return "w.wbt"


# Models, meshes and pictures

_OBJ = (
    b"mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nvt 0 0\n"
    b"usemtl s\nf 1/1/1 3/1/1 2/1/1\nf 1//1 2//1 4//1\nf 1 4 3\nf 2 3 4\n"
)
_MTL = b"newmtl s\nKd 1 0 0\nmap_Kd t.png\n"
_VTK = (
    b"# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4"
    b" double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
)
_MESHES = ("m.obj", "m.stl", "m.vtk", "m.gltf", "m.glb", "m.dae")


def _picture(random: Random) -> bytes:
    data = io.BytesIO()
    kind = some(random, "PNG", "PNG", "PNG", "JPEG", "BMP", "GIF", "WEBP")
    mode = (
        some(random, "RGB", "RGBA", "L", "P", "1") if kind == "PNG" else "RGB"
    )
    Image.effect_noise((32, 32), 50).convert(mode).save(data, kind)
    return data.getvalue()


def _gltf(picture: bytes) -> bytes:
    """Returns a glTF file with a picture."""
    uri = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    shown = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    primitive = {"attributes": {"POSITION": 0, "TEXCOORD_0": 0}, "indices": 1}
    return gltf(
        images=[{"uri": uri}],
        textures=[{"source": 0}],
        materials=[shown],
        meshes=[{"primitives": [{**primitive, "material": 0}]}],
        scenes=[{"nodes": [0]}],
        scene=0,
    )


def _in_one(data: bytes) -> bytes:
    """Returns a glTF file with its buffer, as a .glb."""
    content = json.loads(data)
    del content["buffers"][0]["uri"]
    return _glb(json.dumps(content).encode(), BUFFER)


def _dae() -> bytes:
    numbers = "0 0 0 1 0 0 0 1 0 0 0 1"
    return f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"
 version="1.4.1"><asset><unit meter="1"/></asset><library_geometries><geometry id="g">
<mesh><source id="s"><float_array id="f" count="12">{numbers}</float_array>
<technique_common><accessor source="#f" count="4" stride="3"><param name="X"
 type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/>
</vertices><triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n"><instance_geometry url="#g"/>
</node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/>
</scene></COLLADA>""".encode()


def _files(random: Random) -> dict[str, bytes]:
    """Returns meshes of all kinds, and the files that they name."""
    picture = _picture(random)
    whole = _gltf(damaged(random, picture) if often(random, 0.2) else picture)
    corners = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]], "<f4")
    faces = [
        corners[[0, 1, 2]],
        corners[[0, 2, 3]],
        corners[[0, 3, 1]],
        corners[1:],
    ]
    stl = b"".join(bytes(12) + face.tobytes() + bytes(2) for face in faces)
    return {
        "m.obj": _OBJ,
        "m.mtl": _MTL,
        "t.png": picture,
        "m.stl": bytes(80) + (4).to_bytes(4, "little") + stl,
        "m.vtk": _VTK,
        "m.gltf": whole,
        "m.bin": BUFFER,
        "m.glb": _in_one(whole),
        "m.dae": _dae(),
    }


def _holder(random: Random, folder: Path, name: str) -> str:
    """Writes a model that names a mesh, and its scenario."""
    role = some(random, "visual", "collision")
    scale = f'scale="{number(random)} 1 1"' if often(random, 0.2) else ""
    models = {
        "m.urdf": f'<robot name="m"><link name="l">{_INERTIA}<{role}><geometry><mesh'
        f' filename="{name}" {scale}/></geometry></{role}></link></robot>',
        "m.sdf": f"<sdf version='1.9'><model name='m'><link name='l'><{role} name='v'>"
        f"<geometry><mesh><uri>{name}</uri></mesh></geometry></{role}></link></model>"
        "</sdf>",
        "m.xml": f"<mujoco model='m'><asset><mesh name='a' file='{name}'/></asset>"
        "<worldbody><body name='l'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
        "<geom type='mesh' mesh='a'/></body></worldbody></mujoco>",
    }
    file = some(random, *models)
    (folder / file).write_text(models[file])
    return _scenario(folder, file)


def mesh(random: Random, folder: Path) -> str:
    """Writes a model with a mesh of which a file is damaged, a pipe, a link."""
    files = _files(random)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    name = some(random, *_MESHES)
    parts = {"m.obj": ("m.mtl", "t.png"), "m.gltf": ("m.bin",)}.get(name, ())
    hurt = folder / some(random, name, name, *parts)
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
    return _holder(random, folder, name)


def picture(random: Random, folder: Path) -> str:
    """Writes a model, or a world, with a damaged picture."""
    data = damaged(random, _picture(random))
    (folder / "t.png").write_bytes(data)
    (folder / "m.mtl").write_bytes(_MTL)
    (folder / "m.obj").write_bytes(_OBJ)
    (folder / "m.gltf").write_bytes(_gltf(data))
    (folder / "m.bin").write_bytes(BUFFER)
    kind = random.integers(4)
    if kind < 2:
        return _holder(random, folder, ("m.obj", "m.gltf")[kind])
    if kind == 2:
        (folder / "m.urdf").write_text(
            f'<robot name="m"><link name="l">{_INERTIA}<visual><geometry><box'
            ' size="1 1 1"/></geometry><material name="a"><texture filename="t.png"/>'
            "</material></visual></link></robot>"
        )
        return _scenario(folder, "m.urdf")
    (folder / "w.wbt").write_text(
        f"{_HEAD}WorldInfo {{ }} Solid {{ children [ Shape {{ appearance PBRAppearance"
        ' { baseColorMap ImageTexture { url [ "t.png" ] } } geometry Box { } } ] }\n'
        f"{_ROBOT}"
    )
    return "w.wbt"


def model(random: Random, folder: Path) -> str:
    """Writes a URDF, SDF or MJCF: odd numbers, deep, long, damaged, or in itself."""
    kind = some(random, "urdf", "sdf", "xml")
    make = {"urdf": _urdf_text, "sdf": _sdf_text, "xml": _mjcf_text}[kind]
    inside = _burden(random, folder, kind) if often(random, 0.3) else ""
    write(random, folder / f"m.{kind}", make(random, inside), 0.2)
    return _scenario(folder, f"m.{kind}")


def _burden(random: Random, folder: Path, kind: str) -> str:
    n = length(random)
    return some(
        random,
        "<a>" * n + "</a>" * n,
        "\n" * 10 * n,
        "<link name='x'/>" * min(n, 3000),
        "".join(f"<link name='x{i}'/>" for i in range(min(n, 1000))),
        f"<include><uri>file://{folder}/m.{kind}</uri></include>",
        "<include file='m.xml'/>",
        "<uri>" + "x<b/>" * n + "</uri>",
        "<!-- " + "-" * n,
        "&a;" * n,
    )


def _shape(random: Random) -> str:
    a, b = number(random), number(random)
    return some(
        random,
        f"<box size='{a} {b} 1'/>",
        f"<sphere radius='{a}'/>",
        f"<cylinder radius='{a}' length='{b}'/>",
        f"<capsule radius='{a}' length='{b}'/>",
        f"<mesh filename={text(random)}/>",
    )


def _urdf_text(random: Random, inside: str) -> str:
    links, joints = "", ""
    hint = f"<drake:mesh_resolution_hint value='{number(random)}'/>"
    for i in range(int(random.integers(1, 6))):
        a = number(random)
        links += (
            f"<link name='l{i}'><inertial><mass value='{a}'/><inertia ixx='1' iyy='1'"
            f" izz='{number(random)}' ixy='0' ixz='0' iyz='0'/></inertial>"
            f"<collision name={text(random)}><geometry>{_shape(random)}</geometry>"
            "<drake:proximity_properties>"
            f"{'<drake:rigid_hydroelastic/>' + hint if often(random, 0.2) else ''}"
            "</drake:proximity_properties></collision></link>"
        )
        if i:
            parent = int(random.integers(i + often(random, 0.05)))
            kind = some(random, "revolute", "prismatic", "fixed")
            joints += (
                f"<joint name='j{i}' type='{kind}'><parent link='l{parent}'/><child"
                f" link='l{i}'/><axis xyz='{number(random)} 0 1'/>"
                f"<limit lower='{number(random)}' upper='{number(random)}'"
                f" effort='{number(random)}' velocity='1'/><dynamics damping="
                f"'{number(random)}' friction='{number(random)}'/></joint>"
            )
    return f"<robot name='m'>{links}{joints}{inside}</robot>"


def _sdf_text(random: Random, inside: str) -> str:
    n = int(random.integers(1, 6))
    links = "".join(
        f"<link name='l{i}'><pose>{number(random)} 0 {i} 0 0 {number(random)}</pose>"
        f"<inertial><mass>{number(random)}</mass></inertial><collision name='c'>"
        f"<geometry><sphere><radius>{number(random)}</radius></sphere></geometry>"
        "</collision></link>"
        for i in range(n)
    )
    joints = "".join(
        f"<joint name='j{i}' type='{some(random, 'revolute', 'prismatic', 'ball')}'>"
        f"<parent>l{random.integers(i)}</parent><child>l{i}</child><axis><xyz>0"
        f" {number(random)} 1</xyz><limit><lower>{number(random)}</lower><upper>"
        f"{number(random)}</upper></limit></axis></joint>"
        for i in range(1, n)
    )
    return f"<sdf version='1.9'><model name='m'>{links}{joints}{inside}</model></sdf>"


def _mjcf_text(random: Random, inside: str) -> str:
    body, n = "", int(random.integers(1, 6))
    for i in range(n):
        kind = some(random, "hinge", "slide", "ball", "free")
        body = (
            f"<body name='b{i}' pos='0 {number(random)} 1'><joint name='j{i}'"
            f" type='{kind}' damping='{number(random)}' armature='{number(random)}'/>"
            f"<geom type='{some(random, 'sphere', 'box', 'capsule', 'plane')}'"
            f" size='{number(random)} {number(random)} 1' mass='{number(random)}'/>"
            f"{body}</body>"
        )
    motors = f"<actuator><motor joint='j0' gear='{number(random)}'/></actuator>"
    option = (
        f"<option timestep='{number(random)}'/>" if often(random, 0.2) else ""
    )
    return (
        f"<mujoco model='m'>{option}<worldbody>{body}</worldbody>{motors}{inside}"
        "</mujoco>"
    )


def archive(random: Random, folder: Path) -> str:
    """Writes a damaged run, or one that unfolds to gigabytes."""
    rows = int(random.integers(1, 50))
    time = np.arange(rows * 1.0)
    Results(time=time, signals={"a/b/c": time}, metadata={}).save(folder)
    if often(random, 0.02):
        (folder / "run.npz").write_bytes(_unfolding())
    elif often(random, 0.3):
        _rezipped(random, folder / "run.npz")
    else:
        name = some(random, "run.npz", "run.json")
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(damaged(random, data))
    return "."


def _rezipped(random: Random, file: Path) -> None:
    """Damages an array in an archive that is whole."""
    with zipfile.ZipFile(file) as old:
        contents = {name: old.read(name) for name in old.namelist()}
    hurt = some(random, *contents)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in contents.items():
            new.writestr(name, damaged(random, data) if name == hurt else data)


@functools.cache
def _unfolding() -> bytes:
    """Returns an archive of two megabytes with two gigabytes of zeros."""
    header, data = io.BytesIO(), io.BytesIO()
    about = {"descr": "<f8", "fortran_order": False, "shape": (2**28,)}
    np.lib.format.write_array_header_1_0(header, about)
    with (
        zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("time.npy", "w", force_zip64=True) as member,
    ):
        member.write(header.getvalue())
        for _ in range(2**11):
            member.write(bytes(2**20))
    return data.getvalue()


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


def attempt(
    file: Path, *, draws: bool = False, owns_process: bool = False
) -> None:
    """Reads what a case wrote, as `check` does, steps it, and draws it if wanted."""
    if file.is_dir():
        Results.load(file)
        return
    with limited_loading(str(file), owns_process=owns_process):
        duration = (
            "{simulation_duration: 0.064}" if file.suffix == ".wbt" else "{}"
        )
        scenario = load_scenario(file, text=duration)
        simulation = ready(scenario)
        accepted()

    def end_what_is_slow(now: float, end: float) -> None:
        if time.process_time() > SLOW:
            raise KeyboardInterrupt

    try:
        results = simulation.run(progress=end_what_is_slow)
    except KeyboardInterrupt:  # somebody who has seen enough
        results = simulation.results()
    if draws:
        Film(results, scenario, size=(32, 24)).picture(0)


def in_child(
    act: Callable[[], object], seconds: int = SECONDS, patience: float = 300.0
) -> str:
    """Does something in a process of its own; returns what came of it.

    Args:
        act: called there.
        seconds: processor time that it may take.
        patience: time by the clock, s, of a busy machine.

    Returns:
        "read", "refused", or how it fell.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _act(act, seconds, writer)
    os.close(writer)
    said = ""
    if select.select([reader], [], [], patience)[0]:
        with os.fdopen(reader) as stream:
            said = stream.read()
    else:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        said = f"nothing for {patience:g} s"
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    # The command line ends itself with its line where Drake takes too long.
    return said or ("refused" if code == 2 else f"ended with {code}")


def _act(act: Callable[[], object], seconds: int, writer: int) -> NoReturn:
    """Does something with limits, says what came of it, and ends the process."""
    said = "read"
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(null, stream)
        # What the parent has already is the child's, too.
        used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        space = pages * resource.getpagesize() + SPACE
        for kind, most in (
            (resource.RLIMIT_CPU, used + seconds),
            (resource.RLIMIT_AS, space),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(kind, (most, most))
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


def fuzz(
    calls: int, seed: int, folder: Path, only: str = ""
) -> tuple[dict, list]:
    """Tries so many cases; returns what came of each class, and those that fell."""
    found = {name: Counter() for name in CLASSES if only in ("", name)}
    attempt(folder / _plain(folder))  # what is imported here is in each child
    for module in ("_quickjs", "collada", "lupa", "pydrake.visualization"):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    fell = []
    for i in range(calls):
        name = [*found][i % len(found)]
        random = np.random.default_rng([seed, i])
        case = folder / str(i)
        case.mkdir()
        file = case / CLASSES[name](random, case)
        draws = name in ("mesh", "picture") and i // len(found) % 5 == 0
        said = in_child(
            functools.partial(attempt, file, draws=draws, owns_process=True)
        )
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
        found.named_files()
        found.renamed(lambda name: name)

    return read


def _world(inside: Callable[[int], str]) -> Callable[[Path, int], object]:
    def read(folder: Path, n: int) -> None:
        text = f"{_HEAD}{inside(n)}{_ROBOT}"
        import_world(_written(folder, "g.wbt", text), Options())

    return read


def _file(
    name: str, read: Callable[[Path], object], inside: Callable[[int], str]
) -> Callable[[Path, int], object]:
    """Returns a reader of a file with a text."""
    return lambda folder, n: read(_written(folder, name, inside(n)))


def _scenario_of(
    directives: Callable[[int], str],
) -> Callable[[Path, int], object]:
    return _file(
        "g.yaml",
        load_scenario,
        lambda n: (
            f"S:\n  simulation_duration: 1\n  directives:\n{directives(n)}"
        ),
    )


def _gltf_of(changes: Callable[[int], dict]) -> Callable[[Path, int], object]:
    def read(folder: Path, n: int) -> None:
        data = gltf(**json.loads(_gltf(b"")) | changes(n))
        safe_gltf(folder / "g.gltf", data, {"m.bin": BUFFER})

    return read


def _obj_of(
    name: str, text: Callable[[int], str]
) -> Callable[[Path, int], object]:
    def read(folder: Path, n: int) -> None:
        (folder / "m.mtl").write_bytes(_MTL)
        mesh = _written(folder, "g.obj", _OBJ.decode())
        _written(folder, name, text(n))
        safe_assets(mesh)

    return read


def _png_of_chunks(folder: Path, n: int) -> None:
    data = io.BytesIO()
    Image.new("L", (4, 4)).save(data, "PNG")
    head, rest = data.getvalue()[:33], data.getvalue()[33:]
    chunk = b"\0\0\0\1teSta" + zlib.crc32(b"teSta").to_bytes(4, "big")
    safe_png(folder, head + chunk * n + rest)


def _run_of(folder: Path, n: int) -> None:
    time = np.arange(2.0)
    signals = {f"a/b/c{i}": time for i in range(n)}
    Results(time=time, signals=signals, metadata={}).save(folder / "run")
    Results.load(folder / "run")


def _proto_of_parameters(folder: Path, n: int) -> None:
    fields = "".join(f"field SFFloat f{i} 0 " for i in range(n))
    _written(folder, "G.proto", f"{_HEAD}PROTO G [ {fields}] {{ Solid {{ }} }}")
    _world(lambda n: 'EXTERNPROTO "G.proto"\nG { }\n')(folder, n)


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
        lambda folder, n: _script("%< " * n, "%<", ">%", "{}", "{}"),
        500_000,
    ),
    "imports of scripts": (
        lambda folder, n: _without_imports("\n" * n + "import {\n" * n),
        200_000,
    ),
    "directives": (
        _scenario_of(lambda n: "  - add_model_instance: {name: a}\n" * n),
        5_000,
    ),
    "numbers of a position": (
        _file(
            "g.yaml",
            load_scenario,
            lambda n: f"S:\n  initial_position: {{a: {{j: [{'0, ' * n}]}}}}\n",
        ),
        50_000,
    ),
    "a long text of YAML": (
        _file("g.yaml", load_scenario, lambda n: f"S: {{a: '{'a' * n}'}}"),
        500_000,
    ),
    "nodes of a glTF": (_gltf_of(lambda n: {"nodes": [{}] * n}), 200_000),
    "images of a glTF": (
        _gltf_of(lambda n: {"images": [{"uri": "data:,"}] * n}),
        100_000,
    ),
    "materials": (
        _obj_of("m.mtl", lambda n: "newmtl s\nmap_Kd t.png\n" * n),
        50_000,
    ),
    "libraries of materials": (
        _obj_of("g.obj", lambda n: "mtllib m.mtl\n" * n),
        50_000,
    ),
    "chunks of a PNG": (_png_of_chunks, 100_000),
    "triangles of an STL": (
        _file(
            "g.stl",
            load_triangles,
            lambda n: (
                "solid\n" + "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n" * n
            ),
        ),
        50_000,
    ),
    "triangles of a COLLADA": (
        _file(
            "g.dae",
            load_mesh,
            lambda n: _dae().decode().replace("<p>", f"<p>{'0 1 2 ' * n}"),
        ),
        50_000,
    ),
    "signals of a run": (_run_of, 500),
    "rows of a log": (
        _file(
            "g.csv",
            load_log,
            lambda n: (
                "time,a.target,a.position\n"
                + "".join(f"{i},0,0\n" for i in range(n))
            ),
        ),
        50_000,
    ),
    "columns of a log": (
        _file(
            "g.csv",
            load_log,
            lambda n: (
                "time," + ",".join(f"a{i}.position" for i in range(n)) + "\n0"
            ),
        ),
        5_000,
    ),
    "poses of a motion": (
        _file(
            "g.motion",
            load_motion,
            lambda n: (
                "#WEBOTS_MOTION,V1.0,a\n"
                + "".join(f"00:00:{i},P,0\n" for i in range(n))
            ),
        ),
        20_000,
    ),
    "keys": (
        _file(
            "g.txt", load_keys, lambda n: "".join(f"{i} UP\n" for i in range(n))
        ),
        50_000,
    ),
    "parameters of a PROTO": (_proto_of_parameters, 5_000),
    "points of a mesh": (
        _world(
            lambda n: (
                "Solid { boundingObject IndexedFaceSet { coord Coordinate {"
                f" point [ {'0 0 0 1 0 0 0 1 0 ' * n} ] }} coordIndex [ 0 1 2 -1 ]"
                " } }"
            )
        ),
        20_000,
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
            gc.freeze()  # a look at all that this process has is not the reader's
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
