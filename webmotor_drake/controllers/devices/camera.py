"""Webots' Camera."""

import copy
import functools
import math
import typing

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import (
    Sensor,
    newest,
    of_node,
    tell_off,
)
from webmotor_drake.controllers.devices.images import (
    ImageDevice,
    rgba,
    save_picture,
)
from webmotor_drake.controllers.link.client import Request
from webmotor_drake.host import messages
from webmotor_drake.host.senses.recognition import (
    CameraRecognitionObject,
    RecognitionSampler,
)


class Camera(ImageDevice, Sensor):
    """Takes images of the drawn scene, along its x axis."""

    _declared = nodes.Camera
    _blank = b""

    def getImage(self) -> bytes | None:
        """Returns the newest image: blue, green, red, alpha per pixel, row by row.

        Black before the first; None, with an error, when it is off.
        """
        if self._tag and self.getSamplingPeriod() <= 0:
            tell_off(self, "getImage()")
            return None
        return newest(self, "getImage()")

    def getImageArray(self) -> list[list[list[int]]] | None:
        """Returns the newest image as lists: red, green, blue of array[x][y].

        As in Webots the pixels, row by row, are cut into lists of `height` pixels: in a
        square image [x][y] is the pixel in row x and column y.
        """
        return self._array(self.getImage())

    def _array(self, image: bytes | None) -> list[list[list[int]]] | None:
        if not image:
            return None
        pixels = rgba(image, self.getWidth(), self.getHeight())[..., :3]
        return pixels.reshape(self.getWidth(), self.getHeight(), 3).tolist()

    @staticmethod
    def imageGetRed(image: bytes, width: int, x: int, y: int) -> int:
        """Returns the red, 0 to 255, at `x`, `y` of an `image`, `width` wide."""
        return image[4 * (y * width + x) + 2]

    @staticmethod
    def imageGetGreen(image: bytes, width: int, x: int, y: int) -> int:
        """Returns the green, 0 to 255, at `x`, `y` of an `image`, `width` wide."""
        return image[4 * (y * width + x) + 1]

    @staticmethod
    def imageGetBlue(image: bytes, width: int, x: int, y: int) -> int:
        """Returns the blue, 0 to 255, at `x`, `y` of an `image`, `width` wide."""
        return image[4 * (y * width + x)]

    @staticmethod
    def imageGetGray(image: bytes, width: int, x: int, y: int) -> float:
        """Returns the mean colour at `x`, `y` of an `image`, `width` pixels wide."""
        i = 4 * (y * width + x)
        return (image[i] + image[i + 1] + image[i + 2]) / 3

    imageGetGrey = imageGetGray

    def saveImage(self, filename: str, quality: int) -> int:
        """Writes the newest image to `filename`, .png or .jpg (`quality` 1 to 100).

        Returns 0, or -1 with an error.
        """
        return self._save("saveImage()", self.getImage(), filename, quality)

    def _save(
        self, method: str, image: bytes | None, filename: str, quality: int
    ) -> int:
        if not image:
            return -1
        pixels = rgba(image, self.getWidth(), self.getHeight())
        return save_picture(self._call(method), pixels, filename, quality)

    def getFov(self) -> float:
        """Returns the field of view across the width, rad."""
        return self._device.get("field_of_view")

    def getMinFov(self) -> float:
        """Returns the narrowest field of view that can be set, rad."""
        return self._zoom("min_field_of_view")

    def getMaxFov(self) -> float:
        """Returns the widest field of view that can be set, rad."""
        return self._zoom("max_field_of_view")

    def _zoom(self, field: str) -> float:
        zoom = self._field("zoom", None)
        return getattr(zoom, field) if zoom else self.getFov()

    def setFov(self, f: float) -> None:
        """Sets the field of view to `f`, rad; an error beyond the zoom."""
        self._set("setFov", "field_of_view", f)

    def getExposure(self) -> float:
        """Returns the exposure as it was set."""
        return self._device.get("exposure", 1.0)

    def setExposure(self, exposure: float) -> None:
        """Sets the `exposure` of images, at least 0; the default is 1."""
        self._set("setExposure", "exposure", exposure)

    def getFocalLength(self) -> float:
        """Returns 0: there is no Focus."""
        return 0.0

    getFocalDistance = getFocalLength
    getMinFocalDistance = getMaxFocalDistance = getFocalLength

    def setFocalDistance(self, d: float) -> None:
        """Does nothing with `d`, and prints an error: there is no Focus."""
        messages.error(
            self._call(f"setFocalDistance({d!r})"), "the camera has no focus"
        )

    def hasRecognition(self) -> bool:
        """Returns whether the node has a Recognition."""
        return self._field("recognition", None) is not None

    def _recognition(self, method: str) -> RecognitionSampler | None:
        if self.hasRecognition():
            return self._device.recognition
        messages.error(self._call(method), "the camera has no recognition")
        return None

    def recognitionEnable(self, sampling_period: int) -> None:
        """Recognizes objects every `sampling_period` ms; see `Sensor.enable`."""
        method, number = "recognitionEnable", Request.RECOGNITION_PERIOD
        if self._recognition(f"{method}()") is not None:
            self._sample(method, sampling_period, number, "recognition")

    def recognitionDisable(self) -> None:
        """Stops recognition; the last objects stay."""
        self.recognitionEnable(0)

    def getRecognitionSamplingPeriod(self) -> int:
        """Returns the sampling period of the recognition, ms; 0: off."""
        recognition = self._recognition("getRecognitionSamplingPeriod()")
        return recognition.asked if recognition else 0

    def _seen(self, method: str) -> list[CameraRecognitionObject]:
        recognition = self._recognition(method)
        if recognition is None:
            return []
        if recognition.asked <= 0:
            tell_off(self, method)
        return recognition.seen

    def getRecognitionNumberOfObjects(self) -> int:
        """Returns the number of objects in the newest recognition."""
        return len(self._seen("getRecognitionNumberOfObjects()"))

    def getRecognitionObjects(self) -> list[CameraRecognitionObject]:
        """Returns the objects of the newest recognition, the nearest first."""
        return copy.deepcopy(self._seen("getRecognitionObjects()"))

    def hasRecognitionSegmentation(self) -> bool:
        """Returns whether the Recognition has segmentation."""
        recognition = self._field("recognition", None)
        return recognition is not None and recognition.segmentation

    def enableRecognitionSegmentation(self) -> None:
        """Takes an image of the recognized objects at each recognition."""
        self._segment("enableRecognitionSegmentation()", on=True)

    def disableRecognitionSegmentation(self) -> None:
        """Stops images of recognized objects."""
        self._segment("disableRecognitionSegmentation()", on=False)

    def _segment(self, method: str, *, on: bool) -> None:
        if not self.hasRecognitionSegmentation():
            messages.error(self._call(method), "there is no segmentation")
            return
        segment = functools.partial(self._device.segment, on=on)
        self._put("segments", on, segment)

    def isRecognitionSegmentationEnabled(self) -> bool:
        """Returns whether it takes images of recognized objects."""
        return self._tag > 0 and self._device.get("segments", False)

    def getRecognitionSegmentationImage(self) -> bytes | None:
        """Returns the newest segmentation image, or None, with an error, if it is off.

        Pixels are as in `getImage`, in each object's first colour; all else is black.
        """
        if not self.isRecognitionSegmentationEnabled():
            messages.error(
                self._call("getRecognitionSegmentationImage()"),
                "segmentation is off; enableRecognitionSegmentation() first",
            )
            return None
        return self._device.recognition.segmentation

    def getRecognitionSegmentationImageArray(
        self,
    ) -> list[list[list[int]]] | None:
        """Returns the segmentation image in the form of `getImageArray`."""
        return self._array(self.getRecognitionSegmentationImage() or b"")

    def saveRecognitionSegmentationImage(
        self, filename: str, quality: int
    ) -> int:
        """Writes the segmentation image to `filename` as `saveImage` with `quality`."""
        image = self.getRecognitionSegmentationImage()
        method = "saveRecognitionSegmentationImage()"
        return self._save(method, image, filename, quality)

    getNear = of_node(nodes.Camera, "near", math.nan)
    image = property(getImage)
    near = property(getNear)
    fov = property(getFov, setFov)
    min_fov = property(getMinFov)
    max_fov = property(getMaxFov)
    exposure = property(getExposure, setExposure)
    focal_length = property(getFocalLength)
    focal_distance = property(getFocalDistance, setFocalDistance)
    min_focal_distance = property(getMinFocalDistance)
    max_focal_distance = property(getMaxFocalDistance)
    segmentation_image = property(getRecognitionSegmentationImage)
    recognition_sampling_period: typing.Any = property(
        getRecognitionSamplingPeriod
    )
