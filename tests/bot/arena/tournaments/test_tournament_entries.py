"""Who may make tournaments and who may enter them, and what is refused with which code."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.players.hosts import issue_key
from bot.arena.store.sqlite_database import FILE_NAME as DATABASE
from bot.errors import ConfigurationError
from tests.bot.arena.hall import HOST, Hall, games, hall, plan
from tests.bot.arena.table import setup
from tests.fakes.arena_client import connected
from tests.fakes.locked import locked
from tests.fakes.time import FakeTime


@pytest.fixture
async def h(tmp_path: Path) -> AsyncIterator[Hall]:
    async with hall(tmp_path, ("one", "two", "three")) as opened:
        yield opened


async def test_only_hosts_make_tournaments_and_each_runs_their_own(h: Hall, tmp_path: Path) -> None:
    await h.create()
    bot = h.bots["one"]
    assert await bot.refused("tournament.create", settings=plan()) == "not_a_host"
    assert await h.refused("start", bot) == "not_a_host"
    other = await issue_key(tmp_path, "Otto")  # made while the arena runs
    async with connected(h.url, guest_key=other) as otto:
        assert otto.all_of(wire.Welcome)[0].may_host
        assert await h.refused("end", otto, why="Mine now.") == "not_a_host"
        assert not bot.all_of(wire.Welcome)[0].may_host


async def test_a_new_link_ends_the_old_one_and_takes_no_other_players_name(tmp_path: Path) -> None:
    old = await issue_key(tmp_path, HOST)
    assert await issue_key(tmp_path, HOST) != old
    await issue_token(tmp_path, "one")
    with pytest.raises(ConfigurationError, match="belongs to a bot"):
        await issue_key(tmp_path, "one")
    async with hall(tmp_path, ()) as h, connected(h.url, name="Anna"):
        with pytest.raises(ConfigurationError, match="belongs to another player"):
            await issue_key(tmp_path, "Anna")


@pytest.mark.parametrize(
    ("changes", "code", "named"),
    [
        ({"players": ["one", "two", "ONE"]}, "invalid", "ONE is listed twice"),
        ({"players": ["one"]}, "invalid", "only one"),
        ({"format": {"kind": "dutch"}}, "invalid", "dutch"),
        ({"format": {"kind": "swiss", "rounds": 0}}, "invalid", "rounds"),
        ({"format": {"kind": "swiss", "colour": "red"}}, "invalid", "colour"),
        ({"format": {"kind": "round-robin"}, "late_rounds": 1}, "invalid", "late_rounds"),
        (
            {
                "format": {"kind": "round-robin", "cycles": 1000},
                "players": [f"bot-{number}" for number in range(200)],
            },
            "invalid",
            "19,900,000 games; 50,000",
        ),
        ({"setups": [setup(board="pent-99")]}, "unknown_game", "pent-99"),
        ({"setups": [setup(game="chess")]}, "unknown_game", "chess"),
        ({"setups": [setup(clock={"kind": "none"})]}, "invalid", "clock"),
        ({"setups": []}, "invalid", "setups"),
        ({"name": "Cup\0"}, "invalid", "name: line breaks and other invisible characters"),
        ({"name": "Cup \u202etneve"}, "invalid", "invisible"),
        ({"name": "\u3164"}, "invalid", "invisible"),
        ({"tie_breaks": ["luck"]}, "invalid", "luck"),
        ({"starts_at": "tomorrow"}, "invalid", "starts_at"),
        (
            {"opens_at": "2027-01-02T00:00:00Z", "starts_at": "2027-01-01T00:00:00Z"},
            "invalid",
            "opens_at",
        ),
    ],
)
async def test_settings_that_cannot_be_played_are_refused_with_a_sentence(
    h: Hall, changes: dict[str, Any], code: str, named: str
) -> None:
    answer = await h.host.ask("tournament.create", settings=plan(**changes))
    assert (answer["ok"], answer["code"]) == (False, code)
    assert named in answer["message"]


async def test_all_problems_of_settings_are_reported_at_once(h: Hall) -> None:
    wrong = plan(players=["one"], tie_breaks=["luck"], format={"kind": "dutch"})
    answer = await h.host.ask("tournament.create", settings=wrong)
    assert all(named in answer["message"] for named in ("only one", "luck", "dutch"))


async def test_a_repeated_entry_counts_once_and_can_be_cancelled(h: Hall) -> None:
    await h.create()
    await h.enter("one", "one", "two")
    assert [each.name for each in (await h.watch(h.host)).entrants] == ["one", "two"]
    welcome = (await h.bots["one"].do("state")).welcome
    assert [each.tournament_id for each in welcome.tournaments] == [h.tournament_id]
    await h.bots["one"].do("tournament.leave", tournament_id=h.tournament_id)
    assert await h.refused("leave", h.bots["one"]) == "not_entered"
    assert await h.refused("start") == "not_now"
    assert [each.name for each in (await h.watch(h.host)).entrants] == ["two"]


async def test_two_connections_of_one_bot_are_one_player(h: Hall) -> None:
    await h.create(format={"kind": "round-robin"})
    async with connected(h.url, token=h.secrets["one"]) as again:
        for client in (h.bots["one"], again):
            await client.do("tournament.enter", tournament_id=h.tournament_id)
        await h.enter("two")
        await h.do("start")
        game = await again.wait_for(wire.GameState)
        assert [each.game_id for each in (await h.bots["one"].do("state")).welcome.games] == [
            game.game_id
        ]
    assert (await h.watch(h.host)).entrants[0].connected


async def test_a_tournament_refuses_players_whom_it_does_not_admit(h: Hall) -> None:
    await h.create(admits="people")
    assert await h.refused("enter", h.bots["one"]) == "not_admitted"
    async with connected(h.url) as guest, connected(h.url, name="Anna") as anna:
        assert await h.refused("enter", guest) == "not_admitted"
        await anna.do("tournament.enter", tournament_id=h.tournament_id)
    await h.create(players=["two", "three"])
    assert await h.refused("enter", h.bots["one"]) == "not_admitted"
    await h.enter("two")
    await h.create(most_players=2)
    await h.enter("one", "two")
    assert not (await h.watch(h.host)).is_open
    assert await h.refused("enter", h.bots["three"]) == "too_many"


@pytest.mark.parametrize("enters_first", [False, True])
async def test_a_player_who_enters_during_a_renaming_plays_under_one_name(
    h: Hall, tmp_path: Path, enters_first: bool
) -> None:
    await h.create(admits="people")
    async with connected(h.url, name="Anna") as anna, AsyncExitStack() as stack:
        key = anna.all_of(wire.Welcome)[0].guest_key
        again = connected(h.url, guest_key=key, name="Berta")
        both = [
            stack.enter_async_context(again),
            anna.ask("tournament.enter", tournament_id=h.tournament_id),
        ]
        tasks = []
        with locked(tmp_path / DATABASE):
            for each in reversed(both) if enters_first else both:
                tasks.append(asyncio.ensure_future(each))
                await asyncio.sleep(0.1)
        await asyncio.gather(*tasks)
        assert all(each.connected for each in (await h.watch(h.host)).entrants)


async def test_a_host_cannot_make_too_many_at_once_either(h: Hall) -> None:
    asked = (h.host.ask("tournament.create", settings=plan()) for _ in range(25))
    answers = await asyncio.gather(*asked)
    assert [answer.get("code") for answer in answers].count("too_many") == 5


async def test_an_unknown_tournament_is_refused(h: Hall) -> None:
    h.tournament_id = "nowhere"
    for what in ("enter", "leave", "start", "resume", "watch"):
        assert await h.refused(what) == "unknown_tournament"


async def test_a_late_player_plays_from_the_next_round_if_the_host_allows_it(h: Hall) -> None:
    await h.create(late_rounds=1)
    await h.enter("one", "two")
    await h.do("start")
    state = await h.until(lambda s: len(games(s, "playing")) == 1)
    assert state.is_open
    await h.enter("three")
    await h.resign(games(state)[0], seat=1)
    state = await h.until(lambda s: s.round == 2 and bool(games(s, "playing")))
    assert "three" in {name for game in games(state, "playing") for name in game.seats}
    assert not state.is_open


async def test_a_late_entry_is_written_down_whole_or_not_at_all(h: Hall, tmp_path: Path) -> None:
    await h.create(late_rounds=1)
    await h.enter("one", "two")
    await h.do("start")
    await h.until(lambda s: len(games(s, "playing")) == 1)
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database:
        database.execute(_NOBODY_COMES_LATE)
        assert await h.refused("enter", h.bots["three"]) == "server_error"
        assert await h.refused("leave", h.bots["three"]) == "not_entered"
        database.execute("DROP TRIGGER nobody_comes_late")
    await h.enter("three")
    assert [row.player for row in (await h.watch(h.host)).standings][2:] == ["three"]


_NOBODY_COMES_LATE = """
CREATE TRIGGER nobody_comes_late BEFORE INSERT ON tournament_events
WHEN NEW.event LIKE '%"entered"%' BEGIN SELECT RAISE(ABORT, 'no'); END"""


async def test_forbidden_pairs_never_meet_in_any_spelling_of_their_names(h: Hall) -> None:
    apart = [["ONE", "Two"], ["One", "THREE"]]
    await h.create(forbidden=apart, late_rounds=1)
    await h.enter("one", "two")
    assert (await h.do("start")).state in {"running", "ending", "over"}
    state = await h.until(lambda s: s.state == "over")
    assert "cannot be paired" in str(state.why)
    await h.create(forbidden=apart[1:], late_rounds=1)
    await h.enter("one", "two")
    await h.do("start")
    state = await h.until(lambda s: len(games(s, "playing")) == 1)
    await h.enter("three")
    await h.resign(games(state)[0], seat=1)
    state = await h.until(lambda s: s.round == 2)
    assert games(state)[1].seats in {("two", "three"), ("three", "two")}


async def test_registration_opens_and_the_start_comes_by_the_clock(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time) as h:
        times = {
            "opens_at": "2026-01-01T00:01:00Z",
            "closes_at": "2026-01-01T00:01:30Z",
            "starts_at": "2026-01-01T00:02:00Z",
        }
        made = await h.create(format={"kind": "round-robin"}, **times)
        assert made.state == "waiting"
        assert await h.refused("enter", h.bots["one"]) == "registration_closed"
        await time.advance(61)
        await h.enter("one", "two")
        assert (await h.watch(h.host)).state == "open"
        await time.advance(30)
        assert (await h.watch(h.host)).state == "closed"
        await time.advance(30)
        await h.until(lambda s: len(games(s, "playing")) == 1)


async def test_a_tournament_starts_at_its_time_of_day_after_the_machine_was_suspended(
    tmp_path: Path,
) -> None:
    """While a machine is suspended its monotonic clock stands, and the wall's goes on."""
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time) as h:
        await h.create(starts_at="2026-01-01T08:00:00Z", format={"kind": "round-robin"})
        await h.enter("one", "two")
        await time.advance(60)
        time.step_wall(8 * 3600)
        await time.advance(5)
        await h.until(lambda s: len(games(s, "playing")) == 1)


async def test_a_tournament_without_entrants_is_cancelled_at_its_start(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, (), time) as h:
        await h.create(starts_at="2026-01-01T00:01:00Z")
        await time.advance(61)
        state = await h.until(lambda s: s.state == "cancelled")
        tournament_id, secrets = h.tournament_id, h.secrets
    assert "2 players" in str(state.why)
    async with hall(tmp_path, (), time, secrets) as h:
        h.tournament_id = tournament_id
        after = await h.watch(h.host)
    assert (after.state, after.why) == ("cancelled", state.why)


async def test_the_pause_between_rounds_is_kept(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time) as h:
        await h.create(pause_s=20, format={"kind": "round-robin", "cycles": 2, "by_round": "true"})
        await h.enter("one", "two")
        await h.do("start")
        state = await h.until(lambda s: len(games(s, "playing")) == 1)
        await h.resign(games(state)[0], seat=1)
        state = await h.until(lambda s: s.next_round_at is not None)
        await time.advance(19)
        assert (await h.watch(h.host)).round == 1
        await time.advance(2)
        await h.until(lambda s: s.round == 2 and len(games(s, "playing")) == 1)
