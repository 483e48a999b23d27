"""Checks the numbers and pictures in glTF meshes, which VTK trusts."""

import base64
import json
import typing
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.pictures import safe_png, white_png

GLTF = (".gltf", ".glb")
# The bytes of a component, and the components of an element (glTF 2.0, 3.6.2.2).
_COMPONENTS = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_UNSIGNED = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32}
_ELEMENTS = {
    "SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16
}  # fmt: skip
# Most elements of an accessor without a buffer.
_MOST_ZEROS = 10_000_000
_BASE64 = ";base64,"
_MAGIC, _JSON, _BINARY = b"glTF", b"JSON", b"BIN\0"
_HEADER, _CHUNK = 12, 8  # bytes, of a .glb
# VTK does not decode these; browsers do.
_KTX = b"\xabKTX 20"
_JPEG = b"\xff\xd8\xff"
_LABEL = 30  # characters that hold a data URI's type

_Object = dict[str, typing.Any]


def _parts(file: Path, data: bytes) -> tuple[_Object, bytes]:
    """Returns the JSON of a .gltf or .glb file, and the buffer inside a .glb."""
    binary = b""
    try:
        if data[:4] == _MAGIC:
            start = _HEADER + _CHUNK
            end = start + int.from_bytes(data[_HEADER : _HEADER + 4], "little")
            data, binary = data[start:end], data[end + _CHUNK :]
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{file} is not a glTF file")
    return found, binary


def gltf_files(file: Path, data: bytes) -> list[str]:
    """Returns the names of the buffers and images that a glTF file names.

    Raises:
        InputError: it is not a glTF file.
    """
    found, _ = _parts(file, data)
    uris = (
        item.get("uri")
        for kind in ("buffers", "images")
        for item in _list(found, kind)
        if isinstance(item, dict)
    )
    return [u for u in uris if isinstance(u, str) and not u.startswith("data:")]


def safe_gltf(file: Path, data: bytes, files: dict[str, bytes]) -> bytes:
    """Returns a glTF file with pictures that cannot hurt.

    Args:
        file: its name, for messages.
        data: its content.
        files: the files that it names, by their names in it.

    Raises:
        InputError: numbers lead out of buffers; the text says which do not fit.
    """
    found, binary = _parts(file, data)
    try:
        views = _checked(found, binary, files)
        pictures = [
            _safe_image(file, i, views, files) for i in _list(found, "images")
        ]
    except (
        *(ArithmeticError, AttributeError, LookupError),
        *(TypeError, ValueError),
    ) as error:
        kind = "" if type(error) is ValueError else f"{type(error).__name__} "
        raise InputError(
            f"{file} is not a whole glTF file: {kind}{error}"
        ) from None
    if not any(pictures):
        return data
    found["images"] = [
        new or old for new, old in zip(pictures, found["images"], strict=True)
    ]
    text = json.dumps(found).encode()
    return _glb(text, binary) if data[:4] == _MAGIC else text


def _glb(text: bytes, binary: bytes) -> bytes:
    chunks = b""
    for kind, data, filling in ((_JSON, text, b" "), (_BINARY, binary, b"\0")):
        data += filling * (-len(data) % 4)
        chunks += len(data).to_bytes(4, "little") + kind + data
    numbers = (2, _HEADER + len(chunks))  # version, and length
    return _MAGIC + b"".join(n.to_bytes(4, "little") for n in numbers) + chunks


def _checked(
    found: _Object, binary: bytes, files: dict[str, bytes]
) -> list[memoryview]:
    """Checks the numbers of a glTF file, and returns its bufferViews."""
    buffers = [_held(b, binary, files) for b in _list(found, "buffers")]
    views = [_view(view, buffers) for view in _list(found, "bufferViews")]
    accessors = [_accessed(a, found, views) for a in _list(found, "accessors")]
    for mesh in _list(found, "meshes"):
        for primitive in mesh["primitives"]:
            _check_primitive(primitive, accessors)
    _check_nodes(_list(found, "nodes"))
    return views


