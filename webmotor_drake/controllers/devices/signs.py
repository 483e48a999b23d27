"""Webots' LED, Pen and Speaker, by which a robot is seen and heard."""

import functools
import os

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import Device
from webmotor_drake.host import messages

_ENGINES = "pico", "microsoft"


class Speaker(Device):
    """Plays WAV files and speaks texts, which are in the run's sound (`--sound`)."""

    _declared = nodes.Speaker

    @staticmethod
    def playSound(
        left: "Speaker",
        right: "Speaker",
        sound: str,
        volume: float,
        pitch: float,
        balance: float,
        loop: bool,
    ) -> None:
        """Plays `sound`, a WAV file, on one speaker or two from the next step on."""
        file, how = os.path.abspath(sound), (float(pitch), float(volume))
        for speaker in {left._tag: left, right._tag: right}.values():
            speaker._play(sound, file, *how, loop=bool(loop))

    def _play(
        self, sound: str, file: str, pitch: float, volume: float, *, loop: bool
    ) -> None:
        device, call = self._device, self._call(f"playSound({sound!r})")
        if not self._is_here():
            return
        waiting = device.get("waiting") or {}  # files, by the names it gave

        def play() -> None:
            waiting.pop(sound, None)
            if problem := device.play(file, pitch, loop=loop, volume=volume):
                messages.error(call, problem)

        waiting[sound] = file
        self._put("waiting", waiting, play)

    def stop(self, sound: str | None = None) -> None:
        """Stops `sound`; None: all."""
        names = [os.path.abspath(sound)] if sound else []
        if self._is_here():
            self._act(functools.partial(self._device.stop, names))

    def isSoundPlaying(self, sound: str) -> bool:
        """Returns whether `sound` plays, or will from the next step on."""
        if not self._tag:
            return False
        waits = sound in (self._device.get("waiting") or {})
        return waits or self._device.is_playing(os.path.abspath(sound))

    def speak(self, text: str, volume: float) -> None:
        """Speaks `text` from the next step on, some 150 words per minute."""
        messages.text(self._call("speak()"), text)

        def begin() -> None:
            self._put("speaks", False)
            self._device.speak(text, float(volume))

        self._put("speaks", True, begin)

    def isSpeaking(self) -> bool:
        """Returns whether it speaks, or will from the next step on."""
        return self._tag > 0 and (
            self._device.get("speaks", False) or self._device.is_playing("")
        )

    def setEngine(self, engine: str) -> bool:
        """Sets the program that speaks; False for one that Webots does not know."""
        self._put("engine", engine if engine in _ENGINES else "pico")
        return engine in _ENGINES

    def getEngine(self) -> str:
        """Returns the program that speaks in Webots; nothing does here."""
        return self._device.get("engine", "pico") if self._tag else ""

    def setLanguage(self, language: str) -> bool:
        """Sets the `language` of texts, such as "en-US"."""
        self._put("language", language)
        return True

    def getLanguage(self) -> str:
        """Returns the language of texts."""
        return self._device.get("language", "en-US") if self._tag else ""

    engine = property(getEngine, setEngine)
    language = property(getLanguage, setLanguage)


class LED(Device):
    """A light that keeps the value that it was set to."""

    _declared = nodes.LED
    _value = 0

    def set(self, value: int) -> None:
        """Sets `value`: 0 is off, 1 the first colour; for a gradual LED the intensity.

        Raises:
            TypeError: it is not an integer.
        """
        number = messages.whole_number(self._call(f"set({value!r})"), value)
        if self._tag:
            self._value = number
        else:
            self._device.tell()

    def get(self) -> int:
        """Returns the value as it was set; 0 at first."""
        return self._value

    value = property(get, set)


class Pen(Device):
    """Leaves ink where its -z axis meets a flat surface that is drawn."""

    _declared = nodes.Pen

    def write(self, write: bool) -> None:
        """Starts to write at the next step if `write` is true, else stops."""
        self._act(lambda: self._device.write(on=bool(write)))

    def setInkColor(self, color: int, density: float) -> None:
        """Takes ink of the `color` 0xRRGGBB from the next step on.

        Args:
            color: colour of the ink.
            density: amount that each basic step adds, 0 to 1.
        """
        call = self._call(f"setInkColor({color!r}, {density!r})")
        number = messages.whole_number(call, color)
        part = messages.number(call, density)
        if not 0 <= number <= 0xFFFFFF or not 0 <= part <= 1:
            messages.error(
                call, "ignored; 0 to 0xFFFFFF and 0 to 1 are allowed"
            )
            return
        parts = [byte / 255 for byte in number.to_bytes(3, "big")]
        self._act(lambda: self._device.set_ink(parts, part))
