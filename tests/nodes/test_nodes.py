"""Fields of the nodes, what is refused, and what Webots mends."""

import dataclasses as dc
import math

import pytest
from mechanisms import warnings_of

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.check import check_node, with_fallbacks
from webmotor_drake.nodes.dc_motor import DcMotor
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.nodes.motor_models import (
    Elastic,
    Friction,
    Learned,
    Pd,
    Thermal,
)
from webmotor_drake.nodes.motors import (
    LinearMotor,
    Muscle,
    RotationalMotor,
    max_effort,
    widened,
)

NOT_FINITE = [math.nan, math.inf, -math.inf]


def float_fields(node: object) -> list[str]:
    return [
        field.name
        for field in dc.fields(node)
        if isinstance(getattr(node, field.name), float)
    ]


def test_the_defaults_are_webots():
    common = {
        "joint": "",
        "acceleration": -1,
        "consumption_factor": 10,
        "control_pid": [10, 0, 0],
        "max_velocity": 10,
        "min_position": 0,
        "max_position": 0,
        "multiplier": 1,
        "sound": "default",  # stands for the clips that Webots brings
        "muscles": [],
        # Not Webots', and not acting unless a model is chosen.
        "motor_model": "",
        "pd": dc.asdict(Pd()),
        "dc_motor": dc.asdict(DcMotor()),
        "friction": dc.asdict(Friction()),
        "thermal": dc.asdict(Thermal()),
        "elastic": dc.asdict(Elastic()),
        "learned": dc.asdict(Learned()),
    }
    assert dc.asdict(RotationalMotor()) == {**common, "max_torque": 10}
    assert dc.asdict(LinearMotor()) == {**common, "max_force": 10}
    assert dc.asdict(JointParameters()) == {
        "suspension_spring_constant": 0,
        "suspension_damping_constant": 0,
        "suspension_axis": [1, 0, 0],
        "min_stop": 0,
        "max_stop": 0,
        "spring_constant": 0,
        "damping_constant": 0,
        "static_friction": 0,
        "reflected_inertia": None,
        "kinematic": False,
    }
    assert dc.asdict(Muscle()) == {
        "volume": 0.01,
        "start_offset": [0, 0, 0],
        "end_offset": [0, 0, 0],
        "color": [],
        "cast_shadows": True,
        "visible": True,
    }


def test_no_two_nodes_share_a_list():
    RotationalMotor().control_pid.append(1.0)
    Muscle().start_offset.append(1.0)
    assert RotationalMotor().control_pid == [10, 0, 0]
    assert Muscle().start_offset == [0, 0, 0]


def test_the_largest_effort_is_a_torque_or_a_force():
    assert max_effort(RotationalMotor(max_torque=3.0)) == 3
    assert max_effort(LinearMotor(max_force=4.0)) == 4


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("kind", [RotationalMotor, LinearMotor])
def test_every_number_of_a_motor_has_to_be_finite(kind, value):
    for name in float_fields(kind()):
        with pytest.raises(InputError) as caught:
            check_node(kind(joint="hinge", **{name: value}))
        assert str(caught.value) == (
            f"{name}: {value} is not allowed; must be a finite number"
        )


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("which", range(3))
def test_every_gain_has_to_be_finite(which, value):
    gains = [10.0, 0.0, 0.0]
    gains[which] = value
    with pytest.raises(InputError, match=r"^control_pid\[\d\]: .*finite"):
        check_node(RotationalMotor(joint="hinge", control_pid=gains))


@pytest.mark.parametrize("value", NOT_FINITE)
@pytest.mark.parametrize("name", float_fields(JointParameters()))
def test_every_number_of_a_joint_has_to_be_finite(name, value):
    with pytest.raises(InputError, match=f"^{name}: .*finite"):
        check_node(JointParameters(**{name: value}))


def test_a_motor_needs_a_joint():
    with pytest.raises(InputError) as caught:
        check_node(RotationalMotor())
    assert str(caught.value) == "joint: a motor needs the name of its joint"


