"""The scenarios that come along, as far as this Drake can run them."""

from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.data import SCENARIOS

_NEED_SURFACES = {"conveyor.scenario.yaml"}
HAS_TRACKS = hasattr(MultibodyPlant, "SetSurfaceVelocityAxis")


def scenario_files() -> list:
    """Returns their files; without those that need surfaces that move, on 1.51."""
    return [
        file
        for file in sorted(SCENARIOS.glob("*.scenario.yaml"))
        if HAS_TRACKS or file.name not in _NEED_SURFACES
    ]
