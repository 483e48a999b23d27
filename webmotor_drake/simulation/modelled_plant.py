"""From a scenario to its finalized plant, with the joints of its motors."""

import bisect
import contextlib
import copy
import dataclasses as dc
import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
from pydrake.geometry import SceneGraph
from pydrake.manipulation import ApplyNamedPositionsAsDefaults, ZeroForceDriver
from pydrake.multibody.parsing import (
    ModelDirective,
    ModelInstanceInfo,
    PackageMap,
    Parser,
)
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    AddMultibodyPlantSceneGraph,
    MultibodyPlant,
)
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.contact.configure import assign_contact
from webmotor_drake.contact.half_spaces import HalfSpaces
from webmotor_drake.contact.shape_contact import POINT, ShapeContact
from webmotor_drake.contact.thin_contact import warn_of_point_contact
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.drive.plant_queries import (
    beside,
    is_brought,
    model_instance,
)
from webmotor_drake.drive.prepared_joints import prepare_actuators
from webmotor_drake.errors import InputError, unknown_name, warn
from webmotor_drake.motor.driver_checks import CheckedDriver
from webmotor_drake.nodes.connectors import HoldingNode
from webmotor_drake.nodes.distance import TouchSensor
from webmotor_drake.robot_files.import_robot import as_it_loads
from webmotor_drake.scenario.blame import DRAKE_ERRORS, blame, drake_text
from webmotor_drake.scenario.bodies import with_bodies
from webmotor_drake.scenario.checks import MAX_LENGTH
from webmotor_drake.scenario.directives import process_directives
from webmotor_drake.scenario.scenario import (
    Scenario,
    directives_of,
    file_in,
    located,
    packages_of,
    robots_of,
)
from webmotor_drake.simulation.docks import Docks
from webmotor_drake.simulation.scene_names import check_defs
from webmotor_drake.simulation.spares import add_stock, place_spares
from webmotor_drake.simulation.supervised import make_welds_movable, supervisors

# Above so many directives Build() without sampled ports takes some 0.1 s.
_MANY = 80
# The advice for a scenario with contact settings of its own.
_OWN_CONTACT = (
    "leave contact_model and compliance_type out, and they rest on each other"
)


@dc.dataclass(frozen=True)
class ModelledPlant:
    """A finalized plant with a scenario's models.

    Attributes:
        plant: the plant, in a builder.
        scene_graph: its geometry.
        models: models that the directives added.
        contacts: kind of contact of each collision shape, with the reason.
        docks: Connectors that may hold each other; None without any.
    """

    plant: MultibodyPlant
    scene_graph: SceneGraph
    models: list[ModelInstanceInfo]
    contacts: list[ShapeContact]
    docks: Docks | None = None


def add_plant(
    scenario: Scenario,
    drivers: Mapping[str, CheckedDriver],
    builder: DiagramBuilder,
    before_finalize: Callable[[MultibodyPlant], None] | None = None,
    *,
    docking: bool = False,
    with_parser: Callable[[Parser], None] = lambda parser: None,
) -> ModelledPlant:
    """Adds a scenario's plant to a diagram, and finalizes it.

    Args:
        scenario: checked scenario.
        drivers: drivers of Webots motors, by model name.
        builder: the diagram.
        before_finalize: function that gets the plant, and adds further parts to it.
        docking: True if its Connectors may hold each other.
        with_parser: callback that gets Drake's parser before it parses.

    Raises:
        InputError: the scenario does not fit its models.
    """
    with blame(scenario, "scene_graph_config"):
        SceneGraph().set_config(scenario.scene_graph_config)
    with blame(scenario, "plant_config"):
        plant, scene_graph = AddMultibodyPlant(
            plant_config=scenario.plant_config,
            scene_graph_config=scenario.scene_graph_config,
            builder=builder,
        )
    plant.mutable_gravity_field().set_gravity_vector(scenario.gravity)
    half_spaces = HalfSpaces(plant, scene_graph)
    models = _add_models(scenario, plant, half_spaces.take, with_parser)
    for model in supervisors(scenario):
        if not plant.HasModelInstanceNamed(model):  # it has no body
            plant.AddModelInstance(model)
    if supervisors(scenario):
        with blame(scenario, "directives"):
            make_welds_movable(plant)
    docks = Docks(scenario, plant) if docking else None
    # Before the drivers, which look at what their motors can touch.
    add_stock(scenario, plant, scene_graph)
    # Loops first: they decide how all models are driven.
    for model in sorted(
        scenario.model_drivers,
        key=lambda m: not (m in drivers and drivers[m].config.loops),
    ):
        with blame(scenario, "model_drivers", model):
            model_instance(plant, model)
            if model in drivers:
                prepare_actuators(drivers[model], model, plant)
    _take_what_drake_leaves(scenario, drivers, plant)
    if before_finalize is not None:
        before_finalize(plant)
    _set_initial_positions(scenario, plant)  # of joints that drivers add, too
    kept, field = "", ("default_proximity_properties", "compliance_type")
    if scenario.source and scenario.source.gives("scene_graph_config", *field):
        # Also where it is Drake's own.
        defaults = scenario.scene_graph_config.default_proximity_properties
        kept = f"scene_graph_config says {defaults.compliance_type}"
    contacts = assign_contact(plant, scene_graph, half_spaces, kept)
    with blame(scenario, "directives"):
        plant.Finalize()
        _check_poses(plant)
    with blame(scenario, "plant_config", "time_step"):
        _check_constraints(scenario, plant)
    _check_reaction_forces(scenario, plant)
    check_defs(scenario, plant)
    place_spares(scenario, plant)
    rolling = {c.geometry for c in contacts if c.contact == POINT}
    warn_of_point_contact(plant, scene_graph, _OWN_CONTACT, rolling)
    return ModelledPlant(plant, scene_graph, models, contacts, docks)


