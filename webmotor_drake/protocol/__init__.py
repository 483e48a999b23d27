"""Webots' own controller protocol: robots for programs that link libController.

A controller in C, C++, Java, MATLAB or ROS 2 connects here as it connects to Webots,
by a local socket or TCP. The modules, from the wire up:

- `framing`: bytes of requests in, bytes of answers out; no sockets.
- `wire_devices`, `wire_kinds`, `wire_images`, `wire_display`: each kind of device, a
  record each: its configuration, its requests, its messages.
- `wire_supervisor`, `wire_scene`, `wire_fields`: a supervisor's
  requests, answered from `host/scene`.
- `wire_robot`: a robot: its handshake, its blocks, its answers. A client of `host`.
- `addresses`, `connection`, `server`: sockets of this machine.
- `programs`: programs that are started here, and what they print.
- `link`: a robot and its program.
- `connected_robots`: all of them, in the rhythm of whoever simulates.
"""
