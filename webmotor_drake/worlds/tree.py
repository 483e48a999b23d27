"""From expanded nodes to models: which Solids are bodies, and how they hang together.

The rules are Webots' (WbSolid.cpp, WbBasicJoint.cpp, WbSolidMerger.cpp): a Solid with
Physics is a body, or part of the body of the Solid around it; one without stands
still, or goes along.
"""

import dataclasses as dc
import typing

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.errors import InputError
from webmotor_drake.nodes import (
    BallJoint,
    Brake,
    Hinge2Joint,
    JointParameters,
    Pose,
)
from webmotor_drake.nodes.carriers import Propeller, Track
from webmotor_drake.nodes.contact import Damping
from webmotor_drake.nodes.joints import Loop
from webmotor_drake.worlds import masses
from webmotor_drake.worlds.convex import convex_parts
from webmotor_drake.worlds.devices import (
    DEVICES,
    device_name,
    read_device,
    read_motor,
    read_node,
    read_parameters,
    read_sensor,
)
from webmotor_drake.worlds.joint_axes import joint_axes
from webmotor_drake.worlds.masses import Mass
from webmotor_drake.worlds.models import (
    Collision,
    Joint,
    Link,
    Model,
    Robot,
    Visual,
    unique,
)
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import about, pose, short, turn
from webmotor_drake.worlds.report import Report
from webmotor_drake.worlds.shapes import (
    NEVER_COLLIDES,
    UNSEEN,
    Shape,
    read_color,
    read_geometry,
)
from webmotor_drake.worlds.solid_mass import (
    bounding_parts,
    solid_mass,
    weight,
)
from webmotor_drake.worlds.words import words

ROBOTS = frozenset({"Robot", "Supervisor", "CustomRobot"})
SOLIDS = frozenset({"Solid", "Track", "Charger", *ROBOTS, *DEVICES})
JOINTS = frozenset({"HingeJoint", "SliderJoint", "Hinge2Joint", "BallJoint"})
GROUPS = frozenset({"Group", "Pose", "Transform", "Slot"})
LIGHTS = frozenset({"PointLight", "SpotLight", "DirectionalLight"})
# What neither moves nor collides.
_IGNORED = frozenset(
    words(
        """
    WorldInfo Viewpoint Background Cubemap Fog Billboard Color
    Microphone Radio LensFlare VisualShape TrackWheel Muscle
        """
    )
)
# Nodes that do act in Webots and do not here.
_UNSUPPORTED = {
    "Fluid": "nothing floats or is slowed by it",
    "Charger": "it stands there, and charges nothing",
    "DifferentialWheels": "a node of Webots up to 8; nothing stands there",
    "Servo": "a node of Webots up to 7; nothing stands there",
}
# Devices whose axes changed in R2022a, as turns of the old frame.
_LOOKS_ALONG_X = turn([1, 0, 0], -np.pi / 2) @ turn([0, 0, 1], np.pi / 2)
_POINTS_ALONG_X = turn([1, 0, 0], -np.pi / 2) @ turn([0, 0, 1], -np.pi / 2)
_LIES = turn([1, 0, 0], -np.pi / 2)
_OLD_DEVICES = {
    **dict.fromkeys(
        ("Camera", "Lidar", "Radar", "RangeFinder"), _LOOKS_ALONG_X
    ),
    **dict.fromkeys(
        ("Emitter", "Receiver", "Connector", "TouchSensor"), _POINTS_ALONG_X
    ),
    **dict.fromkeys(("Pen", "Track"), _LIES),
}
# Solids and shapes that a world may have, USE expanded.
_MOST = 300_000
# Lengths, angles and masses up to this can be computed with, m, rad and kg.
_FARTHEST, _HEAVIEST = 1e6, 1e12


@dc.dataclass(frozen=True)
class Around:
    """The surroundings of a node.

    Attributes:
        model: the model that it belongs to; None at the top of the world.
        X_W: the frame that it is in.
        scale: of that frame, along x, y and z.
        link: the body that its shapes belong to.
        dynamic: whether the Solid around it has Physics.
        above: whether any Solid around it has.
        robot: the Robot that devices belong to.
        material: contactMaterial of the Solid around it.
        solid: the name of the Solid around it.
    """

    X_W: RigidTransform
    scale: np.ndarray
    model: Model | None = None
    link: Link | None = None
    dynamic: bool = False
    above: bool = False
    robot: Robot | None = None
    material: str = "default"
    solid: str = ""


