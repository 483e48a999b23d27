"""A browser's side of our pages, without drawing."""

import contextlib
import json
import threading
import time

import websockets.sync.client as sync
from websockets.exceptions import ConnectionClosed

LONG = 60  # s; only what hangs meets it


@contextlib.contextmanager
def connected(page):
    """Gives a client of a page, or its server, which has the scene."""
    with sync.connect(
        page.address.replace("http", "ws") + "/socket",
        origin=page.address,
        max_size=None,
    ) as ws:
        yield Client(ws)


class Client:
    """Does what a browser does, without drawing."""

    def __init__(self, ws):
        self.ws = ws
        self.told, self.frames = [], []
        self.pictures, self.samples = [], []
        self.complete = threading.Event()
        self.drawn = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        assert self.complete.wait(LONG)

    def after(self, state):
        """Waits until the page was told a state."""
        end = time.monotonic() + LONG
        while not any(m.get("state") == state for m in self.told):
            assert time.monotonic() < end
            time.sleep(0.01)

    def send(self, **message):
        self.ws.send(json.dumps(message))

    def _listen(self):
        # It may be told of a frame while it leaves.
        with contextlib.suppress(ConnectionClosed):
            self._answer()

    def _answer(self):
        for message in self.ws:
            if isinstance(message, str):
                self.told.append(json.loads(message))
                if "complete" in self.told[-1]:
                    self.send(loaded=True)
                    self.complete.set()
            elif message[:2] == b"\xc1\0":
                self.frames.append(message)
                self.drawn.set()
                self.send(drawn=True)
            elif message[:2] == b"\xc1\1":
                self.pictures.append(message)
            elif message[:2] == b"\xc1\2":
                self.samples.append(message)
