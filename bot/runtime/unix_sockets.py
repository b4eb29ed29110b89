"""Unix sockets to listen on: who may connect, and files that ended processes have left.

Problem. The file of a Unix socket outlives its process, and then keeps the next one from listening.
Whoever removes it without care takes the address from a process that runs.

Idea. A file at which nobody accepts connections is left over. The folder is locked from this check
until the new socket listens, so that of two processes that start together only one replaces it.

Rejected: a lock file beside the socket. It needs cleaning up as well, and other programs, which
may hold the address, do not know it.
"""

import errno
import fcntl
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from bot.runtime.listening import BACKLOG, CannotListen, PortInUse

UNIX: Final = "unix:"
"""How an address of a Unix socket begins; the absolute path of its file follows."""
LONGEST_PATH: Final = 107
"""Bytes of a path that Linux accepts."""


def socket_file(address: str) -> Path | None:
    """The file of the Unix socket; None if this is the name or the address of a machine.

    Raises ValueError with the reason if the path cannot be one of a socket.
    """
    if not address.startswith(UNIX):
        return None
    path = address.removeprefix(UNIX)
    if not path.startswith("/") or path.endswith("/") or "\0" in path:
        raise ValueError(f"{address!r} names no file; write an absolute path, as unix:/run/a.sock")
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise ValueError(f"the path of a Unix socket may have at most {LONGEST_PATH} bytes")
    return Path(path)


@contextmanager
def socket_bound(path: Path, mode: int) -> Iterator[socket.socket]:
    """Listen on a Unix socket whose file has this mode; removes the file afterwards.

    The file of a process that has ended is replaced. Raises PortInUse if a program listens there,
    and CannotListen with the reason if the path cannot be used.
    """
    with _locked(path):
        _remove_left_over(path)
        listening = _listening(path, mode)
    try:
        yield listening
    finally:
        listening.close()
        with suppress(OSError, CannotListen), _locked(path):
            _remove_left_over(path)  # another program may have replaced it by now


def is_listened_on(path: Path) -> bool:
    """Return whether a program accepts connections there. Raises OSError if it cannot be known."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except BlockingIOError:  # so many clients wait that there is no room for another
            return True
    return True


def _remove_left_over(path: Path) -> None:
    """Remove the file of a socket on which nobody listens. Raises CannotListen, PortInUse."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise CannotListen(f"{path} is not a socket; move it away, or choose another path")
        if is_listened_on(path):
            raise PortInUse(
                f"another program listens on {path}; stop that program, or choose another path"
            )
        path.unlink()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _why_not(path, error) from error


def _listening(path: Path, mode: int) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(str(path))
        path.chmod(mode)  # before anybody can connect
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise _why_not(path, error) from error
    listening.setblocking(False)
    return listening


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the folder of a socket. Raises CannotListen if it cannot be held."""
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _why_not(path, error) from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise CannotListen(f"another program is about to use {path.parent}; try again") from error
    finally:
        os.close(folder)


def _why_not(path: Path, error: OSError) -> CannotListen:
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return CannotListen(f"cannot listen on {path}: there is no folder {path.parent}")
    return CannotListen(f"cannot listen on {path}: {error.strerror or error}")
