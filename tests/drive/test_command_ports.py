"""Motors commanded by the ports of a diagram."""

import math
import warnings

import numpy as np
import pytest
from _lib.plants import (
    MODEL,
    add_body,
    add_joint,
    new_plant,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder, LeafSystem
from pydrake.systems.primitives import (
    ConstantVectorSource,
    Sine,
    TrajectorySource,
)
from pydrake.trajectories import PiecewisePolynomial

from webmotor_drake.drive.driver import ApplyDriverConfig, WebotsMotorDriver
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.nodes.motors import RotationalMotor

STEP = 0.008


class Hinge:
    """A hinge without gravity, its motor's ports fed by constants or systems."""

    def __init__(
        self,
        motor: RotationalMotor | None = None,
        *,
        delay: float = 0.0,
        **ports,
    ):
        builder = DiagramBuilder()
        self.plant = builder.AddSystem(new_plant(STEP, gravity=0))
        add_joint(self.plant, "hinge", add_body(self.plant, "link"))
        self.plant.Finalize()
        driver = WebotsMotorDriver(
            motors={"m": motor or RotationalMotor(joint="hinge")},
            delay=delay,
        )
        motors = ApplyDriverConfig(driver, MODEL, self.plant, builder=builder)
        for name, source in ports.items():
            if isinstance(source, float):
                source = ConstantVectorSource([source])
            builder.AddSystem(source)
            builder.Connect(
                source.get_output_port(0), motors.GetInputPort(name)
            )
        self.simulator = Simulator(builder.Build())

    def state_at(self, time: float) -> np.ndarray:
        """Returns angle and velocity."""
        self.simulator.AdvanceTo(time)
        context = self.simulator.get_context()
        plant_context = self.plant.GetMyContextFromRoot(context)
        return self.plant.GetPositionsAndVelocities(plant_context)


@pytest.mark.parametrize("velocity", [0.7, -0.7])
def test_a_velocity_alone_is_velocity_control(velocity):
    hinge = Hinge(target_velocity=velocity)
    angle, speed = hinge.state_at(1.0)
    # Nothing loads the servo, so its softness does not show; its first step is at rest.
    assert speed == pytest.approx(velocity, abs=1e-9)
    assert angle == pytest.approx(velocity * 1.0, abs=1e-5)


def test_what_a_port_commands_is_delayed_as_all_commands_are():
    hinge = Hinge(target_velocity=0.7, delay=5 * STEP)
    assert hinge.state_at(5 * STEP)[1] == 0.0
    # The servo's softness, as above.
    assert hinge.state_at(6 * STEP)[1] == pytest.approx(0.7, abs=1e-4)


def test_beside_a_position_the_velocity_is_the_limit_on_the_way():
    hinge = Hinge(target_position=0.5, target_velocity=0.25)
    assert hinge.state_at(1.0)[1] == pytest.approx(0.25, abs=1e-9)
    assert hinge.state_at(4.0)[0] == pytest.approx(0.5, abs=1e-9)


def test_an_infinite_position_and_a_velocity_are_velocity_control():
    hinge = Hinge(target_position=math.inf, target_velocity=-0.25)
    assert hinge.state_at(1.0)[1] == pytest.approx(-0.25, abs=1e-9)


def test_nan_for_a_velocity_leaves_the_motor_where_it_is():
    hinge = Hinge(target_velocity=math.nan)
    assert abs(hinge.state_at(1.0)).max() < 1e-9


def test_direct_effort_wins_over_a_velocity():
    # 0.1 N m on 0.0202 + 0.25^2 kg m^2 about the hinge.
    hinge = Hinge(target_velocity=0.7, direct_effort=0.1)
    speed = 0.1 / (0.0202 + 0.25**2) * 0.5
    assert hinge.state_at(0.5)[1] == pytest.approx(speed, rel=0.02)


@pytest.mark.parametrize(
    ("ports", "motor", "told"),
    [
        (
            ["target_velocity"],
            {"max_velocity": 0.5},
            "m: requested velocity",
        ),
        (
            ["target_position"],
            {"min_position": -0.1, "max_position": 0.1},
            "m: requested position",
        ),
    ],
)
def test_what_is_clipped_again_and_again_is_told_once(ports, motor, told):
    sines = {name: Sine(1.0, 3.0, 0.0, 1) for name in ports}
    hinge = Hinge(RotationalMotor(joint="hinge", **motor), **sines)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        hinge.state_at(3.0)
    (warning,) = shown
    assert str(warning.message).startswith(told)


# --- feed-forward ---

FREQUENCY = 2.0


class Trajectory(LeafSystem):
    """sin(w t) and what `scale` leaves of its velocity, at one port or at two."""

    def __init__(self, scale: float = 1.0):
        super().__init__()
        self.DeclareVectorOutputPort("state", 2, self._calc)
        self._scale = scale

    def _calc(self, context, output):
        angle = FREQUENCY * context.get_time()
        velocity = FREQUENCY * math.cos(angle)
        output.SetFromVector([math.sin(angle), self._scale * velocity])


def tracking_error(hinge: Hinge) -> float:
    """Returns the largest error on the way, once the start is forgotten."""
    times = np.arange(1.0, 4.0, 0.1)
    return max(
        abs(hinge.state_at(t)[0] - math.sin(FREQUENCY * t)) for t in times
    )


def test_a_desired_state_is_followed_and_not_run_after():
    # Without feed-forward the error is what P makes the velocity of: w / P = 0.2 rad.
    behind = tracking_error(Hinge(desired_state=Trajectory(scale=math.nan)))
    assert behind == pytest.approx(FREQUENCY / 10, rel=0.1)
    # With it what sampling half a step early leaves, w h / 2 = 8e-3 rad, and, out of
    # phase, the velocity of a step ago: w^2 h / P = 3e-3 rad.
    followed = tracking_error(Hinge(desired_state=Trajectory()))
    assert followed < 9e-3


def test_a_trajectory_source_fits_the_port():
    trajectory = PiecewisePolynomial.CubicShapePreserving(
        [0.0, 1.0, 2.0], np.array([[0.0, 1.0, 0.0]]), True
    )
    source = TrajectorySource(trajectory, output_derivative_order=1)
    hinge = Hinge(desired_state=source)
    assert hinge.state_at(0.5)[0] == pytest.approx(0.5, abs=0.02)
    assert hinge.state_at(1.5)[0] == pytest.approx(0.5, abs=0.02)


def test_feed_forward_keeps_the_limits_of_the_motor():
    slow = RotationalMotor(joint="hinge", max_velocity=0.5, acceleration=2.0)
    hinge = Hinge(slow, desired_state=Trajectory())
    speeds = [abs(hinge.state_at(t)[1]) for t in np.arange(0.1, 2, 0.05)]
    assert max(speeds) == pytest.approx(0.5, abs=1e-6)
    assert abs(hinge.state_at(2.0)[1] - hinge.state_at(2.08)[1]) < 0.17


def test_feed_forward_passes_multiplier_and_delay():
    # The motor's 2 rad are the joint's 1 rad. A delay of a step moves all by it.
    half = RotationalMotor(joint="hinge", multiplier=0.5)
    hinge = Hinge(half, desired_state=Trajectory())
    for time in (1.0, 2.0):
        expected = math.sin(FREQUENCY * time) / 2
        assert hinge.state_at(time)[0] == pytest.approx(expected, abs=5e-3)
    late = Hinge(desired_state=Trajectory(), delay=0.1)
    expected = math.sin(FREQUENCY * 1.9)
    assert late.state_at(2.0)[0] == pytest.approx(expected, abs=9e-3)


def test_two_targets_at_once_are_refused():
    hinge = Hinge(desired_state=Trajectory(), target_position=1.0)
    with pytest.raises(InputError, match="both have a value"):
        hinge.state_at(0.1)


def test_positions_and_velocities_at_two_ports_are_told_of_the_third():
    with pytest.warns(MotorWarning, match="the input port desired_state"):
        Hinge(
            target_position=Sine(1.0, FREQUENCY, 0.0, 1),
            target_velocity=Sine(FREQUENCY, FREQUENCY, math.pi / 2, 1),
        ).state_at(1.5)
