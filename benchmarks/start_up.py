"""How long the program takes to start.

    python benchmarks/start_up.py [--quick] [--out FILE]

Wall time of whole processes, best of some in turns, files in the page cache.
The last table says which packages the imports of a run spend their time in.
"""

import contextlib
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from _lib import report
from _lib.report import Table

SCENARIO = Path(__file__).parent.parent / "scenarios/pendulum.scenario.yaml"
LINKS = 30
ROUNDS, QUICK_ROUNDS = 7, 1
HELP = "webmotor --help"
RUN = "webmotor run, 0.1 s of a pendulum"
BUILD = f"diagram of {LINKS} joints, beyond Drake's parsing"
GOALS = {HELP: 150.0, RUN: 1500.0, BUILD: 100.0}

MAIN = "from webmotor_drake.cli.main import main; sys.exit(main())"


def command(*arguments: str) -> list[str]:
    """Returns a command line of webmotor."""
    return [sys.executable, "-c", f"import sys; {MAIN}", *arguments]


def run_arguments(folder: str) -> list[str]:
    """Returns the arguments of the short run."""
    return [
        *("run", str(SCENARIO), "--scenario_name", "Lift"),
        *("--scenario_text", "{simulation_duration: 0.1}"),
        *("--out", folder, "--quiet"),
    ]


def milliseconds(arguments: list[str]) -> float:
    """Returns how long a process takes, ms."""
    start = time.perf_counter()
    subprocess.run(
        arguments,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return 1e3 * (time.perf_counter() - start)


def processes(folder: str, rounds: int) -> Table:
    """Returns the times that have goals, ms."""
    arguments = run_arguments(folder)
    best = dict.fromkeys(GOALS, float("inf"))
    for _ in range(rounds):
        found = {
            HELP: milliseconds(command("--help")),
            RUN: milliseconds(command(*arguments)),
            BUILD: _build_milliseconds(),
        }
        best |= {name: min(best[name], found[name]) for name in found}
    rows = {name: [value] for name, value in best.items()}
    return Table(
        "start-up (goal)", ["ms"], rows, {n: [g] for n, g in GOALS.items()}
    )


def _build_milliseconds() -> float:
    """Returns what a diagram of LINKS joints costs beyond Drake's own, ms."""
    answer = subprocess.run(
        [sys.executable, __file__, "--build"],
        check=True,
        stdout=subprocess.PIPE,
    )
    return float(answer.stdout)


def build() -> float:
    """Returns the time of our diagram less that of Drake's alone, ms."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder

    from webmotor_drake import build_diagram, load_scenario

    def drake_alone() -> None:
        builder = DiagramBuilder()
        plant, _ = AddMultibodyPlantSceneGraph(builder, 0.001)
        Parser(plant).AddModels(str(urdf))
        plant.Finalize()
        builder.Build()

    with tempfile.TemporaryDirectory() as folder:
        urdf = Path(folder, "chain.urdf")
        urdf.write_text(_urdf())
        file = Path(folder, "chain.scenario.yaml")
        file.write_text(_scenario(urdf))
        scenario = load_scenario(file)
        drake_alone()  # its first one loads what ours would then find there
        with _milliseconds() as drakes:
            drake_alone()
        with _milliseconds() as ours:
            build_diagram(scenario)
    return ours[0] - drakes[0]


@contextlib.contextmanager
def _milliseconds() -> Iterator[list[float]]:
    """Gives a list in which the time of the block will be."""
    found: list[float] = []
    start = time.perf_counter()
    yield found
    found.append(1e3 * (time.perf_counter() - start))


def _urdf() -> str:
    links = "".join(
        f'<link name="link{i}"><inertial><origin xyz="0 0 -0.15"/>'
        '<mass value="1"/><inertia ixx="0.0077" iyy="0.0077" izz="0.0004"'
        ' ixy="0" ixz="0" iyz="0"/></inertial></link>'
        f'<joint name="joint{i}" type="continuous"><axis xyz="0 1 0"/>'
        f'<origin xyz="0 0 {-0.3 if i else 0}"/>'
        f'<parent link="{f"link{i - 1}" if i else "world"}"/>'
        f'<child link="link{i}"/></joint>'
        f'<transmission><type>SimpleTransmission</type><joint name="joint{i}">'
        "<hardwareInterface>EffortJointInterface</hardwareInterface></joint>"
        f'<actuator name="actuator{i}"/></transmission>'
        for i in range(LINKS)
    )
    return f'<robot name="chain"><link name="world"/>{links}</robot>'


def _scenario(urdf: Path) -> str:
    motors = "".join(
        f"        motor{i}: !RotationalMotor {{joint: joint{i}}}\n"
        for i in range(LINKS)
    )
    return (
        "Chain:\n"
        "  plant_config: {time_step: 0.001}\n"
        "  directives:\n"
        f"  - add_model: {{name: chain, file: file://{urdf}}}\n"
        "  model_drivers:\n"
        "    chain: !WebotsMotorDriver\n"
        f"      motors:\n{motors}"
    )


def imports(folder: str) -> Table:
    """Returns which packages the imports of a run spend their time in, ms."""
    table = Table("imports of a run, by package", ["ms"])
    line = command(*run_arguments(folder))
    line[1:1] = ["-X", "importtime"]
    told = subprocess.run(line, check=True, capture_output=True, text=True)
    spent: dict[str, float] = defaultdict(float)
    for entry in told.stderr.splitlines():
        numbers, bar, name = entry.rpartition("|")
        own = numbers.removeprefix("import time:").split("|")[0].strip()
        if bar and own.isdigit():
            spent[name.strip().split(".")[0]] += 1e-3 * float(own)
    for name in sorted(spent, key=spent.get, reverse=True)[:8]:
        table.rows[name] = [spent[name]]
    table.rows["all"] = [sum(spent.values())]
    return table


def measure(*, quick: bool) -> list[Table]:
    """Returns the times of processes, and of the imports."""
    with tempfile.TemporaryDirectory() as folder:
        times = processes(folder, QUICK_ROUNDS if quick else ROUNDS)
        return [times, imports(folder)]


def main() -> None:
    """Prints the tables."""
    if sys.argv[1:] == ["--build"]:  # in a process of its own
        print(build())
        return
    args = report.options(__doc__).parse_args()
    report.show("start_up", measure(quick=args.quick), args)


if __name__ == "__main__":
    main()
