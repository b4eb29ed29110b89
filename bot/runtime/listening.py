"""Addresses and ports to listen on, and the reasons why one cannot be used."""

import errno
import socket
from typing import Final

from bot.errors import HostError

BACKLOG: Final = 512


_ANYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104


class CannotListen(HostError):
    """The requested host and port cannot be used."""


class PortInUse(CannotListen):
    """Another program listens on that port."""


def bound(host: str, port: int, *, reuse_port: bool = False) -> socket.socket:
    """Return a listening, non-blocking socket. Raises CannotListen with the reason.

    With `reuse_port`, other processes of this user may listen on the same port in the same way. The
    system gives each connection to one of them.
    """
    listening = _bound(host, port, reuse_port=reuse_port)
    try:
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise why_not_bound(host, port, error) from error
    listening.setblocking(False)
    return listening


def reserved(host: str, port: int) -> socket.socket:
    """Return a socket that holds a port, for processes that listen there with `reuse_port`.

    It gets no connections itself. Raises CannotListen with the reason, also if a program listens
    there already, whether it shares the port or not.
    """
    unused(host, port)
    return _bound(host, port, reuse_port=True)


def _bound(host: str, port: int, *, reuse_port: bool = False) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise why_not_bound(host, port, error) from error
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if reuse_port:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listening.bind(address)
    except OSError as error:
        listening.close()
        raise why_not_bound(host, port, error) from error
    return listening


def unused(host: str, port: int) -> None:
    """Raise CannotListen if a program could not listen there. Takes the port from nobody.

    The socket does not listen, so that a program that starts at this moment can.
    """
    _bound(host, port).close()


def why_not_bound(host: str, port: int, error: OSError) -> CannotListen:
    """Describe the system's error in words that name the host and the port."""
    if isinstance(error, socket.gaierror):
        return CannotListen(f"host {host!r}: this machine has no such address ({error.strerror})")
    if error.errno == errno.EADDRINUSE:
        return PortInUse(
            f"port {port} on {host} is in use; stop what uses it, or choose another port"
        )
    return CannotListen(f"cannot listen on {host} port {port}: {error.strerror or error}")


def with_name(address: str) -> str:
    """The address with `localhost` instead of this machine's own address.

    Browsers allow passkeys under this name, and under no address.
    """
    return address.replace("//127.0.0.1:", "//localhost:").replace("//[::1]:", "//localhost:")


def address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def local_address(host: str, port: int) -> str:
    """Return the address at which this machine reaches a listener on that host and port."""
    host = _ANYWHERE.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
