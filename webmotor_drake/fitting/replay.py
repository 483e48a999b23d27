"""A scenario run with the commands of a log, from a state of the log."""

import dataclasses as dc
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.comparison.known_models import engine_of, with_drive_of
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.engines.stepped_run import SteppedRun
from webmotor_drake.errors import InputError, unwarned
from webmotor_drake.fitting.logged_motors import LoggedMotor
from webmotor_drake.fitting.own_model import OWN
from webmotor_drake.fitting.robot_log import COMMANDS, RobotLog
from webmotor_drake.motor.commands import Kind, StepCommands
from webmotor_drake.scenario.checks import check_scenario
from webmotor_drake.scenario.scenario import Scenario, with_robots
from webmotor_drake.simulation.many_robots import ManyRobots, OnePlantError
from webmotor_drake.simulation.release import released
from webmotor_drake.simulation.simulation import Simulation

# Numbers instead of names: there are thousands of commands.
_KINDS = dict(
    zip(COMMANDS, (Kind.POSITION, Kind.VELOCITY, Kind.EFFORT), strict=True)
)
BETWEEN = ("hold", "interpolate")
# A sample up to this time after a step's start is at the start (rounding), s.
_SAME_TIME = 1e-9

Commands = dict[int, list[tuple[int, Kind, float]]]


def step_values(
    log: RobotLog, values: np.ndarray, edges: np.ndarray, between: str
) -> np.ndarray:
    """Returns a signal's value in each motor step, shape (K,); NaN before its first.

    The value is the average over the step, so that samples which drift against the
    steps cause no jumps; if that is infinite, the value at the step's start. A constant
    signal is kept to the last bit.

    Args:
        log: log with the times of the samples.
        values: samples of the signal, shape (N,).
        edges: times at which steps start and the last one ends, shape (K+1,), s.
        between: rule between two samples: "hold" keeps the first one's value,
            "interpolate" takes the straight line.
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.full(len(edges) - 1, np.nan)
    time, values = log.time[known], values[known]
    last = _last_sample(time, edges[:-1])
    sampled = np.where(last >= 0, values[np.maximum(last, 0)], np.nan)
    if not np.isfinite(values).all():
        return sampled
    end = np.searchsorted(time, edges[1:]) - 1
    if between == "interpolate":
        middle = (edges[:-1] + edges[1:]) / 2
        mean = np.interp(middle, time, values)
        end = np.minimum(end + 1, len(time) - 1)
    else:
        area = np.append(0.0, np.cumsum(values[:-1] * np.diff(time)))
        later = np.append(time, max(edges[-1], time[-1]) + 1.0)
        area = np.append(area, area[-1] + values[-1] * (later[-1] - time[-1]))
        mean = np.diff(np.interp(edges, later, area)) / np.diff(edges)
    stretch = np.append(0, np.cumsum(np.diff(values) != 0))
    stays = stretch[np.maximum(last, 0)] == stretch[np.maximum(end, 0)]
    return np.where(np.isnan(sampled) | stays, sampled, mean)


def _last_sample(time: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Returns the last sample at or before each moment, shape (K,); -1: none."""
    return np.searchsorted(time, moments + _SAME_TIME, side="right") - 1


def motor_commands(
    log: RobotLog, motor: LoggedMotor, edges: np.ndarray, between: str
) -> Commands:
    """Returns the commands of a motor by step, only those that change something.

    A velocity without targets is velocity control; with targets it is the speed limit
    on the way to them, as in Webots. A sample with an effort is effort control; a
    sample with a target and no effort returns to position control.

    Args:
        log: log of the commands.
        motor: motor to command; commands are without its multiplier.
        edges: times at which steps start and the last one ends, shape (K+1,), s.
        between: rule for times between two samples, one of `step_values`.
    """
    signals = {
        signal: step_values(log, values, edges, between)
        for signal in _KINDS
        if (values := log.get(motor.name, signal)) is not None
    }
    if "target_velocity" in signals:
        velocity = signals["target_velocity"]
        if "target" not in signals:
            turning = np.where(np.isnan(velocity), np.nan, np.inf)
            signals = {"target": turning, **signals}
        else:
            seeks = np.isfinite(signals["target"])
            signals["target_velocity"] = np.where(
                seeks, np.abs(velocity), velocity
            )
    is_effort = by_effort(log, motor, edges[:-1])
    commands: Commands = {}
    for signal, values in signals.items():
        acts = ~np.isnan(values)
        acts[1:] &= (values[1:] != values[:-1]) | (
            is_effort[1:] != is_effort[:-1]
        )
        if signal != "target_velocity":  # ends no effort control
            acts &= is_effort == (signal == "target_effort")
        for step in np.flatnonzero(acts).tolist():
            value = float(values[step]) / motor.multiplier
            command = (motor.index, _KINDS[signal], value)
            commands.setdefault(step, []).append(command)
    return commands


def by_effort(
    log: RobotLog, motor: LoggedMotor, starts: np.ndarray
) -> np.ndarray:
    """Returns True for the motor steps that command an effort, shape (K,).

    Args:
        log: log of the commands; a sample without any command changes nothing.
        motor: motor to command.
        starts: starts of the steps, shape (K,), s.
    """
    has = {
        signal: ~np.isnan(values)
        for signal in _KINDS
        if (values := log.get(motor.name, signal)) is not None
    }
    effort = has.get("target_effort")
    if effort is None:
        return np.zeros(len(starts), dtype=bool)
    told = np.any(list(has.values()), axis=0)
    last = _last_sample(log.time[told], starts)
    return (last >= 0) & effort[told][np.maximum(last, 0)]


