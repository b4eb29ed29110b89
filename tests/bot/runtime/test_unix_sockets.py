"""Unix sockets to listen on, by real ones."""

import fcntl
import os
import socket
import stat
from pathlib import Path

import pytest

from bot.runtime.listening import CannotListen, PortInUse
from bot.runtime.unix_sockets import is_listened_on, socket_bound, socket_file


def left_over(path: Path) -> None:
    """A socket whose process has ended without removing it."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))


def test_clients_reach_it_and_nothing_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with socket_bound(path, 0o660) as listening:
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
        listening.accept()[0].close()
    assert not path.exists()


def test_the_mode_does_not_depend_on_the_umask(tmp_path: Path) -> None:
    former = os.umask(0o077)
    try:
        with socket_bound(tmp_path / "a.sock", 0o666):
            assert stat.S_IMODE((tmp_path / "a.sock").stat().st_mode) == 0o666
    finally:
        os.umask(former)


def test_what_a_dead_process_has_left_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    left_over(path)
    assert not is_listened_on(path)
    with socket_bound(path, 0o600):
        assert is_listened_on(path)


def test_a_socket_of_a_program_that_runs_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with socket_bound(path, 0o600):
        with pytest.raises(PortInUse, match=f"another program listens on {path}"):
            socket_bound(path, 0o600).__enter__()
        assert is_listened_on(path)


def test_a_program_that_accepts_nobody_is_not_taken_for_dead(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with socket.socket(socket.AF_UNIX) as hung, socket.socket(socket.AF_UNIX) as waiting:
        hung.bind(str(path))
        hung.listen(0)
        waiting.connect(str(path))
        with pytest.raises(PortInUse):
            socket_bound(path, 0o600).__enter__()


def test_the_socket_of_a_successor_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with socket_bound(path, 0o600) as former:
        former.close()
        successor = socket_bound(path, 0o600)
        successor.__enter__()
    assert is_listened_on(path)
    successor.__exit__(None, None, None)


def test_of_two_that_start_together_one_replaces_it(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    left_over(path)
    folder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)  # the other is between its check and its socket
    with pytest.raises(CannotListen, match="another program is about to use"):
        socket_bound(path, 0o600).__enter__()
    os.close(folder)
    assert path.exists()
    with socket_bound(path, 0o600):
        pass


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("file", "is not a socket; move it away"),
        ("link", "is not a socket; move it away"),
        ("none/a.sock", "there is no folder"),
        ("file/a.sock", "there is no folder"),
    ],
)
def test_what_stands_in_the_way_is_named_and_stays(
    tmp_path: Path, name: str, complaint: str
) -> None:
    (tmp_path / "file").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with pytest.raises(CannotListen, match=complaint):
        socket_bound(tmp_path / name, 0o600).__enter__()
    assert (tmp_path / "file").read_text() == "precious"
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("address", ["unix:a.sock", "unix:", "unix:/run/", f"unix:/{'a' * 107}"])
def test_paths_that_name_no_socket(address: str) -> None:
    with pytest.raises(ValueError, match=r"names no file|at most 107 bytes"):
        socket_file(address)


def test_addresses_of_machines_are_none() -> None:
    assert socket_file("127.0.0.1") is None
    assert socket_file("unix:/run/a.sock") == Path("/run/a.sock")
