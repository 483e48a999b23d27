"""The cost of a step with a Webots controller, against the same scenario without one.

    python benchmarks/controller_cost.py [--quick] [--out FILE]

Chains of 1, 7 and 30 joints at 8 ms. Whole runs are timed, the scenario's building
left out. The controllers differ in what they do between two steps; those that do
nothing, and those that read and command every motor, have goals.
"""

import tempfile
import warnings
from pathlib import Path

from _lib import interleaved, report
from _lib.report import Table

from webmotor_drake import MotorWarning, load_scenario
from webmotor_drake.controllers.in_process.controller_run import (
    ControlledSimulation,
)
from webmotor_drake.robot import Controller, load_controller
from webmotor_drake.simulation.simulation import Simulation

LINKS = (1, 7, 30)
TIME_STEP, TARGET = 0.008, 0.3  # s, rad
QUICK = {"rounds": 3, "seconds": 0.05}

NONE = "no controller"
# What no controller that is asked in every step can be below.
STOPPED = "no controller, stopped at every step"
STEPS, COMMANDS = "only steps", "reads and sets every position"
TORQUES = "reads torques, too"
CONTROLLERS = {
    STEPS: """
from controller import Robot

robot = Robot()
while robot.step(8) != -1:
    pass
""",
    COMMANDS: f"""
from controller import Robot

robot = Robot()
joints = range(robot.getNumberOfDevices() // 2)
motors = [robot.getDevice(f"motor{{i}}") for i in joints]
sensors = [robot.getDevice(f"sensor{{i}}") for i in joints]
for sensor in sensors:
    sensor.enable(8)
while robot.step(8) != -1:
    for motor, sensor in zip(motors, sensors):
        position = sensor.getValue()
        motor.setPosition({TARGET})
""",
    TORQUES: f"""
from controller import Robot

robot = Robot()
joints = range(robot.getNumberOfDevices() // 2)
motors = [robot.getDevice(f"motor{{i}}") for i in joints]
sensors = [robot.getDevice(f"sensor{{i}}") for i in joints]
for motor, sensor in zip(motors, sensors):
    motor.enableTorqueFeedback(8)
    sensor.enable(8)
while robot.step(8) != -1:
    for motor, sensor in zip(motors, sensors):
        position = sensor.getValue()
        torque = motor.getTorqueFeedback()
        motor.setPosition({TARGET})
""",
}

# What a controller costs over another, or over none.
BASES = {COMMANDS: STEPS, TORQUES: STEPS}
GOALS = {STEPS: 1.3, COMMANDS: 1.5, TORQUES: 1.5}


def costs(folder: Path, timing: dict) -> Table:
    """Returns µs per step by what the controller does.

    Args:
        folder: where the chains' files and the controllers go.
        timing: how long to time, for `interleaved.microseconds_a_step`.
    """
    controllers: dict[str, dict[str, Controller]] = {NONE: {}}
    for number, (name, text) in enumerate(CONTROLLERS.items()):
        file = folder / f"controller{number}.py"
        file.write_text(text)
        controllers[name] = {"chain": load_controller(file)}
    columns = [f"n = {links}" for links in LINKS]
    table = Table("µs per step, chain of n joints", columns)
    for links in LINKS:
        file = write_scenario(folder, links)
        cases = {name: runs(file, each) for name, each in controllers.items()}
        cases[STOPPED] = stopping(file)
        found = interleaved.microseconds_a_step(cases, **timing)
        for name, cost in found.items():
            table.rows.setdefault(name, []).append(cost)
    return table


def runs(
    scenario: Path, controllers: dict[str, Controller]
) -> interleaved.Case:
    """Returns the case of runs from start to end, each built anew."""

    def case(steps: int) -> float:
        simulation = built(scenario, controllers, steps)
        return interleaved.timed(lambda _: simulation.run())(steps)

    return case


