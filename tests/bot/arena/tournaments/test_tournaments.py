"""Tournaments over real sockets: from registration to the final standings."""

import asyncio
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from bot import wire
from bot.arena.store.sqlite_database import FILE_NAME as DATABASE
from bot.tournaments.director import Director
from bot.tournaments.events import Event
from bot.tournaments.state import Tournament
from tests.bot.arena.hall import HOST, games, hall, points
from tests.bot.arena.table import begin
from tests.fakes.arena_client import connected
from tests.fakes.time import FakeTime

NAMES = ("one", "two", "three", "four")


async def test_a_whole_tournament_is_paired_started_and_ended_by_the_server(
    tmp_path: Path,
) -> None:
    async with hall(tmp_path) as h:
        made = await h.create()
        assert (made.state, made.host.name) == ("open", HOST)
        await h.enter(*NAMES)
        await h.do("start")
        for number in (1, 2):
            state = await h.until(
                lambda s, n=number: s.round == n and len(games(s, "playing")) == 2
            )
            for game in games(state, "playing"):
                await h.resign(game, seat=2)
        state = await h.until(lambda s: s.state == "over")
    assert [len(each.pairings) for each in state.rounds] == [2, 2]
    assert {game.reason for game in games(state)} == {"resignation"}
    assert sorted(points(state).values()) in ([0, 1, 1, 2], [1, 1, 1, 1])
    assert state.standings[0].points == max(points(state).values())


async def test_a_tournament_game_has_its_place_and_cannot_be_aborted(tmp_path: Path) -> None:
    async with hall(tmp_path, ("one", "two")) as h:
        await h.create(format={"kind": "round-robin"})
        await h.enter("one", "two")
        await h.do("start")
        game = await h.bots["one"].wait_for(wire.GameState)
        assert game.tournament is not None
        assert (game.tournament.name, game.tournament.round) == ("Autumn cup", 1)
        assert game.tournament.tournament_id == h.tournament_id
        for action in ("abort", "offer_abort"):
            asked = {"game_id": game.game_id, "action": action}
            assert await h.bots["one"].refused("game.action", **asked) == "tournament_game"


async def test_a_killed_arena_continues_where_it_was(tmp_path: Path) -> None:
    """What the disk holds at one moment is what a killed arena would find."""
    first, crashed = tmp_path / "first", tmp_path / "crashed"
    async with hall(first) as h:
        await h.create()
        await h.enter(*NAMES)
        await h.do("start")
        before = await h.until(lambda s: len(games(s, "playing")) == 2)
        await h.resign(games(before)[0], seat=1)
        tournament_id, secrets = h.tournament_id, h.secrets
        shutil.copytree(first, crashed)
    await asyncio.sleep(1)
    async with hall(crashed, NAMES, secrets=secrets) as h:
        h.tournament_id = tournament_id
        after = await h.until(lambda s: len(games(s, "finished")) == 1)
        assert [game.game_id for game in games(after)] == [game.game_id for game in games(before)]
        await h.resign(games(after, "playing")[0], seat=1)
        state = await h.until(lambda s: s.round == 2 and len(games(s, "playing")) == 2)
    assert [each.number for each in games(state)] == [1, 2, 3, 4]
    assert state.revision > before.revision


async def test_a_game_that_ended_without_its_event_is_taken_up(tmp_path: Path) -> None:
    first, crashed = tmp_path / "first", tmp_path / "crashed"
    async with hall(first, ("one", "two")) as h:
        await h.create(format={"kind": "round-robin"})
        await h.enter("one", "two")
        await h.do("start")
        [game] = games(await h.until(lambda s: len(games(s, "playing")) == 1))
        await h.resign(game, seat=1)
        await h.until(lambda s: s.state == "over")
        tournament_id, secrets = h.tournament_id, h.secrets
        shutil.copytree(first, crashed)
    with closing(sqlite3.connect(crashed / DATABASE)) as database:
        database.execute("DELETE FROM tournament_events WHERE number >= 2")
        database.execute("UPDATE tournaments SET state = 'running', summary = NULL")
        database.commit()
    async with hall(crashed, (), secrets=secrets) as h:
        h.tournament_id = tournament_id
        state = await h.until(lambda s: s.state == "over")
    assert [(each.game_id, each.winner) for each in games(state)] == [(game.game_id, 2)]