@pytest.mark.parametrize("gains", [[-1, 0, 0], [10, -1.5, 0], [10, 0, -0.1]])
def test_negative_gains_are_refused(gains):
    with pytest.raises(InputError) as caught:
        check_node(RotationalMotor(joint="hinge", control_pid=gains))
    which = next(i for i, gain in enumerate(gains) if gain < 0)
    assert str(caught.value) == (
        f"control_pid[{which}]: {gains[which]:g} is not allowed; must be at least 0"
    )


@pytest.mark.parametrize("count", [0, 2, 4])
def test_there_are_three_gains(count):
    with pytest.raises(InputError) as caught:
        check_node(RotationalMotor(joint="hinge", control_pid=[1.0] * count))
    assert str(caught.value) == (
        f"control_pid: {count} numbers; 3 are needed: P, I, D"
    )


def test_a_good_motor_passes_as_it_is():
    motor = RotationalMotor(
        joint="hinge",
        acceleration=0.0,
        multiplier=-2.0,
        # The e-puck's in Webots, which checks nothing here.
        consumption_factor=-0.001,
    )
    check_node(motor)
    mended, warned = warnings_of(with_fallbacks, "elbow", motor)
    assert mended == motor
    assert warned == []


@pytest.mark.parametrize(
    ("kind", "field", "value", "used"),
    [
        (RotationalMotor, "max_velocity", -3.0, 3.0),
        (RotationalMotor, "acceleration", -0.5, -1.0),
        (RotationalMotor, "acceleration", -7.0, -1.0),
        (RotationalMotor, "multiplier", 0.0, 1.0),
        (RotationalMotor, "max_torque", -2.0, 10.0),
        (LinearMotor, "max_force", -2.0, 10.0),
    ],
)
def test_a_bad_value_is_mended_with_a_warning(kind, field, value, used):
    motor = kind(joint="hinge", **{field: value})
    check_node(motor)
    mended, warned = warnings_of(with_fallbacks, "elbow", motor)
    assert mended == dc.replace(motor, **{field: used})
    assert getattr(motor, field) == value  # the user's node stays
    assert warned == [
        f"elbow.{field}: {value:g} is not allowed; {used:g} is used"
    ]


def test_every_bad_value_of_a_motor_is_mended():
    motor = RotationalMotor(
        joint="hinge", max_velocity=-1.0, multiplier=0.0, max_torque=-1.0
    )
    mended, warned = warnings_of(with_fallbacks, "elbow", motor)
    assert (mended.max_velocity, mended.multiplier, mended.max_torque) == (
        1,
        1,
        10,
    )
    assert len(warned) == 3


def test_a_motor_without_p_is_kept_and_warned_of():
    motor = RotationalMotor(joint="hinge", control_pid=[0.0, 1.0, 0.0])
    mended, warned = warnings_of(with_fallbacks, "elbow", motor)
    assert mended == motor
    assert warned == [
        "elbow: the gain P is 0; the motor does not seek its target"
    ]


@pytest.mark.parametrize(
    ("position", "limits", "field"),
    [(1.5, (-1, 1.5), "max_position"), (-2.5, (-2.5, 1), "min_position")],
)
def test_soft_limits_are_widened_to_hold_the_joint(position, limits, field):
    motor = RotationalMotor(min_position=-1.0, max_position=1.0)
    wide, warned = warnings_of(widened, "elbow", motor, position)
    assert (wide.min_position, wide.max_position) == limits
    old = getattr(motor, field)
    assert warned == [
        f"elbow.{field}: {old:g} rad leaves out the joint's position"
        f" {position:g} rad; {position:g} rad is used"
    ]


def test_a_sliders_soft_limits_are_warned_of_in_metres():
    motor = LinearMotor(min_position=0.1, max_position=1.0)
    wide, warned = warnings_of(widened, "lift", motor, 0.0)
    assert wide.min_position == 0
    assert warned == [
        "lift.min_position: 0.1 m leaves out the joint's position 0 m; 0 m is"
        " used"
    ]


