"""Images on the wire: where they are drawn, and what is left of them."""

import gc
import os
import struct

import pytest
from robots import with_driver

from webmotor_drake.host.robot_host import robot_hosts
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.protocol.framing import Request
from webmotor_drake.protocol.wire_robot import WireRobot
from webmotor_drake.simulation.simulation import Simulation

EYES = (
    "devices: {eye: !Camera {frame: base, width: 6, height: 4,"
    " pose: {translation: [-2, 0, 1]}},"
    " depth: !RangeFinder {frame: base, width: 6, height: 4}}"
)


@pytest.mark.slow  # draws
def test_images_are_drawn_in_the_file_that_the_client_maps(tmp_path):
    stepped = SteppedSimulation(Simulation(with_driver(EYES)))
    robot = WireRobot(robot_hosts(stepped)["arm"], "")
    robot.exchange.image_folder = tmp_path
    eyes = [d for d in robot.exchange.devices if d.name in ("eye", "depth")]
    on = tuple((eye.tag, struct.pack("<BH", 1, 8)) for eye in eyes)
    descriptors = []
    for _ in range(2):  # a client, and the next one
        robot.handshake()
        robot.carry_out(Request(0, on))
        stepped.advance(stepped.now + 1)
        robot.answer()
        for eye in eyes:
            drawn = eye.sampler.value
            assert drawn is eye.sampler.canvas
            file = tmp_path / f"snap.webots.{eye.name}"
            assert file.read_bytes() == drawn.tobytes()
            assert drawn[..., 0].any()
            del drawn
        robot.leave()
        assert not list(tmp_path.iterdir())
        assert all(eye.sampler.canvas is None for eye in eyes)
        gc.collect()  # what tests before have left
        descriptors.append(len(os.listdir("/proc/self/fd")))
    assert descriptors[0] == descriptors[1]  # the engine has some