async def test_an_absent_player_forfeits_and_is_withdrawn_in_the_end(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two", "three"), time) as h:
        listed = ["one", "two", "three"]  # the first game is of two and three, by Berger's table
        await h.create(format={"kind": "round-robin"}, players=listed, no_show_s=30, no_shows=2)
        await h.enter("one", "two", "three")
        await h.go("three")
        await h.do("start")
        await h.until(lambda s: any(game.due_by for game in games(s)))
        await time.advance(31)
        state = await h.until(lambda s: len(games(s, "playing")) == 1)
        await h.resign(games(state, "playing")[0], seat=1)
        await h.until(lambda s: any(game.due_by for game in games(s)))
        await time.advance(31)
        state = await h.until(lambda s: s.state == "over")
    assert [each.withdrawn for each in state.entrants if each.name == "three"] != [None]
    forfeited = [game for game in games(state) if "three" in game.seats]
    assert {game.reason for game in forfeited} == {"no_show"}
    assert {game.seats[(game.winner or 0) - 1] for game in forfeited} == {"one", "two"}
    assert points(state)["three"] == 0


async def test_a_time_that_runs_out_while_the_tournament_is_looked_at_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large round is paired for a while, and a disk may be slow."""
    time = FakeTime()
    pair = Director.due

    def pair_slowly(director: Director, core: Tournament, free: Sequence[str]) -> list[Event]:
        if not (events := pair(director, core, free)):
            time.lapse(1)
        return events

    async with hall(tmp_path, ("one", "two"), time) as h:
        await h.create(format={"kind": "round-robin"}, no_show_s=1)
        await h.enter("one", "two")
        await h.go("two")
        monkeypatch.setattr(Director, "due", pair_slowly)
        await h.do("start")
        state = await h.until(lambda s: s.state == "over")
    assert [game.reason for game in games(state)] == ["no_show"]


async def test_a_player_who_waited_for_a_busy_one_has_time_to_return(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two", "three"), time, play={"bot_games": 1}) as h:
        busy = await begin(h.bots["one"], h.bots["three"])
        await h.bots["one"].do("game.turn", game_id=busy, ply=0, turn="0-0")
        await h.create(format={"kind": "round-robin"}, no_show_s=30)
        await h.enter("one", "two")
        await h.do("start")
        await h.until(lambda s: len(games(s, "waiting")) == 1)
        await time.advance(40)
        assert [game.due_by for game in games(await h.watch(h.host))] == [None]
        await h.go("two")
        await h.until(lambda s: games(s)[0].due_by is not None)
        await time.advance(29)
        await h.come("two")
        await h.until(lambda s: len(games(s, "playing")) == 1)


async def test_if_neither_comes_neither_gets_anything(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time) as h:
        await h.create(format={"kind": "round-robin"}, no_show_s=30)
        await h.enter("one", "two")
        await h.go("one", "two")
        await h.do("start")
        await h.until(lambda s: any(game.due_by for game in games(s)))
        await time.advance(31)
        state = await h.until(lambda s: s.state == "over")
    [game] = games(state)
    assert (game.winner, game.reason, game.message) == (
        None,
        "no_show",
        "one and two did not come.",
    )
    assert points(state) == {"one": 0, "two": 0}


async def test_bots_that_leave_for_a_while_hold_nothing_up(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, time=time) as h:
        await h.create()
        await h.enter(*NAMES)
        await h.do("start")
        state = await h.until(lambda s: len(games(s, "playing")) == 2)
        gone = games(state)[0].seats
        await h.go(*gone)
        await time.advance(30)
        await h.come(*gone)
        for game in games(state):
            await h.resign(game, seat=1)
        state = await h.until(lambda s: s.round == 2 and len(games(s, "playing")) == 2)
    assert {game.reason for game in games(state, "finished")} == {"resignation"}


async def test_a_bot_at_its_limit_of_games_is_waited_for(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time, play={"bot_games": 1}) as h:
        elsewhere = await begin(h.host, h.bots["one"])
        await h.create(format={"kind": "round-robin"}, no_show_s=10)
        await h.enter("one", "two")
        await h.do("start")
        await h.until(lambda s: len(games(s, "waiting")) == 1)
        await time.advance(30)
        assert [game.state for game in games(await h.watch(h.host))] == ["waiting"]
        await h.host.do("game.action", game_id=elsewhere, action="resign")
        await h.until(lambda s: len(games(s, "playing")) == 1)


async def test_a_first_turn_that_does_not_come_loses(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time) as h:
        await h.create(format={"kind": "round-robin"})
        await h.enter("one", "two")
        await h.do("start")
        await h.until(lambda s: len(games(s, "playing")) == 1)
        await time.advance(61)
        [game] = games(await h.until(lambda s: s.state == "over"))
    assert (game.winner, game.reason) == (2, "time_forfeit")


async def test_a_free_for_all_ends_when_all_have_withdrawn(tmp_path: Path) -> None:
    async with hall(tmp_path, ("one", "two")) as h:
        await h.create(format={"kind": "free-for-all"})
        await h.enter("one", "two")
        await h.do("start")
        state = await h.until(lambda s: len(games(s, "playing")) == 1)
        for name in ("one", "two"):
            await h.bots[name].do("tournament.leave", tournament_id=h.tournament_id)
        assert (await h.watch(h.host)).state == "running"
        await h.resign(games(state)[0], seat=1)
        state = await h.until(lambda s: s.state == "over")
    assert state.why == "fewer than two players are left"


async def test_the_host_pauses_replaces_withdraws_and_ends(tmp_path: Path) -> None:
    async with hall(tmp_path) as h:
        await h.create()
        await h.enter(*NAMES)
        await h.do("start")
        state = await h.until(lambda s: len(games(s, "playing")) == 2)
        number = games(state)[0].number
        why = "An operator's mistake."
        assert await h.refused("replace", game=number, winner=1, why=why) == "not_now"
        assert (await h.do("pause", why="Lunch.")).why == "Lunch."
        for game in games(state):
            await h.resign(game, seat=1)
        state = await h.until(lambda s: len(games(s, "finished")) == 2)
        assert (state.state, state.round) == ("paused", 1)
        assert await h.refused("replace", game=99, winner=1, why=why) == "unknown_number"
        state = await h.do("replace", game=number, winner=None, why=why)
        replaced = games(state)[0]
        assert (replaced.winner, replaced.reason) == (None, "replaced")
        assert replaced.replaced == "An operator's mistake."
        state = await h.do("replace", game=number, winner=1, why="A second thought.")
        before = games(state)[0].before
        assert before is not None
        assert (before.winner, before.reason) == (2, "resignation"), "what was played"
        gone = games(state)[1].seats[0]
        await h.do("withdraw", player=gone, why="Plays in two places.")
        assert await h.refused("enter", h.bots[gone]) == "registration_closed"
        await h.do("resume")
        state = await h.until(lambda s: s.round == 2 and bool(games(s, "playing")))
        assert gone not in {name for game in games(state, "playing") for name in game.seats}
        ending = await h.do("end", why="It is late.")
        assert (ending.state, ending.why) == ("ending", "It is late.")
        for game in games(state, "playing"):
            await h.resign(game, seat=1)
        state = await h.until(lambda s: s.state == "over")
        assert state.why == "It is late."
        assert await h.refused("end", why="Again.") == "not_now"
    assert len(games(state, "finished")) == 3


async def test_followers_get_each_change_and_the_lobby_lists_the_tournament(tmp_path: Path) -> None:
    async with hall(tmp_path, ("one", "two")) as h, connected(h.url) as watcher:
        await h.create(format={"kind": "round-robin"})
        await h.watch(watcher)
        listed = await watcher.wait_for(wire.Lobby, lambda lobby: bool(lobby.tournaments))
        assert listed.tournaments[0].tournament_id == h.tournament_id
        await h.enter("one", "two")
        await watcher.wait_for(wire.TournamentState, lambda state: len(state.entrants) == 2)
        await h.do("start")
        state = await watcher.wait_for(
            wire.TournamentState, lambda state: bool(games(state, "playing"))
        )
        await h.resign(games(state)[0], seat=1)
        over = await watcher.wait_for(wire.TournamentState, lambda state: state.state == "over")
        assert over.revision > state.revision
        await watcher.wait_for(wire.Lobby, lambda lobby: not lobby.tournaments)
