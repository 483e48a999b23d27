"""Speakers: sounds and texts, with their durations, for the run's sound."""

import io
import math
import typing
import wave

from webmotor_drake import nodes
from webmotor_drake.host.senses.body_sampler import MountedDevice, device_for

# The time that a character of a text takes, s: some 150 words per minute.
_CHARACTER = 0.07
# The name of the text among the sounds.
_TEXT = ""


@device_for(nodes.Speaker)
class SpeakerDevice(MountedDevice):
    """A speaker (WbSpeaker.cpp).

    Attributes:
        sounds: playing sounds by file, as in the run's metadata; the text that it
                    speaks has the key "".
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.sounds: dict[str, dict[str, typing.Any]] = {}

    def reset(self) -> None:
        """Silences the speaker."""
        super().reset()
        self.stop([*self.sounds])

    forget_client = reset  # for the next client, too

    def play(
        self,
        name: str,
        pitch: float,
        *,
        loop: bool,
        volume: float = 1.0,
        data: bytes = b"",
    ) -> str:
        """Plays a sound, or lets it go on; returns why it cannot be played, or "".

        Args:
            name: name of a WAV file.
            pitch: factor on its speed.
            loop: True to repeat the sound for ever.
            volume: factor on its loudness.
            data: content of the file, where the client sends it.
        """
        try:
            with wave.open(io.BytesIO(data) if data else name, "rb") as sound:
                length = sound.getnframes() / sound.getframerate()
        except (OSError, EOFError, wave.Error, ZeroDivisionError) as error:
            return f"{name!r} is no WAV file that can be read: {error}"
        if not pitch > 0:
            return f"a pitch of {pitch:g} is ignored; must be positive"
        if not self.is_playing(name):
            self._begin(name, length / pitch, volume, file=name, pitch=pitch)
        self.sounds[name]["volume"] = volume
        if loop:
            self.sounds[name]["end"] = None
        return ""

    def _begin(
        self, name: str, length: float, volume: float, **about: typing.Any
    ) -> None:
        start = self.clock.elapsed
        about |= {"start": start, "end": start + length, "volume": volume}
        self.sounds[name] = about
        self.clock.simulation.hear(f"{self.host.name}/{self.name}", about)

    def stop(self, names: typing.Iterable[str] = ()) -> None:
        """Stops sounds; without names all but the text."""
        for name in tuple(names) or tuple(filter(None, self.sounds)):
            if self.is_playing(name):
                self.sounds[name]["end"] = self.clock.elapsed
            self.sounds.pop(name, None)

    def speak(self, text: str, volume: float = 1.0) -> None:
        """Speaks a text instead of the one before."""
        self.stop([_TEXT])
        self._begin(_TEXT, _CHARACTER * len(text), volume, text=text)

    def is_playing(self, name: str) -> bool:
        """Returns whether a sound plays; "": the text."""
        end = self.sounds.get(name, {"end": -math.inf})["end"]
        return end is None or end > self.clock.elapsed

    def ended(self) -> tuple[list[str], bool]:
        """Returns the sounds that have newly ended, and whether the text has."""
        over = [name for name in self.sounds if not self.is_playing(name)]
        for name in over:
            del self.sounds[name]
        return [name for name in over if name], _TEXT in over
