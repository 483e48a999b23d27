"""Runs share the effort limits that the plant holds, whether they change them or not.

Two thirds of the runs here never change a bound: Drake gives the plant their desired
state without any Python, and the plant has to have their limits then.
"""

import math
import warnings

import numpy as np
import pytest
from mechanisms import Rig

from webmotor_drake.data import SCENARIOS
from webmotor_drake.drive.effort_limits import OFF, EffortLimits
from webmotor_drake.drive.implicit_motors import WITHIN_LIMITS, WRITES_LIMITS
from webmotor_drake.errors import MotorWarning
from webmotor_drake.loading import load_scenario
from webmotor_drake.loops.rows import Command
from webmotor_drake.motor.commands import Kind, TimedCommand
from webmotor_drake.scenario.scenario import with_drive
from webmotor_drake.simulation.diagram import assemble

STEPS = 60


def rover() -> Rig:
    """Returns the rover on the implicit drive, its wheels told to turn."""
    scenario = load_scenario(SCENARIOS / "rover.scenario.yaml", name="Drive")
    own = scenario.model_drivers["rover"]
    own.commands = [
        TimedCommand(motor=name, set_position=math.inf, set_velocity=5.0)
        for name in own.motors
    ]
    assembly = assemble(with_drive(scenario, "implicit"))
    return Rig(assembly.builder, assembly.plant, assembly.motors["rover"])


@pytest.fixture(scope="module")
def shared() -> Rig:
    """Returns a rover that several runs share."""
    return rover()


def within_limits(rig: Rig, simulator) -> bool:
    """Whether no Python is called for the desired state."""
    context = rig.motors.GetMyContextFromRoot(simulator.get_context())
    port = rig.motors.GetOutputPort("port_selector").Eval(context)
    assert port in (WITHIN_LIMITS, WRITES_LIMITS)
    return port == WITHIN_LIMITS


def command(rig: Rig, simulator, kind: Kind, values) -> None:
    """Commands all motors, between two steps."""
    context = simulator.get_mutable_context()
    rig.motors.apply_all(
        rig.motors.GetMyMutableContextFromRoot(context),
        [(i, kind, value) for i, value in enumerate(values)],
    )


def weaken(rig: Rig, simulator, step: int) -> None:
    """Changes what effort is available, at random but the same each time."""
    rng = np.random.default_rng(step)
    command(rig, simulator, Kind.AVAILABLE_EFFORT, rng.uniform(0, 0.2, 4))


def stepped(rig: Rig, simulator, step: int, weakened: bool) -> np.ndarray:
    """Advances to a step; returns state and efforts."""
    rig.advance(simulator, step)
    if weakened:
        weaken(rig, simulator, step)
    return np.r_[rig.state(simulator), rig.port(simulator, "effort")]


def alone(weakened: bool) -> np.ndarray:
    """Returns a run of a rover of its own."""
    rig = rover()
    simulator = rig.simulator()
    return np.array(
        [stepped(rig, simulator, k, weakened) for k in range(STEPS)]
    )


def test_runs_that_weaken_their_motors_and_runs_that_do_not_go_on_in_turns(
    shared,
):
    kinds = [False, True, False]
    simulators = [shared.simulator() for _ in kinds]
    together = [[], [], []]
    for k in range(STEPS):
        for states, simulator, weakened in zip(
            together, simulators, kinds, strict=True
        ):
            states.append(stepped(shared, simulator, k, weakened))
    assert [within_limits(shared, s) for s in simulators] == [True, False, True]
    for states, weakened in zip(together, kinds, strict=True):
        np.testing.assert_array_equal(states, alone(weakened))
    assert not np.array_equal(together[0], together[1])


def test_a_run_that_stops_within_a_step_and_disturbs_another_is_told_of(shared):
    undisturbed, weakened = shared.simulator(), shared.simulator()
    step = shared.plant.time_step()
    period = shared.motors.period
    shared.advance(undisturbed, 5)
    shared.advance(weakened, 5)
    weaken(shared, weakened, 5)
    weakened.AdvanceTo(6 * period + step / 4)  # the plant has just stepped
    with pytest.warns(MotorWarning, match="limits of another simulator"):
        shared.advance(undisturbed, 7)


