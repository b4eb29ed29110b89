"""Ports for programs that are told a number, or that stop and start again at the same address."""

import socket

HOST = "127.0.0.1"


class HeldPort:
    """A port of this machine that nobody else gets until it is closed.

    Its socket is bound and does not listen. So the system gives the port to no other socket, a
    client finds nobody there, and a program that asks for the port by its number can listen.
    """

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind((HOST, 0))
        self.number: int = self._socket.getsockname()[1]

    def close(self) -> None:
        self._socket.close()