def _safe_image(
    file: Path, image: _Object, views: list[memoryview], files: dict[str, bytes]
) -> _Object | None:
    """Returns a replacement for an image that cannot be decoded; None if it can."""
    uri = image.get("uri")
    if "bufferView" in image:
        data = bytes(views[_index(image["bufferView"])])
    elif uri is not None:
        data = _decoded(uri) if uri.startswith("data:") else files[uri]
    else:
        return None
    if data.startswith(_KTX) or not data:  # of a file that is not there
        return None
    try:
        safe = safe_png(file, data)
        # VTK recognizes a JPEG by its type or name.
        kind = str(image.get("mimeType", str(uri)[:_LABEL]))
        named = str(uri).lower().endswith((".jpg", ".jpeg")) or "jpeg" in kind
        if safe == data or (data.startswith(_JPEG) and named):
            return None
    except InputError as error:
        safe = white_png(error)
    text = base64.b64encode(safe).decode()
    uri = f"data:image/png{_BASE64}{text}"
    kept = {k: v for k, v in image.items() if k not in ("bufferView", "uri")}
    return kept | {"uri": uri, "mimeType": "image/png"}


def _decoded(uri: str) -> bytes:
    return base64.b64decode(uri.partition(_BASE64)[2])


def _held(buffer: _Object, binary: bytes, files: dict[str, bytes]) -> bytes:
    uri = buffer.get("uri")
    held = binary if uri is None else files.get(uri, b"")
    if uri is not None and uri.startswith("data:"):
        held = _decoded(uri)
    if _index(buffer["byteLength"]) > len(held):
        raise ValueError(f"a buffer of {len(held)} bytes says that it has more")
    return held


def _view(view: _Object, buffers: list[bytes]) -> memoryview:
    held = buffers[_index(view["buffer"])]
    start = _index(view.get("byteOffset", 0))
    end = start + _index(view["byteLength"])
    if end > len(held):
        raise ValueError("a bufferView ends behind its buffer")
    return memoryview(held)[start:end]


def _accessed(
    accessor: _Object, found: _Object, views: list[memoryview]
) -> np.ndarray:
    """Returns the elements of an accessor; zeros unless they may be indices."""
    if "sparse" in accessor:
        raise ValueError("sparse accessors are not read")
    kind, count = accessor["componentType"], _index(accessor["count"])
    size = _COMPONENTS[kind] * _ELEMENTS[accessor["type"]]
    if "bufferView" not in accessor:
        if count > _MOST_ZEROS:
            raise ValueError(f"{count} elements of no buffer")
        return np.zeros(count, np.uint8)
    number = _index(accessor["bufferView"])
    data, start = views[number], _index(accessor.get("byteOffset", 0))
    stride = _index(found["bufferViews"][number].get("byteStride", 0)) or size
    if count and start + (count - 1) * stride + size > len(data):
        raise ValueError("an accessor ends behind its bufferView")
    if accessor["type"] == "SCALAR" and kind in _UNSIGNED and stride == size:
        return np.frombuffer(data, _UNSIGNED[kind], count, start)
    return np.broadcast_to(np.int8(0), count)


def _check_primitive(primitive: _Object, accessors: list[np.ndarray]) -> None:
    """Refuses a primitive whose attributes or indices do not fit."""
    used = [accessors[_index(a)] for a in primitive["attributes"].values()]
    points = accessors[_index(primitive["attributes"]["POSITION"])]
    if {len(a) for a in used} != {len(points)}:
        raise ValueError("the attributes of a primitive differ in number")
    if "indices" not in primitive:
        return
    indices = accessors[_index(primitive["indices"])]
    if indices.dtype.kind != "u":
        raise ValueError("indices that are not whole numbers")
    if indices.size and indices.max() >= len(points):
        raise ValueError(f"an index of no vertex; there are {len(points)}")


def _check_nodes(nodes: list[_Object]) -> None:
    """Refuses nodes that are their own descendants, or children of two others."""
    children = [list(map(_index, n.get("children", []))) for n in nodes]
    below = [child for inner in children for child in inner]
    roots = set(range(len(nodes))) - set(below)
    is_tree = len(set(below)) == len(below) == len(nodes) - len(roots)
    waiting, reached = [*roots], 0
    while waiting and is_tree:
        reached += 1
        waiting += children[waiting.pop()]
    if reached != len(nodes):
        raise ValueError("its nodes are not a tree")


def _list(found: _Object, kind: str) -> list[typing.Any]:
    items = found.get(kind, [])
    if not isinstance(items, list):
        raise TypeError(f"{kind} is not a list")
    return items


def _index(value: typing.Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is not an index")
    return value
