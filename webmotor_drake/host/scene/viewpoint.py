"""The Viewpoint: where Webots' window looks from. Here it only stores values."""

from collections.abc import Iterator

from webmotor_drake.host.scene.scene_field import FieldType, SceneField
from webmotor_drake.host.scene.stored_fields import StoredFields

_T = FieldType


def viewpoint_fields(stored: StoredFields) -> Iterator[SceneField]:
    """Yields the fields in Webots' order."""
    yield stored.field("fieldOfView", _T.SF_FLOAT, 0.785398)
    yield stored.field("orientation", _T.SF_ROTATION, [0.0, 0.0, 1.0, 0.0])
    yield stored.field("position", _T.SF_VEC3F, [-10.0, 0.0, 0.0])
    yield stored.field("description", _T.SF_STRING, "")
    yield stored.field("near", _T.SF_FLOAT, 0.05)
    yield stored.field("far", _T.SF_FLOAT, 0.0)
    yield stored.field("exposure", _T.SF_FLOAT, 1.0)
    yield stored.field("follow", _T.SF_STRING, "")
    yield stored.field("followType", _T.SF_STRING, "Tracking Shot")
    yield stored.field("followSmoothness", _T.SF_FLOAT, 0.5)
    yield stored.field("ambientOcclusionRadius", _T.SF_FLOAT, 2.0)
    yield stored.field("bloomThreshold", _T.SF_FLOAT, 21.0)
