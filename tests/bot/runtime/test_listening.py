"""Ports, by real sockets."""

import select
import socket

import pytest

from bot.errors import HostError
from bot.runtime.listening import PortInUse, address_of, bound, reserved


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


def test_a_shared_port_is_listened_on_by_several() -> None:
    with reserved("127.0.0.1", 0) as holder:
        host, port = holder.getsockname()
        with bound(host, port, reuse_port=True) as one, bound(host, port, reuse_port=True) as two:
            served = {one: 0, two: 0}
            for _ in range(64):
                with socket.create_connection((host, port)):
                    ready, _, _ = select.select(served, [], [], 60)
                    assert ready, "the holder gets no connections"
                    for each in ready:
                        each.accept()[0].close()
                        served[each] += 1
            assert min(served.values()) > 0


def test_a_port_that_programs_share_already_is_in_use() -> None:
    with bound("127.0.0.1", 0, reuse_port=True) as taken, pytest.raises(PortInUse):
        reserved("127.0.0.1", taken.getsockname()[1])
    with bound("127.0.0.1", 0) as taken, pytest.raises(PortInUse):
        bound("127.0.0.1", taken.getsockname()[1], reuse_port=True)
