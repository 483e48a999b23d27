"""Speakers: sounds and texts that nobody hears, and that take their time."""

import io
import math
import typing
import wave

from webmotor_drake import nodes
from webmotor_drake.host.senses.body_sampler import MountedDevice, device_for

# The time that a character of a text takes, s: some 150 words per minute.
_CHARACTER = 0.07


@device_for(nodes.Speaker)
class SpeakerDevice(MountedDevice):
    """A speaker (WbSpeaker.cpp).

    Attributes:
        sounds: end of each sound that plays, s from the start of the run.
        texts: end of the text that it speaks, if any; the last counts.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self._stepped = self.clock
        self.reset()

    def reset(self) -> None:
        """Is silent, as at the start."""
        super().reset()
        self.sounds: dict[str, float] = {}
        self.texts: list[float] = []

    def forget_client(self) -> None:
        """Is silent for the next client."""
        self.reset()

    def play(
        self, name: str, pitch: float, *, loop: bool, data: bytes = b""
    ) -> str:
        """Plays a sound, which goes on if it plays; returns why not, or "".

        Args:
            name: of a WAV file.
            pitch: factor on its speed.
            loop: True if it begins again.
            data: content of the file, where the client sends it.
        """
        try:
            with wave.open(io.BytesIO(data) if data else name, "rb") as sound:
                length = sound.getnframes() / sound.getframerate()
        except (OSError, EOFError, wave.Error, ZeroDivisionError) as error:
            return f"{name!r} is no WAV file that can be read: {error}"
        if not pitch > 0:
            return f"a pitch of {pitch:g} is ignored; must be positive"
        end = math.inf if loop else self._stepped.elapsed + length / pitch
        old = self.sounds.get(name, -math.inf)
        self.sounds[name] = end if loop or math.isinf(old) else old
        return ""

    def stop(self, names: typing.Iterable[str] = ()) -> None:
        """Stops sounds; without names all."""
        for name in tuple(names) or tuple(self.sounds):
            self.sounds.pop(name, None)

    def speak(self, text: str) -> None:
        """Speaks a text instead of the one before."""
        self.texts = [self._stepped.elapsed + _CHARACTER * len(text)]

    def is_playing(self, name: str) -> bool:
        """Returns whether a sound plays."""
        return self.sounds.get(name, -math.inf) > self._stepped.elapsed

    @property
    def is_speaking(self) -> bool:
        """True if it speaks."""
        return bool(self.texts) and self.texts[0] > self._stepped.elapsed

    def ended(self) -> tuple[list[str], bool]:
        """Returns which sounds are over, and whether the text is; once each."""
        now = self._stepped.elapsed
        over = [name for name, end in self.sounds.items() if end <= now]
        for name in over:
            del self.sounds[name]
        spoken = bool(self.texts) and self.texts[0] <= now
        self.texts = [] if spoken else self.texts
        return over, spoken
