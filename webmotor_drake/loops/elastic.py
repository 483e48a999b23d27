"""A motor before a spring: the spring's effort in a step, the motor's end velocity.

The motor's own inertia is eliminated in closed form: each velocity w of the link at the
end of the step gives one of the motor, by the implicit Euler method, as if its gear
were a body of the plant. So spring and backlash need no bodies, and are stable for any
stiffness and any step. `motor_law` describes the arguments.
"""

from webmotor_drake.loops import motor_law
from webmotor_drake.loops.rows import ModelState

_EFFORT, _MOTOR_EFFORT = int(ModelState.EFFORT), int(ModelState.MOTOR_EFFORT)
_POSITION, _VELOCITY = int(ModelState.POSITION), int(ModelState.VELOCITY)
_LINK_POSITION = int(ModelState.START_POSITION)
# Largest number of Newton's steps, with bisections where these fail.
_TURNS = 60
_EXACT = 1e-13


def transmitted(law, mine, told, w, step):
    """Returns the spring's effort on a link that ends with w, and its fall per w."""
    turning, softness = _motor_velocity(law, mine, told, w, 0.0, False, step)
    effort, gain = _spring(law, mine, turning, w, step)
    _, _, by_link = _motor(law, mine, told, turning, w, step)
    return effort, gain * (1.0 - (gain - by_link) * softness)


def motor_after(law, mine, told, w, effort, step):
    """Returns the motor's effort and velocity if its spring gives `effort`."""
    turning, _ = _motor_velocity(law, mine, told, w, effort, True, step)
    made, _, _ = _motor(law, mine, told, turning, w, step)
    return made, turning


def _motor_velocity(law, mine, told, w, effort, known, step):
    """Returns the motor's velocity at the end of a step, and its growth per effort.

    The link ends with w. If `known`, the spring's effort is `effort`; else it is found.
    """
    dry = motor_law.budget(
        law, mine[_VELOCITY], mine[_MOTOR_EFFORT], -mine[_EFFORT]
    )
    need, slope = _missing(law, mine, told, 0.0, w, effort, known, step)
    if abs(need) <= dry:
        return 0.0, 0.0
    shift = -dry if need > 0 else dry
    far = -(need + shift) / (law.inertia / step)
    low, high = min(far, 0.0), max(far, 0.0)
    x = min(max(-(need + shift) / slope, low), high)
    for turn in range(_TURNS):  # noqa: B007
        need, slope = _missing(law, mine, told, x, w, effort, known, step)
        need += shift
        if need < 0:
            low = x
        if need > 0:
            high = x
        change = need / slope
        if abs(change) <= _EXACT * (1.0 + abs(x)):
            break
        newton = x - change
        x = newton if low < newton < high else (low + high) / 2
    return x, 1.0 / slope


def _missing(law, mine, told, x, w, effort, known, step):
    """Returns the effort that the motor lacks to reach x, and its growth per x."""
    inertia = law.inertia / step
    made, fall, _ = _motor(law, mine, told, x, w, step)
    pulled, gain = effort, 0.0
    if not known:
        pulled, gain = _spring(law, mine, x, w, step)
    need = inertia * (x - mine[_VELOCITY]) - made + pulled + law.viscous * x
    return need, inertia + fall + gain + law.viscous


def _motor(law, mine, told, x, w, step):
    """Returns the motor's effort at x, and its fall per x and per w."""
    q, seen = mine[_POSITION], x
    if law.sees_link:
        q, seen = mine[_LINK_POSITION], w
    effort, fall = motor_law.asked(law, mine, told, q, seen, step)
    low, high, low_fall, high_fall = motor_law.limits(law, mine, told, x)
    if effort >= high:
        return high, high_fall, 0.0
    if effort <= low:
        return low, low_fall, 0.0
    if law.sees_link:
        return effort, 0.0, fall
    return effort, fall, 0.0


def _spring(law, mine, x, w, step):
    """Returns the spring's effort on the link, and its growth per x - w.

    Within the backlash it transmits nothing; beyond it, it never pulls. The damper acts
    on the stretch that the step adds, so the effort is continuous in the velocity.
    """
    before = mine[_POSITION] - mine[_LINK_POSITION]
    beyond = _beyond(before + step * (x - w), law.gap)
    gain = law.damping + step * law.stiffness
    if law.gap == 0:
        return law.stiffness * beyond + law.damping * (x - w), gain
    began = _beyond(before, law.gap)
    # Contact on the other side, which the step has left, damps nothing here.
    if began * beyond <= 0:
        began = 0.0
    effort = law.stiffness * beyond + law.damping * (beyond - began) / step
    if effort * beyond > 0:
        return effort, gain
    return 0.0, 0.0


def _beyond(stretch, gap):
    """Returns how far a stretch is beyond the gap."""
    return stretch - min(max(stretch, -gap), gap)
