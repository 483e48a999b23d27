"""The motor models that `compare` knows by name.

A model is prepared first, where bad input shows, and run later.
"""

import functools
import time
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from webmotor_drake.engines.drake_controllers import (
    Gains,
    IdealEngine,
    InverseDynamicsEngine,
    PdEngine,
)
from webmotor_drake.engines.ode_engine import OdeEngine
from webmotor_drake.engines.stepped_motors import SteppedMotors
from webmotor_drake.engines.stepped_run import Engine, SteppedRun
from webmotor_drake.errors import SimulationError, counted_warnings, one_line
from webmotor_drake.interrupts import RunInterrupted, uninterrupted
from webmotor_drake.motor.driver_config import DRIVES
from webmotor_drake.nodes.motor_models import MODELS
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.blame import DRAKE_ERRORS
from webmotor_drake.scenario.scenario import Scenario, with_drive, with_model
from webmotor_drake.simulation.body_poses import BodyPoses
from webmotor_drake.simulation.motor_log import joint_signals
from webmotor_drake.simulation.release import run_and_release
from webmotor_drake.simulation.run_record import (
    joint_descriptions,
    position_names,
    run_metadata,
)
from webmotor_drake.simulation.simulation import Simulation

Progress = Callable[[float, float], None] | None
Run = Callable[[Progress], Results]

_FORCED_DRIVES = {
    f"webots_{drive}": drive for drive in DRIVES if drive != "auto"
}

# A description of each model, for the report.
ABOUT = {
    "webots": "Webots motors on Drake, with the drive that the scenario asks for.",
    **{
        name: f"Webots motors on Drake, with the {drive} drive."
        for name, drive in _FORCED_DRIVES.items()
    },
    "drake_pd": "Drake's own PD actuators, solved inside its contact solver. They"
    " see the target positions as steps and have no limit but that of effort.",
    "inverse_dynamics": "Drake's InverseDynamicsController, with the same targets"
    " as drake_pd.",
    "ideal": "Webots motors of unlimited effort: the law alone. Available effort"
    " of 0 still turns them off.",
    **{
        name: f"{model.about[0].upper()}{model.about[1:]}."
        for name, model in MODELS.items()
        if name != "webots"
    },
    "ode": "The same mechanism and motor law on the Open Dynamics Engine, as in"
    " Webots.",
}
NAMES = list(ABOUT)


def prepare(name: str, scenario: Scenario, gains: Gains | None) -> Run:
    """Returns a function that runs a scenario with the model `name`, of `NAMES`.

    Args:
        name: name of the model.
        scenario: the scenario to run.
        gains: gains of drake_pd, as `PdEngine` takes them.

    Raises:
        InputError: the model cannot run the scenario.
    """
    make_engine = engine_of(name, scenario, gains)
    if make_engine is None:
        simulation = Simulation(with_drive_of(name, scenario))
        return functools.partial(run_and_release, simulation)
    return _stepped(scenario, name, make_engine)


def engine_of(
    name: str, scenario: Scenario, gains: Gains | None
) -> Callable[[], Engine] | None:
    """Returns the maker of a model's engine; None for Webots motors on Drake.

    Args:
        name: name of the model.
        scenario: the scenario to run.
        gains: gains of drake_pd.
    """
    scenario = with_model(scenario, "webots")
    engines = {
        "drake_pd": lambda: PdEngine(scenario, gains),
        "inverse_dynamics": lambda: InverseDynamicsEngine(scenario),
        "ideal": lambda: IdealEngine(scenario),
        "ode": lambda: _ode_engine(scenario),
    }
    return engines.get(name)


def with_drive_of(name: str, scenario: Scenario) -> Scenario:
    """Returns the scenario with the motor model and the drive of a name."""
    scenario = with_model(scenario, name if name in MODELS else "webots")
    drive = _FORCED_DRIVES.get(name)
    return scenario if drive is None else with_drive(scenario, drive)


def _ode_engine(scenario: Scenario) -> OdeEngine:
    scenario = with_drive(scenario, "torque")
    simulation = Simulation(scenario)
    simulator, plant = simulation.simulator, simulation.plant
    scene_graph = simulator.get_system().GetSubsystemByName("scene_graph")
    return OdeEngine(
        plant,
        SteppedMotors(simulation.motors, scenario.model_drivers),
        inspector=scene_graph.model_inspector(),
        context=plant.GetMyContextFromRoot(simulator.get_context()),
    )


def _stepped(
    scenario: Scenario, name: str, make_engine: Callable[[], Engine]
) -> Run:
    warnings: Counter[str] = Counter()
    with counted_warnings(warnings):
        engine = make_engine()
        motors = engine.motors
        poses = BodyPoses(scenario, engine.plant, motors.names)
        taken = {*motors.names, *poses.names}
        joints = {n: j for n, j in motors.passive.items() if n not in taken}
    stepped = SteppedRun(engine)

    def results(wall_time: float) -> Results:
        metadata = run_metadata(
            scenario,
            _descriptions(engine, name),
            simulated=stepped.time[-1],
            wall_time=wall_time,
            warnings=warnings,
        )
        metadata["positions"] = position_names(engine.plant)
        if joints:
            metadata["joints"] = joint_descriptions(joints)
        states, signals = stepped.states, stepped.signals()
        if name == "ideal":
            signals = _without_limits(signals, motors.names)
        return Results(
            stepped.time,
            signals
            | joint_signals(engine.plant, joints, states)
            | poses.signals(states),
            metadata,
            positions=states[: engine.plant.num_positions()].T,
        )

    def run(progress: Progress) -> Results:
        started = time.perf_counter()
        try:
            with counted_warnings(warnings):
                stepped.run(scenario.simulation_duration, progress=progress)
        except (SimulationError, ArithmeticError, *DRAKE_ERRORS) as error:
            text = f"at {stepped.time[-1]:.6g} s: {one_line(error)}"
            failure = SimulationError(text)
            failure.results = results(time.perf_counter() - started)
            raise failure from error
        except KeyboardInterrupt as interrupt:
            with uninterrupted():  # a second Ctrl-C would lose the results
                partial = results(time.perf_counter() - started)
            raise RunInterrupted(partial) from interrupt
        return results(time.perf_counter() - started)

    return run


def _descriptions(engine: Engine, name: str) -> dict[str, dict]:
    gains = engine.gains if isinstance(engine, PdEngine) else {}
    return {
        motor: {
            **about,
            "drive": name,
            **({"gains": list(gains[motor])} if motor in gains else {}),
            **({"max_effort": np.inf} if name == "ideal" else {}),
        }
        for motor, about in engine.motors.descriptions.items()
    }


def _without_limits(
    signals: dict[str, np.ndarray], motors: Iterable[str]
) -> dict[str, np.ndarray]:
    """Returns the signals of `ideal`, with an infinite effort limit."""
    # A motor without power is still off, and direct effort was clipped.
    changed = dict(signals)
    for motor in motors:
        limit = signals[f"{motor}/effort_limit"]
        sought = (signals[f"{motor}/mode"] < 2) & (limit > 0)
        changed[f"{motor}/effort_limit"] = np.where(sought, np.inf, limit)
        changed[f"{motor}/saturated"] = np.zeros(len(limit))
    return changed
