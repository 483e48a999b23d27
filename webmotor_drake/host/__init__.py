"""The simulator's side of robots: commands in, measurements out, by device.

It knows nothing of who commands: Python controllers in this process, a session, and a
server of another protocol are clients of the same few calls::

    stepped = SteppedSimulation(simulation)
    host = robot_hosts(stepped)["arm"]
    devices = devices_of(host, seed)         # in the order of Webots' tags
    measuring = Measuring(stepped)

    position = Measurement(devices[1].sampler)
    measuring.enable(position, steps=2)      # every 2 basic steps from now on
    host.send([(devices[0].index, Kind.POSITION, 1.2)])
    stepped.advance(stepped.now + 2)         # simulates; samplers that are due measure
    measuring.read()                         # position.value is the newest

`HostDevice.act` starts what else a device does as a step begins, such as an emitter's
packets; `stepped.changes` takes what supervisors want of the world, and `scene` has
what they see of it.
"""
