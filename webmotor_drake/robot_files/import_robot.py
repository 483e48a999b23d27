"""Turns a robot's file into a scenario with a driver that has the file's limits."""

import dataclasses as dc
import functools
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import SceneGraph
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.parsing import AddModel, ModelDirective, PackageMap
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, MultibodyPlant
from pydrake.multibody.tree import Joint, PrismaticJoint, RevoluteJoint
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.drive.self_collision import overlaps, own_geometries
from webmotor_drake.errors import InputError, one_line
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.results.whole_file import write_whole
from webmotor_drake.robot_files.found import FoundRobot, places_in, scenario_of
from webmotor_drake.robot_files.joints import read_gains, read_joints
from webmotor_drake.robot_files.mjcf import read_tree
from webmotor_drake.robot_files.mjcf_actuators import Inertias, read_mjcf
from webmotor_drake.scenario.blame import DRAKE_ERRORS, drake_text
from webmotor_drake.scenario.directives import filtered_log, process_directives
from webmotor_drake.scenario.model_file import Element
from webmotor_drake.scenario.packages import MANIFEST, known_packages, name_of
from webmotor_drake.scenario.scenario_yaml import scenario_yaml

# How far above the ground a free robot starts, m.
_GAP = 1e-3
# Limits that differ by less count as equal, rad or m.
_DIGITS = 1e-4


@dc.dataclass(frozen=True)
class ImportedRobot:
    """A robot that `import_robot` has turned into a scenario.

    Attributes:
        file: path of the scenario.
        name: name of the scenario in it.
        motors: the names of its motors.
        lost: numbers that were not carried over or became a default, each with its
            place in the robot's file.
        base_is_free: True if its base floats; else it is welded to the world.
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
        InputError: the file cannot be read, or a number is impossible; with its place.
    """
    path, folder = Path(file).absolute(), Path(out).absolute()
    packages = known_packages(package_xmls)
    root = read_tree(path)
    as_drake_reads_it = functools.cache(lambda: _Model(path, packages))
    robot = _read_robot(path, root, lambda a: as_drake_reads_it().inertias(a))
    read_gains(root, robot, path, packages)
    robot.make_names_plain()
    model = as_drake_reads_it()
    model.complete(robot)
    if robot.self_collision is None and (pairs := model.overlaps()):
        robot.self_collision = False
        what = "its own shapes do not collide: some overlap at the start"
        robot.lose(path.name, f"{what}: {pairs}")
    base_is_free, base = model.base(robot)
    X_WB = None
    if robot.has_floor:
        base = "" if base_is_free else base
    elif base_is_free:
        X_WB = model.standing(robot, base)
    named, needed = _named(path, folder, packages, package_xmls)
    scenario = scenario_of(robot, named, base, X_WB)
    scenario.package_xmls = needed
    title = "".join(
        part[:1].upper() + part[1:] for part in robot.name.split("_")
    )
    text = scenario_yaml(title or "Robot", scenario, places_in(robot))
    head = [
        f"Imported from {named}. The comments say which line of it, or of what it",
        "includes, each number came from. It moves a little and comes back.",
        *(f"Not carried over: {lost}" for lost in robot.lost),
    ]
    written = folder / f"{robot.name}.scenario.yaml"
    whole = "".join(f"# {one_line(line)}\n" for line in head) + text
    write_whole(written, whole.encode())
    return ImportedRobot(
        written, title or "Robot", list(robot.motors), robot.lost, base_is_free
    )


def _read_robot(
    path: Path, root: Element, inertias: Callable[[Inertias], Inertias]
) -> FoundRobot:
    """Returns a robot's motors as its file has them; see `read_mjcf`."""
    if root.tag == "mujoco":
        return read_mjcf(root, inertias)
    if root.tag not in ("robot", "sdf", "model"):
        raise InputError(
            f"<{root.tag}> is no robot; a URDF (<robot>), an SDF (<sdf>) or an MJCF"
            " (<mujoco>) is needed",
            where=str(path),
        )
    return read_joints(root)


def as_it_loads(path: Path) -> FoundRobot:
    """Returns the content of a model's file; an empty one if it cannot be read.

    Drake then reports the reason.
    """
    try:
        return _read_robot(path, read_tree(path), dict)
    except InputError:
        return FoundRobot("")


def _named(
    path: Path,
    folder: Path,
    packages: PackageMap,
    package_xmls: Sequence[str | os.PathLike[str]],
) -> tuple[str, list[str]]:
    """Returns the model's name in a scenario in `folder`, and the packages it needs."""
    needed = [
        _relative(Path(given).absolute(), folder) for given in package_xmls
    ]
    for above in path.parents:
        manifest = above / MANIFEST
        if not manifest.is_file():
            continue
        name = name_of(manifest)
        inside = path.relative_to(above).as_posix()
        if not needed and not packages.Contains(name):
            needed = [_relative(above, folder)]
        return f"package://{name}/{inside}", needed
    return _relative(path, folder), needed


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


