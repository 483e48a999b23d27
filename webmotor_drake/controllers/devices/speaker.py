"""Webots' Speaker."""

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
        waiting = device.get("waiting") or {}  # files by the controller's names

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
            self._device.get("speaks", False) or self._device.is_speaking
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
