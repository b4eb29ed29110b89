"""The processes of `bluestone up`, forked from one that has imported what all of them need."""

# One import for all
#
# The problem. An arena, a bot and an analyst import the same 700 modules. That is most of what each
# of them takes at rest, and most of the time until people can play, since they start one by one.
#
# The idea. `bluestone up` imports the modules once and forks a server before it has a thread or an
# event loop. The server only forks: on request, a process that runs one command. Processes share
# the pages of the modules until one of them writes there. `gc.freeze` keeps the garbage collector
# from doing that.
#
# - A request is one message: the command, and the descriptors of its report, of its output and of
#   its errors. The report has two lines, the process's number and its exit status; or one line
#   that says why the system gives no process. The server and its other processes then go on.
# - When `bluestone up` ends, however it does, the server reads the end of its socket and ends. The
#   kernel then sends SIGTERM to the processes that it has forked (`end_with`).
#
# Rejected:
#
# - To fork in `bluestone up` itself. It has threads by then, and a lock that one of them holds
#   would stay locked in the new process.
# - The fork server of `multiprocessing`. It is a new interpreter, which imports all modules once
#   more and shares nothing with `bluestone up`.

import asyncio
import ctypes
import errno
import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final, NoReturn, TypeAlias

from bot.errors import HostError
from bot.runtime.children import LONGEST_LINE, ChildProcess, end_with

LARGEST_REQUEST: Final = 1 << 16
NAME: Final = "bluestone"
RunCommand: TypeAlias = Callable[[Sequence[str]], int]
"""Runs a command of bluestone in this process, and returns its exit status."""
_ARGUMENTS: Final = (47, 48)
"""The fields of /proc/PID/stat with the bounds of the command line in memory."""


class ForkServerEnded(HostError):
    """The server of processes has ended, and all of its processes with it."""