@pytest.mark.parametrize(
    ("low", "high", "position"),
    [(0.0, 0.0, 5.0), (-1.0, 1.0, 1.0), (-1.0, 1.0, -1.0), (0.0, 1.0, 0.5)],
)
def test_soft_limits_that_hold_the_joint_or_are_none_stay(low, high, position):
    motor = RotationalMotor(min_position=low, max_position=high)
    assert warnings_of(widened, "elbow", motor, position) == (motor, [])


@pytest.mark.parametrize(
    "field", ["spring_constant", "damping_constant", "static_friction"]
)
def test_a_negative_constant_loses_its_sign(field):
    parameters = JointParameters(**{field: -2.5})
    mended, warned = warnings_of(with_fallbacks, "hinge", parameters)
    assert mended == JointParameters(**{field: 2.5})
    assert warned == [f"hinge.{field}: -2.5 is not allowed; 2.5 is used"]


def test_stops_out_of_order_are_swapped():
    mended, warned = warnings_of(
        with_fallbacks,
        "hinge",
        JointParameters(min_stop=1.0, max_stop=-0.5),
    )
    assert mended == JointParameters(min_stop=-0.5, max_stop=1.0)
    assert warned == ["hinge: min_stop 1 is above max_stop -0.5; swapped"]


def test_stops_are_active_where_they_differ():
    assert not JointParameters().has_stops
    assert not JointParameters(min_stop=1.0, max_stop=1.0).has_stops
    assert JointParameters(max_stop=1.0).has_stops


def test_springs_dampers_and_friction_need_an_actuator_stops_do_not():
    assert not JointParameters(max_stop=1.0).has_effort
    for field in ("spring_constant", "damping_constant", "static_friction"):
        assert JointParameters(**{field: 1.0}).has_effort


@pytest.mark.parametrize("value", NOT_FINITE)
def test_a_muscles_numbers_have_to_be_finite_too(value):
    motor = RotationalMotor(joint="hinge", muscles=[Muscle(volume=value)])
    with pytest.raises(InputError, match="volume"):
        check_node(motor)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (
            {"start_offset": [0.0, 1.0]},
            "muscles[0].start_offset: 2 numbers; 3 are",
        ),
        ({"color": [[1.0, 0.0]]}, "muscles[0].color[0]: 2 numbers; 3 are"),
        (
            {"color": [[2.0, 0.0, 0.0]]},
            "muscles[0].color[0][0]: 2 is not allowed; must be from 0 to 1",
        ),
    ],
)
def test_a_muscle_that_cannot_be_drawn_is_refused(fields, problem):
    motor = RotationalMotor(joint="hinge", muscles=[Muscle(**fields)])
    with pytest.raises(InputError) as caught:
        check_node(motor)
    assert str(caught.value).startswith(problem)


def test_a_muscle_without_volume_gets_that_of_webots():
    motor = RotationalMotor(joint="hinge", muscles=[Muscle(volume=-1.0)])
    mended, warned = warnings_of(with_fallbacks, "motor", motor)
    assert mended.muscles == [Muscle(volume=0.2)]
    assert warned == ["motor.muscles[0].volume: -1 is not allowed; 0.2 is used"]


@pytest.mark.parametrize(
    ("low", "high", "position", "wanted"),
    [
        (0.0, 1.0, 2.0, (0.0, 2.0)),  # one of both is enough to be a limit
        (-1.0, 0.0, -2.0, (-2.0, 0.0)),
        (0.0, 0.0, 2.0, (0.0, 0.0)),  # none
    ],
)
def test_soft_limits_are_widened_where_one_of_them_is_not_0(
    low, high, position, wanted
):
    motor = RotationalMotor(min_position=low, max_position=high)
    wider, _ = warnings_of(widened, "motor", motor, position)
    assert (wider.min_position, wider.max_position) == wanted
