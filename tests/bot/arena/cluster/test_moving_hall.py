"""The process that has the hall stops: what clients of the other processes notice."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot import wire
from tests.bot.arena.cluster.three import three
from tests.bot.arena.table import begin, setup
from tests.fakes.arena_client import ArenaClient
from tests.fakes.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")


async def patient(client: ArenaClient, event: str, **fields: Any) -> Any:
    """A request, sent again if it was under way when the process ended, as clients do it."""
    answer = await client.ask(event, **fields)
    if not answer["ok"]:
        assert (answer["code"], answer["retry_after_ms"]) == ("unavailable", 1000)
        await asyncio.sleep(1)
    return answer if answer["ok"] else await client.do(event, **fields)


async def test_requests_to_the_hall_wait_for_the_next_one(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with three(tmp_path, postgres.create()) as t:
        anna, ben = await t.player(1, name="Anna"), await t.player(2, name="Ben")
        await anna.do("challenge.create", setup=setup(), seats=["Anna", "Ben"])
        await ben.wait_for(wire.Challenge)
        stopping = asyncio.create_task(t.stop(0))
        for number in range(5):
            asking = anna if number % 2 else ben
            await patient(asking, "challenge.create", setup=setup(), seats=["Anna", None])
        late = await t.player(2, name="Gina")
        assert late.all_of(wire.Welcome)[0].you.name == "Gina"
        await stopping
        game_id = await begin(anna, ben)
        await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        await ben.game(game_id, lambda state: len(state.turns) >= 1)
        names = {"Anna", "Ben", "Gina"}
        lobby = await late.wait_for(
            wire.Lobby, lambda seen: names == {player.name for player in seen.players}
        )
        assert len(lobby.challenges) > 0


@pytest.mark.parametrize("number", [0, 1])
async def test_a_player_whose_process_stops_comes_back_at_another(
    tmp_path: Path, postgres: Postgres, number: int
) -> None:
    """The process of the player, with the game (0) or without it (1)."""
    async with three(tmp_path, postgres.create()) as t:
        anna, ben = await t.player(2, name="Anna"), await t.player(number, name="Ben")
        game_id = await begin(anna, ben)
        await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        await t.stop(number)
        await anna.game(game_id, lambda state: state.connected == (True, False))
        again = await t.player(1 - number, guest_key=ben.all_of(wire.Welcome)[0].guest_key)
        [shown] = again.all_of(wire.Welcome)[0].games
        assert shown.game_id == game_id
        await anna.game(game_id, lambda state: state.connected == (True, True))
        await again.do("game.turn", game_id=game_id, ply=1, turn="2-0,2-2")
        await anna.game(game_id, lambda state: len(state.turns) >= 2)
        await anna.do("game.action", game_id=game_id, action="resign")
        end = await again.game(game_id, lambda state: state.result is not None)
        assert end.result is not None
        assert end.result.winner == 2


async def test_an_open_challenge_outlives_the_process_that_has_the_hall(
    tmp_path: Path, postgres: Postgres
) -> None:
    async with three(tmp_path, postgres.create()) as t:
        anna, ben = await t.player(1, name="Anna"), await t.player(2, name="Ben")
        made = await anna.do("challenge.create", setup=setup(), seats=["Anna", None])
        gone = await anna.do("challenge.create", setup=setup(), seats=[None, "Anna"])
        await anna.do("challenge.cancel", challenge_id=gone.challenge.challenge_id)
        await t.stop(0)
        late = await t.player(2, name="Gina")
        lobby = await late.wait_for(wire.Lobby, lambda seen: len(seen.challenges) > 0)
        assert [each.challenge_id for each in lobby.challenges] == [made.challenge.challenge_id]
        accepted = await ben.do("challenge.accept", challenge_id=made.challenge.challenge_id)
        await anna.game(accepted.challenge.game_id)
