"""Many robots of a scenario in one plant, which may differ in their values."""

import copy
import dataclasses as dc
from collections.abc import Sequence

import numpy as np
from pydrake.geometry import GeometrySet, Role
from pydrake.multibody.parsing import ModelDirective
from pydrake.systems.analysis import ApplySimulatorConfig, Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import LogVectorOutput, VectorLogSink

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.drive.many_robots import ApplyDriverConfigToMany
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.scenario.blame import drake_text
from webmotor_drake.scenario.checks import check_scenario
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.failure import FAILURES
from webmotor_drake.simulation.modelled_plant import add_plant
from webmotor_drake.simulation.motor_stepper import MotorStepper

_SOON = 1e-9  # s
# Above so many robots Build() without sampled ports takes long: their number cubed.
_MANY = 100


def _robot_of(scenario: Scenario) -> str:
    """Returns the model that can have many copies in one plant.

    Raises:
        InputError: its robots don't fit in one plant; the text says why.
    """
    drivers = scenario.model_drivers
    if len(drivers) != 1:
        raise _refused(f"the scenario has {len(drivers)} robots")
    [(model, driver)] = drivers.items()
    if not isinstance(driver, WebotsMotorDriver):
        raise _refused(f"{model} has no Webots motors")
    if driver.commands:
        raise _refused(
            "it has timed commands, and each robot a time of its own"
        )
    for directive in scenario.directives:
        if directive.add_model is None and directive.add_weld is None:
            raise _refused(
                "its directives are more than add_model and add_weld"
            )
    return model


class OnePlantError(InputError):
    """Robots cannot be in one plant."""


def _refused(why: str) -> OnePlantError:
    return OnePlantError(f"not many of it in one plant: {why}")


class ManyRobots:
    """A plant with many copies of a robot, which touch nothing.

    It has what `MotorLoop` needs of a `Simulation`.

    Attributes:
        scenario: scenario of the first robot.
        models: for each copy the names of its models, by their names in the scenario.
        plant: Drake's plant.
        motors: one system with the motors of all, copy by copy.
        simulator: simulator of the diagram.
        stepper: steps it from motor step to motor step.
        failed: True if it goes no further without a reset.

    Args:
        scenarios: scenario of each robot: variants of one scenario, with other values
            of motors, joints, bodies and initial positions.
        record: True if the state at the start of each motor step is recorded.

    Raises:
        InputError: its robots don't fit in one plant.
    """

    def __init__(self, scenarios: Sequence[Scenario], *, record: bool = False):
        scenario = scenarios[0]
        model = _robot_of(scenario)
        self.scenario, self.failed = scenario, False
        added = [d.add_model.name for d in scenario.directives if d.add_model]
        self.models = [
            {name: f"{name}_{i}" for name in added}
            for i in range(len(scenarios))
        ]
        copies = _copied(scenarios, self.models)
        builder = DiagramBuilder()
        modelled = add_plant(copies, check_scenario(copies), builder)
        self.plant, self.scene_graph = modelled.plant, modelled.scene_graph
        inspector = self.scene_graph.model_inspector()
        ids = GeometrySet(inspector.GetAllGeometryIds())
        if inspector.GetGeometryIds(ids, Role.kProximity):
            raise _refused("its shapes collide")
        drivers = [one.model_drivers[model] for one in scenarios]
        names = [models[model] for models in self.models]
        try:
            system = ApplyDriverConfigToMany(
                drivers, names, self.plant, builder
            )
        except InputError as error:
            raise _refused(str(error)) from None
        self.motors = {"": system}
        self._log: VectorLogSink | None = None
        if record:
            port = self.plant.get_state_output_port()
            self._log = LogVectorOutput(
                port, builder, publish_period=system.period
            )
        self.simulator = Simulator(builder.Build())
        ApplySimulatorConfig(scenario.simulator_config, self.simulator)
        self.stepper = MotorStepper(self.simulator, system)
        self._start = self.simulator.get_context().Clone()
        self._begins = True

    def reset(self, seed: int | None = None) -> None:
        """Goes back to the start, as `Simulation.reset`. Nothing is random."""
        root = self.simulator.get_mutable_context()
        root.SetTime(0.0)
        for system in (self.plant, *self.motors.values()):
            own = system.GetMyMutableContextFromRoot(root)
            start = system.GetMyContextFromRoot(self._start)
            own.SetStateAndParametersFrom(start)
        self._begins, self.failed = True, False

    def start_of(self, copy: int) -> None:
        """Takes one copy back to its start; all others stay as they are.

        Args:
            copy: index of the copy.
        """
        root = self.simulator.get_mutable_context()
        context = self.plant.GetMyMutableContextFromRoot(root)
        start = self.plant.GetMyContextFromRoot(self._start)
        for name in self.models[copy].values():
            instance = self.plant.GetModelInstanceByName(name)
            x = self.plant.GetPositionsAndVelocities(start, instance)
            self.plant.SetPositionsAndVelocities(context, instance, x)

    def restart_motors(self, copy: int) -> None:
        """Restarts a copy's motors, at the present positions of its joints."""
        root = self.simulator.get_mutable_context()
        [system] = self.motors.values()
        [model] = self.scenario.model_drivers
        own = system.GetMyMutableContextFromRoot(root)
        name = self.models[copy][model]
        system.restart_model(own, self.plant.GetModelInstanceByName(name))

    def advance_to_step(self, step: int) -> None:
        """Simulates until motor step `step` is about to start."""
        try:
            if self._begins:
                self.simulator.Initialize()
                self._begins = False
            self.stepper.advance_to(step)
        except FAILURES as error:
            self.failed = True
            raise SimulationError(
                f"the simulation failed: {drake_text(error)}"
            ) from error

    def states(self) -> np.ndarray:
        """Returns the recorded states and the present one, shape (K, states)."""
        root = self.simulator.get_context()
        context = self.plant.GetMyContextFromRoot(root)
        now = self.plant.GetPositionsAndVelocities(context)
        before = self._log.FindLog(root)
        past = before.data()[:, before.sample_times() < root.get_time() - _SOON]
        return np.vstack([past.T, now])


def _copied(
    scenarios: Sequence[Scenario], models: list[dict[str, str]]
) -> Scenario:
    many = copy.copy(scenarios[0])
    each = list(zip(scenarios, models, strict=True))
    many.directives = [
        _renamed(directive, names)
        for one, names in each
        for directive in one.directives
    ]
    many.model_drivers = {
        names[model]: dc.replace(driver)
        for one, names in each
        for model, driver in one.model_drivers.items()
    }
    for field in ("initial_position", "recorded_bodies", "bodies"):
        copied = {
            names[model]: value
            for one, names in each
            for model, value in getattr(one, field).items()
        }
        setattr(many, field, copied)
    many.plant_config = copy.deepcopy(many.plant_config)
    many.plant_config.use_sampled_output_ports = len(models) > _MANY
    return many


def _renamed(
    directive: ModelDirective, names: dict[str, str]
) -> ModelDirective:

    def renamed(frame: str) -> str:
        model, scope, rest = frame.rpartition("::")
        return names.get(model, model) + scope + rest

    new = copy.deepcopy(directive)
    if new.add_model is not None:
        new.add_model.name = names[new.add_model.name]
        for pose in new.add_model.default_free_body_pose.values():
            if pose.base_frame:
                pose.base_frame = renamed(pose.base_frame)
    else:
        new.add_weld.parent = renamed(new.add_weld.parent)
        new.add_weld.child = renamed(new.add_weld.child)
    return new
