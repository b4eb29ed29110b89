"""The file of records beside the database: what cannot be written at once is written later."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import cast

from structlog.testing import capture_logs

from bot.arena.games.archive import FILE_NAME, RETRY_S, RecordFile
from bot.arena.games.game_store import GameStore
from bot.records.jsonl import append_record, read_records
from bot.records.model import GameRecord
from tests.bot.records.samples import finished_position, record_of
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

ONE, TWO, THREE = (
    record_of(finished_position(), id=game_id) for game_id in ("one", "two", "three")
)


class Records:
    """What the database knows of finished games; `listed` counts how often all were asked for."""

    def __init__(self, *records: GameRecord) -> None:
        self.texts = {each.id: each.model_dump_json() for each in records}
        self.pending: dict[str, int] = {}
        self.bytes: int | None = None
        self.listed = 0

    async def record_ids(self) -> list[str]:
        self.listed += 1
        return list(self.texts)

    async def record(self, game_id: str) -> str | None:
        return self.texts.get(game_id)

    async def pending_records(self) -> dict[str, int]:
        return dict(self.pending)

    async def note_recorded(self, game_ids: Sequence[str], records_bytes: int) -> None:
        self.bytes = records_bytes
        for game_id in game_ids:
            self.pending.pop(game_id, None)

    async def records_bytes(self) -> int | None:
        return self.bytes


@asynccontextmanager
async def opened_on(folder: Path, time: FakeTime, store: Records) -> AsyncIterator[RecordFile]:
    file = RecordFile(folder, cast("GameStore", store), time)
    await file.open()
    yield file
    await file.close()


def opened(
    folder: Path, time: FakeTime, *known: GameRecord
) -> AbstractAsyncContextManager[RecordFile]:
    return opened_on(folder, time, Records(*known))


def written(folder: Path) -> list[str]:
    return [line.id for line in read_records(folder / FILE_NAME) if isinstance(line, GameRecord)]


async def test_records_wait_until_the_file_can_be_written(tmp_path: Path) -> None:
    time = FakeTime()
    with capture_logs() as lines:
        async with opened(tmp_path, time) as file:
            (tmp_path / FILE_NAME).mkdir()  # in the way, also for those who may write anywhere
            file.add(ONE)
            file.add(TWO)
            for _ in range(3):
                await eventually(lambda: time.sleepers == 1)
                await time.advance(RETRY_S)
            await eventually(lambda: time.sleepers == 1)
            (tmp_path / FILE_NAME).rmdir()
            await time.advance(RETRY_S)
        assert written(tmp_path) == ["one", "two"]
    told = [line["event"] for line in lines]
    assert told == ["records_cannot_be_written", "records_written_again"]


async def test_records_that_could_not_be_written_are_appended_at_the_next_start(
    tmp_path: Path,
) -> None:
    time = FakeTime()
    async with opened(tmp_path, time) as file:
        (tmp_path / FILE_NAME).mkdir()
        file.add(ONE)
        await eventually(lambda: time.sleepers == 1)
        file.add(TWO)
        ending = asyncio.create_task(file.close())
        await asyncio.sleep(0)  # it is closing before the writer tries again
        await time.advance(RETRY_S)
        await ending
    (tmp_path / FILE_NAME).rmdir()
    async with opened(tmp_path, time, ONE, TWO):
        assert written(tmp_path) == ["one", "two"]
    async with opened(tmp_path, time, ONE, TWO):
        assert written(tmp_path) == ["one", "two"]


async def test_a_start_looks_for_pending_records_alone(tmp_path: Path) -> None:
    store = Records(ONE, TWO)
    async with opened_on(tmp_path, FakeTime(), store) as file:
        assert (written(tmp_path), store.listed) == (["one", "two"], 1)
        size = file.size
    (tmp_path / FILE_NAME).write_bytes(b"x" * size)
    async with opened_on(tmp_path, FakeTime(), store):
        assert (written(tmp_path), store.listed) == ([], 1), "nothing is pending"
    store.pending = {"two": size}
    async with opened_on(tmp_path, FakeTime(), store):
        assert (written(tmp_path), store.listed) == (["two"], 1)
        assert store.pending == {}


async def test_a_pending_record_that_is_in_the_file_is_not_added_again(tmp_path: Path) -> None:
    store = Records(ONE, TWO)
    async with opened_on(tmp_path, FakeTime(), store) as file:
        size = file.size
    append_record(tmp_path / FILE_NAME, THREE)
    store.pending = {"three": size}  # the arena was killed before it could note that
    async with opened_on(tmp_path, FakeTime(), store):
        assert written(tmp_path) == ["one", "two", "three"]
    assert store.pending == {}


async def test_a_file_that_lost_records_gets_all_of_them_again(tmp_path: Path) -> None:
    store = Records(ONE, TWO)
    async with opened_on(tmp_path, FakeTime(), store):
        pass
    (tmp_path / FILE_NAME).unlink()
    async with opened_on(tmp_path, FakeTime(), store):
        assert written(tmp_path) == ["one", "two"]


async def test_a_damaged_record_is_logged_and_the_others_are_added(tmp_path: Path) -> None:
    store = Records(ONE, TWO)
    store.texts["one"] = "{"
    with capture_logs() as lines:
        async with opened_on(tmp_path, FakeTime(), store) as file:
            file.add(THREE)
    assert written(tmp_path) == ["two", "three"]
    damaged, healed = lines
    assert (damaged["event"], damaged["log_level"], damaged["game"]) == (
        "record_damaged",
        "error",
        "one",
    )
    assert (healed["event"], healed["added"]) == ("records_healed", 1)
