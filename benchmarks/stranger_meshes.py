"""A whole glTF mesh of one triangle, for those who damage it."""

import json
from typing import Any

import numpy as np

BUFFER = (
    np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
    + np.array([0, 2, 1], "<u2").tobytes()
)
_POINTS = {
    "bufferView": 0,
    "componentType": 5126,
    "count": 3,
    "type": "VEC3",
}
_INDICES = {
    "bufferView": 1,
    "componentType": 5123,
    "count": 3,
    "type": "SCALAR",
}
_WHOLE = {
    "asset": {"version": "2.0"},
    "buffers": [{"uri": "m.bin", "byteLength": len(BUFFER)}],
    "bufferViews": [
        {"buffer": 0, "byteLength": 36},
        {"buffer": 0, "byteOffset": 36, "byteLength": 6},
    ],
    "accessors": [_POINTS, _INDICES],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "nodes": [{"mesh": 0}],
}


def gltf(**changes: Any) -> bytes:
    """Returns the file, whose buffer is `m.bin`, with other parts at its top."""
    return json.dumps(_WHOLE | changes).encode()
