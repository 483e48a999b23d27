"""The surroundings that the devices of all robots of a run share."""

import functools
import typing
from collections.abc import Callable

import numpy as np
from pydrake.geometry import QueryObject, Role, SceneGraphInspector

from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.host.senses.distance_sensor import DistanceRays
from webmotor_drake.host.senses.light_sensor import PlacedLight
from webmotor_drake.host.senses.pen import Ink
from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.radio import Radio
from webmotor_drake.host.senses.ray_scene import RayScene
from webmotor_drake.host.senses.recognition import Marks
from webmotor_drake.host.senses.renderer import Renderer
from webmotor_drake.scenario.scenario import robots_of
from webmotor_drake.simulation.supervised import supervisors


class Surroundings:
    """Shapes, lights, renderer and radio of a simulation, each made on first use.

    Args:
        stepped: the `SteppedSimulation`.

    Attributes:
        at_home: function that runs a change of drawn shapes in their drawing thread.
    """

    def __init__(self, stepped: typing.Any):
        self._stepped = stepped
        self.at_home: Callable[[Callable[[], typing.Any]], typing.Any] = (
            lambda change: change()
        )
        self._moves: dict[tuple[typing.Any, str], np.ndarray] = {}
        self._read_at = -1

    @functools.cached_property
    def solids(self) -> RayScene:
        """The collision shapes."""
        return self._scene(Role.kProximity)

    @functools.cached_property
    def drawn(self) -> RayScene:
        """The drawn shapes."""
        return self._scene(Role.kIllustration)

    def _scene(self, role: Role) -> RayScene:
        simulation = self._stepped.simulation
        return RayScene(
            simulation.plant,
            self._stepped.plant_context,
            self.inspector,
            role,
            is_supervised=bool(supervisors(simulation.scenario)),
        )

    def reshaped(self) -> None:
        """Notes that shapes have changed, or are about to."""
        for name in ("solids", "drawn"):
            if name in self.__dict__:
                self.__dict__[name].forget()

    def inspector(self) -> SceneGraphInspector:
        """Returns the inspector of the shapes."""
        return self.query().inspector()

    def query(self) -> QueryObject:
        """Returns the query of the shapes."""
        stepped = self._stepped
        port = stepped.simulation.plant.get_geometry_query_input_port()
        return port.Eval(stepped.plant_context)

    @functools.cached_property
    def renderer(self) -> Renderer:
        """The renderer of images."""
        return Renderer(self._stepped)

    @functools.cached_property
    def ink(self) -> Ink:
        """The ink of all pens."""
        self.drawn.ink = ink = Ink(self._stepped)
        return ink

    @functools.cached_property
    def marks(self) -> Marks:
        """The marks by which cameras and radars know bodies."""
        simulation = self._stepped.simulation
        return Marks(simulation.scenario, simulation.plant)

    @functools.cached_property
    def distances(self) -> DistanceRays:
        """The rays of all distance sensors."""
        return DistanceRays(self.solids, lambda: self.drawn)

    def motion(self, place: Place, what: str) -> np.ndarray:
        """Returns "R_WD", "p_WD", "w_WD" or "v_WD" of a place, not to be changed.

        All sensors at a place share it: it is read once.
        """
        if self._read_at != self._stepped.now:
            self._read_at = self._stepped.now
            self._moves.clear()
        key = place.key, what
        if key not in self._moves:
            self._moves[key] = getattr(place, what)()
        return self._moves[key]

    def begin_episode(self) -> None:
        """Forgets motions and distances that were read before."""
        self._read_at = -1
        if "distances" in self.__dict__:
            self.distances.cast_at = -1

    @functools.cached_property
    def radio(self) -> Radio:
        """The carrier of packets."""
        return Radio(self._stepped)

    def forget_clients(self) -> None:
        """Forgets all emitters and receivers, and removes ink."""
        self.__dict__.pop("radio", None)
        if "ink" in self.__dict__:
            self.ink.clear()

    @functools.cached_property
    def lights(self) -> list[PlacedLight]:
        """The lights of all robots."""
        stepped = self._stepped
        plant = stepped.simulation.plant
        lights = []
        for model, driver in robots_of(stepped.simulation.scenario).items():
            instance = plant.GetModelInstanceByName(model)
            mounts = find_mounts(plant, instance, driver.lights, "lights")
            for name, mount in mounts.items():
                place = Place(plant, stepped.plant_context, mount)
                lights.append(PlacedLight(driver.lights[name], place))
        return lights
