"""Random trees of Solids: bodies are where, and weigh what, the format says.

Expected values come from the draw itself, by closed forms and Drake's own inertias of
shapes; the world's text goes through the whole import into a plant.
"""

import dataclasses as dc
import math

import numpy as np
import pytest
from drawn import draws
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from world_files import plant_of, world_file

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

# Poses are written with 12 decimals, of up to 8 bodies in a row.
NEAR = 1e-9
KINDS = ("HingeJoint", "SliderJoint", "Hinge2Joint", "BallJoint", "fixed")


@dc.dataclass
class Body:
    """The expected values of a body.

    Attributes:
        name: of its Solid.
        parent: on which it hangs; None: the world.
        kind: of its joint's node; "free" without one.
        X_PU: the frame around its joint, in its parent.
        X_UE: its pose there, as saved.
        anchor: of the joint in U, m.
        axes: of the joint in U, of length 1.
        saved: positions at which X_UE is saved.
        stops: of the first axis; None: none.
        inertia: all that it weighs, about its origin.
    """

    name: str
    parent: "Body | None"
    kind: str
    X_PU: RigidTransform
    X_UE: RigidTransform
    anchor: np.ndarray
    axes: list[np.ndarray]
    saved: list[float]
    stops: tuple[float, float] | None = None
    inertia: SpatialInertia = dc.field(default_factory=SpatialInertia.Zero)

    def pose(self, poses: dict[str, RigidTransform], q) -> RigidTransform:
        """Returns its pose in the world at positions of its joint."""
        X_WU = self.X_PU
        if self.parent is not None:
            X_WU = poses[self.parent.name] @ X_WU
        return (
            X_WU
            @ self._moved(q)
            @ self._moved(self.saved).inverse()
            @ (self.X_UE)
        )

    def _moved(self, q) -> RigidTransform:
        if self.kind == "SliderJoint":
            return RigidTransform(self.axes[0] * q[0])
        R = RotationMatrix()
        for axis, angle in zip(self.axes, q, strict=True):
            R = R @ RotationMatrix(AngleAxis(angle, axis))
        return RigidTransform(R, self.anchor - R @ self.anchor)

    def joint_names(self) -> list[str]:
        """Returns the names of its joint's axes in the plant."""
        word = "slider" if self.kind == "SliderJoint" else "hinge"
        name = f"{self.name} {word}"
        if len(self.axes) < 2:
            return [name for _ in self.axes]
        return [f"{name}_{i + 1}" for i in range(len(self.axes))]


