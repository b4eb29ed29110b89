"""Guests of a load test on a real arena: they wait where they are told to, and play."""

import asyncio
import itertools
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import aiohttp
import pytest

import engine
from bot.arena.server import running_arena
from bot.bench.clients.frames import RequestRefused
from bot.bench.clients.guests import Guest, GuestTable, TableTally
from bot.bench.clients.roles import WatchingGuests
from lab.arena.abusers import log_in
from tests.bot.arena.table import settings, setup

DEADLINE_S = 20.0
GAME = engine.game("bluestone", "pent-3")


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session, asyncio.timeout(DEADLINE_S):
        yield session


def ignore(_text: str, _moment: float) -> None:
    """Whoever does not look."""


def table(
    session: aiohttp.ClientSession,
    games: Sequence[Sequence[str]],
    tally: TableTally,
    changes: bool = False,
) -> tuple[GuestTable, list[str]]:
    """A table, and the ids of the games that begin at it."""
    begun: list[str] = []
    endless = itertools.cycle(games)
    made = GuestTable(
        [session] * 2, setup(), endless, random.Random(1), tally, begun.append, changes
    )
    return made, begun


async def test_a_guest_who_must_wait_connects_later(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    """More newcomers than an address may bring at once are what ended a load test before."""
    narrow = {"new_guests_burst": 1, "new_guests_per_s": 2}
    refusals: Counter[str] = Counter()
    async with running_arena(settings(tmp_path, connections=narrow)) as url:
        guests = [await Guest(session, ignore, refusals).enter(url) for _ in range(2)]
        assert len({guest.name for guest in guests}) == 2
        assert refusals["rate_limited"] > 0
        for guest in guests:
            await guest.leave()


async def test_permanent_refusals_are_raised_at_once(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    refusals: Counter[str] = Counter()
    async with running_arena(settings(tmp_path)) as url:
        guest = await Guest(session, ignore, refusals).enter(url)
        with pytest.raises(RequestRefused, match="unknown_player"):
            await guest.challenge("Nobody", setup())
        await guest.leave()
    assert refusals == {"unknown_player": 1}


async def test_a_login_is_timed_and_a_failed_one_has_a_code(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    async with running_arena(settings(tmp_path)) as url:
        guest = await Guest(session, ignore).enter(url)
        again = await log_in(session, url, guest.guest_key)
        wrong = await log_in(session, url, "wrong")
        await guest.leave()
    assert (again.code, wrong.code) == (None, "bad_guest_key")
    assert 0 < again.seconds < DEADLINE_S


async def test_a_table_plays_game_after_game(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    games = [engine.play_out(GAME, seed=seed).turns for seed in (1, 2)]
    tally = TableTally()
    async with running_arena(settings(tmp_path)) as url:
        playing, begun = table(session, games, tally)
        for guest in playing.guests:
            await guest.enter(url)
        while len(begun) < 3:
            await playing.play(pause_s=0.001, until=time.monotonic() + 0.2)
        for guest in playing.guests:
            await guest.leave()
    assert tally.ended["played_out"] >= 2
    assert not tally.given_up
    assert not tally.refusals
    first = [turn for turn in tally.turns if turn.game_id == begun[0]]
    assert [turn.ply for turn in first] == list(range(len(games[0])))
    for turn in first:
        assert turn.acknowledged is not None
        assert turn.arrived is not None
        assert turn.sent < min(turn.acknowledged, turn.arrived)


async def test_a_table_that_cannot_continue_is_counted(
    tmp_path: Path, session: aiohttp.ClientSession
) -> None:
    tally = TableTally()
    async with running_arena(settings(tmp_path)) as url:
        playing, _ = table(session, [["0-0", "0-0,1-0"]], tally)
        for guest in playing.guests:
            await guest.enter(url)
        await playing.play(pause_s=0.001, until=time.monotonic() + DEADLINE_S)
        for guest in playing.guests:
            await guest.leave()
    assert tally.given_up == {"illegal_turn": 1}


@pytest.mark.parametrize("changes", [False, True])
async def test_spectators_see_every_turn(
    tmp_path: Path, session: aiohttp.ClientSession, changes: bool
) -> None:
    tally = TableTally()
    crowd = WatchingGuests([session] * 3, Counter(), changes)
    async with running_arena(settings(tmp_path)) as url:
        playing, begun = table(session, [engine.play_out(GAME).turns], tally, changes)
        everybody = [*playing.guests, *crowd.guests]
        for guest in everybody:
            await guest.enter(url)
        await playing.begin()
        await crowd.follow(begun[0])
        await playing.play(pause_s=0.01, until=time.monotonic() + 0.2)
        await crowd.guests[0].ask("state")  # what was sent to it before has come by now
        for guest in everybody:
            await guest.leave()
    sent = {turn.ply: turn.sent for turn in tally.turns if turn.game_id == begun[0]}
    seen = [each for each in crowd.sightings() if each.game_id == begun[0]]
    assert [each.ply for each in seen] == list(sent)
    for each in seen:
        assert sent[each.ply] < each.median <= each.last
    assert crowd.sightings() == []
