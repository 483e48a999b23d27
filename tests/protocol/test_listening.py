"""The port on which programs are heard."""

import socket

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.protocol import server
from webmotor_drake.protocol.server import _listening

HERE = "127.0.0.1"


def port_of(listener):
    """Returns the port of a socket that listens."""
    return listener.getsockname()[1]


def test_a_port_that_is_taken_gives_way_to_one_of_the_next():
    with (
        _listening(HERE, 0) as taken,
        _listening(HERE, port_of(taken)) as other,
    ):
        assert port_of(taken) < port_of(other) < port_of(taken) + server._PORTS
        assert not other.getblocking()
        socket.create_connection((HERE, port_of(other))).close()


def test_where_all_are_taken_it_says_which(monkeypatch):
    monkeypatch.setattr(server, "_PORTS", 1)
    with _listening(HERE, 0) as taken:
        number = port_of(taken)
        with pytest.raises(
            InputError, match=f"port {number} .* 0 ports after it"
        ):
            _listening(HERE, number)


def test_an_address_of_another_machine_is_refused_at_once(monkeypatch):
    tried = []
    bind = socket.socket.bind

    def noted(listener, address):
        tried.append(address)
        return bind(listener, address)

    monkeypatch.setattr(socket.socket, "bind", noted)
    with pytest.raises(InputError, match="cannot listen: "):
        _listening("203.0.113.1", 4321)  # reserved for documents (RFC 5737)
    assert tried == [("203.0.113.1", 4321)]
