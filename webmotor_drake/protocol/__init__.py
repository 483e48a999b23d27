"""Webots' own controller protocol: robots for programs that link libController.

A controller in C, C++, Java, MATLAB or ROS 2 connects here as it connects to Webots,
by a local socket or TCP. The modules, from the wire up:

- `framing`: bytes of requests in, bytes of answers out; no sockets.
- `wire_devices`, `wire_kinds`, `wire_images`, `wire_display`: one record per kind of
  device, with its configuration, its requests and its messages.
- `wire_supervisor`, `wire_scene`, `wire_fields`: a supervisor's
  requests, answered from `host/scene`.
- `wire_robot`: the handshake, requests and answers of a robot; a client of `host`.
- `addresses`, `connection`, `server`: sockets of this machine.
- `programs`: programs that are started here, and what they print.
- `link`: a robot and its program.
- `connected_robots`: all links of a run, stepped by the loop that simulates.
"""
