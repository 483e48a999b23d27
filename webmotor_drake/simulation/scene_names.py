"""What the DEF names of a scenario stand for."""

from collections.abc import Mapping

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex

from webmotor_drake.drive.driver import WebotsMotorDriver, model_instance
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario


def check_defs(scenario: Scenario, plant: MultibodyPlant) -> None:
    """Refuses DEF names of what is not there.

    Raises:
        InputError: nothing has the name that a DEF stands for, or another model
            has the DEF for a name.
    """
    for name, of in scenario.defs.items():
        with blame(scenario, "defs", name):
            model, _, part = of.partition("::")
            if name != model and plant.HasModelInstanceNamed(name):
                raise InputError(f"another model is called {name}; change one")
            instance = model_instance(plant, model)
            known = parts_of(scenario, plant, instance)
            if part and part not in known:
                raise InputError(unknown_name(f"part of {model}", part, known))
            if not name or "." in name:
                raise InputError("a DEF is not empty and has no dots")


def parts_of(
    scenario: Scenario, plant: MultibodyPlant, instance: ModelInstanceIndex
) -> list[str]:
    """Returns the names of a model's bodies, joints and devices."""
    names = [
        plant.get_body(index).name() for index in plant.GetBodyIndices(instance)
    ]
    names += [
        plant.get_joint(index).name()
        for index in plant.GetJointIndices(instance)
    ]
    driver = scenario.model_drivers.get(plant.GetModelInstanceName(instance))
    if isinstance(driver, WebotsMotorDriver):
        names += [name for table in device_tables(driver) for name in table]
    return list(dict.fromkeys(names))


def device_tables(driver: WebotsMotorDriver) -> list[Mapping[str, object]]:
    """Returns a driver's devices by name, in the order of their tags."""
    return [
        driver.motors,
        driver.position_sensors,
        driver.brakes,
        driver.devices,
    ]
