"""The bot daemon as a process, with engines that resist their end."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.arena.players.accounts import issue_token
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from tests.chaos.programs import OURS, DidNotStartError, Program

NAME: Final = "Granite"
ENGINE_NAME: Final = "stubborn"
OPPONENT: Final = "Basalt"
AT_ONCE: Final = 2
POLL_S: Final = 0.01
GONE_S: Final = 20.0
ENGINE: Final = Path(__file__).with_name("stubborn_engine.py")
JOURNAL: Final = "journal.db"

# The clock is long, because faults of the bot cost its own time.
CONFIG: Final = """
[daemon]
data = "{data}"
drain_s = 0

[time]
max_turn_s = 0.1

[engines.stubborn]
command = {command}
processes = 2
options = {{ Threads = 1, Hash = 16 }}
env = {{ {env} }}
sandbox = {{ write = ["{fifo}"] }}

[policy]
max_games = 30
max_games_per_opponent = 10

[[platforms]]
url = "{address}"
token_file = "{token}"
engine = "stubborn"
connect_s = {terms.answer_s}
answer_s = {terms.answer_s}
silence_s = {terms.silence_s}
longest_wait_s = 1
{terms.more}
tournaments = true
seek = {{ opponent = "{opponent}", at_once = {at_once}, clock = "{terms.clock}", board = "pent-5" }}
"""


@dataclass(frozen=True)
class BotTerms:
    """The clock of the games that the bot offers, its timeouts in seconds, and `more` settings of
    its account.
    """

    clock: str = "120+10"
    answer_s: float = 5.0
    silence_s: float = 10.0
    more: str = ""


class Engines:
    """The engine processes of a daemon, by a FIFO that each of them and its child hold open."""

    def __init__(self, fifo: Path) -> None:
        self.fifo = fifo
        os.mkfifo(fifo)
        self._end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self._started: list[int] = []

    @property
    def latest(self) -> int | None:
        """The process id of the engine that was started last."""
        self.any_lives()
        return self._started[-1] if self._started else None

    def any_lives(self) -> bool:
        """Return whether an engine or a child of one is alive."""
        said = b""
        try:
            while more := os.read(self._end, 4096):
                said += more
        except BlockingIOError:
            return True
        finally:
            self._started += map(int, said.split())
        return False

    async def all_gone(self) -> bool:
        """Return whether all of them end within some seconds."""
        try:
            async with asyncio.timeout(GONE_S):
                while self.any_lives():  # noqa: ASYNC110 - other processes tell us nothing
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        os.close(self._end)


class Bot(Program):
    """`python -m bot bot`, which offers games to `OPPONENT` continuously."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        super().__init__([*OURS, "bot", "--config", str(folder / "bot.toml")], environ=environ)
        folder.mkdir(exist_ok=True)
        self.data = folder / "data"
        self.engines = Engines(folder / "engines")
        self._folder = folder
        self._marks = environ

    async def configure(self, address: str, arena_data: Path, terms: BotTerms, more: str) -> None:
        """Write the settings, with an account in `arena_data`, followed by `more` tables."""
        token = self._folder / "token"
        token.write_text(await issue_token(arena_data, NAME))
        token.chmod(0o600)
        command = [sys.executable, str(ENGINE), str(self.engines.fifo)]
        settings = CONFIG.format(
            fifo=self.engines.fifo,
            data=self.data,
            command=command,
            address=address,
            token=token,
            opponent=OPPONENT,
            at_once=AT_ONCE,
            env=", ".join(f'{name} = "{value}"' for name, value in self._marks.items()),
            terms=terms,
        )
        (self._folder / "bot.toml").write_text(settings + more)

    @property
    def records(self) -> Path:
        return self.data / "records.jsonl"

    @property
    def health(self) -> str:
        """Return the address of its status. Raises DidNotStartError if it serves none."""
        for line in self.log:
            event = json.loads(line) if line.startswith("{") else {}
            if event.get("event") == "health":
                return str(event["addresses"][0])
        raise DidNotStartError("the bot reports no address of its status")

    def recorded(self) -> list[GameRecord]:
        records = read_records(self.records) if self.records.exists() else []
        return [record for record in records if isinstance(record, GameRecord)]