class _Model:
    """The robot as Drake reads it; packages that are found are added."""

    def __init__(self, path: Path, packages: PackageMap):
        self.plant: MultibodyPlant
        self.scene_graph: SceneGraph
        self.plant, self.scene_graph = AddMultibodyPlantSceneGraph(
            DiagramBuilder(), 0.001
        )
        add = AddModel(name="robot", file=f"file://{path}")
        with filtered_log(_is_told):
            try:
                added = process_directives(
                    [ModelDirective(add_model=add)],
                    self.plant,
                    packages=packages,
                )
            except (InputError, *DRAKE_ERRORS) as error:
                problem = f"Drake refuses it: {drake_text(error)}"
                if isinstance(error, InputError):
                    problem = error.problem
                raise InputError(problem, where=str(path)) from error
        self.models = [info.model_instance for info in added]
        self.plant.Finalize()

    def _masses(self) -> np.ndarray:
        return self.plant.CalcMassMatrix(self.plant.CreateDefaultContext())

    def inertias(self, armatures: Inertias) -> Inertias:
        """Returns the inertia that each joint feels at the default positions.

        Args:
            armatures: inertias of rotors that the plant lacks, by joint.
        """
        masses = self._masses()
        joints = [j for j in joints_of(self.plant) if j.num_velocities() == 1]
        for joint in joints:
            i = joint.velocity_start()
            masses[i, i] += armatures.get(joint.name(), 0.0)
        felt = 1 / np.linalg.inv(masses).diagonal()
        return {j.name(): felt[j.velocity_start()] for j in joints}

    def complete(self, robot: FoundRobot) -> None:
        """Drops motors that move nothing; starts joints within their limits."""
        joints = {
            joint.name(): joint
            for joint in joints_of(self.plant)
            if isinstance(joint, RevoluteJoint | PrismaticJoint)
        }
        masses = self._masses().diagonal()
        for name, motor in list(robot.motors.items()):
            if motor.joint not in joints:
                problem = f"Drake has no joint {motor.joint} that moves"
            elif not masses[joints[motor.joint].velocity_start()] > 0:
                problem = f"joint {motor.joint} moves no mass"
            else:
                continue
            robot.drop("motors", name)
            robot.lose(name, problem)
        for name in [n for n in robot.joints if n not in joints]:
            fields = ", ".join(p[-1] for p in robot.places if p[1] == name)
            robot.lose(name, f"Drake has no joint of this name: its {fields}")
            robot.drop("joints", name)
        for name in robot.starts.keys() - joints.keys():
            del robot.starts[name]
        for name, joint in joints.items():
            low, high = robot.reach[name] = _reach(robot, joint)
            at, _ = robot.starts.get(name, (joint.default_positions()[0], ""))
            if not low <= at <= high and low < high:
                middle = min(max(0.5 * (low + high), low), high)
                robot.starts[name] = middle, "between its stops"
            if name in robot.starts:
                joint.set_default_positions([robot.starts[name][0]])
        for motor in robot.motors.values():
            _round_to_stops(motor, joints[motor.joint])

    def overlaps(self) -> str:
        """Returns which bodies overlap at the start, and how much; "": none."""
        bodies = [b for m in self.models for b in self.plant.GetBodyIndices(m)]
        shapes = set(own_geometries(self.plant, bodies))
        return overlaps(self.plant, self.scene_graph, shapes)[0]

    def base(self, robot: FoundRobot) -> tuple[bool, str]:
        """Returns whether the base is free, and its body; "" if it is welded already.

        A URDF does not say it: a robot with one chain of driven joints, such as an arm,
        is taken as mounted; one with several, such as legs or wheels, as free.
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
        """Returns the first driven joint on each way out from the base."""
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

    def standing(self, robot: FoundRobot, base: str) -> RigidTransform:
        """Returns the pose of the base at which the robot stands on the ground."""
        plant, context = self.plant, self.plant.CreateDefaultContext()
        R_WB, body = RotationMatrix(), plant.GetBodyByName(base)
        if len(robot.base) == 7:
            wxyz = np.array(robot.base[3:])
            R_WB = RotationMatrix(Quaternion(wxyz / np.linalg.norm(wxyz)))
        plant.SetFreeBodyPose(context, body, RigidTransform(R_WB))
        return RigidTransform(R_WB, [0, 0, _GAP - self._lowest(context)])

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


def _is_told(record: logging.LogRecord) -> bool:
    """Returns whether to show a message of Drake's: an error, or one on inertias."""
    words = record.getMessage()
    return record.levelno > logging.WARNING or " inertia" in words


def _reach(robot: FoundRobot, joint: Joint) -> tuple[float, float]:
    """Returns the range of a joint, within its stops and its motor's soft limits."""
    low, high = position_limits(joint)
    own = robot.joints.get(joint.name())
    if own is not None and own.has_stops:
        low, high = own.min_stop, own.max_stop
    for motor in robot.motors.values():
        soft = motor.min_position, motor.max_position
        if motor.joint == joint.name() and soft[0] < soft[1]:
            low, high = max(low, soft[0]), min(high, soft[1])
    return low, high


def _round_to_stops(motor: MotorNode, joint: Joint) -> None:
    """Sets soft limits to the stops if they differ only by the file's rounding."""
    low, high = map(float, position_limits(joint))
    if motor.min_position != motor.max_position:
        if abs(motor.min_position - low) < _DIGITS:
            motor.min_position = low
        if abs(motor.max_position - high) < _DIGITS:
            motor.max_position = high
