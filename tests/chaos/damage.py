"""Starts on damaged files: readable data is served, the rest is refused in one sentence."""

import os
import random
import shutil
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot import wire
from bot.arena.games.archive import FILE_NAME as RECORDS
from bot.arena.store.sqlite_database import FILE_NAME as DATABASE
from bot.errors import DataError, HostError
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from tests.bot.arena.table import begin, table
from tests.chaos.daemon import JOURNAL
from tests.chaos.programs import OURS, Ended, Program, run_to_end
from tests.fakes.arena_client import connected

REFUSALS: Final = (DataError.exit_code, HostError.exit_code)
PAGE: Final = 4096
GARBAGE: Final = b"\xa5\x00\xff}{" * 50 + b"\n"
NO_ARENA: Final = "http://127.0.0.1:9"
"""The port of `discard`, on which no program listens."""


# Root may write everywhere. 24 is PR_CAPBSET_DROP, 1 is CAP_DAC_OVERRIDE: <linux/capability.h>.
WITHOUT_OVERRIDE: Final = """
import ctypes, os, sys
assert ctypes.CDLL(None).prctl(24, 1, 0, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


@dataclass(frozen=True)
class Sound:
    """An undamaged data folder: two running games of a guest, and one that has ended."""

    folder: Path
    guest_key: str
    running: tuple[str, str]
    finished: str


async def sound_folder(folder: Path) -> Sound:
    """Play some turns in an arena on that folder, and end it."""
    async with table(folder) as t:
        for ply, turn in enumerate(["0-0", "2-0,2-2"]):
            await t.play(ply, turn)
        other, third = [await begin(t.one, t.two) for _ in range(2)]
        await t.one.do("game.action", game_id=third, action="resign")
        key = t.one.all_of(wire.Welcome)[0].guest_key
    assert key is not None
    return Sound(folder, key, (t.game_id, other), third)


@dataclass(frozen=True)
class Start:
    """A copy of an undamaged folder at `data`, to be damaged and started on."""

    sound: Sound
    data: Path
    rng: random.Random


Damage = Callable[[Start], Awaitable[list[str]]]
"""Damage a folder, start on it, and return the problems."""


async def read_only_folder(start: Start) -> list[str]:
    start.data.chmod(0o555)
    before = [sys.executable, "-c", WITHOUT_OVERRIDE] if os.geteuid() == 0 else []
    try:
        return _refused(await _arena(start, before), str(start.data))
    finally:
        start.data.chmod(0o755)


async def overwritten_pages(start: Start) -> list[str]:
    """Overwrite all pages except the first, which has the type of the file."""
    path = start.data / DATABASE
    size = path.stat().st_size
    _overwrite(path, range(PAGE, size, PAGE))
    return _refused(await _arena(start), DATABASE)


async def overwritten_page(start: Start) -> list[str]:
    """Overwrite a random page. The arena may start if it does not need the page now."""
    path = start.data / DATABASE
    _overwrite(path, [PAGE * start.rng.randrange(1, path.stat().st_size // PAGE)])
    return _refused(await _arena(start), DATABASE, may_serve=True)


async def truncated_file(start: Start) -> list[str]:
    """Truncate anywhere except in the last page, which the arena may not need now."""
    path = start.data / DATABASE
    os.truncate(path, start.rng.randrange(1, path.stat().st_size - PAGE))
    return _refused(await _arena(start), DATABASE)


async def missing_column(start: Start) -> list[str]:
    with closing(sqlite3.connect(start.data / DATABASE)) as database:
        database.execute("ALTER TABLE games DROP COLUMN revision")
    return _refused(await _arena(start), DATABASE)


async def unreadable_turn(start: Start) -> list[str]:
    """Damage a turn of one running game. The other game must continue."""
    damaged, whole = start.sound.running
    with closing(sqlite3.connect(start.data / DATABASE)) as database, database:
        database.execute("UPDATE turns SET played = '{' WHERE game_id = ? AND ply = 1", (damaged,))
    return await _served(start, {whole})


async def garbage_in_records(start: Start) -> list[str]:
    """Append garbage after half of a line. Earlier records must stay, and new ones be added."""
    path = start.data / RECORDS
    before = path.read_bytes()
    path.write_bytes(before[: len(before) // 2] + GARBAGE)
    problems = await _served(start, set(start.sound.running))
    found = [line.id for line in read_records(path) if isinstance(line, GameRecord)]
    if found != [start.sound.finished]:
        problems.append(f"records: {found}")
    if GARBAGE not in path.read_bytes():
        problems.append("records: earlier content of the file is gone")
    return problems


async def garbage_in_journal(start: Start) -> list[str]:
    """Damage the bot's journal."""
    (start.data / JOURNAL).write_bytes(GARBAGE * 20)
    token = start.data / "token"
    token.write_text("x" * 43)
    token.chmod(0o600)
    config = start.data / "bot.toml"
    platform = f'[[platforms]]\nurl = "{NO_ARENA}"\ntoken_file = "{token}"\n'
    config.write_text(f'[daemon]\ndata = "{start.data}"\n{platform}')
    return _refused(await run_to_end([*OURS, "bot", "--config", str(config)]), JOURNAL)


DAMAGES: Final[Sequence[Damage]] = (
    read_only_folder,
    overwritten_pages,
    overwritten_page,
    truncated_file,
    missing_column,
    unreadable_turn,
    garbage_in_records,
    garbage_in_journal,
)


async def try_damage(damage: Damage, sound: Sound, folder: Path, rng: random.Random) -> list[str]:
    """Start on a copy within `folder`."""
    data = folder / damage.__name__
    shutil.copytree(sound.folder, data)
    try:
        problems = await damage(Start(sound, data, rng))
        return [f"{damage.__name__}: {problem}" for problem in problems]
    finally:
        shutil.rmtree(data)


def _overwrite(path: Path, begins: Sequence[int]) -> None:
    with path.open("r+b") as file:
        for begin in begins:
            file.seek(begin)
            file.write(b"\xa5" * PAGE)


async def _arena(start: Start, before: Sequence[str] = ()) -> Ended:
    return await run_to_end([*before, *OURS, "arena", "--port", "0", "--data", str(start.data)])


def _refused(ended: Ended, names: str, *, may_serve: bool = False) -> list[str]:
    """Return the problems of a start that had to fail. Its output must contain `names`."""
    if ended.served and may_serve:
        return [ended.errors] if "Traceback" in ended.errors else []
    if ended.served:
        return ["it started"]
    problems = [] if ended.status in REFUSALS else [f"status {ended.status}"]
    sentences = [line for line in ended.errors.splitlines() if not line.startswith("{")]  # no log
    if len(sentences) != 1 or names not in sentences[0]:
        problems.append(f"its output was {ended.errors!r}")
    return problems


async def _served(start: Start, games: set[str]) -> list[str]:
    """Return the problems of a start after which exactly those games must continue."""
    arena = Program([*OURS, "arena", "--port", "0", "--data", str(start.data)])
    try:
        await arena.spawn()
        address = await arena.says("http://")
        async with connected(address, guest_key=start.sound.guest_key) as guest:
            there = {game.game_id for game in guest.all_of(wire.Welcome)[0].games}
    finally:
        await arena.kill()
    problems = [] if there == games else [f"running are {there}, not {games}"]
    return problems + [line for line in arena.log if "Traceback" in line]