class ForkServer:
    """The side of `bluestone up`, which asks for processes; made by `fork_server`."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel

    async def start(
        self, command: Sequence[str], environ: Mapping[str, str] | None = None
    ) -> ChildProcess:
        """Run `bluestone COMMAND`, with `environ` on top of this process's environment.

        Raises HostError if the system gives no process, and ForkServerEnded.
        """
        request = json.dumps([[*command], {**(environ or {})}]).encode()
        reading, writing = list[int](), list[int]()
        try:
            for _ in range(3):
                ours, its = os.pipe()
                reading.append(ours)
                writing.append(its)
            report_first = [writing[-1], *writing[:-1]]
            socket.send_fds(self._channel, [request], report_first)
        except OSError as error:
            for ours in reading:
                os.close(ours)
            if isinstance(error, ConnectionError):
                raise ForkServerEnded(f"no process can be forked: {error.strerror}") from error
            raise HostError(f"no process can be forked: {error.strerror or error}") from error
        finally:
            for its in writing:
                os.close(its)
        output, errors, report = [await _reader(ours) for ours in reading]
        said = (await report.readline()).decode().strip()
        if not said:
            raise ForkServerEnded("no process can be forked: their server has ended")
        if not said.isdecimal():
            raise HostError(f"no process can be forked: {said}")
        return ChildProcess(ForkedProcess(int(said), output, errors, report))


class ForkedProcess:
    """A process of the server, with what `ChildProcess` needs of it."""

    stdin: asyncio.StreamWriter | None = None

    def __init__(
        self,
        pid: int,
        output: asyncio.StreamReader,
        errors: asyncio.StreamReader,
        report: asyncio.StreamReader,
    ) -> None:
        self.pid = pid
        self.stdout: asyncio.StreamReader | None = output
        self.stderr: asyncio.StreamReader | None = errors
        self.returncode: int | None = None
        self._ending = asyncio.create_task(self._read_status(report))

    async def wait(self) -> int:
        """Wait for the end, and return the exit status."""
        return await asyncio.shield(self._ending)

    async def communicate(self) -> tuple[bytes, bytes]:
        """Return everything that the process writes until it ends."""
        assert self.stdout is not None
        assert self.stderr is not None
        written = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        return written

    async def _read_status(self, report: asyncio.StreamReader) -> int:
        # Without a line the server has ended, and with it all of its processes.
        self.returncode = int(await report.readline() or -signal.SIGTERM)
        return self.returncode


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb")
    )
    return reader


@contextmanager
def fork_server(modules: Iterable[str], run_command: RunCommand) -> Iterator[ForkServer]:
    """Import modules, and run a server that shares them until the end of the block.

    A forked process calls `run_command`. This process must have no other thread yet.
    """
    for module in modules:
        import_module(module)
    gc.collect()
    gc.freeze()
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        with its:
            server = get_context("fork").Process(target=_serve, args=(its, ours, run_command))
            server.start()
        yield ForkServer(ours)
    server.join()


# ---- the server --------------------------------------------------------------------------------


def _serve(channel: socket.socket, others: socket.socket, run_command: RunCommand) -> NoReturn:
    """Fork a process for each request, and report their ends, until `bluestone up` ends."""
    os.setsid()  # Ctrl-C is for `bluestone up` alone
    others.close()
    show_as("forks")
    running: dict[int, tuple[BaseProcess, int]] = {}
    while True:
        for ready in wait([channel, *running]):
            if isinstance(ready, int):
                process, report = running.pop(ready)
                process.join()
                _tell(report, process.exitcode)
                os.close(report)
                continue
            request, descriptors, *_ = socket.recv_fds(channel, LARGEST_REQUEST, 3)
            if not request:
                os._exit(0)
            kept = [channel.fileno(), *(each for _, each in running.values())]
            try:
                process = _forked(run_command, request, descriptors, kept)
            except OSError as error:
                if descriptors:  # at least the report, which comes first
                    _tell(descriptors[0], error.strerror)
            else:
                running[process.sentinel] = process, descriptors.pop(0)
            for each in descriptors:
                os.close(each)


def _forked(
    run_command: RunCommand, request: bytes, descriptors: Sequence[int], of_server: Sequence[int]
) -> BaseProcess:
    """Fork the process of a request, and report its number. Raises OSError."""
    if len(descriptors) < 3:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    report, output, errors = descriptors
    process = get_context("fork").Process(
        target=_run,
        args=(run_command, os.getpid(), *json.loads(request), output, errors, [report, *of_server]),
    )
    process.start()
    assert process.pid is not None
    with suppress(ProcessLookupError):  # it has ended already
        os.setpgid(process.pid, process.pid)  # before anybody kills its group
    _tell(report, process.pid)
    return process


def _tell(report: int, line: object) -> None:
    with suppress(OSError):  # `bluestone up` has ended, and the next look at the socket shows it
        os.write(report, f"{line}\n".encode())


def _run(
    run_command: RunCommand,
    server: int,
    command: list[str],
    environ: Mapping[str, str],
    output: int,
    errors: int,
    of_server: Iterable[int],
) -> NoReturn:
    """Run a command as the process that was forked for it."""
    end_with(server)
    os.dup2(output, 1)
    os.dup2(errors, 2)
    for descriptor in (output, errors, *of_server):
        os.close(descriptor)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.environ.update(environ)
    sys.argv = [NAME, *command]
    show_as(*command)
    sys.exit(run_command(command))


def show_as(*words: str) -> None:
    """Show `bluestone WORDS` in the system's list of processes, as far as there is room.

    A forked process would show the words of its parent there, which are in its memory.
    """
    stat = Path("/proc/self/stat").read_text(encoding="utf-8")
    # The second field, a name in brackets, may have blanks.
    fields = ["", "", *stat.rpartition(")")[2].split()]
    begin, end = (int(fields[number]) for number in _ARGUMENTS)
    text = "\0".join((NAME, *words)).encode()[: end - begin - 1]
    ctypes.memmove(begin, text.ljust(end - begin, b"\0"), end - begin)
