"""Images of the drawn scene, by Drake's VTK engine, without a screen.

Tones are those of WREN's hdr_resolve.
"""

import ctypes
import functools
import math
import sys
import typing

import numpy as np
from pydrake.geometry import (
    ClippingRange,
    ColorRenderCamera,
    DepthRange,
    DepthRenderCamera,
    LightParameter,
    MakeRenderEngineVtk,
    RenderCameraCore,
    RenderEngineVtkParams,
    Rgba,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.systems.sensors import CameraInfo

from webmotor_drake.errors import warn
from webmotor_drake.host.senses.light_sensor import PlacedLight
from webmotor_drake.host.senses.place import Place
from webmotor_drake.nodes.lights import DirectionalLight, PointLight, SpotLight

_NAME = "webots_devices"
# Webots draws everything; here nothing further than this is drawn, m.
FAR = 1000.0
# From a device's axes D to a camera's C: z ahead, x to the right, y down.
_R_DC = RotationMatrix(np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]]))
_EGL_PLATFORM_DEVICE = 0x313F
_DEVICES = 16


class Renderer:
    """Draws the scene of a simulation; starts when the first image is wanted.

    Where it cannot start there are no images; it warns of that once.

    Args:
        stepped: the `SteppedSimulation`, whose surroundings light what is drawn.
    """

    def __init__(self, stepped: typing.Any):
        self._simulation = stepped.simulation
        self._around = stepped.surroundings
        self._works: bool | None = None

    def works(self) -> bool:
        """True if there are images; starts the engine at first use."""
        if self._works is None:
            self._works = can_render()
            if self._works:
                self._start()
            else:
                warn(
                    "cameras, range finders and lidars see nothing: there is no"
                    " EGL device to draw with (Debian and Ubuntu: apt-get install"
                    " libegl1 libgl1)"
                )
        return self._works

    def _start(self) -> None:
        backend = "EGL" if sys.platform == "linux" else ""
        gravity = self._simulation.plant.gravity_field().gravity_vector()
        lights = _image_lights(self._around.lights, gravity)
        engine = MakeRenderEngineVtk(
            RenderEngineVtkParams(backend=backend, lights=lights)
        )
        scene_graph = self._simulation.scene_graph
        root = self._simulation.simulator.get_mutable_context()
        context = scene_graph.GetMyMutableContextFromRoot(root)
        scene_graph.AddRenderer(context, _NAME, engine)
        # An earlier query has marked the shapes' poses as up to date, but the new
        # engine does not have them yet.
        context.SetAllCacheEntriesOutOfDate()

    def color(self, place: Place, core: RenderCameraCore) -> np.ndarray:
        """Returns an image, (height, width, 4), red, green, blue and alpha."""
        camera = ColorRenderCamera(core)
        return self._draw("RenderColorImage", camera, place.X_WD())

    def label(self, place: Place, core: RenderCameraCore) -> np.ndarray:
        """Returns the index of the body of each pixel, (height, width)."""
        camera = ColorRenderCamera(core)
        return self._draw("RenderLabelImage", camera, place.X_WD())[..., 0]

    def depth(self, X_WD: RigidTransform, core: RenderCameraCore) -> np.ndarray:
        """Returns the depth of each pixel, m, (height, width); inf for nothing."""
        clipping = core.clipping()
        near = clipping.near()
        camera = DepthRenderCamera(core, DepthRange(near, clipping.far()))
        image = self._draw("RenderDepthImage", camera, X_WD)[..., 0]
        # 0 marks pixels nearer than `near`.
        return np.where(image > 0, image, math.nan)

    def _draw(
        self, method: str, camera: typing.Any, X_WD: RigidTransform
    ) -> np.ndarray:
        if (ink := self._around.drawn.ink) is not None:
            ink.show()
        X_WC = X_WD @ RigidTransform(_R_DC)
        world = self._simulation.scene_graph.world_frame_id()
        image = getattr(self._around.query(), method)(camera, world, X_WC)
        return np.array(image.data)


