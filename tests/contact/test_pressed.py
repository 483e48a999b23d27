"""A patch has the corners of the face that lies flat."""

import numpy as np
import pytest
from free_bodies import Free, InDrake
from pydrake.geometry import Box, Cylinder

from webmotor_drake.contact import configure
from webmotor_drake.contact.pressed import MOST, patch_corners

STEP = 0.016


@pytest.fixture(autouse=True)
def patches_only(monkeypatch):
    """Lets bodies rest on patches, not on the corners beside these."""
    monkeypatch.setattr(configure, "add_corners", lambda *a: None)


def corners_of(body: Free) -> np.ndarray:
    world = InDrake([body], STEP)
    world.advance(0.5)
    port = world.plant.get_contact_results_output_port()
    info = port.Eval(world.context).hydroelastic_contact_info(0)
    force = info.F_Ac_W().translational()
    # At rest it carries the weight.
    assert abs(force[2]) == pytest.approx(9.81 * body.mass, rel=1e-5)
    return patch_corners(info.contact_surface(), force)


@pytest.mark.parametrize("yaw", [0.0, 0.3, 0.785])
@pytest.mark.parametrize("size", [(0.1, 0.1, 0.1), (0.4, 0.06, 0.02)])
def test_a_box_that_lies_flat_has_four(size, yaw):
    corners = corners_of(
        Free(Box(*size), [1, 0.5, size[2] / 2 + 1e-4], (0, 0, yaw))
    )
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    own = (corners[:, :2] - [1, 0.5]) @ turn
    expected = [
        (x * size[0] / 2, y * size[1] / 2) for x in (-1, 1) for y in (-1, 1)
    ]
    # The patch ends where the pressure is 0, within the sinking of the edge.
    np.testing.assert_allclose(
        sorted(own.round(3).tolist()), sorted(expected), atol=1e-3
    )


def test_a_cylinder_on_its_rim_has_as_many_as_webots_allows():
    corners = corners_of(Free(Cylinder(0.05, 0.1), [0, 0, 0.0501]))
    assert len(corners) == MOST
    radii = np.hypot(*corners.T[:2])
    assert radii == pytest.approx([0.05] * MOST, abs=1e-3)
