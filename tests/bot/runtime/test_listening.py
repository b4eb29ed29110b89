"""Ports, by real sockets."""

import socket

import pytest

from bot.errors import HostError
from bot.runtime.listening import PortInUse, address_of, bound


def test_an_address_is_listened_on_at_once() -> None:
    with bound("127.0.0.1", 0) as listening:
        address = address_of(listening)
        with socket.create_connection(listening.getsockname()):
            assert address == f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_a_port_in_use_has_its_own_error() -> None:
    with bound("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse, match=f"^port {port} on 127.0.0.1 is in use"):
            bound("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "complaint"),
    [
        ("nowhere.invalid", r"host 'nowhere\.invalid': this machine has no such address"),
        ("203.0.113.1", r"cannot listen on 203\.0\.113\.1 port 0: "),
    ],
)
def test_a_host_that_is_not_this_machine_is_named(host: str, complaint: str) -> None:
    with pytest.raises(HostError, match=complaint) as caught:
        bound(host, 0)
    assert not isinstance(caught.value, PortInUse)
