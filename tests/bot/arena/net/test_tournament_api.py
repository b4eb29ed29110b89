"""Tournaments over HTTP."""

from pathlib import Path
from typing import Any

import aiohttp

from bot import wire
from bot.records.model import GameRecord
from tests.bot.arena.hall import HOST, games, hall, points


async def asked(url: str, path: str, status: int = 200) -> Any:
    async with aiohttp.ClientSession(url) as http, http.get(path) as response:
        assert response.status == status, await response.text()
        return await response.json()


async def records(url: str, tournament_id: str) -> list[GameRecord]:
    path = f"/api/tournaments/{tournament_id}/games.jsonl"
    async with aiohttp.ClientSession(url) as http, http.get(path) as response:
        assert response.content_type == "application/jsonl"
        lines = (await response.text()).splitlines()
    return [GameRecord.model_validate_json(line) for line in lines]


async def test_lists_whole_ones_and_records_agree_also_after_a_restart(tmp_path: Path) -> None:
    async with hall(tmp_path, ("one", "two")) as h:
        await h.create(format={"kind": "round-robin", "cycles": 2})
        await h.enter("one", "two")
        await h.do("start")
        for number in (1, 2):
            state = await h.until(
                lambda s, n=number: [g.number for g in games(s, "playing")] == [n]
            )
            await h.resign(games(state, "playing")[0], seat=1)
        await h.until(lambda s: s.state == "over")
        await h.host.do("tournament.create", settings={**plan_of_one()})
        known_as, secrets = h.tournament_id, h.secrets
    async with hall(tmp_path, (), secrets=secrets) as h:
        listed = (await asked(h.url, "/api/tournaments"))["tournaments"]
        assert [each["state"] for each in listed] == ["open", "over"]
        [latest] = (await asked(h.url, "/api/tournaments?limit=1"))["tournaments"]
        page = await asked(h.url, f"/api/tournaments?before={latest['created_at']}")
        assert [each["tournament_id"] for each in page["tournaments"]] == [known_as]
        whole = wire.TournamentState.model_validate(
            await asked(h.url, f"/api/tournaments/{known_as}")
        )
        assert (whole.state, whole.host.name, len(games(whole))) == ("over", HOST, 2)
        played = await records(h.url, known_as)
    assert [record.id for record in played] == [game.game_id for game in games(whole)]
    won = [
        record.players[(record.result.winner or 1) - 1].name for record in played if record.result
    ]
    assert points(whole) == {name: won.count(name) for name in ("one", "two")}


def plan_of_one() -> dict[str, Any]:
    return {"name": "Winter cup", "setups": [{"clock": {"kind": "per_turn", "turn_s": 5}}]}


async def test_what_is_not_there_is_said_so(tmp_path: Path) -> None:
    async with hall(tmp_path, ()) as h:
        answer = await asked(h.url, "/api/tournaments/nothing", status=404)
        assert answer["code"] == "unknown_tournament"
        await asked(h.url, "/api/tournaments/nothing/games.jsonl", status=404)
        await asked(h.url, "/api/tournaments?limit=0", status=400)
