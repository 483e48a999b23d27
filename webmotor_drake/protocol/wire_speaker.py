"""Speakers on the wire (speaker.c)."""

from webmotor_drake import nodes
from webmotor_drake.host.speaker import SpeakerDevice
from webmotor_drake.protocol.reader import Reader, text
from webmotor_drake.protocol.wire_devices import KINDS, WireDevice

_PLAY, _STOP, _ENGINE, _LANGUAGE, _SPEAK = 1, 2, 3, 4, 5
_SOUND_OVER, _SPEAK_OVER = b"\6", b"\7"
_WAV = b"RIFF"
# What R2025a writes behind each sound whose file it does not send.
_NO_DATA = bytes(4)


class Speaker(WireDevice):
    """A speaker; the client is told when a sound or a text is over."""

    device: SpeakerDevice

    def command(self, number: int, block: Reader) -> bool:
        """Plays, stops and speaks; its engine and language change nothing."""
        if number == _PLAY:
            self._play(block)
        elif number == _STOP:
            count = max(block.i16(), 0)
            self.device.stop([block.text(block.u16()) for _ in range(count)])
        elif number in (_ENGINE, _LANGUAGE):
            block.text(block.u16())
        elif number == _SPEAK:
            self.device.speak(block.text(block.u16()))
            block.f64()  # how loud
        return _PLAY <= number <= _SPEAK

    def _play(self, block: Reader) -> None:
        """Plays sounds; those that R2025a lists besides are skipped."""
        for _ in range(block.i32()):
            self._skip_others(block)
            name = block.text(block.u16())
            _, pitch, _ = block.floats(3)  # between loudness and balance
            block.u16()  # left or right
            loop, data = bool(block.u8()), b""
            if block.peek(8)[4:] == _WAV:  # the file, behind its size
                data = block.take(block.i32())
            if problem := self.device.play(name, pitch, loop=loop, data=data):
                self.tell_once(problem)
                self.tell(_SOUND_OVER + text(name))
        self._skip_others(block)

    def _skip_others(self, block: Reader) -> None:
        while block.peek(4) == _NO_DATA:
            block.take(4)

    def look(self) -> None:
        """Tells what is over."""
        over, spoken = self.device.ended()
        for name in over:
            self.tell(_SOUND_OVER + text(name))
        if spoken:
            self.tell(_SPEAK_OVER)

    def restart(self) -> None:
        """Is silent for the next client."""
        super().restart()
        self.device.restart()


KINDS[nodes.Speaker] = Speaker
