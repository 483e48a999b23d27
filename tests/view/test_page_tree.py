"""The tree of a page: what belongs to bodies besides the shapes that are seen."""

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RotationMatrix

import webmotor_drake as wm
from webmotor_drake.cli.view_command import _model_scenario
from webmotor_drake.view.page_scene import PageScene
from webmotor_drake.view.puppet import Puppet


def tree(scenario):
    """Returns the bodies of a scenario by name, and its puppet."""
    puppet = Puppet(scenario)
    rows = PageScene(puppet).about["tree"]
    return {row["name"]: row for row in rows}, puppet


def test_a_joint_has_its_axis_where_it_turns_and_its_limits():
    rows, puppet = tree(wm.load_scenario("package:six_axis"))
    plant, context = puppet.plant, puppet.context
    for name in ("column", "upper_arm", "tool"):
        told = rows[name]["joint"]
        joint = plant.GetJointByName(told["name"])
        low, high = joint.position_lower_limits(), joint.position_upper_limits()
        assert told["limits"] == [[low[0], high[0]]]
        assert told["type"] == "revolute"
        np.testing.assert_array_equal(told["axis"], joint.revolute_axis())
        # Both frames are in one place, one seen from each of the two bodies.
        poses = []
        for body, pose in (
            (joint.parent_body(), told["on_parent"]),
            (joint.child_body(), told["on_child"]),
        ):
            X_WB = body.EvalPoseInWorld(context).GetAsMatrix4()
            poses.append(X_WB @ np.reshape(pose, (4, 4)).T)
        np.testing.assert_allclose(poses[0][:3, 3], poses[1][:3, 3], atol=1e-12)


def test_soft_limits_come_before_stops():
    scenario = wm.load_scenario("package:two_link_arm")
    motor = scenario.model_drivers["arm"].motors["elbow motor"]
    motor.min_position, motor.max_position = -0.5, 0.25
    rows, _ = tree(scenario)
    limits = rows["forearm"]["joint"]["limits"]
    assert limits[0] == [-0.5, 0.25]


def test_the_ellipsoid_has_the_inertia_of_the_body():
    rows, puppet = tree(wm.load_scenario("package:six_axis"))
    body = puppet.plant.GetBodyByName("upper_arm")
    told = rows["upper_arm"]["ellipsoid"]
    a, b, c = told["sizes"]
    mass = rows["upper_arm"]["mass"]
    assert mass == body.default_mass()
    # A solid ellipsoid: m / 5 of the squares of the two others.
    principal = (
        mass / 5 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    )
    R = RotationMatrix(Quaternion(told["quaternion"])).matrix()
    own = body.default_spatial_inertia()
    np.testing.assert_allclose(told["position"], own.get_com(), atol=1e-12)
    about_com = own.Shift(own.get_com()).CalcRotationalInertia()
    np.testing.assert_allclose(
        R @ principal @ R.T, about_com.CopyToFullMatrix3(), atol=1e-9
    )
    assert rows["base"]["ellipsoid"] is None  # it is fixed to the world


def test_devices_are_where_they_are_mounted():
    rows, _ = tree(wm.load_scenario("package:controller_gps"))
    found = {d["name"]: d for row in rows.values() for d in row["devices"]}
    assert {d["type"] for d in found.values()} >= {"GPS", "Compass"}


URDF = """<robot name="r"><link name="b"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><box size="1 1 1"/></geometry></visual>
  <collision><geometry><mesh filename="m.obj"/></geometry></collision>
  <collision><geometry><sphere radius="0.2"/></geometry></collision>
</link></robot>"""
TETRAHEDRON = (
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
)


def test_shapes_that_collide_are_told_meshes_by_their_hulls(tmp_path):
    (tmp_path / "m.obj").write_text(TETRAHEDRON)
    (tmp_path / "r.urdf").write_text(URDF)
    rows, _ = tree(_model_scenario(tmp_path / "r.urdf"))
    shapes = {shape["kind"]: shape for shape in rows["b"]["collision"]}
    assert shapes["Sphere"]["sizes"] == [0.2]
    assert len(shapes["Hull"]["vertices"]) == len(shapes["Hull"]["faces"]) == 4
