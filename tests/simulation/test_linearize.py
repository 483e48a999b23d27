"""A, B, C and D per motor period, against closed forms, and LQR with them."""

import math

import numpy as np
import pytest
from _lib.plants import X, Y, add_body, add_joint, new_plant
from mechanisms import (
    Rig,
    driven,
    floating_arm,
    pendulum,
    slider,
    velocity_driver,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.controllers import DiscreteTimeLinearQuadraticRegulator

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor
from webmotor_drake.simulation.linearize import Linearization, linearize
from webmotor_drake.simulation.motor_stepper import MotorStepper

DRIVES = ("torque", "implicit")
H = 0.008
# Central differences of 1e-4: the third derivative of a pendulum leaves 1e-8. In the
# contact solver a step of the command is reached to 1 - 2.5e-4 in the first step.
CLOSE = {"torque": 1e-7, "implicit": 3e-4}


def loop(
    rig: Rig, state: list[float] | None = None, **options
) -> Linearization:
    context = rig.diagram.CreateDefaultContext()
    if state is not None:
        rig.plant.SetPositionsAndVelocities(
            rig.plant.GetMyMutableContextFromRoot(context), state
        )
    return linearize(rig.diagram, context, rig.motors, **options)


def rail(drive: str, step: float = H, **fields) -> Rig:
    """Returns a carriage of 2 kg on a level rail."""
    plant = slider(step, axis=X)
    motor = LinearMotor("rail", max_velocity=50.0, max_force=1e6)
    driver = WebotsMotorDriver(
        drive=drive, basic_time_step=H, cfm=0.0, motors={"m": motor}, **fields
    )
    return Rig(*driven(plant, driver))


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("step", [H, H / 4])
def test_a_velocity_command_is_reached_within_the_period(drive, step):
    found = loop(rail(drive, step), input_port="target_velocity")
    close = {"rtol": 0, "atol": CLOSE[drive]}
    np.testing.assert_allclose(found.A, [[1, 0], [0, 0]], **close)
    np.testing.assert_allclose(found.B, [[H], [1]], **close)
    np.testing.assert_allclose(found.drift, 0, **close)
    assert found.state_names == ["rail/position", "rail/velocity"]
    assert found.linear_system().time_period() == H


@pytest.mark.parametrize("drive", DRIVES)
def test_a_target_is_sought_by_the_gain(drive):
    found = loop(rail(drive), [0.3, 0.0], u0=np.array([0.3]))
    close = {"rtol": 0, "atol": 10 * CLOSE[drive]}
    gain = 10.0  # Webots' control_pid
    np.testing.assert_allclose(
        found.A, [[1 - H * gain, 0], [-gain, 0]], **close
    )
    np.testing.assert_allclose(found.B, [[H * gain], [gain]], **close)
    np.testing.assert_array_equal(found.x0, [0.3, 0.0])


@pytest.mark.parametrize("drive", DRIVES)
def test_a_force_on_a_spring_and_damper_is_implicit_euler(drive):
    stiffness, damping, mass = 50.0, 3.0, 2.0
    rig = rail(
        drive,
        joints={
            "rail": JointParameters(
                spring_constant=stiffness, damping_constant=damping
            )
        },
    )
    effort = rig.motors.get_effort_output_port()
    found = loop(rig, input_port="direct_effort", output_port=effort)
    # mass (v1 - v) = h (u - K (q + h v1) - B v1), q1 = q + h v1
    inertia = mass + H * damping + H**2 * stiffness
    velocity = np.array([-H * stiffness, mass, H]) / inertia
    position = np.array([1, 0, 0]) + H * velocity
    close = {"rtol": 0, "atol": CLOSE[drive]}
    both = np.hstack([found.A, found.B])
    np.testing.assert_allclose(both, [position, velocity], **close)
    np.testing.assert_allclose(found.C, [[0, 0]], **close)
    np.testing.assert_allclose(found.D, [[1]], **close)


def test_what_the_law_remembers_is_in_the_state():
    plant = slider(H, axis=X)
    motor = LinearMotor(
        "rail",
        max_velocity=50.0,
        max_force=1e6,
        acceleration=100.0,
        control_pid=(5.0, 2.0, 0.0),
    )
    driver = WebotsMotorDriver(
        drive="torque", basic_time_step=H, cfm=0.0, motors={"m": motor}
    )
    found = loop(Rig(*driven(plant, driver)))
    assert found.state_names[2:] == ["m/error_integral", "m/velocity_command"]
    # The integral: I += h (u - q); the command: P (u - q) + 2 I.
    row = [-5.0 - 2.0 * H, 0.0, 2.0, 0.0]
    np.testing.assert_allclose(found.A[1], row, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.A[2], [-H, 0, 1, 0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.A[3], row, rtol=0, atol=1e-6)


def test_a_pendulum_by_its_motors_torque_on_a_continuous_plant():
    plant = pendulum(0.0)
    driver = WebotsMotorDriver(
        drive="torque",
        basic_time_step=H,
        motors={"m": RotationalMotor("hinge", max_torque=100.0)},
    )
    found = loop(Rig(*driven(plant, driver)), input_port="direct_effort")
    # I a = u - m g c q, held for h: the matrix exponential's closed form.
    inertia = 0.0202 + 0.25**2
    w = math.sqrt(9.81 * 0.25 / inertia)
    s, c = math.sin(w * H), math.cos(w * H)
    A = [[c, s / w], [-w * s, c]]
    B = [[(1 - c) / (inertia * w**2)], [s / (inertia * w)]]
    np.testing.assert_allclose(found.A, A, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.B, B, rtol=0, atol=1e-7)


def test_slopes_are_those_at_the_point_and_not_to_one_side_of_it():
    driver = WebotsMotorDriver(
        drive="torque",
        motors={"m": RotationalMotor("hinge", max_torque=100.0)},
    )
    rig, q = Rig(*driven(pendulum(H), driver)), 0.7
    found = loop(rig, [q, 0.0], input_port="direct_effort")
    # A step to one side would leave 8e-6 of the curve of the sine.
    slope = -H * 9.81 * 0.25 * math.cos(q) / (0.0202 + 0.25**2)
    assert found.A[1, 0] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("drive", DRIVES)
def test_lqr_balances_a_pole_by_the_velocity_of_its_cart(drive):
    rig = cart_and_pole(drive)
    found = loop(rig, input_port="target_velocity")
    K, _ = DiscreteTimeLinearQuadraticRegulator(
        found.A, found.B, np.diag([10.0, 100.0, 1.0, 1.0]), np.eye(1)
    )
    closed = found.A - found.B @ K
    assert max(abs(np.linalg.eigvals(closed))) < 1
    simulator = Simulator(rig.diagram)
    root = simulator.get_mutable_context()
    context = rig.plant.GetMyMutableContextFromRoot(root)
    own = rig.motors.GetMyMutableContextFromRoot(root)
    port = rig.motors.GetInputPort("target_velocity")
    x = np.array([0.0, 0.02, 0.0, 0.0])
    rig.plant.SetPositionsAndVelocities(context, x)
    stepper, expected = MotorStepper(simulator, rig.motors), x
    for _ in range(400):
        x = rig.plant.GetPositionsAndVelocities(context)
        # Of an angle of 0.02 rad the sine is as linear as 1e-4.
        np.testing.assert_allclose(x, expected, rtol=0, atol=2e-4)
        port.FixValue(own, -K @ x)
        stepper.step()
        expected = closed @ expected
    np.testing.assert_allclose(x, 0, atol=1e-3)


def cart_and_pole(drive: str) -> Rig:
    """Returns a pole that stands on a cart, which has the motor."""
    plant = new_plant(H)
    cart = add_body(plant, "cart", com=(0.0, 0.0, 0.0))
    add_joint(plant, "rail", cart, axis=X, sliding=True)
    pole = add_body(plant, "pole", com=(0.0, 0.0, 0.5))
    add_joint(plant, "pivot", pole, axis=Y, parent=cart, effort_limit=None)
    motor = LinearMotor("rail", max_velocity=50.0, max_force=1e6)
    driver = WebotsMotorDriver(drive=drive, motors={"m": motor}, cfm=0.0)
    return Rig(*driven(plant, driver))


def test_bases_that_float_turn_about_the_axes_of_their_velocity():
    plant = floating_arm(H, 2, np.random.default_rng(0), gravity=0.0)
    still = dict.fromkeys(["joint0", "joint1"], 0.0)
    rig = Rig(*driven(plant, velocity_driver(plant, still, drive="torque")))
    found = loop(rig, input_port="target_velocity")
    n = rig.plant.num_velocities()
    assert found.A.shape == (2 * n, 2 * n)
    # At rest and free of gravity it stays where it is put, however it is turned.
    kept = found.A[:, :n]
    np.testing.assert_allclose(kept, np.eye(2 * n, n), rtol=0, atol=1e-6)


def test_the_context_is_not_changed_and_its_masses_count():
    rig = Rig(
        *driven(
            pendulum(H),
            WebotsMotorDriver(
                drive="torque",
                motors={"m": RotationalMotor("hinge", max_torque=100.0)},
            ),
        )
    )
    simulator = rig.simulator()
    simulator.AdvanceTo(0.1)
    context = simulator.get_mutable_context()
    plant_context = rig.plant.GetMyMutableContextFromRoot(context)
    before = rig.state(simulator)

    def push() -> float:
        options = {"input_port": "direct_effort"}
        found = linearize(rig.diagram, context, rig.motors, **options)
        return found.B[1, 0]

    inertia = 0.0202 + 0.25**2
    assert push() == pytest.approx(H / inertia, rel=1e-6)
    rig.plant.GetBodyByName("link").SetMass(plant_context, 2.0)
    # SetMass leaves the unit inertia: all of it doubles.
    assert push() == pytest.approx(H / (2 * inertia), rel=1e-6)
    np.testing.assert_array_equal(rig.state(simulator), before)
    assert context.get_time() == 0.1


def test_a_motor_at_its_limit_is_told():
    driver = WebotsMotorDriver(
        drive="torque",
        motors={"m": RotationalMotor("hinge", max_torque=1e-3)},
    )
    rig = Rig(*driven(pendulum(H), driver))
    with pytest.warns(MotorWarning, match="not smooth here"):
        loop(rig, input_port="target_velocity")


def test_what_cannot_be_is_refused():
    rig = rail("torque")
    with pytest.raises(InputError, match="did you mean target_position"):
        loop(rig, input_port="target_positon")
    with pytest.raises(InputError, match="not finite"):
        loop(rig, u0=np.array([math.inf]))
    with pytest.raises(InputError, match="the diagram that the motors"):
        linearize(
            rig.diagram,
            rig.diagram.CreateDefaultContext(),
            rail("torque").motors,
        )
