"""The client processes of a load test: the process itself, and its control by a measurement.

`python -m bot.bench.clients.process` reads and writes lines of JSON. The first line of input is a
`ClientPlan`, each line after it is a request, and each line is answered by one line. Lines with
`notice` may come at any time: `connected` counts guests, `game_id` names the game that has started
at the first table, and roles may add others. The process exits at the end of its input.
"""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from pkgutil import resolve_name
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson
import uvloop

from bot.bench.clients.frames import Json
from bot.bench.clients.guests import Guest
from bot.bench.clients.roles import ClientPlan, Role
from bot.bench.clients.sources import open_sources
from bot.errors import BluestoneError, HostError, PeerError
from bot.runtime.children import PIPE, PYTHON_M, ChildProcess
from bot.runtime.tasks import a_few_at_once

LONGEST_LINE: Final = 1 << 26
PROGRESS_STEP: Final = 100


async def _serve() -> None:
    lines = await _lines()
    plan = ClientPlan.model_validate_json(await lines.readline())
    async with open_sources() as sources:
        make_role = resolve_name(plan.role)
        role: Role = make_role(plan, sources, lambda notice: _say({"notice": notice}))
        try:
            await _connect(role.guests, plan)
            while line := await lines.readline():
                _say({"answer": await role.answer(orjson.loads(line))})
        finally:
            await asyncio.gather(*(guest.leave() for guest in role.guests))


async def _connect(guests: Sequence[Guest], plan: ClientPlan) -> None:
    def on_progress(count: int) -> None:
        if count % PROGRESS_STEP == 0:
            _say({"notice": {"connected": count}})

    await a_few_at_once(
        guests,
        lambda guest: guest.enter(plan.address),
        at_once=plan.at_once,
        on_progress=on_progress,
    )
    gc.collect()
    gc.freeze()  # otherwise the collector scans thousands of connections repeatedly
    _say({"answer": len(guests)})


async def _lines() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


def _say(line: Json) -> None:
    options = orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    sys.stdout.buffer.write(orjson.dumps(line, option=options))
    sys.stdout.buffer.flush()


def main() -> int:
    """Run the process and return its exit code. An expected failure is reported in one line."""
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve())
    except BluestoneError as error:
        code = error.code if isinstance(error, PeerError) else None
        message = error.message if isinstance(error, PeerError) else str(error)
        _say({"failed": {"code": code, "message": message}})
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())


CONNECT_S: Final = 600.0
END_S: Final = 10.0

OnNotice = Callable[[Json], None]


class ClientProcess:
    """One client process; made by `clients`. Requests are answered in order."""

    def __init__(self, process: ChildProcess, log: Path, on_notice: OnNotice) -> None:
        self._process = process
        self._log = log
        self._on_notice = on_notice
        self._asking = asyncio.Lock()

    async def connect(self, plan: ClientPlan) -> int:
        """Connect the clients of the plan and return their number."""
        async with self._asking:
            count: int = await self._asked(plan.model_dump_json().encode(), CONNECT_S)
        return count

    async def ask(self, request: Json, seconds: float = CONNECT_S) -> Any:  # noqa: ANN401  (JSON)
        """Send a request and return the answer. Raises HostError or PeerError."""
        async with self._asking:
            return await self._asked(orjson.dumps(request), seconds)

    async def _asked(self, line: bytes, seconds: float) -> Any:  # noqa: ANN401  (JSON)
        try:
            async with asyncio.timeout(seconds):
                self._process.input.write(line + b"\n")
                return await self._answer()
        except TimeoutError:
            raise HostError(f"a client process did not answer in {seconds:.0f} s") from None

    async def _answer(self) -> Any:  # noqa: ANN401  (JSON)
        while line := await self._process.output.readline():
            match orjson.loads(line):
                case {"answer": answer}:
                    return answer
                case {"notice": notice}:
                    self._on_notice(notice)
                case {"failed": {"code": str(code), "message": message}}:
                    raise PeerError(code, message)
                case {"failed": {"message": message}}:
                    raise HostError(message)
                case _:
                    raise HostError(f"a client process printed {line[:100]!r}")
        said = self._log.read_text(errors="replace").splitlines()
        raise HostError(f"a client process ended: {said[-1] if said else 'without a message'}}}")


@asynccontextmanager
async def clients(on_notice: OnNotice) -> AsyncIterator[ClientProcess]:
    """Run a client process until the end of the block."""
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as errors:
            process = await ChildProcess.start(
                [*PYTHON_M, "bot.bench.clients.process"],
                stdin=PIPE,
                stdout=PIPE,
                stderr=errors,
                longest_line=LONGEST_LINE,
            )
        try:
            yield ClientProcess(process, log, on_notice)
        except BaseException:
            process.kill()  # it may be busy for a long time
            raise
        finally:
            process.input.close()
            await process.wait_or_kill(END_S)
