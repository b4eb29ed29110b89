"""What the bot knows of Abstract Play outlives the process."""

import asyncio
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from bot.errors import HostError
from bot.guests.abstract_play.signatures import REMEMBERED
from bot.guests.abstract_play.store import REMEMBERED_OVER, VERSION, KnownGame, Notice, Sent, Store
from tests.fakes.time import EPOCH

LATER = EPOCH + timedelta(seconds=1.5)

NOTE_AND_DIE = """
import asyncio, os, signal, sys
from datetime import datetime, UTC
from pathlib import Path
from bot.guests.abstract_play.store import Notice, Store

async def main():
    async with Store.opened(Path(sys.argv[1])) as store:
        now = datetime(2026, 1, 1, tzinfo=UTC)
        await store.keep_nonce("n1", now)
        await store.note(Notice("g1", "bluestone", 3, now))
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as file:
        return int(file.execute("PRAGMA user_version").fetchone()[0])


def set_version(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"PRAGMA user_version = {version}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "abstract_play.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    async with Store.opened(path) as store:
        yield store


async def test_it_survives_kill_9(path: Path) -> None:
    dead = await asyncio.create_subprocess_exec(sys.executable, "-c", NOTE_AND_DIE, str(path))
    assert await dead.wait() == -signal.SIGKILL
    async with Store.opened(path) as store:
        assert await store.nonces() == {"n1": EPOCH}
        assert await store.open_notices() == [Notice("g1", "bluestone", 3, EPOCH)]
        assert await store.games() == {"g1": KnownGame("g1", "bluestone", EPOCH, is_over=False)}


async def test_nonces_go_after_their_time(store: Store) -> None:
    await store.keep_nonce("old", EPOCH)
    await store.keep_nonce("new", LATER)
    await store.keep_nonce("new", LATER)
    assert await store.nonces() == {"old": EPOCH, "new": LATER}
    await store.keep_nonce("newest", LATER + REMEMBERED)
    assert list(await store.nonces()) == ["new", "newest"]


async def test_a_notice_that_comes_twice_is_one(store: Store) -> None:
    notice = Notice("g1", "blooms", 4, EPOCH)
    await store.note(notice)
    await store.note(Notice("g1", "blooms", 4, LATER))
    assert await store.open_notices() == [notice]
    await store.settle("g1", 4)
    await store.note(notice)
    assert await store.open_notices() == []


async def test_settling_a_game_settles_its_earlier_notices(store: Store) -> None:
    for game, plies in (("g1", 2), ("g1", 4), ("g1", 6), ("g2", 1)):
        await store.note(Notice(game, "blooms", plies, EPOCH))
    await store.settle("g1", 4)
    assert [(each.game_id, each.plies) for each in await store.open_notices()] == [
        ("g1", 6),
        ("g2", 1),
    ]


async def test_a_game_that_is_over_is_known_for_some_weeks(store: Store) -> None:
    await store.note_game("g1", "blooms", EPOCH)
    await store.note_game("g1", "blooms", LATER)
    await store.note(Notice("g2", "bluestone", 0, LATER))
    await store.sending("g2", Sent(0, "0-0", LATER))
    await store.note_over("g2", LATER)
    assert await store.games() == {
        "g1": KnownGame("g1", "blooms", EPOCH, is_over=False),
        "g2": KnownGame("g2", "bluestone", LATER, is_over=True),
    }
    assert await store.sent("g2") is None
    assert await store.open_notices() == []
    await store.note_over("g1", LATER + 2 * REMEMBERED_OVER)
    assert list(await store.games()) == ["g1"]


async def test_the_last_turn_on_its_way_is_known_until_it_is_settled(store: Store) -> None:
    assert await store.sent("g1") is None
    await store.sending("g1", Sent(3, "0-0", EPOCH))
    await store.sending("g1", Sent(3, "0-1", LATER))
    assert await store.sent("g1") == Sent(3, "0-1", LATER)
    await store.settled("g1")
    assert await store.sent("g1") is None


async def test_pauses_are_kept_by_kind_and_survive(path: Path) -> None:
    async with Store.opened(path) as store:
        await store.hold_back("query", LATER)
        await store.hold_back("query", EPOCH)
        await store.hold_back("botQuery", LATER)
    async with Store.opened(path) as store:
        assert await store.not_before("query") == EPOCH
        assert await store.not_before("botQuery") == LATER
        assert await store.not_before("token") is None


async def test_a_file_of_an_earlier_version_is_refused_and_left_alone(path: Path) -> None:
    async with Store.opened(path) as store:
        await store.keep_nonce("n1", EPOCH)
    set_version(path, 0)
    with pytest.raises(
        HostError, match=r"store of Abstract Play .* by an earlier version of Bluestone"
    ):
        async with Store.opened(path):
            pass
    assert version(path) == 0


async def test_a_file_of_a_later_version_is_left_alone(path: Path) -> None:
    async with Store.opened(path):
        pass
    set_version(path, VERSION + 1)
    with pytest.raises(
        HostError, match=r"store of Abstract Play .* by a later version of Bluestone"
    ):
        async with Store.opened(path):
            pass
    assert version(path) == VERSION + 1


async def test_moments_stay_as_they_are(store: Store, path: Path) -> None:
    odd = EPOCH + timedelta(microseconds=123_457)
    await store.hold_back("query", odd)
    assert await store.not_before("query") == odd
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA application_id").fetchone() == (0x426C7541,)