def _add_models(
    scenario: Scenario,
    plant: MultibodyPlant,
    after_part: Callable[[], None],
    with_parser: Callable[[Parser], None],
) -> list[ModelInstanceInfo]:
    directives = directives_of(scenario)
    packages = packages_of(scenario)
    with blame(scenario, "bodies"):
        directives = with_bodies(directives, scenario.bodies, packages)
    with blame(scenario, "directives"):
        try:
            return process_directives(
                directives,
                plant,
                scenario.random_seed,
                after_part,
                packages=packages,
                with_parser=with_parser,
            )
        except DRAKE_ERRORS as error:
            culprit = _first_refused(directives, packages)
            if culprit is None:
                raise
            problem = f"Drake refuses it: {drake_text(error)}"
            raise InputError(problem, path=(culprit,)) from error


def _first_refused(
    directives: list[ModelDirective], packages: PackageMap
) -> int | None:
    """Returns the index of the first directive that cannot be processed."""

    def fails(i: int) -> bool:
        plant, _ = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.0)
        try:
            process_directives(directives[: i + 1], plant, packages=packages)
        except DRAKE_ERRORS:
            return True
        return False

    number = len(directives)
    first = bisect.bisect_left(range(number), True, key=fails)
    return first if first < number else None


def _take_what_drake_leaves(
    scenario: Scenario,
    drivers: Mapping[str, CheckedDriver],
    plant: MultibodyPlant,
) -> None:
    """Gives actuators the files' limits; warns of armatures that are lost.

    Drake keeps limits for joints with an actuator only. From an MJCF it takes the limit
    of an actuator, or its force without the gear, as the joint's limit (1.51 and 1.58).
    """
    packages, files = packages_of(scenario), {}
    for add in (directive.add_model for directive in scenario.directives):
        if add is not None and add.name in drivers:
            # A callback may have added its package.
            with contextlib.suppress(RuntimeError):
                url = file_in(scenario, add.file)
                files[add.name] = Path(packages.ResolveUrl(url))
    loads = functools.cache(as_it_loads)  # copies of a robot have one file
    found = {model: loads(file) for model, file in files.items()}
    for index in plant.GetJointActuatorIndices():
        actuator = plant.get_joint_actuator(index)
        joint = actuator.joint()
        model = plant.GetModelInstanceName(actuator.model_instance())
        if model not in found or actuator.name() in beside(joint):
            continue
        effort = found[model].efforts.get(joint.name())
        is_mjcf = files[model].suffix.lower() == ".xml"
        if effort is not None and (is_mjcf or is_brought(actuator)):
            actuator.set_effort_limit(effort)
    for model, robot in found.items():
        config = drivers[model].config
        driven = {motor.joint for motor in config.motors.values()}
        lost = [
            f"{joint}: {{reflected_inertia: {armature:g}}}"
            for joint, armature in robot.lost_armatures.items()
            if joint in driven
            and getattr(config.joints.get(joint), "reflected_inertia", None)
            is None
        ]
        if lost:
            warn(
                f"{model}: Drake reads the armature of a joint only where the"
                " MJCF has a <motor> or <position> on it; the driver can give it:"
                f" joints: {{{', '.join(lost)}}}"
            )


