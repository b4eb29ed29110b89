"""What the platform finds without being told: turns, ends, games gone, a site that is down."""

from pathlib import Path

import pytest

from bot.guests.abstract_play.platform import ALL_EVERY
from bot.platforms.base import Connected, Disconnected, GameLost, GameUnread
from tests.bot.guests.abstract_play import bodies
from tests.bot.guests.abstract_play.bench import GAME, SWEEP_S, THREE, Site, playing
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


async def test_the_sweep_finds_a_turn_without_a_notice(tmp_path: Path, time: FakeTime) -> None:
    site = Site(**{GAME: bodies.record(("3-2", "pass"), toMove="0")})
    async with playing(site, tmp_path, time) as bench:
        site.games_there[GAME] = bodies.record()
        await time.advance(SWEEP_S)
        await eventually(lambda: len(bench.daemon.games) == 2)
        assert bench.daemon.games[-1].our_turn


async def test_a_game_in_which_nothing_happened_is_not_read_again(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record(("3-2", "pass"), toMove="0")})
    async with playing(site, tmp_path, time):
        for _ in range(3):
            await time.advance(SWEEP_S)
        assert site.reads == [GAME]


async def test_a_sweep_waits_for_a_pause_and_continues(tmp_path: Path, time: FakeTime) -> None:
    """All the games after the first would fail in the pause, too, sweep after sweep."""
    site = Site(**{GAME: bodies.record()})
    site.pauses = [5.0]
    async with playing(site, tmp_path, time) as bench:
        assert bench.daemon.games == []
        await time.advance(5)
        await eventually(lambda: len(bench.daemon.games) == 1)


async def test_the_end_of_a_game_is_found_and_ends_its_queries(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record()})
    async with playing(site, tmp_path, time) as bench:
        site.games_there[GAME] = bodies.finished(THREE, [1], "timeout")
        await time.advance(SWEEP_S)
        await eventually(lambda: bench.daemon.games[-1].outcome is not None)
        await bench.until_swept()
        reads = len(site.reads)
        for _ in range(3):
            await time.advance(SWEEP_S)
        assert len(site.reads) == reads


async def test_a_game_that_is_over_can_be_read_after_a_restart(
    tmp_path: Path, time: FakeTime
) -> None:
    """The daemon may have died before it had written the record."""
    site = Site(**{GAME: bodies.record()})
    async with playing(site, tmp_path, time) as bench:
        site.games_there[GAME] = bodies.finished(THREE, [1], "resign")
        await time.advance(SWEEP_S)
        await eventually(lambda: bench.daemon.games[-1].outcome is not None)
        await bench.until_swept()
    async with playing(site, tmp_path, time) as again:
        assert again.daemon.games == []
        await again.platform.watch(GAME)
        assert again.daemon.games[-1].outcome is not None


async def test_a_missing_game_is_not_queried_until_it_is_listed_again(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record()})
    async with playing(site, tmp_path, time) as bench:
        there = site.games_there.pop(GAME)
        await time.advance(SWEEP_S)
        await eventually(lambda: len(site.reads) >= 2)
        for _ in range(3):
            await bench.until_swept()
            await time.advance(SWEEP_S)
        assert len(site.reads) == 2
        assert bench.daemon.of(GameLost) == [GameLost(GAME)]
        site.games_there[GAME] = there
        await bench.until_swept()
    async with playing(site, tmp_path, time) as again:
        assert [facts.game_id for facts in again.daemon.games] == [GAME]


async def test_a_site_that_is_down_is_a_connection_that_is_lost(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site()
    async with playing(site, tmp_path, time) as bench:
        site.is_down = True
        await time.advance(SWEEP_S)
        await eventually(lambda: bool(bench.daemon.of(Disconnected)))
        site.is_down = False
        await bench.until_swept()
        await time.advance(SWEEP_S)
        await eventually(lambda: len(bench.daemon.of(Connected)) >= 2)


async def test_a_site_that_is_down_from_the_start_is_reported_with_the_reason(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site()
    site.is_down = True
    async with playing(site, tmp_path, time) as bench:
        await eventually(lambda: bool(bench.daemon.of(Disconnected)))
        assert bench.daemon.of(Disconnected)[0] == Disconnected("the site is down")
        assert bench.platform.last_heard is None


async def test_a_game_that_cannot_be_parsed_is_reported_as_unread(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record(variants=["size-99"])})
    async with playing(site, tmp_path, time) as bench:
        await eventually(lambda: bool(bench.daemon.of(GameUnread)))
        (unread,) = bench.daemon.of(GameUnread)
        assert isinstance(unread, GameUnread)
        assert unread.game_id == GAME
        assert "size-99" in unread.why
        assert unread.unplayable


async def test_a_game_that_we_do_not_play_is_read_as_seldom_as_one_in_which_nothing_happens(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record(variants=["size-99"])})
    async with playing(site, tmp_path, time) as bench:
        for _ in range(ALL_EVERY - 1):
            await time.advance(SWEEP_S)
            await bench.until_swept()
        assert len(site.reads) == 1
        await time.advance(SWEEP_S)
        await eventually(lambda: len(bench.daemon.of(GameUnread)) >= 2)
        assert len(site.reads) == 2
        site.games_there[GAME]["numMoves"] = 4
        await time.advance(SWEEP_S)
        await eventually(lambda: len(site.reads) >= 3)


async def test_a_game_that_we_do_not_play_is_looked_for_until_it_is_over(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record(variants=["size-99"])})
    async with playing(site, tmp_path, time):
        pass
    site.games_there[GAME] = bodies.finished(THREE, [1], "timeout", variants=["size-99"])
    async with playing(site, tmp_path, time) as again:
        assert again.daemon.of(GameLost) == [GameLost(GAME)]
        assert again.daemon.of(GameUnread) == []
    async with playing(site, tmp_path, time) as at_last:
        assert at_last.daemon.of(GameLost) == []


async def test_an_answer_is_overdue_after_the_next_sweep_and_a_new_connection_is_made_on_demand(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site()
    async with playing(site, tmp_path, time) as bench:
        assert bench.platform.overdue_s == -SWEEP_S
        site.is_down = True
        await time.advance(SWEEP_S + 50)
        assert bench.platform.overdue_s == 50
        site.is_down = False
        told = len(bench.daemon.of(Connected))
        bench.platform.reconnect()
        await eventually(lambda: len(bench.daemon.of(Connected)) > told)
        assert bench.platform.overdue_s == -SWEEP_S
        assert Disconnected("the bot makes a new connection") in bench.daemon.of(Disconnected)


async def test_a_new_connection_does_not_end_the_silence_of_the_site(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site()
    async with playing(site, tmp_path, time) as bench:
        heard = bench.platform.last_heard
        assert heard is not None
        site.is_down = True
        bench.platform.reconnect()
        tried = Disconnected("the site is down")
        await eventually(lambda: tried in bench.daemon.of(Disconnected))
        assert bench.platform.last_heard == heard


async def test_calls_of_the_site_are_no_answer_to_the_sweep(tmp_path: Path, time: FakeTime) -> None:
    async with playing(Site(), tmp_path, time) as bench:
        time.lapse(10)
        await bench.notice()
        assert bench.platform.last_heard == time.monotonic()
        assert bench.platform.overdue_s == 10 - SWEEP_S
