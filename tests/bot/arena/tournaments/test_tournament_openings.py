"""Tournaments whose games begin with an opening, over real sockets."""

import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import engine
from bot import wire
from bot.arena import stores
from bot.runtime.kernels import Kernels
from engine.warming import all_parts
from tests.bot.arena.hall import Hall, games, hall, plan
from tests.bot.arena.table import setup
from tests.bot.arena.tournaments.test_tournament_api import records
from tests.fakes.time import EPOCH, FakeTime

GAME = engine.game("bluestone", "pent-3")
PAIR: dict[str, Any] = {"format": {"kind": "round-robin"}, "games_per_pairing": 2}


async def begin(h: Hall, **changes: Any) -> None:
    await h.create(**(PAIR | changes))
    await h.enter("one", "two")
    await h.do("start")


async def running_game(h: Hall, number: int) -> wire.GameState:
    """A game of the tournament as its players see it."""
    state = await h.until(lambda s: [game.number for game in games(s, "playing")] == [number])
    game_id = str(games(state, "playing")[0].game_id)
    return await h.bots["one"].game(game_id)


async def play(h: Hall, game: wire.GameState) -> wire.GameState:
    """The game after some turn of the player to move."""
    mover = h.bots[game.players[game.to_play - 1].name]
    position = GAME.replay([played.turn for played in game.turns])
    ply, turn = len(game.turns), next(position.legal_turns())
    await mover.do("game.turn", game_id=game.game_id, ply=ply, turn=turn)
    return await mover.game(game.game_id, lambda state: len(state.turns) >= ply + 1)


async def end(h: Hall, game: wire.GameState) -> None:
    await h.bots["one"].do("game.action", game_id=game.game_id, action="resign")


def turns(game: wire.GameState) -> list[str]:
    return [played.turn for played in game.turns]


def opening_of(game: wire.GameState) -> list[str]:
    assert game.tournament is not None
    return turns(game)[: game.tournament.opening]


def names(game: wire.GameState) -> list[str]:
    return [player.name for player in game.players]


async def test_an_opening_is_played_from_both_seats_also_by_an_arena_killed_in_between(
    tmp_path: Path,
) -> None:
    """What the disk holds at one moment is what a killed arena would find."""
    first, crashed = tmp_path / "first", tmp_path / "crashed"
    async with hall(first, ("one", "two")) as h:
        await begin(h, openings="random:3", seed=5)
        begun = await running_game(h, 1)
        before = await play(h, begun)
        tournament_id, secrets = h.tournament_id, h.secrets
        shutil.copytree(first, crashed)
    assert (len(begun.turns), len(opening_of(begun)), begun.to_play) == (3, 3, 2)
    async with hall(crashed, ("one", "two"), secrets=secrets) as h:
        h.tournament_id = tournament_id
        welcome = h.bots["two"].all_of(wire.Welcome)[-1]
        assert [turns(game) for game in welcome.games] == [turns(before)]
        after = await running_game(h, 1)
        assert after.tournament == before.tournament
        await end(h, await play(h, after))
        second = await running_game(h, 2)
        assert (names(second), opening_of(second)) == (names(begun)[::-1], opening_of(begun))
        assert len(second.turns) == 3
        await end(h, second)
        await h.until(lambda s: s.state == "over")
        played = await records(h.url, tournament_id)
    given = [[turn.turn for turn in each.turns if turn.source == "opening"] for each in played]
    assert given == [opening_of(begun)] * 2
    assert [len(each.turns) for each in played] == [5, 3]


async def test_an_opening_takes_no_time_and_is_no_players_first_turn(tmp_path: Path) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time) as h:
        await begin(h, openings=[["0-0", "2-0,2-2"]])
        game = await running_game(h, 1)
        assert [(each.time_ms, each.info and each.info.source) for each in game.turns] == [
            (0, "opening"),
            (0, "opening"),
        ]
        assert (game.clocks.running, game.clocks.first_turn_ms) == (None, 60_000)
        for _ in range(2):
            await time.advance(20)
            game = await play(h, game)
        assert [each.time_ms for each in game.turns] == [0, 0, 20_000, 20_000]
        assert {each.clock.main_ms for each in game.turns} == {300_000}
        await time.advance(20)
        game = await play(h, game)
    assert game.turns[-1].clock.main_ms == 300_000 - 20_000 + 5_000