def stopping(scenario: Path) -> interleaved.Case:
    """Returns the case of runs that stop at every step, and nobody asks for them."""

    def advance(simulation: Simulation, steps: int) -> None:
        for step in range(1, steps + 1):
            simulation.advance_to_step(step)

    def case(steps: int) -> float:
        simulation = built(scenario, {}, steps)
        return interleaved.timed(lambda n: advance(simulation, n))(steps)

    return case


def built(
    scenario: Path, controllers: dict[str, Controller], steps: int
) -> Simulation:
    """Returns the simulation of that many steps, ready to run."""
    text = f"{{simulation_duration: {steps * TIME_STEP}}}"
    return ControlledSimulation(
        load_scenario(scenario, text=text), controllers=controllers
    )


def ratios(costs: Table) -> Table:
    """Returns the costs over those of what does less, a number each."""
    table = Table("/ no controller, or one that only steps (goal)", ["ratio"])
    for name in (STOPPED, *CONTROLLERS):
        base = BASES.get(name, NONE)
        subject = "" if name == STOPPED else "controller "
        over = "" if base == NONE else f" / {base}"
        for links, cost, least in zip(
            LINKS, costs.rows[name], costs.rows[base], strict=True
        ):
            row = f"{subject}{name}{over}, n = {links}"
            table.rows[row] = [cost / least]
            if name in GOALS:
                table.goals[row] = [GOALS[name]]
    return table


def write_scenario(folder: Path, links: int) -> Path:
    """Writes a chain of links of 1 kg and 0.3 m, and the scenario that has it."""
    (folder / f"chain{links}.urdf").write_text(chain(links))
    motors, sensors, commands = "", "", ""
    for i in range(links):
        motors += f"        motor{i}: !RotationalMotor\n"
        motors += f"          joint: joint{i}\n          max_torque: 50\n"
        sensors += f"        sensor{i}: {{joint: joint{i}}}\n"
        commands += f"      - {{motor: motor{i}, set_position: {TARGET}}}\n"
    file = folder / f"chain{links}.scenario.yaml"
    file.write_text(
        f"Chain:\n  plant_config: {{time_step: {TIME_STEP}}}\n  directives:\n"
        f"  - add_model: {{name: chain, file: chain{links}.urdf}}\n"
        "  - add_weld: {parent: world, child: chain::link}\n"
        "  model_drivers:\n    chain: !WebotsMotorDriver\n"
        f"      motors:\n{motors}      position_sensors:\n{sensors}"
        f"      commands:\n{commands}"
    )
    return file


def chain(links: int) -> str:
    """Returns a chain as URDF; its base is the link called "link"."""
    inertia = (
        '<inertial><origin xyz="0 0 -0.15"/><mass value="1"/><inertia'
        ' ixx="0.0077" iyy="0.0077" izz="0.0004" ixy="0" ixz="0" iyz="0"/>'
        "</inertial>"
    )
    parts = [f'<link name="link">{inertia}</link>']
    parent, z = "link", 0.0
    for i in range(links):
        parts.append(
            f'<link name="link{i}">{inertia}</link>'
            f'<joint name="joint{i}" type="continuous"><parent link="{parent}"/>'
            f'<child link="link{i}"/><origin xyz="0 0 {z}"/>'
            '<axis xyz="0 1 0"/><limit effort="50" velocity="100"/></joint>'
            f"<transmission><type>SimpleTransmission</type>"
            f'<joint name="joint{i}"/><actuator name="actuator{i}"/>'
            "</transmission>"
        )
        parent, z = f"link{i}", -0.3
    return f'<robot name="chain">{"".join(parts)}</robot>'


def measure(*, quick: bool) -> list[Table]:
    """Returns the costs and their ratios."""
    with tempfile.TemporaryDirectory() as folder:
        found = costs(Path(folder), QUICK if quick else {})
    return [found, ratios(found)]


def main() -> None:
    """Prints the tables."""
    args = report.options(__doc__).parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    report.show("controller_cost", measure(quick=args.quick), args)


if __name__ == "__main__":
    main()
