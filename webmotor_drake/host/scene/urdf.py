"""A robot as URDF, with Webots' names (WbRobot.cpp, WbJoint.cpp writeExport).

The root link is "base_link". A joint has the name of its motor, else of its position
sensor. A device is a link on a fixed joint. A link has the axes of its body, and its
origin is on its joint.
"""

import math
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import numpy as np
from pydrake import geometry
from pydrake.geometry import GeometryId, Role
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.tree import (
    BodyIndex,
    Joint,
    PrismaticJoint,
    RevoluteJoint,
    RigidBody,
    WeldJoint,
)

from webmotor_drake.contact.corner_names import own_shapes
from webmotor_drake.contact.corners import mesh_file
from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.host import messages
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.nodes.motors import MotorNode, max_effort

_ROLES = (("visual", Role.kIllustration), ("collision", Role.kProximity))


class Urdf:
    """A robot as URDF, in the zero position of its joints.

    Args:
        host: the robot.
        prefix: prefix of the names of all links and joints.
        call: name of the client's call, for warnings of what URDF cannot express.
    """

    def __init__(self, host: RobotHost, prefix: str, call: str):
        self._host, self._plant = host, host.plant
        self._prefix, self._call = prefix, call
        self._inspector = host.stepped.surroundings.inspector()
        self._root = ET.Element("robot", name=prefix + host.name)
        self._links: dict[BodyIndex, str] = {}
        # From a body C to its link L.
        self._X_CL: dict[BodyIndex, RigidTransform] = {}
        self._taken: set[str] = set()
        # The first device on a joint names the joint; motors come before sensors.
        named = [*host.motors.items(), *host.driver.position_sensors.items()]
        self._named = {node.joint: name for name, node in reversed(named)}

    def text(self) -> str:
        """Returns the text."""
        bodies = self._plant.GetBodyIndices(self._host.instance)
        if bodies:
            first = self._plant.get_body(bodies[0])
            self._add_link(first, "base_link", RigidTransform())
            self._add_children(first)
            self._add_devices()
        else:
            ET.SubElement(self._root, "link", name=f"{self._prefix}base_link")
        ET.indent(self._root)
        body = ET.tostring(self._root, encoding="unicode")
        return f'<?xml version="1.0"?>\n{body}\n'

    def _name(self, name: str) -> str:
        """Returns a name with the prefix, and a number if it is taken."""
        wanted, number = self._prefix + name, 0
        while wanted in self._taken:
            wanted = f"{self._prefix}{name}_{number}"
            number += 1
        self._taken.add(wanted)
        return wanted

    def _add_children(self, parent: RigidBody) -> None:
        for joint in map(self._plant.get_joint, self._plant.GetJointIndices()):
            if joint.parent_body() != parent:
                continue
            child = joint.child_body()
            if not isinstance(
                joint, RevoluteJoint | PrismaticJoint | WeldJoint
            ):
                messages.warning(
                    self._call,
                    f"URDF has no {joint.type_name()} joint; the bodies on"
                    f" {joint.name()} are left out",
                )
                continue
            self._add_joint(parent, joint, child)
            self._add_children(child)

    def _add_link(
        self, body: RigidBody, name: str, X_CL: RigidTransform
    ) -> str:
        self._links[body.index()] = name = self._name(name)
        self._X_CL[body.index()] = X_CL
        link = ET.SubElement(self._root, "link", name=name)
        X_LC = X_CL.inverse()
        if body.default_mass() > 0:
            _add_inertial(link, body, X_LC)
        frame = self._plant.GetBodyFrameIdOrThrow(body.index())
        for tag, role in _ROLES:
            shapes = self._inspector.GetGeometries(frame, role)
            for shape in own_shapes(self._inspector, shapes):
                self._add_shape(link, tag, shape, X_LC)
        return name

    def _add_shape(
        self,
        link: ET.Element,
        tag: str,
        shape: GeometryId,
        X_LC: RigidTransform,
    ) -> None:
        X_LG = X_LC @ self._inspector.GetPoseInFrame(shape)
        parts = list(_parts(self._inspector.GetShape(shape)))
        if not parts:
            messages.warning(
                self._call,
                f"a {type(self._inspector.GetShape(shape)).__name__} of"
                f" {link.get('name')} is not a shape of URDF and left out",
            )
        for name, attributes, X_GP in parts:
            element = ET.SubElement(link, tag)
            _add_origin(element, X_LG @ X_GP)
            ET.SubElement(ET.SubElement(element, "geometry"), name, attributes)
            if tag == "visual":
                self._add_colour(element, shape)

    def _add_colour(self, element: ET.Element, shape: GeometryId) -> None:
        properties = self._inspector.GetIllustrationProperties(shape)
        if properties.HasProperty("phong", "diffuse"):
            rgba = properties.GetProperty("phong", "diffuse").rgba
            name = "_".join(f"{round(255 * x):02x}" for x in rgba)
            material = ET.SubElement(element, "material", name=name)
            ET.SubElement(material, "color", rgba=_numbers(rgba))

    def _add_joint(
        self, parent: RigidBody, joint: Joint, child: RigidBody
    ) -> None:
        X_CJ = joint.frame_on_child().GetFixedPoseInBodyFrame()
        X_CL = RigidTransform(X_CJ.translation())
        link = self._add_link(child, child.name(), X_CL)
        X_PJ = joint.frame_on_parent().GetFixedPoseInBodyFrame()
        if isinstance(joint, WeldJoint):
            X_PJ = X_PJ @ joint.X_FM()
        X_PL = X_PJ @ X_CJ.inverse() @ X_CL
        name = joint.name()
        if joint.model_instance() == self._host.instance:
            name = self._named.get(name, name)
        motor, kind = self._host.motors.get(name), "fixed"
        low, high = _limits(joint, motor)
        if isinstance(joint, PrismaticJoint):
            kind = "prismatic"
        elif isinstance(joint, RevoluteJoint):
            kind = "revolute" if math.isfinite(high - low) else "continuous"
        element = self._new_joint(
            name,
            kind,
            self._links[parent.index()],
            link,
            self._X_CL[parent.index()].inverse() @ X_PL,
        )
        if kind == "fixed":
            return
        axis = getattr(joint, "revolute_axis", None) or joint.translation_axis
        ET.SubElement(element, "axis", xyz=_numbers(X_CJ.rotation() @ axis()))
        limit = ET.SubElement(element, "limit")
        if kind != "continuous":
            limit.set("lower", _number(max(low, -1e9)))
            limit.set("upper", _number(min(high, 1e9)))
        limit.set("effort", _number(max_effort(motor) if motor else 0.0))
        limit.set("velocity", _number(motor.max_velocity if motor else 0.0))

    def _new_joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        X_PL: RigidTransform,
    ) -> ET.Element:
        element = ET.SubElement(
            self._root, "joint", name=self._name(name), type=kind
        )
        ET.SubElement(element, "parent", link=parent)
        ET.SubElement(element, "child", link=child)
        _add_origin(element, X_PL)
        return element

    def _add_devices(self) -> None:
        mounts = find_mounts(
            self._plant, self._host.instance, self._host.driver.devices
        )
        for name, mount in mounts.items():
            if mount.body.index() not in self._links:
                continue  # it is on the world
            link = self._name(name)
            ET.SubElement(self._root, "link", name=link)
            X_LC = self._X_CL[mount.body.index()].inverse()
            parent = self._links[mount.body.index()]
            self._new_joint(
                f"{name} joint", "fixed", parent, link, X_LC @ mount.X_BD
            )


