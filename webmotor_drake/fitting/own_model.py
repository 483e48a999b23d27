"""The motor model that is fitted: one for all motors, or each motor's own."""

from webmotor_drake.motor.driver_checks import expanded
from webmotor_drake.nodes.motor_models import MODELS
from webmotor_drake.nodes.servo import Servo
from webmotor_drake.scenario.parameter_path import Keys
from webmotor_drake.scenario.scenario import Scenario, robots_of, with_model

# The name for motors of several models, each of which keeps its own.
OWN = "own"


def models_of(scenario: Scenario) -> dict[str, str]:
    """Returns the motor model of each motor, by "<model>/<motor>".

    A motor's own `motor_model` overrides its driver's.
    """
    return {
        f"{model}/{name}": motor.motor_model or "webots"
        for model, driver in robots_of(scenario).items()
        for name, motor in expanded(driver).motors.items()
    }


def own_model(scenario: Scenario) -> str:
    """Returns the motor model that all motors of a scenario have, else `OWN`."""
    models = set(models_of(scenario).values()) or {"webots"}
    return models.pop() if len(models) == 1 else OWN


def with_fitted_model(scenario: Scenario, model: str) -> Scenario:
    """Returns the scenario with a motor model, unchanged if none can name the model."""
    return with_model(scenario, model) if model in MODELS else scenario


def model_values(scenario: Scenario, model: str) -> dict[Keys, str]:
    """Returns the values, by path, that give a scenario's motors a model.

    Args:
        scenario: scenario without these values.
        model: motor model; one that no scenario can name gives no values.
    """
    values: dict[Keys, str] = {}
    if model not in MODELS:
        return values
    for name, driver in robots_of(scenario).items():
        path = ("model_drivers", name)
        if model != "webots" or driver.motor_model != model:
            values[*path, "motor_model"] = model
        for motor, node in driver.motors.items():
            if not isinstance(node, Servo) and node.motor_model not in (
                "",
                model,
            ):
                values[*path, "motors", motor, "motor_model"] = model
    return values
