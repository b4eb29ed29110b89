"""Client processes as the measurement sees them: requests to them, and what they tell."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson

from bot.bench.client_process import LONGEST_LINE
from bot.bench.frames import Json
from bot.bench.roles import Plan
from bot.errors import HostError, PeerError
from bot.runtime.python_modules import PYTHON_M

CONNECT_S: Final = 600.0
END_S: Final = 10.0

OnNotice = Callable[[Json], None]


class Clients:
    """One client process; made by `clients`. Requests are answered in order."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path, on_notice: OnNotice) -> None:
        self._process = process
        self._log = log
        self._on_notice = on_notice
        self._asking = asyncio.Lock()

    async def connect(self, plan: Plan) -> int:
        """Let them come in; how many they are."""
        async with self._asking:
            count: int = await self._asked(plan.model_dump_json().encode(), CONNECT_S)
        return count

    async def ask(self, request: Json, seconds: float = CONNECT_S) -> Any:  # noqa: ANN401  (JSON)
        """The answer to a request. Raises HostError or PeerError."""
        async with self._asking:
            return await self._asked(orjson.dumps(request), seconds)

    async def _asked(self, line: bytes, seconds: float) -> Any:  # noqa: ANN401  (JSON)
        assert self._process.stdin is not None
        try:
            async with asyncio.timeout(seconds):
                self._process.stdin.write(line + b"\n")
                return await self._answer()
        except TimeoutError:
            raise HostError(f"a client process did not answer in {seconds:.0f} s") from None

    async def _answer(self) -> Any:  # noqa: ANN401  (JSON)
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
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
                    raise HostError(f"a client process said {line[:100]!r}")
        said = self._log.read_text(errors="replace").splitlines()
        raise HostError(f"a client process ended: {said[-1] if said else 'without a word'}")


@asynccontextmanager
async def clients(on_notice: OnNotice) -> AsyncIterator[Clients]:
    """A client process until the end of the block."""
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as errors:
            process = await asyncio.create_subprocess_exec(
                *(*PYTHON_M, "bot.bench.client_process"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                limit=LONGEST_LINE,
                start_new_session=True,
            )
        try:
            yield Clients(process, log, on_notice)
        except BaseException:
            with suppress(ProcessLookupError):
                process.kill()  # it may be busy for long
            raise
        finally:
            await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), END_S)
    except TimeoutError:
        process.kill()
        await process.wait()