def camera_core(
    width: int, height: int, focal: float, near: float, far: float
) -> RenderCameraCore:
    """Returns a camera with square pixels.

    Args:
        width: in pixels.
        height: in pixels.
        focal: the focal length in pixels.
        near: nearest distance that is drawn, m.
        far: farthest distance that is drawn, m.
    """
    info = CameraInfo(
        width=width,
        height=height,
        focal_x=focal,
        focal_y=focal,
        # The engine's pixel i is at i + 1/2.
        center_x=width / 2,
        center_y=height / 2,
    )
    clipping = ClippingRange(near, far)
    return RenderCameraCore(_NAME, info, clipping, RigidTransform())


def focal_length(width: int, field_of_view: float) -> float:
    """Returns the focal length of a camera, in pixels."""
    return width / 2 / math.tan(field_of_view / 2)


def can_render() -> bool:
    """Returns whether a drawing engine can start here.

    On Linux VTK ends the process where no EGL device answers; so they are asked
    before, in the way that VTK asks them.
    """
    if sys.platform != "linux":
        return True
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError:
        return False
    pointer, number = ctypes.c_void_p, ctypes.c_int
    egl.eglGetProcAddress.restype = pointer
    egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
    egl.eglInitialize.argtypes = [pointer, pointer, pointer]
    addresses = [
        egl.eglGetProcAddress(name)
        for name in (b"eglQueryDevicesEXT", b"eglGetPlatformDisplayEXT")
    ]
    if not all(addresses):
        return False
    devices_of = ctypes.CFUNCTYPE(ctypes.c_uint, number, pointer, pointer)
    display_of = ctypes.CFUNCTYPE(pointer, ctypes.c_uint, pointer, pointer)
    found, count = (pointer * _DEVICES)(), number()
    devices_of(addresses[0])(_DEVICES, found, ctypes.byref(count))
    for device in found[: count.value]:
        display = display_of(addresses[1])(_EGL_PLATFORM_DEVICE, device, None)
        if display and egl.eglInitialize(display, None, None):
            return True
    return False


_GAMMA = 2.2
# From this exposure on everything that is lit is white.
_BLINDING = 1e6


@functools.lru_cache(maxsize=8)
def tones(exposure: float) -> np.ndarray:
    """Returns the tone in an image of each of the 256 intensities of a colour.

    Light c is shown as (1 - exp(-exposure c))^(1/2.2): white that is fully lit is 207.
    """
    light = np.arange(256) / 255
    shown = (1 - np.exp(-min(exposure, _BLINDING) * light)) ** (1 / _GAMMA)
    return np.rint(255 * shown).astype(np.uint8)


def _image_lights(
    lights: list[PlacedLight], gravity: np.ndarray
) -> list[LightParameter]:
    """Returns the lights of a scenario as the drawing engine has them.

    They shine from where they are now; there are no shadows. Light from all sides
    comes from the camera. Without lights one shines from the camera and one from
    above, along gravity: a camera that looks level would see a black floor.
    """
    if not lights:
        length = np.linalg.norm(gravity)
        down = gravity / length if length else np.array([0.0, 0.0, -1.0])
        return [
            LightParameter(type="directional", frame="camera"),
            LightParameter(type="directional", frame="world", direction=down),
        ]
    on = [light for light in lights if light.node.on]
    if any(light.place.moves for light in on):
        warn(
            "images are lit by lights where they are at the first image; those on"
            " bodies that move stay there"
        )
    shining = [_light(light) for light in on if light.node.intensity > 0]
    ambient = sum(light.node.ambient_intensity for light in on)
    if ambient > 0 or not shining:  # else all are off
        ahead = LightParameter(type="directional", frame="camera")
        ahead.intensity = ambient
        shining.append(ahead)
    return shining


def _light(light: PlacedLight) -> LightParameter:
    node = light.node
    parameter = LightParameter(
        frame="world",
        color=Rgba(*node.color),
        intensity=node.intensity,
        position=light.place.p_WD(),
    )
    if isinstance(node, PointLight):
        parameter.type = "point"
        parameter.attenuation_values = np.array(node.attenuation)
    if isinstance(node, SpotLight):
        parameter.type = "spot"
        parameter.cone_angle = math.degrees(
            min(node.cut_off_angle, math.pi / 2)
        )
    if isinstance(node, DirectionalLight):
        parameter.type = "directional"
    if isinstance(node, DirectionalLight | SpotLight):
        parameter.direction = light.axis_W()
    return parameter
