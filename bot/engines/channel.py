"""A program under its own guardian, with lines over its stdin and stdout."""

import asyncio
import errno
import os
import signal
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, Final, NamedTuple, Self, cast

import structlog

from bot.engines.sandbox import box_of
from bot.engines.spec import EngineSpec
from bot.errors import EngineDied, EngineFailure, EngineProtocolError, EngineStartError
from bot.runtime import guardian

MAX_LINE_BYTES = 65_536
MAX_LOGGED_CHARACTERS = 400
MAX_LOGGED_LINES = 200
LINGER_S = 0.5
"""Seconds for which a program's pipes are read after its end, if another process holds
them open.
"""
GONE_S = 10.0
BURST_BYTES = 16 << 20
BYTES_PER_S = 1 << 20
"""A program may write `BURST_BYTES` at once, and `BYTES_PER_S` for ever. Reading its lines takes
time from all games, and no engine has that much to say.
"""

REFUSALS: Final = ("Permission denied", "PermissionError", "Operation not permitted")
BOX_HINT: Final = "it runs in a box: allow more by `read = [...]`, see docs/bot.md#engines-in-a-box"

STDIN, STDOUT, STDERR = 0, 1, 2
LineWatcher = Callable[[str, str], None]
"""Gets each line with its direction: `>` to the program, `<` from it, `!` from its stderr."""


class User(NamedTuple):
    """By their numbers; the names are those of `subprocess.Popen`."""

    user: int
    group: int
    extra_groups: tuple[int, ...] = ()


