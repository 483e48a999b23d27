"""A scenario as one block with named ports, in a diagram of one's own."""

import math

import numpy as np
import pytest
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Diagram, DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

import webmotor_drake as wm

ARM = "package:two_link_arm"


def names(station: Diagram) -> tuple[set[str], set[str]]:
    inputs = map(station.get_input_port, range(station.num_input_ports()))
    outputs = map(station.get_output_port, range(station.num_output_ports()))
    return {p.get_name() for p in inputs}, {p.get_name() for p in outputs}


def quiet(text: str = "") -> wm.Scenario:
    """Returns the arm's scenario without its own commands."""
    scenario = wm.load_scenario(ARM, text=text or "{}")
    scenario.model_drivers["arm"].commands = []
    return scenario


def test_a_station_has_ports_for_targets_efforts_state_and_commands():
    station = wm.make_station(quiet())
    inputs, outputs = names(station)
    assert station.get_name() == "station"
    assert inputs == {
        f"arm.{name}"
        for name in (
            *("target_position", "target_velocity", "available_effort"),
            *("direct_effort", "desired_state"),
        )
    }
    assert outputs == {
        *("query_object", "contact_results"),
        *(
            f"arm.{name}"
            for name in (
                *("position", "velocity", "effort", "state"),
                *("position_commanded", "velocity_commanded"),
            )
        ),
    }


def test_targets_go_in_and_what_is_commanded_and_measured_comes_out():
    builder = DiagramBuilder()
    station = builder.AddSystem(wm.make_station(quiet()))
    targets = np.array([0.2, math.inf])
    source = builder.AddSystem(ConstantVectorSource(targets))
    builder.Connect(
        source.get_output_port(), station.GetInputPort("arm.target_position")
    )
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(1.5)
    context = station.GetMyContextFromRoot(simulator.get_context())

    def out(name: str) -> np.ndarray:
        return station.GetOutputPort(f"arm.{name}").Eval(context)

    assert out("position_commanded").tolist() == targets.tolist()
    assert out("position")[0] == pytest.approx(0.2, abs=1e-5)  # the PID's way
    # The second motor turns at its own speed, which its law asks for.
    speed = out("velocity_commanded")[1]
    assert speed > 0
    assert out("velocity")[1] == pytest.approx(speed, abs=1e-5)
    assert out("state").tolist() == [*out("position"), *out("velocity")]


def test_actuators_without_a_motor_have_their_models_port():
    scenario = quiet()
    driver = scenario.model_drivers["arm"]
    driver.motors = dict(list(driver.motors.items())[:1])
    inputs, _ = names(wm.make_station(scenario))
    assert "arm.actuation" in inputs
    scenario.model_drivers = {}
    assert names(wm.make_station(scenario))[0] == {"arm.actuation"}