class Draw:
    """A random Robot, its text and its bodies.

    Args:
        seed: of all that is drawn.
    """

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.bodies: list[Body] = []
        self.count = 0
        free = self.random.random() < 0.5
        X = self.pose()
        base = None
        if free:
            base = Body(
                "robot", None, "free", X, RigidTransform(), np.zeros(3), [], []
            )
            self.bodies.append(base)
        inside = self.solid(base, X if base is None else RigidTransform(), 0)
        physics = self.physics(base, RigidTransform()) if base else ""
        self.text = (
            f'Robot {{ name "robot" {pose_text(X)} children [ {inside} ]'
            f" {physics} }}\n"
        )

    def number(self, low: float = -1.0, high: float = 1.0) -> float:
        return float(self.random.uniform(low, high))

    def pose(self) -> RigidTransform:
        axis = self.random.normal(size=3)
        axis /= np.linalg.norm(axis)
        turned = RotationMatrix(AngleAxis(self.number(-3, 3), axis))
        return RigidTransform(turned, self.random.uniform(-1, 1, 3))

    def solid(
        self, parent: Body | None, X_PS: RigidTransform, depth: int
    ) -> str:
        """Returns the children of a Solid, which is at X_PS in a body."""
        most = 3 if depth == 0 else 2
        least = 1 if depth == 0 else 0
        number = self.random.integers(least, most + 1) if depth < 4 else 0
        return " ".join(
            self.nested(parent, X_PS, depth)
            for _ in range(number)
            if self.count < 9
        )

    def nested(
        self, parent: Body | None, X_PU: RigidTransform, depth: int
    ) -> str:
        """Returns a joint or a Solid, in a few Poses, Transforms and Groups."""
        before, after = "", ""
        for _ in range(self.random.integers(0, 3)):
            kind = ("Pose", "Transform", "Group")[self.random.integers(3)]
            X = RigidTransform()
            text = ""
            if kind != "Group":
                X = self.pose()
                text = pose_text(X)
            X_PU = X_PU @ X
            before += f"{kind} {{ {text} children [ "
            after += " ] }"
        return before + self.jointed(parent, X_PU, depth) + after

    def jointed(
        self, parent: Body | None, X_PU: RigidTransform, depth: int
    ) -> str:
        """Returns a joint with its Solid, or a Solid that is fixed."""
        name = f"s{self.count}"
        self.count += 1
        kind = KINDS[self.random.integers(len(KINDS))]
        X_UE = self.pose()
        if kind == "fixed":
            return self.fixed(name, parent, X_PU, X_UE, depth)
        fields, axes, saved, stops = self.parameters(kind)
        anchor = np.zeros(3)
        if kind != "SliderJoint":
            anchor = self.random.uniform(-1, 1, 3)
            fields[0] += f" anchor {numbers(anchor)}"
        body = Body(name, parent, kind, X_PU, X_UE, anchor, axes, saved, stops)
        self.bodies.append(body)
        types = {
            "HingeJoint": ["HingeJointParameters"],
            "SliderJoint": ["JointParameters"],
            "Hinge2Joint": ["HingeJointParameters", "JointParameters"],
            "BallJoint": ["BallJointParameters", *["JointParameters"] * 2],
        }[kind]
        text = " ".join(
            f"jointParameters{i or ''} {type} {{ {given} }}"
            for i, type, given in zip((0, 2, 3), types, fields, strict=False)
        )
        inside = self.solid(body, RigidTransform(), depth + 1)
        physics = self.physics(body, RigidTransform())
        return (
            f'{kind} {{ {text} endPoint Solid {{ name "{name}" {pose_text(X_UE)}'
            f" children [ {inside} ] {physics} }} }}"
        )

    def fixed(self, name, parent, X_PU, X_UE, depth) -> str:
        """Returns a Solid that is part of the body around it, or of the world."""
        X = X_PU @ X_UE
        inside = self.solid(parent, X, depth + 1)
        physics = self.physics(parent, X)
        return (
            f'Solid {{ name "{name}" {pose_text(X_UE)} children [ {inside} ]'
            f" {physics} }}"
        )

    def parameters(self, kind: str):
        """Returns the text of the parameters, axes, saved positions and stops."""
        number = {"Hinge2Joint": 2, "BallJoint": 3}.get(kind, 1)
        axes = [self.random.normal(size=3) for _ in range(number)]
        saved = [self.number() for _ in range(number)]
        fields = [f"position {number17(q)}" for q in saved]
        units = [axis / np.linalg.norm(axis) for axis in axes]
        if kind == "BallJoint":
            # Its parameters 2 and 3 have axes 1 and 3; the middle one is across.
            middle = np.cross(units[2], units[0])
            units[1] = middle / np.linalg.norm(middle)
            fields[1] += f" axis {numbers(axes[0])}"
            fields[2] += f" axis {numbers(axes[2])}"
            return fields, units, saved, None
        fields = [
            f"{given} axis {numbers(axis)}"
            for given, axis in zip(fields, axes, strict=True)
        ]
        stops = None
        if number == 1 and self.random.random() < 0.5:
            stops = (
                saved[0] - self.number(0.1, 1),
                saved[0] + self.number(0.1, 1),
            )
            stops = min(stops[0], 0.0), max(stops[1], 0.0)
            low, high = map(number17, stops)
            fields[0] += f" minStop {low} maxStop {high}"
        return fields, units, saved, stops

    def physics(self, body: Body | None, X_BS: RigidTransform) -> str:
        """Returns what a Solid weighs, and adds it to its body."""
        shape, inertia = self.shape()
        mass = inertia.get_mass()
        way = self.random.integers(3)
        if way == 0:
            density = self.number(100, 3000)
            text = f"density {number17(density)}"
            inertia = scaled(inertia, density / 1000)
        elif way == 1:
            mass, density = self.number(0.1, 5), mass
            text = f"density -1 mass {number17(mass)}"
            inertia = scaled(inertia, mass / density)
        else:
            com, mass = self.random.uniform(-0.1, 0.1, 3), self.number(0.1, 5)
            box = UnitInertia.SolidBox(*self.random.uniform(0.1, 0.3, 3))
            M = mass * box.ReExpress(self.pose().rotation()).CopyToFullMatrix3()
            moments = [M[0, 0], M[1, 1], M[2, 2]]
            products = [M[0, 1], M[0, 2], M[1, 2]]
            text = (
                f"density -1 mass {number17(mass)} centerOfMass [ {numbers(com)} ]"
                f" inertiaMatrix [ {numbers(moments)}, {numbers(products)} ]"
            )
            unit = UnitInertia(
                *np.array(moments) / mass, *np.array(products) / mass
            )
            inertia = SpatialInertia(mass, np.zeros(3), unit).Shift(-com)
        if body is not None:
            R_BS, p_BS = X_BS.rotation(), X_BS.translation()
            inertia = inertia.ReExpress(R_BS).Shift(-p_BS)
            if body.inertia.get_mass() > 0:
                inertia += body.inertia
            body.inertia = inertia
        return f"boundingObject {shape} physics Physics {{ {text} }}"

    def shape(self) -> tuple[str, SpatialInertia]:
        """Returns a boundingObject, and its inertia at density 1000."""
        a, b, c = self.random.uniform(0.05, 0.3, 3)
        kind = self.random.integers(3)
        if kind == 0:
            text = f"Box {{ size {numbers([a, b, c])} }}"
            inertia = SpatialInertia.SolidBoxWithDensity(1000, a, b, c)
        elif kind == 1:
            text = f"Sphere {{ subdivision 3 radius {number17(a)} }}"
            inertia = SpatialInertia.SolidSphereWithDensity(1000, a)
        else:
            text = f"Cylinder {{ radius {number17(a)} height {number17(b)} }}"
            inertia = SpatialInertia.SolidCylinderWithDensity(
                1000, a, b, [0, 0, 1]
            )
        if self.random.random() < 0.5:
            X = self.pose()
            text = f"Pose {{ {pose_text(X)} children [ Shape {{ geometry {text} }} ] }}"
            inertia = inertia.ReExpress(X.rotation()).Shift(-X.translation())
        return text, inertia


