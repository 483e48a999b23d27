"""A robot's file becomes a scenario with a driver that has the limits of the file."""

import contextlib
import dataclasses as dc
import functools
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import SceneGraph
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.parsing import PackageMap, Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, MultibodyPlant
from pydrake.multibody.tree import Joint, PrismaticJoint, RevoluteJoint
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.errors import InputError
from webmotor_drake.results.whole_file import write_whole
from webmotor_drake.robot_files.found import Found, FoundRobot
from webmotor_drake.robot_files.mjcf_actuators import read_mjcf
from webmotor_drake.robot_files.ros2_gains import read_gains
from webmotor_drake.robot_files.scenario_text import relative, scenario_text
from webmotor_drake.robot_files.sdf import read_sdf
from webmotor_drake.robot_files.urdf import read_urdf
from webmotor_drake.robot_files.xml_tree import Node, read_tree
from webmotor_drake.scenario.add_models import add_models
from webmotor_drake.scenario.packages import MANIFEST, known_packages, name_of

# How far above the ground a free robot starts, m.
_GAP = 1e-3


@dc.dataclass(frozen=True)
class ImportedRobot:
    """What `import_robot` has written.

    Attributes:
        file: the scenario.
        name: of the scenario in it.
        motors: the names of its motors.
        lost: what could not be carried over, or for which a default stands: each with
            its place in the robot's file.
        base_is_free: whether its base floats; else it is welded to the world.
    """

    file: Path
    name: str
    motors: list[str]
    lost: list[str]
    base_is_free: bool


def import_robot(
    file: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    package_xmls: Sequence[str | os.PathLike[str]] = (),
) -> ImportedRobot:
    """Writes a scenario with a driver for a robot's URDF, SDF or MJCF.

    Motors get the names, limits and gains of the file, each with the line that it came
    from: as Webots' servos, or, where the file has PD loops or DC motors, by those
    models. The robot's file stays where it is; the scenario names it.

    Example:
        ::

            imported = wm.import_robot(wm.MODELS / "six_axis.urdf", "arm")
            wm.run(imported.file)

    Args:
        file: the robot: .urdf, .sdf or .xml (MJCF).
        out: the folder to write "<name>.scenario.yaml" into; made if missing.
        package_xmls: packages of `package://` besides those that are found.

    Raises:
        InputError: it cannot be read, or a number in it cannot be; with its place.
    """
    path, folder = Path(file).absolute(), Path(out).absolute()
    packages = known_packages(package_xmls)
    root = read_tree(path)
    as_drake_reads_it = functools.cache(lambda: _Model(path, packages))
    robot = read_robot(path, root, lambda: as_drake_reads_it().inertias())
    read_gains(root, robot, path, packages)
    model = as_drake_reads_it()
    model.complete(robot)
    base_is_free, base = model.base(robot)
    height = model.height(robot, base) if base_is_free else None
    if (
        root.first("worldbody", "geom") is not None
    ):  # an MJCF with a floor of its own
        height, base = None, "" if base_is_free else base
    named, needed = _named(path, folder, packages, package_xmls)
    text = scenario_text(robot, named, base, needed, height)
    written = folder / f"{robot.name}.scenario.yaml"
    write_whole(written, text.encode())
    title = next(line for line in text.splitlines() if line[:1] not in "# ")
    return ImportedRobot(
        written, title.rstrip(":"), list(robot.motors), robot.lost, base_is_free
    )


def read_robot(
    path: Path, root: Node, inertias: Callable[[], dict[str, float]]
) -> FoundRobot:
    """Returns what a robot's file says of its motors.

    Args:
        path: the file.
        root: what is in it.
        inertias: see `read_mjcf`.

    Raises:
        InputError: it is of no kind that is known, or see `number`.
    """
    readers = {"robot": read_urdf, "sdf": read_sdf, "model": read_sdf}
    if root.tag == "mujoco":
        return read_mjcf(root, inertias)
    if root.tag not in readers:
        raise InputError(
            f"<{root.tag}> is no robot; a URDF (<robot>), an SDF (<sdf>) or an MJCF"
            " (<mujoco>) is needed",
            where=str(path),
        )
    return readers[root.tag](root)


def _named(
    path: Path,
    folder: Path,
    packages: PackageMap,
    package_xmls: Sequence[str | os.PathLike[str]],
) -> tuple[str, list[str]]:
    """Returns the model as a scenario in a folder names it, and packages it needs."""
    needed = [
        relative(Path(given).absolute(), folder) for given in package_xmls
    ]
    for above in path.parents:
        manifest = above / MANIFEST
        if not manifest.is_file():
            continue
        name = name_of(manifest)
        inside = path.relative_to(above).as_posix()
        if not needed and not packages.Contains(name):
            needed = [relative(above, folder)]
        return f"package://{name}/{inside}", needed
    return relative(path, folder), needed


