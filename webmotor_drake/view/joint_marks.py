"""Marks at joints: the efforts of their motors, and their stops."""

import numpy as np
from pydrake.geometry import Meshcat, Rgba
from pydrake.multibody.tree import Joint

from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.extent import robot_sphere
from webmotor_drake.view.hand_joints import driven_joints, hand_joints
from webmotor_drake.view.joint_shapes import JointShapes
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.puppet import Puppet

# The radius of arcs, as a share of the robots'.
_SIZE = 0.28

# An effort is drawn by one of so many arrows on each side: recordings can show and
# hide things, but not change their shape.
_LEVELS = 12
# Shares below this are not drawn.
_FAINT = 0.005
# A motor is saturated from here on; see `motor.signals`.
_AT_LIMIT = 1 - 1e-6

# The share of their color that shines by itself.
_SHINE = 0.6
_RED = Rgba(0.85, 0.05, 0.05)
_STOPS = Rgba(0.3, 0.25, 0.35)
_SOFT = Rgba(0.15, 0.45, 0.85)
_NEEDLE = Rgba(0.1, 0.1, 0.1)


class EffortArrows:
    """An arrow per motor: its effort's share of the limit, red where saturated.

    Args:
        scenario: scenario of the motors.
        meshcat: Meshcat that they are drawn in.
    """

    def __init__(self, scenario: Scenario, meshcat: Meshcat):
        self._meshcat = meshcat
        self._puppet = Puppet(scenario)
        size = _size(self._puppet)
        self._joints: dict[str, Joint] = {}
        self._shown: dict[str, str] = {}
        meshcat.Delete(_EFFORTS)
        for model, name, _, joint in driven_joints(self._puppet):
            motor = f"{model}/{name}"
            self._joints[motor] = joint
            self._make(_path(_EFFORTS, motor), JointShapes(joint, size))

    def _make(self, path: str, shapes: JointShapes) -> None:
        """Makes the arrows of a motor, of which one at most is seen."""
        for name, share in _ARROWS.items():
            color = _RED if name.endswith("limit") else _color(abs(share))
            mesh = shapes.share(share)
            _on_top(self._meshcat, f"{path}/{name}", mesh, color)

    def draw(self, moment: Moment) -> None:
        """Shows the efforts of a moment."""
        puppet, time = self._puppet, moment.time
        puppet.pose(moment.positions)
        for motor, joint in self._joints.items():
            path = _path(_EFFORTS, motor)
            frame = joint.frame_on_parent()
            X_WF = frame.CalcPoseInWorld(puppet.context)
            self._meshcat.SetTransform(path, X_WF, time)
            level = _level(
                moment.signals.get(f"{motor}/effort", 0.0),
                moment.signals.get(f"{motor}/effort_limit", np.inf),
                direct=moment.signals.get(f"{motor}/mode") == 2,
            )
            self._show(path, level, time)

    def _show(self, path: str, level: str, time: float) -> None:
        """Shows one of a motor's arrows, "" for none."""
        before = self._shown.get(path)
        if before == level:
            return
        self._shown[path] = level
        hidden = _ARROWS if before is None else [before]
        for name in filter(None, hidden):
            self._meshcat.SetProperty(f"{path}/{name}", "visible", False, time)
        if level:
            self._meshcat.SetProperty(f"{path}/{level}", "visible", True, time)


