"""The pieces of motor models' laws in the plant's solver; see `drive.servo_models`."""

from webmotor_drake.loops.model_state import ModelState
from webmotor_drake.loops.rows import DEMANDS, Demand

# The gain of an actuator without one: 0 would take it out of the solver for good.
NO_DAMPING = 1e-12
_EFFORT, _START, _BUDGET, _ANCHOR, _SLOPE, _LOW, _HIGH = map(
    int,
    (
        *(ModelState.EFFORT, ModelState.START_VELOCITY, ModelState.BUDGET),
        *(ModelState.ANCHOR, ModelState.SLOPE),
        *(ModelState.LOW, ModelState.HIGH),
    ),
)
_RATE, _LIMIT, _DIRECT, _ = map(int, Demand)
_DEMANDS, _NO_DAMPING, _INF = DEMANDS, NO_DAMPING, float("inf")


def settle(table, net, laws, slots, w):
    """Settles as `ServoModels.settle` does; `slots` are the servos'."""
    n = len(w)
    for k in range(laws.count):
        i = laws.rows[k].place
        mine = table[i::n]
        middle, half = middle_of(mine[_LOW], mine[_HIGH])
        loop = mine[_SLOPE] * (_seeks(mine, middle) - w[i])
        loop = min(max(loop, -half), half)
        net[slots[k]] -= loop
        table[_EFFORT * n + i] = middle + loop


def prepare(table, demand, desired, laws, slots, n):
    """Prepares as `ServoModels.prepare` does; `slots` are the loops'."""
    m, half = len(demand) // _DEMANDS, len(desired) // 2
    for k in range(laws.count):
        i = laws.rows[k].place
        mine = table[i::n]
        if mine[_SLOPE] <= _NO_DAMPING:  # held, whatever the velocity
            held = min(max(mine[_ANCHOR], mine[_LOW]), mine[_HIGH])
            table[_LOW * n + i] = table[_HIGH * n + i] = held
            table[_SLOPE * n + i] = 0.0
        middle, _half_way = middle_of(mine[_LOW], mine[_HIGH])
        demand[_RATE * m + i] = 0.0
        demand[_LIMIT * m + i] = mine[_BUDGET]
        demand[_DIRECT * m + i] = middle
        desired[half + slots[k]] = _seeks(mine, middle)


def _seeks(mine, middle):
    """Returns the velocity at which a loop makes no effort of its own."""
    if mine[_SLOPE] == 0.0:
        return 0.0
    return mine[_START] + (mine[_ANCHOR] - middle) / mine[_SLOPE]


def middle_of(low, high):
    """Returns the middle of limits, and how far they are from it; 0 if infinite."""
    if low == -_INF or high == _INF:
        low = 0.0 if low == -_INF else low
        high = 0.0 if high == _INF else high
        return (low + high) / 2, _INF
    return (low + high) / 2, (high - low) / 2