def _set_initial_positions(scenario: Scenario, plant: MultibodyPlant) -> None:
    for model, positions in scenario.initial_position.items():
        with blame(scenario, "initial_position", model):
            instance = model_instance(plant, model)
            joints = map(plant.get_joint, plant.GetJointIndices(instance))
            sizes = {joint.name(): joint.num_positions() for joint in joints}
        for joint, position in positions.items():
            with blame(scenario, "initial_position", model, joint):
                if joint not in sizes:
                    raise InputError(unknown_name("joint", joint, sizes))
                if np.shape(position) != (sizes[joint],):
                    numbers = " x ".join(map(str, np.shape(position)))
                    raise InputError(
                        f"{numbers} numbers; joint {joint} takes {sizes[joint]}"
                    )
                if not np.isfinite(position).all():
                    raise InputError(
                        f"{position} is not allowed; must be finite numbers"
                    )
                ApplyNamedPositionsAsDefaults(
                    input={model: {joint: position}}, plant=plant
                )


def _check_poses(plant: MultibodyPlant) -> None:
    """Refuses invalid poses, as after a turn about an axis of 0."""
    context = plant.CreateDefaultContext()
    for index in range(plant.num_bodies()):
        body = plant.get_body(BodyIndex(index))
        X_WB = plant.EvalBodyPoseInWorld(context, body)
        R_WB = X_WB.rotation().matrix()
        turns = np.allclose(R_WB @ R_WB.T, np.eye(3))
        if not turns or not (abs(X_WB.translation()) <= MAX_LENGTH).all():
            raise InputError(
                f"body {body.scoped_name()} has no valid pose; translations"
                f" have to be within {MAX_LENGTH:g} m and axes other than 0"
            )


def _check_constraints(scenario: Scenario, plant: MultibodyPlant) -> None:
    """Refuses constraints, such as mimic joints, that Drake cannot hold."""
    number = plant.num_constraints()
    scheme = scenario.simulator_config.integration_scheme
    if number and plant.time_step() == 0 and scheme != "cenic":
        raise InputError(
            "a continuous plant (time_step 0) cannot hold the constraints of"
            f" its models, such as mimic joints ({number} of them); a time"
            " above 0 is needed, or the integration_scheme cenic"
        )


def _check_reaction_forces(scenario: Scenario, plant: MultibodyPlant) -> None:
    """Refuses reaction forces that are wrong in Drake, or those of another step."""
    scheme = scenario.simulator_config.integration_scheme
    if plant.time_step() == 0 and scheme == "cenic":  # drake#24061
        problem = (
            "the integration_scheme cenic gives wrong reaction forces; use"
            " another one, or a plant with a time_step above 0"
        )
    elif plant.time_step() and not plant.has_sampled_output_ports():
        problem = (
            "reaction forces of the step just finished need the plant's sampled"
            " output ports (use_sampled_output_ports: true)"
        )
    else:
        return
    for model, driver in robots_of(scenario).items():
        for field in _fields_with_forces(driver):
            path = ("model_drivers", model, *field)
            raise located(scenario, InputError(problem, path=path))


def without_samples(scenario: Scenario) -> Scenario:
    """Returns the scenario without sampled output ports if nobody reads these.

    Sampled ports cost a quarter of a plant step; our motors and log don't need them.
    They stay with many models, since Build() without them is cubic in the number of
    models, and where the file itself asks for them.
    """
    ours = WebotsMotorDriver, ZeroForceDriver
    drivers = scenario.model_drivers.values()
    source = scenario.source
    if (
        (source and source.gives("plant_config", "use_sampled_output_ports"))
        or scenario.visualization
        or scenario.cameras
        or not all(isinstance(driver, ours) for driver in drivers)
        or any(
            any(_fields_with_forces(d)) for d in robots_of(scenario).values()
        )
        or len(scenario.directives) > _MANY
    ):
        return scenario
    lean = copy.copy(scenario)
    lean.plant_config = copy.deepcopy(scenario.plant_config)
    lean.plant_config.use_sampled_output_ports = False
    return lean


def _fields_with_forces(driver: WebotsMotorDriver) -> Iterator[tuple[str, ...]]:
    """Yields the fields of a driver that ask for the joints' reaction forces."""
    if driver.reaction_forces:
        yield ("reaction_forces",)
    for name, node in driver.devices.items():
        if isinstance(node, TouchSensor) and node.type != "bumper":
            yield "devices", name
        if isinstance(node, HoldingNode) and node.breaks:
            yield "devices", name