@dc.dataclass
class Script:
    """The start of a run and the commands to its motors.

    Attributes:
        steps: number of motor steps.
        commands: commands by model and step.
        positions: start positions by model and joint, rad or m; default: the
            scenario's.
        velocities: start velocities by "<model>/<motor>", rad/s or m/s; default: 0.
    """

    steps: int
    commands: Mapping[str, Mapping[int, StepCommands]]
    positions: Mapping[str, Mapping[str, float]]
    velocities: Mapping[str, float]


def replay(
    scenario: Scenario, model: str, gains: Gains | None, script: Script
) -> dict[str, np.ndarray]:
    """Runs a scenario under a motor model.

    Args:
        scenario: scenario to run, checked here; its own commands act, too.
        model: a motor model that `compare` knows, or "own".
        gains: gains of drake_pd.
        script: start and commands.

    Returns:
        The signals by name, each of shape (steps + 1,).

    Raises:
        InputError: the scenario cannot run.
        SimulationError: the run failed midway.
    """
    with unwarned():
        scenario = _started(scenario, script)
        make_engine = engine_of(model, scenario, gains)
        if make_engine is None:
            if model != OWN:
                scenario = with_drive_of(model, scenario)
            return _on_drake(scenario, script)
        check_scenario(scenario)  # as a Simulation does itself
        return _stepped(make_engine(), script)


def replay_together(
    scenarios: Sequence[Scenario], model: str, scripts: Sequence[Script]
) -> list[dict[str, np.ndarray]]:
    """Runs variations of a scenario in one plant; eight cost about two runs.

    Args:
        scenarios: variations as `replay` takes them, which `ManyRobots` allows.
        model: motor model of all.
        scripts: start of each variation; all get the commands of the first.

    Returns:
        Positions and velocities of each one's motors, by name as from `replay`.

    Raises:
        InputError: they cannot be in one plant.
        SimulationError: one of them failed.
    """
    with unwarned():
        started = [
            _started(*pair) for pair in zip(scenarios, scripts, strict=True)
        ]
        if model != OWN:
            if engine_of(model, started[0], None) is not None:
                raise OnePlantError(f"{model} has no motors of a scenario")
            started = [with_drive_of(model, one) for one in started]
        with released(ManyRobots(started, record=True)) as robots:
            return _together(robots, scripts)


def _together(
    robots: ManyRobots, scripts: Sequence[Script]
) -> list[dict[str, np.ndarray]]:
    [motors] = robots.motors.values()
    [(model, commands)] = scripts[0].commands.items()
    own = len(motors.devices.names) // len(scripts)
    motors.add_schedule(
        {
            step: [
                (copy * own + motor, kind, value)
                for copy in range(len(scripts))
                for motor, kind, value in of_step
            ]
            for step, of_step in commands.items()
        }
    )
    names = [name.partition("/")[2] for name in motors.devices.names[:own]]
    signals = [f"{model}/{name}" for name in names]
    velocities = [s.velocities.get(n, 0.0) for s in scripts for n in signals]
    _set_in_motion(robots, motors, velocities)
    robots.advance_to_step(scripts[0].steps)
    states = robots.states()
    return [
        {
            f"{name}/{quantity}": states[:, places[copy * own + i]]
            for i, name in enumerate(signals)
            for quantity, places in (
                ("position", motors.position_indices),
                ("velocity", motors.velocity_indices),
            )
        }
        for copy in range(len(scripts))
    ]


def _started(scenario: Scenario, script: Script) -> Scenario:
    """Returns the scenario with the script's start, without views or controllers."""
    started = with_robots(
        scenario, lambda d: dc.replace(d, controller="", lcm_bus="")
    )
    started.visualization, started.cameras = None, {}
    started.initial_position = {
        name: dict(joints) for name, joints in scenario.initial_position.items()
    }
    for name, joints in script.positions.items():
        own = started.initial_position.setdefault(name, {})
        own.update({j: np.array([q]) for j, q in joints.items()})
    return started


def _on_drake(scenario: Scenario, script: Script) -> dict[str, np.ndarray]:
    with released(Simulation(scenario)) as simulation:
        for model, commands in script.commands.items():
            simulation.motors[model].add_schedule(commands)
        for model, motors in simulation.motors.items():
            names = [f"{model}/{motor}" for motor in motors.devices.names]
            velocities = [script.velocities.get(name, 0.0) for name in names]
            _set_in_motion(simulation, motors, velocities)
        simulation.advance_to_step(script.steps)
        return simulation.results().signals


def _set_in_motion(
    simulation: Simulation | ManyRobots,
    motors: MotorSystem,
    velocities: Sequence[float],
) -> None:
    """Sets the joints' velocities, from which the motors' ramps start, too."""
    plant, root = simulation.plant, simulation.simulator.get_mutable_context()
    context = plant.GetMyMutableContextFromRoot(root)
    v = plant.GetVelocities(context)
    for joint, velocity in zip(motors.model.joints, velocities, strict=False):
        if velocity:
            v[joint.velocity_start()] = velocity
    plant.SetVelocities(context, v)
    own = motors.GetMyMutableContextFromRoot(root)
    motors.ramp_from(own, range(len(velocities)), velocities)


def _stepped(engine: object, script: Script) -> dict[str, np.ndarray]:
    for model, commands in script.commands.items():
        engine.motors.add_schedule(model, commands)
    velocities = np.array(
        [script.velocities.get(name, 0.0) for name in engine.motors.names]
    )
    if velocities.any():
        if not hasattr(engine, "set_velocities"):
            raise InputError("ode starts from rest; one window is allowed")
        engine.set_velocities(velocities)
        engine.motors.ramp_from(velocities)
    run = SteppedRun(engine)
    run.run(script.steps * engine.motors.period)
    return run.signals()