class LimitArcs:
    """Soft limits and stops per joint, and where the joint is between them.

    Args:
        scenario: scenario of the joints.
        meshcat: Meshcat that they are drawn in.
    """

    def __init__(self, scenario: Scenario, meshcat: Meshcat):
        self._meshcat = meshcat
        self._puppet = puppet = Puppet(scenario)
        size = _size(puppet)
        motors = {
            int(joint.index()): motor
            for _, _, motor, joint in driven_joints(puppet)
        }
        self._joints: dict[str, Joint] = {}
        meshcat.Delete(_LIMITS)
        plant = puppet.plant
        for joint in hand_joints(plant):
            model = plant.GetModelInstanceName(joint.model_instance())
            path = _path(_LIMITS, f"{model}/{joint.name()}")
            shapes = JointShapes(joint, size)
            if self._make(path, shapes, motors.get(int(joint.index()))):
                self._joints[path] = joint

    def _make(
        self, path: str, shapes: JointShapes, motor: MotorNode | None
    ) -> bool:
        """Draws the limits of a joint; returns whether it has any."""
        meshcat, limits = self._meshcat, []
        stops = position_limits(shapes.joint)
        if np.isfinite(stops).all() and stops[0] < stops[1]:
            limits.append(("stops", stops, 1.12, _STOPS))
        if motor is not None and motor.min_position != motor.max_position:
            soft = motor.min_position, motor.max_position
            limits.append(("soft limits", soft, 0.98, _SOFT))
        for name, (low, high), at, color in limits:
            mesh = shapes.reach(low, high, at=at)
            _on_top(meshcat, f"{path}/{name}", mesh, color)
        if limits:
            _on_top(meshcat, f"{path}/needle", shapes.needle(), _NEEDLE)
        return bool(limits)

    def draw(self, moment: Moment) -> None:
        """Shows where the joints are at a moment."""
        context = self._puppet.context
        self._puppet.pose(moment.positions)
        for path, joint in self._joints.items():
            X_WF = joint.frame_on_parent().CalcPoseInWorld(context)
            X_WM = joint.frame_on_child().CalcPoseInWorld(context)
            self._meshcat.SetTransform(path, X_WF, moment.time)
            X_FM = X_WF.inverse() @ X_WM
            self._meshcat.SetTransform(f"{path}/needle", X_FM, moment.time)


_EFFORTS, _LIMITS = "/webmotor/efforts", "/webmotor/limits"
# The share that an arrow shows, by its name.
_ARROWS = {
    **{
        f"{sign * level}": sign * level / _LEVELS
        for level in range(1, _LEVELS + 1)
        for sign in (1, -1)
    },
    "+limit": 1.0,
    "-limit": -1.0,
}


def _size(puppet: Puppet) -> float:
    """Returns the radius of arcs, m."""
    sphere = robot_sphere(puppet.plant, puppet.scene_graph, puppet.context)
    return _SIZE * sphere.radius


def _path(prefix: str, name: str) -> str:
    """Returns where Meshcat has a motor or joint: "<model>/<name>"."""
    model, _, rest = name.partition("/")
    return f"{prefix}/{model}/{rest.replace('/', '_')}"


def _color(share: float) -> Rgba:
    """Returns green for little, by way of yellow to orange for much."""
    return Rgba(min(2 * share, 1.0) * 0.95, 0.35 + 0.4 * (1 - share), 0.1)


def _level(effort: float, limit: float, *, direct: bool) -> str:
    """Returns which arrow shows an effort; "" for none."""
    if not limit or not np.isfinite([effort, limit]).all():
        return ""
    share = abs(effort) / limit
    if share < _FAINT:
        return ""
    if share >= _AT_LIMIT and not direct:
        return "+limit" if effort > 0 else "-limit"
    level = int(np.clip(np.ceil(share * _LEVELS), 1, _LEVELS))
    return f"{level}" if effort > 0 else f"-{level}"


def _on_top(
    meshcat: Meshcat,
    path: str,
    mesh: tuple[np.ndarray, np.ndarray],
    color: Rgba,
) -> None:
    """Draws triangles that nothing hides: joints are within links."""
    meshcat.SetTriangleMesh(path, *mesh, color)
    meshcat.SetProperty(f"{path}/<object>", "material.depthTest", False)
    meshcat.SetProperty(f"{path}/<object>", "renderOrder", 1.0)
    for part, value in zip(
        "rgb", (color.r(), color.g(), color.b()), strict=True
    ):
        name = f"material.emissive.{part}"  # it shines: shadows would change it
        meshcat.SetProperty(f"{path}/<object>", name, _SHINE * value)