class Tree:
    """Builds the models of a world.

    Args:
        report: gets what is not as in Webots.
        movable: whether supervisors may move what stands still, which then are
            models of their own.

    Attributes:
        models: all, in the order of the file; the scenery, if there is any, first.
        definitions: what DEF names stand for in a scenario, by name.
        definition_places: where they stand.
        lights: the world's, with the frames that they are in.
    """

    def __init__(self, report: Report, *, movable: bool):
        self.report, self.movable = report, movable
        self.models: list[Model] = []
        self.definitions: dict[str, str] = {}
        self.lights: list[tuple[Node, RigidTransform]] = []
        self._names: set[str] = {"world", "scenery"}
        self._count = 0
        self._scenery: Model | None = None
        # Joints to SolidReferences, until their Solids are known.
        self._closing: list[tuple[Node, Node, Around]] = []

    def add(self, node: Node, around: Around | None = None) -> None:
        """Adds a node of the top of a world."""
        around = around or Around(RigidTransform(), np.ones(3))
        if node.type in SOLIDS:
            self._top_solid(node, around)
        elif node.type in GROUPS:
            inside = self._inside(node, around)
            for child in self._children(node):
                self.add(child, inside)
        elif node.type in ("Shape", "CadShape"):
            base = self._base_of_scenery()
            self._shape(node, dc.replace(around, link=base, solid="shape"))
        elif node.type in LIGHTS:
            self.lights.append((node, around.X_W))
        elif node.type not in _IGNORED:
            self._not_done(node)

    # Solids

    def _top_solid(self, node: Node, around: Around) -> None:
        """Adds a Solid outside of any other."""
        kinds = {inner.type for inner in node.subtree()}
        moves = kinds & (JOINTS | ROBOTS) or "Physics" in kinds
        movable = self.movable and node.definition
        if node.type not in ROBOTS and not moves and not movable:
            base = self._base_of_scenery()
            inside = dc.replace(around, model=self._scenery, link=base)
            self._solid(node, inside, None)
            return
        name = solid_name(node)
        model = Model(unique(name, self._names), node.place)
        self.models.append(model)
        self._solid(node, dc.replace(around, model=model), None)
        for closing in self._closing:
            self._close(*closing)
        self._closing.clear()
        if not model.links:
            self._base(model, around.X_W)

    def _base_of_scenery(self) -> Link:
        """Returns the link of all static scenery."""
        if self._scenery is None:
            self._scenery = Model("scenery", None)
            self.models.insert(0, self._scenery)
        return self._base(self._scenery, RigidTransform())

    def _base(self, model: Model, X_W: RigidTransform) -> Link:
        """Returns the link of a model's static part."""
        if model.base is None:
            name = unique("base", model.names)
            model.base = Link(name, "static", X_W, model.place)
            model.links.insert(0, model.base)
        return model.base

    def _solid(self, node: Node, around: Around, joint: Joint | None) -> Link:
        """Adds a Solid; returns the body that it is or belongs to."""
        self._step(node)
        model = around.model
        assert model is not None
        if self._is_nested(node, around, joint):
            return self._nested(node, around)
        inside = self._inside(node, around)
        name = solid_name(node)
        dynamic = node.node("physics") is not None
        inside = dc.replace(
            inside,
            dynamic=dynamic,
            above=around.above or dynamic,
            material=node.text("contactMaterial", "default"),
            solid=name,
        )
        link = self._link_of(node, name, around, inside, joint)
        inside = dc.replace(inside, link=link)
        if node.type in ROBOTS:
            inside = dc.replace(inside, robot=self._robot(node, model, around))
        if dynamic:
            link.parts.append(self._mass(node, inside))
            link.damping.append(self._damping(node, inside))
        self._bounds(node, inside)
        if node.type in DEVICES:
            self._device(node, name, inside)
        if node.type == "Track":
            self._track(node, inside)
        if node.type in _UNSUPPORTED:
            self._not_done(node)
        self._define(node, inside, link)
        model.solids.setdefault(name, (link, inside.X_W))
        for child in self._children(node):
            self._child(child, inside)
        return link

    def _is_nested(
        self, node: Node, around: Around, joint: Joint | None
    ) -> bool:
        """Returns whether a node is a Robot that another one carries."""
        return (
            node.type in ROBOTS
            and joint is None
            and around.robot is not None
            and around.link is not None
        )

    def _nested(self, node: Node, around: Around) -> Link:
        """Adds a Robot that another one carries: a model that is welded on."""
        outer, carrier = around.model, around.link
        assert outer is not None
        assert carrier is not None
        name = unique(solid_name(node), self._names)
        model = Model(name, node.place, carrier=(outer, carrier))
        self.models.append(model)
        inside = dc.replace(around, model=model, link=None, robot=None)
        self._solid(node, inside, None)
        return carrier

    def _link_of(
        self,
        node: Node,
        name: str,
        around: Around,
        inside: Around,
        joint: Joint | None,
    ) -> Link:
        """Returns the body of a Solid: a new or an existing one."""
        model = around.model
        assert model is not None
        X_W = inside.X_W
        if joint is not None:
            kind = "dynamic" if inside.dynamic else "kinematic"
            return self._new_link(model, name, kind, X_W, node, joint)
        if around.link is None and model.carrier is not None:
            carrier = model.carrier[1]
            still = "static" if carrier.kind == "static" else "kinematic"
            kind = "dynamic" if inside.dynamic else still
            return self._new_link(model, name, kind, X_W, node, None)
        if around.link is None:  # at the top
            if inside.dynamic:
                return self._new_link(model, name, "dynamic", X_W, node, None)
            base = self._base(model, X_W)
            if base.name == "base":
                model.names.discard(base.name)
                base.name = unique(name, model.names)
            return base
        if self._is_apart(node, inside):
            X_PC = around.link.X_W.inverse() @ X_W
            weld = Joint(
                unique(f"{name} weld", model.names),
                "fixed",
                around.link,
                X_PC,
                np.zeros(3),
                [],
                [],
                node.place,
            )
            kind = "dynamic" if around.above else "static"
            return self._new_link(model, name, kind, X_W, node, weld)
        if not inside.dynamic or around.dynamic or not around.above:
            return around.link
        self.report.add(
            "changed",
            name,
            node.place,
            "a Solid with Physics in one without, in one that moves: a body of its"
            " own that falls off, as in Webots",
        )
        return self._new_link(model, name, "dynamic", X_W, node, None)

    def _is_apart(self, node: Node, inside: Around) -> bool:
        """Returns whether a Solid has its own body, as TouchSensors and Tracks do."""
        if node.type == "Track":
            return node.node("boundingObject") is not None
        if node.type != "TouchSensor":
            return False
        return inside.dynamic or node.node("boundingObject") is not None

    def _new_link(
        self,
        model: Model,
        name: str,
        kind: str,
        X_W: RigidTransform,
        node: Node,
        joint: Joint | None,
    ) -> Link:
        link = Link(unique(name, model.names), kind, X_W, node.place, joint)
        model.links.append(link)
        return link

    def _mass(self, node: Node, inside: Around) -> Mass:
        """Returns a Solid's mass in the frame of its link."""
        physics = node.node("physics")
        assert physics is not None
        assert inside.link is not None
        own = solid_mass(node, physics, inside.scale, self.report)
        numbers = np.array([own.mass, *own.com, *own.inertia.flat])
        if not (abs(numbers) <= _HEAVIEST).all() or own.mass < 1 / _HEAVIEST:
            raise physics.error(
                f"a mass of {own.mass:g} kg, or its centre or inertia, cannot be"
                " computed with"
            )
        return own.moved(inside.link.X_W.inverse() @ inside.X_W)

    def _damping(
        self, node: Node, inside: Around
    ) -> tuple[float, Damping | None]:
        """Returns the volume of a Solid's bounding object, and its damping."""
        physics, bounds = node.node("physics"), node.node("boundingObject")
        assert physics is not None
        given = physics.node("damping")
        volume = 0.0
        if bounds is not None:
            whole = masses.total(weight(bounds, inside.scale))
            volume = whole.mass / masses.DENSITY
        if given is None:
            return volume, None
        return volume, read_node(Damping, given, self.report)

    def _bounds(self, node: Node, inside: Around) -> None:
        """Adds the shapes of a Solid that collide."""
        bounds = node.node("boundingObject")
        link = inside.link
        if bounds is None or link is None:
            return
        goes_along = (
            not inside.dynamic and inside.above and node.type != "TouchSensor"
        )
        if goes_along:
            self.report.add(
                "left out",
                f"boundingObject of {inside.solid}",
                bounds.place,
                "its Solid has no Physics and moves along with one that has; it"
                " touches nothing that stands still, as in Webots",
            )
            return
        X_LS = link.X_W.inverse() @ inside.X_W
        for part in bounding_parts(bounds, self.report):
            geometry, X_SG = part
            if geometry.type in NEVER_COLLIDES:
                self.report.add(
                    "left out", geometry.type, geometry.place, "never collides"
                )
                continue
            try:
                read = read_geometry(geometry, inside.scale)
            except InputError as error:
                self.report.add(
                    "left out",
                    f"boundingObject of {inside.solid}",
                    geometry.place,
                    error.problem,
                )
                continue
            if read.shape is None:
                self.report.add(
                    "left out", geometry.type, geometry.place, read.problem
                )
                continue
            if read.shape.kind == "plane" and link.kind != "static":
                self.report.add(
                    "left out",
                    "Plane",
                    geometry.place,
                    "a Plane of a Solid with Physics collides with nothing",
                )
                continue
            shifted = RigidTransform(
                X_SG.rotation(), inside.scale * X_SG.translation()
            )
            for shape in self._colliding(read.shape, geometry, inside):
                link.collisions.append(
                    Collision(
                        inside.solid,
                        shape,
                        X_LS @ shifted @ read.X,
                        inside.material,
                    )
                )

    def _colliding(
        self, shape: Shape, geometry: Node, inside: Around
    ) -> list[Shape]:
        """Returns a shape as Drake collides with it: a mesh in convex parts."""
        if shape.kind != "mesh":
            return [shape]
        assert shape.triangles is not None
        assert inside.link is not None
        fixed = inside.link.kind == "static"
        parts, filled = convex_parts(shape.triangles, fixed=fixed)
        if filled:
            self.report.add(
                "hull",
                f"{geometry.type} of {inside.solid}",
                geometry.place,
                "what collides is its convex hull",
            )
        elif len(parts) > 1:
            self.report.add(
                "info",
                f"{geometry.type} of {inside.solid}",
                geometry.place,
                f"collides as {len(parts)} convex parts",
            )
        return [Shape("mesh", triangles=part) for part in parts]

    def _robot(self, node: Node, model: Model, around: Around) -> Robot | None:
        """Returns the record of a Robot node."""
        if model.robot is not None:
            self.report.add(
                "left out",
                f"Robot {node.text('name', 'robot')}",
                node.place,
                "a Robot at the end of a joint of another: its body is there, its"
                " controller is not run",
            )
            return model.robot
        model.robot = Robot(model.name, node.place)
        model.robot.fields = {"node": node}
        return model.robot

    def _define(self, node: Node, inside: Around, link: Link) -> None:
        """Stores the node of a DEF name."""
        model, name = inside.model, node.definition
        if not name or model is None or "." in name or model.name == "scenery":
            return
        if node.type in DEVICES:
            return  # done where its name is known
        first = link is (model.links[0] if model.links else None)
        stands_for = model.name if first else f"{model.name}::{link.name}"
        if link.place is node.place:
            self.definitions.setdefault(name, stands_for)

    # What stands in Solids

    def _child(self, node: Node, around: Around) -> None:
        """Adds a node in a Solid."""
        self._step(node)
        if node.type in SOLIDS:
            self._solid(node, around, None)
        elif node.type in JOINTS:
            self._joint(node, around)
        elif node.type in GROUPS:
            inside = self._inside(node, around)
            for child in self._children(node):
                self._child(child, inside)
        elif node.type in ("Shape", "CadShape"):
            self._shape(node, around)
        elif node.type in LIGHTS:
            self.lights.append((node, around.X_W))
        elif node.type == "Propeller":
            self._propeller(node, around)
        elif node.type not in _IGNORED:
            self._not_done(node)

    def _inside(self, node: Node, around: Around) -> Around:
        """Returns the surroundings of the children of a Pose, Group or Solid."""
        if node.type in ("Group", "Slot"):
            return around
        X = self._pose(node, around.scale)
        scale = np.array(node.numbers("scale", (1, 1, 1)))
        if not (scale > 0).all():
            self.report.add(
                "changed",
                node.type,
                node.place,
                f"a scale of {' '.join(f'{s:g}' for s in scale)}; its size is taken",
            )
            scale = np.where(scale == 0, 1.0, np.abs(scale))
        return dc.replace(
            around, X_W=around.X_W @ X, scale=around.scale * scale
        )

    def _pose(self, node: Node, scale: np.ndarray) -> RigidTransform:
        translation = scale * np.array(node.numbers("translation", (0, 0, 0)))
        rotation = node.numbers("rotation", (0, 0, 1, 0))
        for values, name in (
            (translation, "translation"),
            (rotation, "rotation"),
        ):
            if not (abs(np.array(values)) <= _FARTHEST).all():
                raise node.fields[name].error(
                    f"numbers beyond {_FARTHEST:g} cannot be computed with"
                )
        return pose(translation, rotation)

    def _children(self, node: Node) -> list[Node]:
        """Returns the children of a node; those of a Slot stand in endPoint."""
        return node.nodes("endPoint" if node.type == "Slot" else "children")

    def _shape(self, node: Node, around: Around) -> None:
        """Adds a drawn shape."""
        link = around.link
        geometry = node if node.type == "CadShape" else node.node("geometry")
        if geometry is None or link is None or geometry.type in UNSEEN:
            return
        try:
            read = read_geometry(geometry, around.scale)
        except InputError as error:
            self.report.add(
                "left out",
                f"{geometry.type} of {around.solid or 'the world'}",
                geometry.place,
                f"not drawn: {error.problem}",
            )
            return
        if read.shape is None:
            self.report.add(
                "left out",
                geometry.type,
                geometry.place,
                f"not drawn: {read.problem}",
            )
            return
        X_LG = link.X_W.inverse() @ around.X_W @ read.X
        color = (
            read_color(node) if node.type == "Shape" else (0.8, 0.8, 0.8, 1.0)
        )
        link.visuals.append(Visual(around.solid, read.shape, X_LG, color))

    def _not_done(self, node: Node) -> None:
        text = _UNSUPPORTED.get(node.type, "not known here; left out")
        self.report.add("left out", node.type, node.place, text)

    def _step(self, node: Node) -> None:
        """Counts nodes: those of USE count each time."""
        self._count += 1
        if self._count > _MOST:
            raise node.error(f"more than {_MOST:,} nodes, USE expanded")

    # Joints and devices

    def _joint(self, node: Node, around: Around) -> None:
        """Adds a joint with its devices and its endPoint."""
        model, parent = around.model, around.link
        assert model is not None
        assert parent is not None
        end = self._end_point(node)
        parameters = [node.node("jointParameters")]
        if node.type in ("Hinge2Joint", "BallJoint"):
            parameters.append(node.node("jointParameters2"))
        if node.type == "BallJoint":
            parameters.append(node.node("jointParameters3"))
        if end is not None and end.type == "SolidReference":
            self._closing.append((node, end, around))
            end = None
        if end is None:
            self._joint_devices(node, [""] * len(parameters), around)
            return
        dynamic = end.node("physics") is not None
        if dynamic and not around.dynamic and around.above:
            parent = self._base(model, parent.X_W)
            self.report.add(
                "note",
                end.text("name", "solid"),
                node.place,
                "the Solid around its joint has no Physics: it hangs on the world,"
                " as in Webots",
            )
        if not dynamic and not self._driven(node):
            # Nothing moves it: it goes along with the Solid around it.
            self._joint_devices(node, [""] * len(parameters), around)
            self._solid(end, around, None)
            return
        joint = self._new_joint(node, end, parameters, parent, around)
        if node.definition and len(joint.axes) == 1:
            stands_for = f"{model.name}::{joint.name}"
            self.definitions.setdefault(node.definition, stands_for)
        names = (
            [joint.name]
            if len(joint.axes) == 1
            else [f"{joint.name}_{i + 1}" for i in range(len(joint.axes))]
        )
        self._joint_parameters(names, parameters, node, around, dynamic=dynamic)
        self._joint_devices(node, names, around)
        link = self._solid(end, around, joint)
        if len(names) > 1:
            robot = around.robot or self._keeper(around)
            robot.multi_axis_joints[joint.name] = _multi_axis(joint, link)
            robot.places["multi_axis_joints", joint.name] = node.place

    def _end_point(self, node: Node) -> Node | None:
        """Returns the Solid at the end of a joint, through Slots."""
        end = node.node("endPoint")
        while end is not None and end.type == "Slot":
            end = end.node("endPoint")
        if end is not None and end.type not in SOLIDS | {"SolidReference"}:
            self._not_done(end)
            return None
        return end

    def _close(self, node: Node, end: Node, around: Around) -> None:
        """Closes a loop: a joint whose endPoint is a SolidReference.

        Its zero is the pose in the file.
        """
        model, parent = around.model, around.link
        assert model is not None
        assert parent is not None
        name = end.text("solidName")
        kind = {"HingeJoint": "hinge", "BallJoint": "ball"}.get(node.type)
        static = name == "<static environment>"
        if kind is None or (not static and name not in model.solids):
            self.report.add(
                "left out",
                f"SolidReference {name}",
                end.place,
                f"a {node.type} that closes a loop is not simulated"
                if kind is None
                else "no Solid of that name is in this one",
            )
            return
        child = None if static else model.solids[name][0]
        if child is parent or {
            parent.kind,
            "static" if child is None else child.kind,
        } == {"static"}:
            return  # they cannot move against each other
        parameters = node.node("jointParameters")
        anchor = np.zeros(3)
        if parameters is not None:
            given = parameters.numbers("anchor", (0, 0, 0))
            anchor = around.scale * np.array(given)
        p_W = around.X_W @ anchor
        axis_W = around.X_W.rotation() @ joint_axes(node, [parameters] * 3)[0]
        X_WC = RigidTransform() if child is None else child.X_W
        X_PW, X_CW = parent.X_W.inverse(), X_WC.inverse()
        robot = around.robot or self._keeper(around)
        key = unique(node.definition or f"{name} loop", model.names)
        robot.loops[key] = Loop(
            type=kind,
            parent=parent.name,
            child="world" if child is None else child.name,
            anchor=[*map(short, X_PW @ p_W)],
            axis=[*map(short, X_PW.rotation() @ axis_W)],
            child_anchor=[*map(short, X_CW @ p_W)],
            child_axis=[*map(short, X_CW.rotation() @ axis_W)],
        )
        robot.places["loops", key] = node.place

    def _track(self, node: Node, inside: Around) -> None:
        """Adds a Track: the surface of its body moves."""
        model, link, robot = inside.model, inside.link, inside.robot
        motors = [d for d in node.nodes("device") if d.type == "LinearMotor"]
        problem = ""
        if not motors or robot is None:
            problem = "no LinearMotor or no Robot"
        elif link is None or not link.collisions:
            problem = "nothing of it collides"
        if problem or robot is None or link is None or model is None:
            self.report.add(
                "left out", solid_name(node), node.place, f"a Track: {problem}"
            )
            return
        name = unique(f"{solid_name(node)} travel", model.names)
        if hasattr(MultibodyPlant, "SetSurfaceVelocityAxis"):
            robot.tracks[name] = Track(body=link.name)
            robot.places["tracks", name] = node.place
        else:
            self.report.add(
                "left out",
                solid_name(node),
                node.place,
                "a Track carries nothing along: moving surfaces came after this"
                " version of Drake",
            )
            self._idle_belt(name, node, inside)
        slider = dc.replace(node, type="SliderJoint")
        seen: set[str] = set()
        for device in node.nodes("device"):
            if device.type not in seen:
                self._joint_device(device, name, slider, robot)
            seen.add(device.type)

    def _idle_belt(self, name: str, node: Node, inside: Around) -> None:
        """Adds a joint for the motor of a Track to move, and nothing else."""
        model, link, robot = inside.model, inside.link, inside.robot
        assert model is not None
        assert link is not None
        assert robot is not None
        x = np.array([1.0, 0.0, 0.0])
        joint = Joint(
            name,
            "prismatic",
            link,
            RigidTransform(),
            np.zeros(3),
            [x],
            [0.0],
            node.place,
        )
        belt = f"{solid_name(node)} belt"
        self._new_link(model, belt, "kinematic", inside.X_W, node, joint)
        robot.joints[name] = JointParameters(kinematic=True)
        robot.places["joints", name] = node.place

    def _propeller(self, node: Node, around: Around) -> None:
        """Adds a Propeller: its thrust acts on the Solid around it."""
        model, link, robot = around.model, around.link, around.robot
        motor = node.node("device")
        helix = node.node("slowHelix")
        if helix is not None:
            inside = self._inside(helix, around)
            for child in self._children(helix):
                if child.type in GROUPS | {"Shape", "CadShape"}:
                    self._child(child, inside)
        if motor is None or robot is None or link is None or model is None:
            self.report.add(
                "left out", "Propeller", node.place, "no motor or no Robot"
            )
            return
        propeller = read_node(Propeller, node, self.report)
        X_LU = link.X_W.inverse() @ around.X_W
        axis = np.array(propeller.shaft_axis)
        center = around.scale * np.array(propeller.center_of_thrust)
        propeller.frame = link.name
        propeller.shaft_axis = [*map(short, X_LU.rotation() @ axis)]
        propeller.center_of_thrust = [*map(short, X_LU @ center)]
        name = unique(f"{device_name(motor)} shaft", model.names)
        robot.propellers[name] = propeller
        robot.places["propellers", name] = node.place
        self._joint_device(motor, name, node, robot)

    def _driven(self, node: Node) -> bool:
        """Returns whether a motor moves a joint."""
        return any(
            device.type in ("RotationalMotor", "LinearMotor")
            for field in ("device", "device2", "device3")
            for device in node.nodes(field)
        )

    def _new_joint(
        self,
        node: Node,
        end: Node,
        parameters: list[Node | None],
        parent: Link,
        around: Around,
    ) -> Joint:
        """Returns a joint, its pose at position 0 undone from the saved one."""
        model = around.model
        assert model is not None
        X_PU = parent.X_W.inverse() @ around.X_W
        X_UE = self._pose(end, around.scale)
        first = parameters[0]
        slides = node.type == "SliderJoint"
        axes = joint_axes(node, parameters)
        names = ("position", "position2", "position3")
        positions = [
            p.number("position", 0.0)
            if p is not None
            else node.number(name, 0.0)
            for p, name in zip(parameters, names, strict=False)
        ]
        for q in positions:
            if abs(q) > _FARTHEST:
                raise node.error(f"a position of {q:g} cannot be computed with")
        anchor = np.zeros(3)
        if first is not None and not slides:
            anchor = around.scale * np.array(first.numbers("anchor", (0, 0, 0)))
            if not (abs(anchor) <= _FARTHEST).all():
                raise first.fields["anchor"].error(
                    f"numbers beyond {_FARTHEST:g} cannot be computed with"
                )
        if slides:
            offset = positions[0] * axes[0] * around.scale
            X_UE0 = RigidTransform(X_UE.rotation(), X_UE.translation() - offset)
        else:
            X_UE0 = X_UE
            # The first axis carries the others: its turn is undone first.
            for axis, q in zip(axes, positions, strict=True):
                X_UE0 = about(turn(axis, -q), anchor, X_UE0)
        if slides and not (around.scale == 1).all():
            positions = [positions[0] * float(around.scale.max())]
        kind = {
            "HingeJoint": "revolute",
            "SliderJoint": "prismatic",
            "Hinge2Joint": "hinge2",
            "BallJoint": "ball",
        }[node.type]
        child = solid_name(end)
        word = {"prismatic": "slider"}.get(kind, "hinge")
        name = node.definition or f"{child} {word}"
        return Joint(
            unique(name, model.names),
            kind,
            parent,
            X_PU @ X_UE0,
            X_PU @ anchor,
            [X_PU.rotation() @ axis for axis in axes],
            positions,
            node.place,
        )

    def _joint_parameters(
        self,
        names: list[str],
        parameters: list[Node | None],
        node: Node,
        around: Around,
        *,
        dynamic: bool,
    ) -> None:
        """Adds stops, springs, dampers and friction."""
        robot = around.robot or self._keeper(around)
        if node.type == "BallJoint" and parameters[1:] == [None, None]:
            parameters = [parameters[0]] * 3
        for name, given in zip(names, parameters, strict=True):
            read = read_parameters(given, self.report)
            read.kinematic = not dynamic
            if read.kinematic or read.has_stops or read.has_effort:
                robot.joints[name] = read
                place = given.place if given is not None else node.place
                robot.places["joints", name] = place
        if not dynamic:
            self.report.add(
                "kinematic",
                names[0],
                node.place,
                "its endPoint has no Physics: the motor simply moves it",
            )
        first = parameters[0]
        if first is not None and first.number("suspensionSpringConstant", 0.0):
            self.report.add(
                "left out",
                "suspension",
                first.place,
                "the joint is rigid there",
            )

    def _keeper(self, around: Around) -> Robot:
        """Returns the record that keeps the parameters of joints outside of a Robot."""
        model = around.model
        assert model is not None
        if model.robot is None:
            place = model.place
            assert place is not None
            model.robot = Robot(model.name, place)
        return model.robot

    def _joint_devices(
        self, node: Node, names: list[str], around: Around
    ) -> None:
        """Adds motors, position sensors and brakes; the first of a kind acts."""
        fields = ("device", "device2", "device3")
        for joint, field in zip(names, fields, strict=False):
            seen: set[str] = set()
            for device in node.nodes(field):
                kind = "motor" if "Motor" in device.type else device.type
                if around.robot is None or not joint:
                    self.report.add(
                        "left out",
                        device_name(device),
                        device.place,
                        "no Robot is around it"
                        if around.robot is None
                        else "its joint moves nothing",
                    )
                elif kind in seen:
                    self.report.add(
                        "left out",
                        device_name(device),
                        device.place,
                        f"another {kind} stands before it in the joint's {field}",
                    )
                else:
                    self._joint_device(device, joint, node, around.robot)
                seen.add(kind)

    def _joint_device(
        self, device: Node, joint: str, node: Node, robot: Robot
    ) -> None:
        tables: dict[str, tuple[str, typing.Any]] = {
            "RotationalMotor": ("motors", read_motor),
            "LinearMotor": ("motors", read_motor),
            "PositionSensor": ("position_sensors", read_sensor),
            "Brake": ("brakes", lambda *_: Brake(joint=joint)),
        }
        if device.type not in tables:
            self._not_done(device)
            return
        linear = node.type == "SliderJoint"
        if "Motor" in device.type and linear != (device.type == "LinearMotor"):
            self.report.add(
                "left out",
                device_name(device),
                device.place,
                f"a {device.type} in a {node.type}",
            )
            return
        table, read = tables[device.type]
        name = self._device_key(device, robot)
        getattr(robot, table)[name] = read(device, joint, self.report)
        robot.places[table, name] = device.place
        if device.definition:
            self.definitions.setdefault(
                device.definition, f"{robot.model}::{name}"
            )

    def _device_key(self, node: Node, robot: Robot) -> str:
        """Returns the name of a device, a new one if another has it."""
        wanted = device_name(node)
        name = wanted.replace("/", "_") or node.type
        name = "".join(c for c in name if c.isprintable())
        taken, number, key = robot.device_names(), 0, name
        while key in taken or not key.strip("."):
            number += 1
            key = f"{name} ({number})"
        if key != wanted:
            self.report.add(
                "changed",
                wanted,
                node.place,
                f"its name is taken or cannot be had; here it is {key!r}",
            )
        return key

    def _device(self, node: Node, name: str, inside: Around) -> None:
        """Adds a device that is a Solid."""
        robot, link = inside.robot, inside.link
        if robot is None or link is None:
            self.report.add(
                "left out", name, node.place, f"a {node.type} without a Robot"
            )
            return
        X_LD = link.X_W.inverse() @ inside.X_W
        old = node.place.source.has_old_axes
        if old and node.type in _OLD_DEVICES:
            X_LD = X_LD @ RigidTransform(_OLD_DEVICES[node.type], [0, 0, 0])
        device = read_device(node, self.report)
        device.frame = link.name
        device.pose = webots_pose(X_LD)
        if node.type == "TouchSensor" and not self._feels(device, node, link):
            return
        key = self._device_key(node, robot)
        robot.devices[key] = device
        robot.places["devices", key] = node.place
        if node.definition:
            self.definitions.setdefault(
                node.definition, f"{robot.model}::{key}"
            )

    def _feels(self, device: typing.Any, node: Node, link: Link) -> bool:
        """Returns whether a TouchSensor can measure; reports it if not."""
        own = link.place is node.place
        if own and (device.type != "bumper" or link.collisions):
            return True
        self.report.add(
            "left out",
            device_name(node),
            node.place,
            "a TouchSensor needs a boundingObject, and Physics for a force",
        )
        return False


def _multi_axis(joint: Joint, child: Link) -> Hinge2Joint | BallJoint:
    """Returns a joint of several axes as a scenario has it."""
    zero = webots_pose(joint.X_PC)
    axes = [[*map(short, axis)] for axis in joint.axes]
    shared = {
        "parent": joint.parent.name,
        "child": child.name,
        "anchor": [*map(short, joint.anchor)],
        "translation": zero.translation,
        "rotation": zero.rotation,
        "axis": axes[0],
    }
    if joint.kind == "hinge2":
        return Hinge2Joint(**shared, axis2=axes[1])
    return BallJoint(**shared, axis3=axes[2])


def solid_name(node: Node) -> str:
    """Returns the name of a Solid, or its type's default."""
    if node.type in DEVICES:
        return device_name(node)
    default = "robot" if node.type in ROBOTS else node.type.lower()
    return node.text("name", default)


def webots_pose(X: RigidTransform) -> Pose:
    """Returns a pose in Webots' fields."""
    turned = X.rotation().ToAngleAxis()
    rotation = [*map(short, turned.axis()), short(turned.angle())]
    if not rotation[3]:
        rotation = [0.0, 0.0, 1.0, 0.0]
    return Pose([*map(short, X.translation())], rotation)
