"""A command of `webmotor` that runs in a process of its own until Ctrl-C."""

import re
import signal
import subprocess
import sys
import time


class Command:
    """`webmotor ARGUMENTS`, running until Ctrl-C.

    Attributes:
        address: what it tells to open.
    """

    def __init__(self, *arguments, cwd):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "webmotor_drake", *arguments],
            cwd=cwd,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.told = ""
        for line in self._process.stderr:
            self.told += line
            found = re.search(r"open (http://127\.0\.0\.1:\d+)", line)
            if found:
                self.address = found[1]
                return
        raise AssertionError(self.told)

    def until_told(self, text):
        """Waits for a line of what it tells."""
        while text not in self.told:
            line = self._process.stderr.readline()
            assert line, self.told
            self.told += line

    def interrupt(self):
        """Presses Ctrl-C; returns the exit status."""
        self._process.send_signal(signal.SIGINT)
        return self.wait()

    def wait(self):
        """Waits for its end; returns the exit status."""
        self.told += self._process.communicate(timeout=600)[1]
        return self._process.returncode

    def kill(self):
        """Ends it, whatever it does."""
        self._process.kill()
        self._process.communicate()


def until(what, patience=600.0):
    """Waits until `what()` is true."""
    deadline = time.monotonic() + patience
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)
