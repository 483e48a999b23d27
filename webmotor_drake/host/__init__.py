"""The simulator's side of robots: commands in, measurements out, by device.

It knows nothing of who commands: Python controllers in this process, a session, and a
server of another protocol are clients of the same few calls::

    stepped = SteppedSimulation(simulation)
    host = robot_hosts(stepped)["arm"]
    devices = devices_of(host)               # in the order of Webots' tags
    requests = RobotRequests(host, devices)

    requests.enable(devices[1].sampler, 16)  # every 16 ms from now on
    requests.command(devices[0], Kind.POSITION, 1.2)
    requests.send()
    stepped.advance(stepped.now + 2)         # simulates; samplers that are due measure
    requests.read()                          # devices[1].sampler.seen is the newest

`HostDevice.act` starts the other work of a device as a step begins, such as an
emitter's packets; `stepped.changes` takes the changes that supervisors want, and
`scene` has the world as they see it.
"""