class LineChannel(asyncio.SubprocessProtocol):
    """The running program. Lines go to the listener of `listen`, or nowhere without one.

    Lines are never queued, so a program that prints without end costs no memory. A line
    longer than `MAX_LINE_BYTES` ends the program: it cannot be part of the protocol.
    """

    def __init__(self, spec: EngineSpec, lifeline: IO[bytes], report: IO[bytes]) -> None:
        self.name = spec.name
        self._program = spec.argv[0]
        self._lifeline = lifeline
        self._report = report
        self.failure: EngineFailure | None = None
        self._listener: Callable[[str], None] | None = None
        self._on_failure: Callable[[EngineFailure], None] | None = None
        self._pending = {STDOUT: b"", STDERR: b""}
        self._closed = asyncio.Event()
        self._said: deque[str] = deque(maxlen=3)
        self._is_boxed = spec.sandbox.enabled
        self._was_refused = False
        self._logged = 0
        self._allowance, self._allowed_at = float(BURST_BYTES), 0.0
        self.line_watcher: LineWatcher | None = None
        self._log = structlog.get_logger().bind(engine=spec.name)

    @classmethod
    async def open(cls, spec: EngineSpec, user: User | None = None) -> Self:
        """Start the program, which root can do as another user.

        Raises EngineStartError if even its guardian cannot be started.
        """
        starting = asyncio.create_task(cls._start(spec, user))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            with suppress(EngineStartError):
                await (await starting).kill()
            raise

    @classmethod
    async def _start(cls, spec: EngineSpec, user: User | None) -> Self:
        lifeline_end, lifeline = _pipe()
        report, report_end = _pipe()
        try:
            with lifeline_end, report_end, (box := box_of(spec)).limits() as limits:
                ends = (lifeline_end.fileno(), report_end.fileno(), *limits)
                rights: dict[str, Any] = {} if user is None else user._asdict()
                _, channel = await asyncio.get_running_loop().subprocess_exec(
                    lambda: cls(spec, lifeline, report),
                    *(*guardian.COMMAND, *map(str, ends), "--", *spec.argv),
                    pass_fds=ends,
                    cwd=spec.directory,
                    env=box.environment,
                    start_new_session=True,
                    **rights,
                )
        except (OSError, ValueError) as error:
            lifeline.close()
            report.close()
            raise EngineStartError(spec.name, _does_not_start(spec.argv[0], error)) from error
        return channel

    # ---- what the owner does ---------------------------------------------------------------

    @property
    def alive(self) -> bool:
        return self.failure is None

    @property
    def hint(self) -> str:
        """The hint with a semicolon, if the box seems to have refused something, else nothing."""
        return f"; {BOX_HINT}" if self._is_boxed and self._was_refused else ""

    def listen(
        self,
        on_line: Callable[[str], None] | None,
        on_failure: Callable[[EngineFailure], None] | None,
    ) -> None:
        """Pass lines to `on_line` from now on, and the program's end to `on_failure`."""
        self._listener, self._on_failure = on_line, on_failure

    def send(self, *lines: str) -> None:
        if self.failure is not None:
            raise self.failure
        for line in lines:
            self._watched(">", line)
        text = "".join(f"{line}\n" for line in lines)
        self._pipe.write(text.encode())

    def end_input(self) -> None:
        """Close the program's stdin."""
        self._pipe.close()

    def give_up(self, error: EngineFailure) -> None:
        """Stop reading from the program and end it. Later calls of `send` raise `error`."""
        self._fail(error)
        self._lifeline.close()

    async def kill(self) -> None:
        """Kill the program and all that it started, and wait until it is gone."""
        self._fail(EngineDied(self.name, "was killed"))
        self._lifeline.close()
        try:
            async with asyncio.timeout(GONE_S):
                await self._closed.wait()
        except TimeoutError:  # the kernel does not end it yet
            self._log.error("engine_will_not_end", pid=self._transport.get_pid())

    async def ended(self) -> None:
        """Wait until the program has ended by itself."""
        await self._closed.wait()

    # ---- what asyncio calls ----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)
        self._pipe = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(STDIN))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if not self._is_allowed(len(data)):
            self.give_up(EngineProtocolError(self.name, "writes too much"))
            return
        *lines, rest = (self._pending[fd] + data).split(b"\n")
        self._pending[fd] = rest
        take = self._take_line if fd == STDOUT else self._log_line
        for line in lines:
            if fd == STDOUT and len(line) > MAX_LINE_BYTES:
                self._give_up_long_line()
                return
            take(line.decode(errors="replace").strip())
        if len(rest) > MAX_LINE_BYTES:
            self._pending[fd] = b""
            if fd == STDOUT:
                self._give_up_long_line()

    def _give_up_long_line(self) -> None:
        message = f"sent a line of more than {MAX_LINE_BYTES} bytes"
        self.give_up(EngineProtocolError(self.name, message))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        if self._pending.get(fd):
            self.pipe_data_received(fd, b"\n")
        if fd == STDOUT:  # usually it has ended; without an output it cannot answer
            error = EngineDied(self.name, "closed its output")
            asyncio.get_running_loop().call_later(LINGER_S, self.give_up, error)

    def process_exited(self) -> None:
        self._lifeline.close()
        asyncio.get_running_loop().call_later(LINGER_S, self._transport.close)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        with self._report:
            self._fail(self._why_it_ended(self._report.read()))
        self._transport.close()
        self._closed.set()

    # ---- inside ----------------------------------------------------------------------------

    def _is_allowed(self, size: int) -> bool:
        now = asyncio.get_running_loop().time()
        earned = (now - self._allowed_at) * BYTES_PER_S
        self._allowance, self._allowed_at = min(BURST_BYTES, self._allowance + earned) - size, now
        return self._allowance >= 0

    def _why_it_ended(self, report: bytes | None) -> EngineFailure:
        """Return why the program ended. `report` is the guardian's report."""
        if report and not report.isdigit():
            return EngineDied(self.name, f"{report.decode()}, and was killed")
        if report:
            error = OSError(int(report), os.strerror(int(report)), self._program)
            self._was_refused |= error.errno == errno.EACCES
            return EngineStartError(self.name, _does_not_start(self._program, error) + self.hint)
        code = self._transport.get_returncode()
        last = f"; its last lines: {' / '.join(self._said)}" if self._said else ""
        return EngineDied(self.name, f"its process {_ended_how(code)}{last}{self.hint}", code)

    def _take_line(self, line: str) -> None:
        self._watched("<", line)
        if self._listener is not None and self.failure is None and line:
            self._listener(line)

    def _log_line(self, line: str) -> None:
        line = line[:MAX_LOGGED_CHARACTERS]
        if not line:
            return
        self._watched("!", line)
        self._said.append(line)
        self._was_refused |= any(words in line for words in REFUSALS)
        self._logged += 1
        if self._logged <= MAX_LOGGED_LINES:
            self._log.info("engine_stderr", line=line)
        elif self._logged == MAX_LOGGED_LINES + 1:
            self._log.warning("engine_stderr_muted", lines=MAX_LOGGED_LINES)

    def _watched(self, direction: str, line: str) -> None:
        if self.line_watcher is not None:
            self.line_watcher(direction, line)

    def _fail(self, error: EngineFailure) -> None:
        if self.failure is None:
            self.failure = error
            if self._on_failure is not None:
                self._on_failure(error)


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    """Return the reading end, which does not block, and the writing end."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    return os.fdopen(reading, "rb", 0), os.fdopen(writing, "wb", 0)


def _ended_how(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended with status {code}"
    try:
        return f"was killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"was killed by signal {-code}"


def _does_not_start(program: str, error: Exception) -> str:
    return f"command {program!r} does not start: {error}"


def with_box_hint(spec: EngineSpec, why_it_does_not_start: str) -> str:
    """Add `BOX_HINT`: a program that misses a file often does not say that it was refused."""
    is_known = spec.is_builtin or not spec.sandbox.enabled or BOX_HINT in why_it_does_not_start
    return why_it_does_not_start if is_known else f"{why_it_does_not_start}; {BOX_HINT}"