def scaled(inertia: SpatialInertia, factor: float) -> SpatialInertia:
    """Returns the inertia of something denser."""
    return SpatialInertia(
        inertia.get_mass() * factor,
        inertia.get_com(),
        inertia.get_unit_inertia(),
    )


def number17(value: float) -> str:
    return repr(float(value))


def numbers(values) -> str:
    return " ".join(map(number17, values))


def pose_text(X: RigidTransform) -> str:
    turned = X.rotation().ToAngleAxis()
    return (
        f"translation {numbers(X.translation())}"
        f" rotation {numbers([*turned.axis(), turned.angle()])}"
    )


@pytest.mark.parametrize("seed", range(draws(10, 1000)))
def test_a_random_tree_is_the_plant_that_was_drawn(seed, tmp_path):
    draw = Draw(seed)
    plant, context, scenario = plant_of(world_file(tmp_path, draw.text))
    check_poses(draw, plant, context, start=True)
    check_poses(draw, plant, context, start=False)
    for body in draw.bodies:
        inertia = plant.GetBodyByName(body.name).default_spatial_inertia()
        np.testing.assert_allclose(
            inertia.CopyToFullMatrix6(),
            body.inertia.CopyToFullMatrix6(),
            atol=NEAR * max(1, body.inertia.get_mass()),
        )
    (driver,) = scenario.model_drivers.values()
    for body in draw.bodies:
        for name in body.joint_names()[:1]:
            given = driver.joints.get(name)
            stops = (given.min_stop, given.max_stop) if given else (0.0, 0.0)
            assert stops == pytest.approx(body.stops or (0.0, 0.0), abs=NEAR)


def check_poses(draw: Draw, plant, context, start: bool) -> None:
    """Compares poses, at the start or at random positions."""
    poses: dict[str, RigidTransform] = {}
    positions = {
        body.name: body.saved
        if start
        else [draw.number(-math.pi, math.pi) for _ in body.axes]
        for body in draw.bodies
    }
    for body in draw.bodies:
        for name, q in zip(
            body.joint_names(), positions[body.name], strict=True
        ):
            joint = plant.GetJointByName(name)
            # The start is as the world has it, nothing set here.
            if start:
                assert joint.GetOnePosition(context) == pytest.approx(
                    q, abs=NEAR
                )
            else:
                plant.SetPositions(context, _with(plant, context, joint, q))
    for body in draw.bodies:
        expected = body.pose(poses, positions[body.name])
        poses[body.name] = expected
        got = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName(body.name))
        assert got.IsNearlyEqualTo(expected, NEAR), body


def _with(plant, context, joint, q: float) -> np.ndarray:
    positions = plant.GetPositions(context)
    positions[joint.position_start()] = q
    return positions