async def test_a_turn_of_the_opening_cannot_be_played_again_as_another(tmp_path: Path) -> None:
    async with hall(tmp_path, ("one", "two")) as h:
        await begin(h, openings=[["0-0"]])
        game = await running_game(h, 1)
        bot = h.bots[names(game)[0]]
        asked = {"game_id": game.game_id, "ply": 0, "turn": "2-0"}
        assert await bot.refused("game.turn", **asked) == "stale_ply"


async def test_further_pairs_use_further_openings_which_the_settings_list(
    tmp_path: Path,
) -> None:
    async with hall(tmp_path, ("one", "two")) as h:
        listed = [[" 0-0", "2-0, 2-2"], ["2-0"]]
        await begin(h, games_per_pairing=4, openings=listed)
        assert (await h.watch(h.host)).settings.openings == [["0-0", "2-0,2-2"], ["2-0"]]
        found = []
        for number in range(1, 5):
            game = await running_game(h, number)
            found.append(opening_of(game))
            await end(h, game)
    assert found == [["0-0", "2-0,2-2"]] * 2 + [["2-0"]] * 2


FINISHED = list(engine.play_out(GAME).turns)


@pytest.mark.parametrize(
    ("openings", "more", "named"),
    [
        ([["0-0"]], {"games_per_pairing": 3}, "games_per_pairing must be even, not 3."),
        ([["0-0"], ["2-0", "2-0,2-2"]], {}, "openings.1: turn 2: "),
        ([["0-0"], ["0-0 "]], {}, "the same opening as openings.0"),
        ([FINISHED], {}, "openings.0: the game is over after it, in bluestone on pent-3."),
        ([["4-9"]], {"setups": [setup(board="pent-6"), setup()]}, "on pent-3."),
        ("random:0", {}, "write random:PLIES, with 1 to 60 plies."),
        ("random:60", {}, "openings.random:60: games are over before that"),
        ("suite.txt", {}, "settings.openings"),
        ([[]], {}, "settings.openings"),
        (4, {}, "settings.openings"),
    ],
)
async def test_openings_that_cannot_be_played_from_are_refused_with_a_sentence(
    tmp_path: Path, openings: object, more: dict[str, Any], named: str
) -> None:
    async with hall(tmp_path, ()) as h:
        settings = plan(**(PAIR | {"openings": openings} | more))
        answer = await h.host.ask("tournament.create", settings=settings)
    assert (answer["ok"], answer["code"]) == (False, "invalid")
    assert named in answer["message"]


async def test_a_tournament_starts_once_the_rules_for_its_openings_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made by an arena that had them, and due while the next one compiles."""
    blooms = setup(game="blooms", board="hexhex-4")
    kernels = Kernels(())

    @asynccontextmanager
    async def compiled_behind(first: Sequence[str]) -> AsyncIterator[Kernels]:
        assert "blooms" in first
        yield kernels

    monkeypatch.setattr(stores, "compiled_behind", compiled_behind)
    starts_at = (EPOCH + timedelta(seconds=60)).isoformat()
    async with hall(tmp_path, ("one", "two"), FakeTime()) as h:
        await h.create(setups=[blooms], starts_at=starts_at, openings="random:2", **PAIR)
        await h.enter("one", "two")
        tournament_id, secrets = h.tournament_id, h.secrets
    kernels = Kernels([part for part in all_parts() if part.game == "blooms"])
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time, secrets) as h:
        h.tournament_id = tournament_id
        await time.advance(61)
        assert await h.refused("start") == "unavailable"
        assert (await h.watch(h.host)).state == "open"
        kernels.now_missing(())
        state = await h.until(lambda s: len(games(s, "playing")) == 1)
        game = await h.bots["one"].game(str(games(state, "playing")[0].game_id))
    assert len(opening_of(game)) == 2