@pytest.mark.parametrize(
    ("port", "value"), [("available_effort", 0.0), ("direct_effort", 0.0)]
)
def test_a_port_that_gets_its_first_value_in_the_middle_acts(port, value):
    rig = rover()
    simulator = rig.simulator()
    rig.advance(simulator, 20)
    assert within_limits(rig, simulator)
    assert np.abs(rig.port(simulator, "effort")).max() > 0.01
    context = simulator.get_mutable_context()
    rig.motors.GetInputPort(port).FixValue(
        rig.motors.GetMyMutableContextFromRoot(context), [value] * 4
    )
    rig.advance(simulator, 34)  # ports are looked at in every sixteenth step
    np.testing.assert_array_equal(rig.port(simulator, "effort"), 0.0)
    # Who starts again is looked at again.
    simulator.Initialize()
    assert not within_limits(rig, simulator)


def test_a_run_that_was_commanded_efforts_writes_limits_when_resumed(shared):
    simulator = shared.simulator()
    shared.advance(simulator, 3)
    weaken(shared, simulator, 3)
    shared.advance(simulator, 5)
    resumed = shared.simulator(simulator.get_context().Clone())
    resumed.Initialize()
    assert not within_limits(shared, resumed)
    again = shared.simulator()
    shared.advance(again, 3)
    assert within_limits(shared, again)


@pytest.mark.parametrize("kind", [Kind.POSITION, Kind.VELOCITY])
def test_commands_that_change_no_bound_need_no_python(kind, shared):
    simulator = shared.simulator()
    shared.advance(simulator, 3)
    command(shared, simulator, kind, [1.0] * 4)
    assert within_limits(shared, simulator)
    shared.advance(simulator, 5)
    row = Command[f"TARGET_{kind.name}"]
    assert (shared.port(simulator, "command")[row] == 1.0).all()


def test_steps_in_one_and_steps_in_parts_have_the_same_bits(monkeypatch):
    in_one = alone(weakened=True)
    rig = rover()
    monkeypatch.setattr(rig.motors, "_is_usual", False)
    simulator = rig.simulator()
    in_parts = [stepped(rig, simulator, k, True) for k in range(STEPS)]
    np.testing.assert_array_equal(in_one, in_parts)


def test_a_limit_of_zero_is_one_that_drake_takes():
    class Servo:
        limit = math.inf

        def effort_limit(self):
            return self.limit

        def set_effort_limit(self, limit):
            self.limit = limit

    servos = [Servo(), Servo()]
    limits = EffortLimits(servos)
    limits.give_back()  # nobody relies on any
    limits.write(np.array([0.0, math.inf]))
    assert [servo.limit for servo in servos] == [OFF, math.inf]
    limits.rely_on(np.array([1.0, 2.0]))
    limits.write(np.array([0.0, 0.0]))
    limits.give_back()
    assert [servo.limit for servo in servos] == [1.0, 2.0]
    assert limits.held.tolist() == [1.0, 2.0]


def test_a_context_that_is_restored_by_numbers_goes_on_without_a_word():
    saved, alike = rover(), rover()
    simulator, other = saved.simulator(), alike.simulator()
    simulator.AdvanceTo(0.4)
    before, after = simulator.get_context(), other.get_mutable_context()
    after.SetTime(before.get_time())
    for i in range(after.num_discrete_state_groups()):
        values = before.get_discrete_state(i).value().copy()
        after.SetDiscreteState(i, values)
    other.Initialize()
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotorWarning)
        other.AdvanceTo(0.8)
    simulator.AdvanceTo(0.8)
    # The contact solver of one is warm.
    np.testing.assert_allclose(
        alike.state(other), saved.state(simulator), rtol=0, atol=1e-6
    )
