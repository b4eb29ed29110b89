"""The journal: what is told to it survives the process."""

import asyncio
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.daemon.journal import (
    VERSION,
    Chosen,
    TurnJournal,
    Work,
    WorkKey,
    digest_of,
    open_journal,
    read_open_work,
)
from bot.errors import HostError
from bot.platforms.base import TurnInfo
from bot.runtime.database import RETRY_S
from tests.fakes.locked import locked
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

KEY = WorkKey("arena", "g1", 4)
POSITION = digest_of(["3-0", "2-0,1-1", "0-0,2-2", "3-5,3-9"])
INFO = TurnInfo(value=0.25, visits=100, pv=("3-0", "2-0,1-1"), source="engine")

WRITE_AND_DIE = """
import asyncio, os, signal, sys
from pathlib import Path
from bot.daemon.journal import Chosen, WorkKey, open_journal
from bot.platforms.base import TurnInfo

async def main():
    async with open_journal(Path(sys.argv[1])) as journal:
        await journal.begin("arena", "g1", 9)
        await journal.choose(WorkKey("arena", "g1", 4), Chosen("3-0,3-5", TurnInfo(value=0.25)), "")
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_the_first_chosen_turn_counts(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.accept(KEY)
        assert await journal.chosen(KEY) is None
        first = Chosen("3-0", INFO)
        assert await journal.choose(KEY, first, POSITION) == first
        assert await journal.choose(KEY, Chosen("9-9", TurnInfo()), POSITION) == first
        await journal.accept(KEY)
        assert await journal.chosen(KEY) == first


async def test_it_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    dead = await asyncio.create_subprocess_exec(sys.executable, "-c", WRITE_AND_DIE, str(path))
    assert await dead.wait() == -signal.SIGKILL
    async with open_journal(path) as journal:
        assert await journal.games("arena") == {"g1": 9}
        chosen = await journal.chosen(KEY)
        assert chosen is not None
        assert (chosen.turn, chosen.info.value) == ("3-0,3-5", 0.25)


async def test_a_confirmed_turn_keeps_its_evaluation(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.choose(KEY, Chosen("3-0", INFO), POSITION)
        await journal.confirm("arena", "g1", 5)
        assert await journal.turns("arena", "g1") == {4: Chosen("3-0", INFO)}
        await journal.forget("arena", "g1")
        assert await journal.turns("arena", "g1") == {}
        assert await journal.games("arena") == {}


async def test_platforms_and_games_are_apart(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        for platform, game in (("a", "g1"), ("a", "g2"), ("b", "g1")):
            await journal.begin(platform, game, 9)
            await journal.choose(
                WorkKey(platform, game, 0), Chosen(platform + game, INFO), POSITION
            )
        await journal.forget("a", "g1")
        assert await journal.games("a") == {"g2": 9}
        assert await journal.games("b") == {"g1": 9}
        assert (await journal.turns("b", "g1"))[0].turn == "bg1"


async def test_open_work_has_its_state_and_start(tmp_path: Path) -> None:
    path, time = tmp_path / "journal.db", FakeTime()
    async with open_journal(path, time) as journal:

        async def states() -> dict[str, tuple[str, str | None, str | None]]:
            found = await journal.open_work()
            assert read_open_work(path) == found
            assert all(each.since == time.wall() for each in found)
            return {each.game: (each.state, each.turn, each.reason) for each in found}

        await journal.accept(KEY)
        assert await states() == {"g1": ("accepted", None, None)}
        await time.advance(5)
        await journal.think(KEY)
        assert await states() == {"g1": ("thinking", None, None)}
        await time.advance(5)
        await journal.wait(KEY)
        assert await states() == {"g1": ("accepted", None, None)}
        await time.advance(5)
        await journal.choose(KEY, Chosen("3-0", INFO), POSITION)
        await journal.think(KEY)
        assert await states() == {"g1": ("submitted", "3-0", None)}
        await time.advance(5)
        await journal.refuse(KEY, "3-0", "it is off limits")
        assert await states() == {"g1": ("accepted", None, "it is off limits")}
        assert (await journal.work(KEY)).refused == {"3-0"}
        await time.advance(5)
        await journal.give_up(KEY, "nothing helps")
        assert await states() == {"g1": ("given_up", None, "nothing helps")}
        await journal.confirm("arena", "g1", 4)
        assert len(await states()) == 1, "the ply itself is still open"
        await journal.confirm("arena", "g1", 5)
        assert await states() == {}


async def test_another_turn_may_be_chosen_for_a_refused_one_alone(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.choose(KEY, Chosen("3-0", INFO), POSITION)
        await journal.refuse(KEY, "3-0", "no")
        second = Chosen("5-5", INFO)
        assert await journal.choose(KEY, second, POSITION) == second
        await journal.refuse(KEY, "3-0", "told late")
        assert await journal.chosen(KEY) == second


async def test_starting_over_forgets_the_ply_and_later_ones(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        for ply in (2, 4, 6):
            key = WorkKey("arena", "g1", ply)
            await journal.choose(key, Chosen(f"turn-{ply}", INFO), POSITION)
        await journal.confirm("arena", "g1", 7)
        await journal.start_over(KEY)
        assert [*await journal.turns("arena", "g1")] == [2]
        assert [(each.ply, each.state) for each in await journal.open_work()] == [(4, "accepted")]
        assert await journal.work(KEY) == Work()


@pytest.mark.parametrize("version", [0, 2, VERSION - 1])
async def test_a_journal_of_an_earlier_version_is_refused_and_left_alone(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path)) as old:
        old.executescript(f"CREATE TABLE work (game TEXT); PRAGMA user_version = {version};")
    before = path.read_bytes()
    with pytest.raises(HostError, match=r"earlier version of Bluestone .* move the file away"):
        async with open_journal(path):
            pass
    with pytest.raises(HostError, match="another version"):
        read_open_work(path)
    assert path.read_bytes() == before


async def test_a_journal_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path)) as later:
        later.execute("PRAGMA user_version = 9")
    with pytest.raises(HostError, match="later version"):
        async with open_journal(path):
            pass


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


async def test_reading_an_unused_journal_creates_no_files(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.accept(KEY)
    assert names(tmp_path) == {"journal.db"}
    assert [each.ply for each in read_open_work(path)] == [4]
    assert names(tmp_path) == {"journal.db"}


def test_without_a_journal_there_is_no_open_work(tmp_path: Path) -> None:
    assert read_open_work(tmp_path / "journal.db") == []


async def test_an_invalid_journal_file_is_a_host_error(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.write_text("this is no database, and long enough for SQLite to notice it" * 20)
    with pytest.raises(HostError, match="journal"):
        async with open_journal(path):
            pass


def problem(journal: TurnJournal) -> str | None:
    return journal.writing.problem


async def fill(journal: TurnJournal) -> int:
    """Write until the file may grow no more; how many turns went in."""

    def bound() -> None:
        assert journal._database is not None
        journal._database.execute("PRAGMA max_page_count = 1")  # not less than it has

    await journal._in_thread(bound)
    for ply in range(100):
        try:
            await journal.choose(WorkKey("arena", "g2", ply), Chosen("x" * 1000, INFO), POSITION)
        except HostError:
            return ply
    raise AssertionError("it does not fill up")


async def test_a_full_disk_is_logged_once_and_retried_automatically(tmp_path: Path) -> None:
    time = FakeTime()
    with capture_logs() as log:
        async with open_journal(tmp_path / "journal.db", time) as journal:
            turns = await fill(journal)
            with pytest.raises(HostError):
                await journal.choose(WorkKey("arena", "g3", 0), Chosen("x" * 5000, INFO), POSITION)
            assert problem(journal) == ("journal: cannot be written: database or disk is full")
            assert len(await journal.turns("arena", "g2")) == turns, "it can be read meanwhile"
            await time.advance(RETRY_S)  # a new connection has no bound
            await journal.writing.until_works()
            await journal.choose(WorkKey("arena", "g3", 0), Chosen("x" * 5000, INFO), POSITION)
            assert problem(journal) is None
    assert [(each["event"], each["what"]) for each in log] == [
        ("cannot_write", "journal"),
        ("writes_again", "journal"),
    ]


async def test_a_locked_journal_is_read_and_comes_back(tmp_path: Path) -> None:
    path, time = tmp_path / "journal.db", FakeTime()
    async with open_journal(path, time) as journal:
        await journal.choose(KEY, Chosen("3-0", INFO), POSITION)
        with locked(path):
            with pytest.raises(HostError, match="locked"):
                await journal.begin("arena", "g1", 9)
            await eventually(lambda: time.sleepers > 0)
            await time.advance(RETRY_S)
            assert await journal.chosen(KEY) == Chosen("3-0", INFO)
            assert problem(journal) is not None
        while problem(journal) is not None:
            await time.advance(RETRY_S)
            await asyncio.sleep(0.001)
        assert await journal.games("arena") == {}


async def test_a_damaged_row_is_an_error_of_this_machine(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.accept(KEY)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE work SET since = 1e300")
        database.commit()
    with pytest.raises(HostError, match="a damaged row of arena g1"):
        read_open_work(path)