def _limits(joint: Joint, motor: MotorNode | None) -> tuple[float, float]:
    """Returns the soft limits of a joint's motor, else its stops."""
    if motor is not None and motor.min_position != motor.max_position:
        return motor.min_position, motor.max_position
    if isinstance(joint, WeldJoint):
        return -math.inf, math.inf
    low, high = joint.position_lower_limits(), joint.position_upper_limits()
    return float(low[0]), float(high[0])


def _add_inertial(
    link: ET.Element, body: RigidBody, X_LC: RigidTransform
) -> None:
    M = body.default_spatial_inertia()
    center = M.get_com()
    about = M.Shift(center).CalcRotationalInertia().CopyToFullMatrix3()
    element = ET.SubElement(link, "inertial")
    _add_origin(element, X_LC @ RigidTransform(center))
    ET.SubElement(element, "mass", value=_number(M.get_mass()))
    entries = {
        f"i{'xyz'[i]}{'xyz'[j]}": _number(about[i, j])
        for i in range(3)
        for j in range(i, 3)
    }
    ET.SubElement(element, "inertia", entries)


def _parts(
    shape: geometry.Shape,
) -> Iterator[tuple[str, dict[str, str], RigidTransform]]:
    """Yields the URDF elements of a shape, and their poses in it."""
    here = RigidTransform()
    match shape:
        case geometry.Box():
            yield "box", {"size": _numbers(shape.size())}, here
        case geometry.Sphere():
            yield "sphere", {"radius": _number(shape.radius())}, here
        case geometry.Cylinder() | geometry.Capsule():
            size = {
                "radius": _number(shape.radius()),
                "length": _number(shape.length()),
            }
            yield "cylinder", size, here
            if isinstance(shape, geometry.Capsule):
                for end in (-shape.length() / 2, shape.length() / 2):
                    radius = {"radius": _number(shape.radius())}
                    yield "sphere", radius, RigidTransform([0, 0, end])
        case geometry.Mesh() | geometry.Convex():
            scale = _numbers(shape.scale3())
            source = mesh_file(shape)
            yield "mesh", {"filename": source, "scale": scale}, here


def _add_origin(element: ET.Element, X: RigidTransform) -> None:
    rpy = RollPitchYaw(X.rotation()).vector()
    ET.SubElement(
        element, "origin", xyz=_numbers(X.translation()), rpy=_numbers(rpy)
    )


def _numbers(values: np.ndarray) -> str:
    return " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    return f"{round(float(value), 12) + 0.0:.9g}"  # no -0
