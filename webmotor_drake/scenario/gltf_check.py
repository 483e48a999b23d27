"""The numbers in glTF meshes: VTK trusts them, and reads beyond the ends of buffers."""

import base64
import binascii
import json
import typing
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError

# The bytes of a component, and the components of an element (glTF 2.0, 3.6.2.2).
_COMPONENTS = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_UNSIGNED = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32}
_ELEMENTS = {
    "SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16
}  # fmt: skip
_DATA = ";base64,"
_HEADER, _CHUNK = 12, 8  # bytes, of a .glb


def gltf_json(file: Path, data: bytes) -> tuple[dict[str, typing.Any], bytes]:
    """Returns the JSON of a .gltf or .glb file, and the latter's own buffer.

    Raises:
        InputError: it is not a glTF file.
    """
    binary = b""
    try:
        if data[:4] == b"glTF":
            length = int.from_bytes(data[_HEADER : _HEADER + 4], "little")
            start = _HEADER + _CHUNK
            binary = data[start + length + _CHUNK :]
            data = data[start : start + length]
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{file} is not a glTF file")
    return found, binary


def gltf_files(file: Path, data: bytes) -> list[str]:
    """Returns the names of the buffers and images that a glTF file names."""
    found, _ = gltf_json(file, data)
    uris = (
        item.get("uri")
        for kind in ("buffers", "images")
        for item in _list(found, kind)
        if isinstance(item, dict)
    )
    return [u for u in uris if isinstance(u, str) and not u.startswith("data:")]


def check_gltf(
    file: Path, data: bytes, files: dict[str, bytes], pictures: typing.Callable
) -> None:
    """Refuses a glTF file whose numbers lead out of its buffers.

    Args:
        file: its name, for messages.
        data: what is in it.
        files: the files that it names, by their names in it.
        pictures: called with the bytes of each image inside of it.

    Raises:
        InputError: it says what does not fit.
    """
    found, binary = gltf_json(file, data)
    try:
        problem = _problem(found, binary, files, pictures)
    except (
        AttributeError,
        IndexError,
        KeyError,
        OverflowError,
        TypeError,
        ValueError,
        binascii.Error,
    ) as error:
        problem = f"{type(error).__name__} {error}"
    if problem:
        raise InputError(f"{file} is not a whole glTF file: {problem}")


def _problem(
    found: dict[str, typing.Any],
    binary: bytes,
    files: dict[str, bytes],
    pictures: typing.Callable,
) -> str:
    """Returns what leads out of the buffers; "" if nothing does."""
    buffers = [_held(b, binary, files) for b in _list(found, "buffers")]
    views = [_view(view, buffers) for view in _list(found, "bufferViews")]
    for image in _list(found, "images"):
        if "bufferView" in image:
            pictures(views[_index(image["bufferView"])][0])
        elif str(image.get("uri", "")).startswith("data:"):
            pictures(base64.b64decode(image["uri"].partition(_DATA)[2]))
    accessors = [_accessed(a, views) for a in _list(found, "accessors")]
    for mesh in _list(found, "meshes"):
        for primitive in mesh["primitives"]:
            if problem := _of_primitive(primitive, accessors):
                return problem
    return _of_nodes(_list(found, "nodes"))


def _held(
    buffer: dict[str, typing.Any], binary: bytes, files: dict[str, bytes]
) -> bytes:
    """Returns the bytes of a buffer."""
    uri = buffer.get("uri")
    held = binary if uri is None else files.get(uri, b"")
    if uri is not None and uri.startswith("data:"):
        held = base64.b64decode(uri.partition(_DATA)[2])
    if _index(buffer["byteLength"]) > len(held):
        raise ValueError(f"a buffer of {len(held)} bytes says that it has more")
    return held


def _view(
    view: dict[str, typing.Any], buffers: list[bytes]
) -> tuple[memoryview, int]:
    """Returns the bytes of a bufferView, and its stride."""
    held = buffers[_index(view["buffer"])]
    start = _index(view.get("byteOffset", 0))
    end = start + _index(view["byteLength"])
    if end > len(held):
        raise ValueError("a bufferView ends behind its buffer")
    return memoryview(held)[start:end], _index(view.get("byteStride", 0))


def _of_primitive(
    primitive: dict[str, typing.Any], accessors: list[np.ndarray]
) -> str:
    """Returns what is wrong with a primitive; "" if nothing is."""
    used = [accessors[_index(a)] for a in primitive["attributes"].values()]
    points = accessors[_index(primitive["attributes"]["POSITION"])]
    if {len(a) for a in used} != {len(points)}:
        return "the attributes of a primitive differ in number"
    if "indices" not in primitive:
        return ""
    indices = accessors[_index(primitive["indices"])]
    if indices.dtype.kind != "u":
        return "indices that are not whole numbers"
    if indices.size and indices.max() >= len(points):
        return f"an index of no vertex; there are {len(points)}"
    return ""


def _accessed(
    accessor: dict[str, typing.Any], views: list[tuple[memoryview, int]]
) -> np.ndarray:
    """Returns the elements of an accessor, shape (count, bytes or 1)."""
    if "sparse" in accessor:
        raise ValueError("sparse accessors are not read")
    kind, count = accessor["componentType"], _index(accessor["count"])
    size = _COMPONENTS[kind] * _ELEMENTS[accessor["type"]]
    if "bufferView" not in accessor:  # zeros
        if count > 10_000_000:
            raise ValueError(f"{count} elements of no buffer")
        return np.zeros((count, 1), np.uint8)
    data, stride = views[_index(accessor["bufferView"])]
    start, stride = _index(accessor.get("byteOffset", 0)), stride or size
    if count and start + (count - 1) * stride + size > len(data):
        raise ValueError("an accessor ends behind its bufferView")
    if accessor["type"] == "SCALAR" and kind in _UNSIGNED and stride == size:
        return np.frombuffer(data, _UNSIGNED[kind], count, start).reshape(-1, 1)
    return np.broadcast_to(np.int8(0), (count, 1))


def _of_nodes(nodes: list[dict[str, typing.Any]]) -> str:
    """Returns a problem if a node is below itself, or below two others."""
    children = [list(map(_index, n.get("children", []))) for n in nodes]
    below = [child for inner in children for child in inner]
    roots = set(range(len(nodes))) - set(below)
    is_tree = len(set(below)) == len(below) == len(nodes) - len(roots)
    waiting, reached = [*roots], 0
    while waiting and is_tree:
        reached += 1
        waiting += children[waiting.pop()]
    return "" if reached == len(nodes) else "its nodes are not a tree"


def _list(found: dict[str, typing.Any], kind: str) -> list[typing.Any]:
    items = found.get(kind, [])
    if not isinstance(items, list):
        raise TypeError(f"{kind} is not a list")
    return items


def _index(value: typing.Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is not an index")
    return value
