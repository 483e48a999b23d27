"""Units of what is fitted, for tables."""

from webmotor_drake.fitting.parameter_tree import GAINS
from webmotor_drake.scenario.parameter_path import Keys
from webmotor_drake.scenario.scenario import Scenario

# Of rotational and of linear joints.
_UNITS = {
    "reflected_inertia": ("kg·m²", "kg"),
    "damping_constant": ("N·m·s/rad", "N·s/m"),
    "spring_constant": ("N·m/rad", "N/m"),
    "static_friction": ("N·m", "N"),
    "max_torque": ("N·m", "N·m"),
    "max_force": ("N", "N"),
    "max_velocity": ("rad/s", "m/s"),
    "acceleration": ("rad/s²", "m/s²"),
    "offset": ("rad", "m"),
    "cfm": ("rad/s/(N·m)", "m/s/N"),
    "delay": ("s", "s"),
    "mass": ("kg", "kg"),
    "damping": ("N·m·s/rad", "N·s/m"),
}
_INDEXED = {
    "control_pid": ("1/s", "1/s²", "1"),
    GAINS: ("N·m/rad", "N·m·s/rad"),
}


def unit_of(path: Keys, scenario: Scenario) -> str:
    """Returns the unit of what stands at a path, empty if it is not known."""
    *_, last = path
    if isinstance(last, int):
        if path[0] == GAINS:
            return _INDEXED[GAINS][last]
        units = _INDEXED.get(path[-2], ())
        return units[last] if last < len(units) else ""
    pair = _UNITS.get(last)
    if pair is None:
        return ""
    return pair[_is_linear(path, scenario)]


def _is_linear(path: Keys, scenario: Scenario) -> bool:
    """Returns whether a field belongs to a joint that a LinearMotor drives."""
    if path[0] != "model_drivers" or len(path) < 4:
        return False
    driver = scenario.model_drivers[path[1]]
    if path[2] == "motors":
        return hasattr(driver.motors[path[3]], "max_force")
    joint = path[3]
    if path[2] == "position_sensors":
        joint = driver.position_sensors[joint].joint
    return any(
        getattr(motor, "joint", "") == joint
        and not hasattr(motor, "max_torque")
        for motor in driver.motors.values()
    )
