"""A program on the wire that does as little as one can: it commands and reads.

    python wire_client.py SOCKET SENSORS

SOCKET is the robot's, with wildcards; it may come later. The robot's first device is a
motor, and those behind it are sensors. It says at its end how long a step took, s.
"""

import contextlib
import glob
import socket
import struct
import sys
import time

FIRST = bytes.fromhex("11000000 00000000 0000 03000000 230000")
PERIOD = 8  # ms
TARGET = 0.3  # rad
_QUIT = struct.pack("<IiHB", 11, 0, 0, 2)


def main(name: str, sensors: int) -> None:
    """Steps until the run is over."""
    with connected(name) as simulation:
        told(simulation, FIRST)
        enable = [
            struct.pack("<HiBH", tag, 3, 1, PERIOD)
            for tag in range(2, 2 + sensors)
        ]
        told(simulation, request(b"".join(enable)))
        command = request(struct.pack("<HiHd", 1, 10, 1, TARGET))
        start, steps = time.perf_counter(), 0
        while told(simulation, command) != _QUIT:
            steps += 1
        print((time.perf_counter() - start) / max(steps, 1))
        simulation.sendall(bytes(4))


def connected(name: str) -> socket.socket:
    """Returns the connection, once there is somebody."""
    while True:
        for file in glob.glob(name):
            found = socket.socket(socket.AF_UNIX)
            with contextlib.suppress(OSError):
                found.connect(file)
                return found
            found.close()
        time.sleep(0.001)


def request(blocks: bytes) -> bytes:
    """Returns what asks for a step."""
    return struct.pack("<II", 8 + len(blocks), PERIOD) + blocks


def told(simulation: socket.socket, words: bytes) -> bytes:
    """Returns the answer to a request."""
    simulation.sendall(words)
    answer = simulation.recv(4096)
    while len(answer) < 4 or len(answer) < struct.unpack_from("<I", answer)[0]:
        answer += simulation.recv(4096)
    return answer


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
