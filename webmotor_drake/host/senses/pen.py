"""Pens, and their ink on drawn shapes (WbPen.cpp, WbPaintTexture.cpp)."""

import dataclasses as dc
import math
import shutil
import tempfile
import typing
import weakref
from pathlib import Path

import numpy as np
from pydrake.geometry import (
    Box,
    GeometryId,
    GeometryInstance,
    PerceptionProperties,
    RenderLabel,
    Rgba,
)
from pydrake.math import RigidTransform, RotationMatrix

from webmotor_drake import nodes
from webmotor_drake.errors import warn
from webmotor_drake.host.senses.body_sampler import MountedDevice, device_for
from webmotor_drake.host.senses.ray_scene import (
    CORNERS,
    RayBatch,
    RayScene,
    Solid,
    face_normal,
)
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.simulation.imports import pose_said

# Ink is drawn this far above its face, m: cameras see it in front of the face.
_ABOVE = 2e-4
# The smallest and largest side of a texture, pixels; a shape's radius for the largest.
_SMALLEST, _LARGEST, _FAR = 32, 1024, 10.0


@device_for(nodes.Pen)
class PenDevice(MountedDevice):
    """A pen.

    Attributes:
        writes: True if it writes at the end of each basic step.
        color: colour of its ink: red, green, blue, 0 to 1.
        density: density that each step adds to the ink, 0 to 1.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.color, self.density = self.node.ink_color, self.node.ink_density
        self._told = False
        self._rays: tuple[int, RayBatch] | None = None
        self._watch = Sampler(self._write, self.host.has_power)
        self.write(on=self.node.write)

    def write(self, *, on: bool) -> None:
        """Starts or stops writing."""
        self.writes = on
        self.clock.sample(self._watch, int(on))

    def set_ink(self, color: list[float], density: float) -> None:
        """Takes other ink; a density beyond 0 to 1 is clipped."""
        self.color, self.density = color, min(max(density, 0.0), 1.0)

    def reset(self) -> None:
        """Restores the pen as at the start, and removes all ink."""
        super().reset()
        self.around.ink.clear()
        self.set_ink(self.node.ink_color, self.node.ink_density)
        self.write(on=self.node.write)

    def _write(self) -> None:
        """Leaves ink where its -z axis meets a drawn shape."""
        scene: RayScene = self.around.drawn
        if self._rays is None or self._rays[0] != scene.version:
            X_BD = self.place.X_BD
            down = X_BD.rotation().matrix()[:, 2] * -1.0
            start = X_BD.translation()
            reach = self.node.max_distance or math.inf
            unseen, body = [self.place.robot()], [self.place.body]
            rays = RayBatch(
                scene, start[None], down[None], unseen, body, [reach]
            )
            self._rays = scene.version, rays
        rays = self._rays[1]
        met = rays.cast()[1][0]
        if met < 0:
            return
        place = rays.solids[met], rays.end(0)[0]
        if sheet := self.around.ink.sheet(*place, make=True):
            sheet.stamp(place[1], self.node.lead_size, self.color, self.density)
            sheet.fading = sheet.said["fading"] = self.node.ink_evaporation
        elif not self._told:
            self._told = True
            warn(f"the Pen {self.name!r} writes only on flat surfaces")


@dc.dataclass
class _Sheet:
    """The ink on a face of a shape G: a sheet S that lies on the face."""

    solid: Solid  # the shape
    X_GS: RigidTransform  # middle of the face; z points away from it
    size: np.ndarray  # along x and y, m
    radius: float  # of the shape, m
    colors: np.ndarray  # of each pixel from the top left, (n, n, 3), 0 to 1
    density: np.ndarray  # cover of each pixel, (n, n), 0 to 1
    said: dict[str, typing.Any]  # its record
    time: float = 0.0  # at which `density` holds, s
    fading: float = 0.0  # 1/s
    fresh: bool = True  # no image has shown it yet
    drawn: GeometryId | None = None  # its shape in images

    def pixel(self, p_G: np.ndarray) -> tuple[int, int]:
        """Returns row and column of a point of the face."""
        x, y = (self.X_GS.inverse() @ p_G)[:2] / self.size + 0.5
        count = len(self.density)
        row, column = np.clip([(1 - y) * count, x * count], 0, count - 1)
        return int(row), int(column)

    def fade(self, time: float) -> None:
        """Has ink evaporate up to a time, s."""
        if self.fading and time > self.time:
            self.density *= math.exp(-self.fading * (time - self.time))
            self.fresh = True
        self.time = time

    def stamp(
        self, p_G: np.ndarray, lead: float, color: list[float], density: float
    ) -> None:
        """Adds a disc of ink around a point."""
        row, column = self.pixel(p_G)
        count = len(self.density)
        half = int(lead * count / self.radius) // 2
        rows, columns = np.ogrid[:count, :count]
        disc = (rows - row) ** 2 + (columns - column) ** 2 <= half**2
        before = self.density[disc]
        part = before / np.maximum(before + density, 1e-15)
        part, old = part[:, None], self.colors[disc]
        self.colors[disc] = new = part * old + (1 - part) * color
        self.density[disc] = after = np.minimum(before + density, 1.0)
        if not (np.array_equal(after, before) and np.array_equal(new, old)):
            self.fresh = True
            ink = self.time, row, column, half, *color, density
            self.said["strokes"] += ink


class Ink:
    """The ink of all pens of a run.

    Args:
        stepped: the `SteppedSimulation`.
    """

    def __init__(self, stepped: typing.Any):
        self._stepped = stepped
        self._sheets: dict[tuple[GeometryId, bytes], _Sheet] = {}
        self._folder = tempfile.mkdtemp(prefix="webmotor_ink_")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._files = 0

    def sheet(
        self, solid: Solid, p_G: np.ndarray, *, make: bool = False
    ) -> _Sheet | None:
        """Returns the sheet of ink at a point of a shape; None: there is none.

        Args:
            solid: the shape.
            p_G: the point.
            make: True to make a missing sheet where a flat face can have one.
        """
        normal = face_normal(solid, p_G)
        if normal is None:
            return None
        key = solid.geometry, np.rint(1e6 * normal).astype(int).tobytes()
        if make and key not in self._sheets:
            inspector = self._stepped.surroundings.inspector()
            box = inspector.GetObbInGeometryFrame(solid.geometry)
            if box is None:  # an endless shape
                return None
            self._sheets[key] = new = _blank(solid, box, normal, p_G)
            self._stepped.simulation.ink.append(new.said)
        if (found := self._sheets.get(key)) is not None:
            found.fade(self._stepped.elapsed)
        return found

    def redness(self, solid: Solid, p_G: np.ndarray, below: float) -> float:
        """Returns the redness of a point with its ink; `below` is that without ink."""
        sheet = self.sheet(solid, p_G) if self._sheets else None
        if sheet is None:
            return below
        pixel = sheet.pixel(p_G)
        density = float(sheet.density[pixel])
        return density * float(sheet.colors[pixel][0]) + (1 - density) * below

    def show(self) -> None:
        """Has images show the ink."""
        for sheet in self._sheets.values():
            sheet.fade(self._stepped.elapsed)
            if sheet.fresh:
                self._erase(sheet)
                self._draw(sheet)

    def clear(self) -> None:
        """Removes all ink."""
        for sheet in self._sheets.values():
            self._erase(sheet)
            sheet.said["end"] = self._stepped.elapsed
        self._sheets.clear()

    def _change(self, method: str, *arguments: typing.Any) -> typing.Any:
        """Calls a method of the scene graph on its Context."""
        simulation = self._stepped.simulation
        root = simulation.simulator.get_mutable_context()
        graph, source = simulation.scene_graph, simulation.plant.get_source_id()
        own = graph.GetMyMutableContextFromRoot(root)
        return getattr(graph, method)(own, source, *arguments)

    def _erase(self, sheet: _Sheet) -> None:
        if sheet.drawn is not None:
            self._change("RemoveGeometry", sheet.drawn)
            sheet.drawn = None

    def _draw(self, sheet: _Sheet) -> None:
        from PIL import Image

        self._files += 1
        name = f"ink {self._files}"
        file = Path(self._folder, f"{self._files}.png")
        pixels = np.dstack([sheet.colors, sheet.density])
        Image.fromarray(np.rint(255 * pixels).astype(np.uint8)).save(file)
        index = sheet.solid.body.index()
        seen = PerceptionProperties()
        seen.AddProperty("phong", "diffuse", Rgba(1, 1, 1, 1))
        seen.AddProperty("phong", "diffuse_map", str(file))
        seen.AddProperty("label", "id", RenderLabel(int(index)))
        X_BS = RigidTransform(sheet.solid.X_BG.reshape(3, 4)) @ sheet.X_GS
        plate = GeometryInstance(X_BS, Box(*sheet.size, 2 * _ABOVE), name)
        plate.set_perception_properties(seen)
        frame = self._stepped.simulation.plant.GetBodyFrameIdOrThrow(index)
        sheet.drawn = self._change("RegisterGeometry", frame, plate)
        sheet.fresh = False


def _blank(
    solid: Solid, box: typing.Any, normal: np.ndarray, p_G: np.ndarray
) -> _Sheet:
    """Returns an empty sheet on the face with this normal through a point."""
    across = np.eye(3)[(int(abs(normal).argmax()) + 1) % 3]
    x = across - (across @ normal) * normal
    x /= np.linalg.norm(x)
    R_GS = RotationMatrix(np.column_stack([x, np.cross(normal, x), normal]))
    corners = (box.pose() @ (CORNERS * box.half_width()).T).T @ R_GS.matrix()
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle = (low + high) / 2
    middle[2] = normal @ p_G
    radius = float(np.linalg.norm(box.half_width()))
    count = _side(radius)
    X_GS, size = RigidTransform(R_GS, R_GS @ middle), (high - low)[:2]
    colors, density = np.ones((count, count, 3)), np.zeros((count, count))
    said = {
        "body": solid.body.scoped_name().get_full(),
        **pose_said(RigidTransform(solid.X_BG.reshape(3, 4)) @ X_GS),
        "size": size.tolist(),
        "pixels": count,
        "fading": 0.0,
        "end": None,
        "strokes": [],
    }
    return _Sheet(solid, X_GS, size, radius, colors, density, said)


def _side(radius: float) -> int:
    """Returns the pixels along a side of the texture of a shape, a power of two."""
    wanted = _SMALLEST + (_LARGEST - _SMALLEST) * min(radius / _FAR, 1.0)
    above = 2 ** math.ceil(math.log2(wanted))
    return above // 2 if above - wanted > wanted - above / 2 else above