class _Model:
    """The robot as Drake reads it.

    Args:
        path: its file.
        packages: of `package://`; those that are found are added.
    """

    def __init__(self, path: Path, packages: PackageMap):
        self.plant: MultibodyPlant
        self.scene_graph: SceneGraph
        self.plant, self.scene_graph = AddMultibodyPlantSceneGraph(
            DiagramBuilder(), 0.001
        )
        parser = Parser(self.plant)
        parser.package_map().AddMap(packages)
        with _quiet():
            self.models = add_models(parser, path)
        self.plant.Finalize()

    def _masses(self) -> np.ndarray:
        plant = self.plant
        return plant.CalcMassMatrix(plant.CreateDefaultContext()).diagonal()

    def inertias(self) -> dict[str, float]:
        """Returns the inertia that each joint feels at the default positions."""
        plant = self.plant
        inverse = np.linalg.inv(
            plant.CalcMassMatrix(plant.CreateDefaultContext())
        )
        return {
            joint.name(): 1
            / inverse[joint.velocity_start(), joint.velocity_start()]
            for joint in joints_of(plant)
            if joint.num_velocities() == 1
        }

    def complete(self, robot: FoundRobot) -> None:
        """Leaves out what nothing moves by; starts within stops and soft limits."""
        joints = {j.name(): j for j in joints_of(self.plant) if _moves(j)}
        masses = self._masses()
        for name, motor in list(robot.motors.items()):
            if motor.joint not in joints:
                del robot.motors[name]
                robot.lose(name, f"Drake has no joint {motor.joint} that moves")
            elif not masses[joints[motor.joint].velocity_start()] > 0:
                del robot.motors[name]
                robot.lose(name, f"joint {motor.joint} moves no mass")
        soft = {m.joint: m.fields for m in robot.motors.values()}
        for table in (robot.joints, robot.positions):
            for name in list(table):
                if name not in joints:
                    del table[name]
        for name, joint in joints.items():
            low, high = position_limits(joint)
            fields = soft.get(name, {})
            if "min_position" in fields:
                low = max(low, fields["min_position"].value)
                high = min(high, fields["max_position"].value)
            start = robot.positions.get(name)
            at = start.value if start else joint.default_positions()[0]
            if not low <= at <= high and low < high:
                middle = min(max(0.5 * (low + high), low), high)
                robot.positions[name] = Found(middle, "between its stops")

    def base(self, robot: FoundRobot) -> tuple[bool, str]:
        """Returns whether the base is free, and its body; "" if it is welded already.

        A file does not say it of a URDF: what has one chain of driven joints, such as
        an arm, is taken to be mounted; what has several, such as legs or wheels, free.
        """
        plant = self.plant
        bases = [plant.get_body(i) for i in plant.GetFloatingBaseBodies()]
        bases = [b for b in bases if b.model_instance() in self.models]
        if not bases:
            return False, ""
        base = bases[0]
        if robot.base_is_free is None:
            driven = {motor.joint for motor in robot.motors.values()}
            robot.base_is_free = len(self._limbs(base.index(), driven)) > 1
        return robot.base_is_free, base.name()

    def _limbs(self, base: object, driven: set[str]) -> set[str]:
        """Returns the first driven joints on the ways out from the base."""
        plant = self.plant
        children: dict[object, list[Joint]] = {}
        for joint in joints_of(plant):
            children.setdefault(joint.parent_body().index(), []).append(joint)
        found, bodies = set(), [base]
        while bodies:
            for joint in children.get(bodies.pop(), []):
                if joint.name() in driven:
                    found.add(joint.name())
                else:
                    bodies.append(joint.child_body().index())
        return found

    def height(self, robot: FoundRobot, base: str) -> float:
        """Returns where the base has to be for the robot to stand on the ground, m."""
        plant, context = self.plant, self.plant.CreateDefaultContext()
        q = plant.GetPositions(context)
        for name, found in robot.positions.items():
            q[plant.GetJointByName(name).position_start()] = found.value
        plant.SetPositions(context, q)
        body = plant.GetBodyByName(base)
        X_WB = plant.GetFreeBodyPose(context, body)
        if len(robot.base) == 7:
            wxyz = np.array(robot.base[3:])
            R_WB = RotationMatrix(Quaternion(wxyz / np.linalg.norm(wxyz)))
            X_WB = RigidTransform(R_WB, [0.0, 0.0, 0.0])
            plant.SetFreeBodyPose(context, body, X_WB)
        lowest = self._lowest(context)
        return float(X_WB.translation()[2] - lowest + _GAP)

    def _lowest(self, context) -> float:
        """Returns the lowest point of all collision shapes, m."""
        plant, lowest = self.plant, list[float]()
        inspector = self.scene_graph.model_inspector()
        indices = [b for m in self.models for b in plant.GetBodyIndices(m)]
        for body in map(plant.get_body, indices):
            X_WB = plant.EvalBodyPoseInWorld(context, body)
            for shape in plant.GetCollisionGeometriesForBody(body):
                try:
                    box = inspector.GetObbInGeometryFrame(shape)
                except RuntimeError:
                    continue
                if box is None:
                    continue
                X_WO = X_WB @ inspector.GetPoseInFrame(shape) @ box.pose()
                reach = abs(X_WO.rotation().matrix()[2]) @ box.half_width()
                lowest.append(X_WO.translation()[2] - reach)
        return min(lowest, default=0.0)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps Drake's warnings back: what it does not read is read here, or told."""
    log = logging.getLogger("drake")
    log.addFilter(_no_warning)
    try:
        yield
    finally:
        log.removeFilter(_no_warning)


def _no_warning(record: logging.LogRecord) -> bool:
    return record.levelno > logging.WARNING


def _moves(joint: Joint) -> bool:
    return isinstance(joint, RevoluteJoint | PrismaticJoint)
