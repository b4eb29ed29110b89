"""Tournaments over HTTP."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import engine
from bot import wire
from bot.arena.tournaments import tournament_api
from bot.arena.tournaments.tournament import HostedTournament
from bot.arena.tournaments.tournament_book import CurrentTournament, TournamentBook
from bot.arena.tournaments.tournament_views import TournamentViews
from bot.records.model import GameRecord
from lab.arena.large_event import store_large_event
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


async def test_lists_documents_and_records_agree_even_after_a_restart(tmp_path: Path) -> None:
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
        await asyncio.sleep(1)  # they are listed by the time at which they were made
        await h.host.do("tournament.create", settings={**plan_of_one()})
        tournament_id, secrets = h.tournament_id, h.secrets
    async with hall(tmp_path, (), secrets=secrets) as h:
        listed = (await asked(h.url, "/api/tournaments"))["tournaments"]
        assert [each["state"] for each in listed] == ["open", "over"]
        [latest] = (await asked(h.url, "/api/tournaments?limit=1"))["tournaments"]
        page = await asked(h.url, f"/api/tournaments?before={latest['created_at']}")
        assert [each["tournament_id"] for each in page["tournaments"]] == [tournament_id]
        whole = wire.TournamentState.model_validate(
            await asked(h.url, f"/api/tournaments/{tournament_id}")
        )
        assert (whole.state, whole.host.name, len(games(whole))) == ("over", HOST, 2)
        played = await records(h.url, tournament_id)
    assert [record.id for record in played] == [game.game_id for game in games(whole)]
    won = [
        record.players[(record.result.winner or 1) - 1].name for record in played if record.result
    ]
    assert points(whole) == {name: won.count(name) for name in ("one", "two")}


async def test_a_long_tournament_is_read_page_by_page(tmp_path: Path) -> None:
    tournament_id = await store_large_event(tmp_path, engine.game("bluestone", "pent-4"), 40)
    async with hall(tmp_path, ()) as h:
        newest = wire.TournamentState.model_validate(
            await asked(h.url, f"/api/tournaments/{tournament_id}")
        )
        rounds = [*newest.rounds]
        assert (newest.round, newest.rounds_left_out) == (39, 39 - len(rounds))
        assert sum(len(each.pairings) for each in rounds) == 500
        following: int | None = rounds[0].number
        path = f"/api/tournaments/{tournament_id}/rounds"
        while following is not None:
            page = await asked(h.url, f"{path}?before={following}")
            found = [wire.TournamentRound.model_validate(each) for each in page["rounds"]]
            rounds, following = [*found, *rounds], page["next"]
        for wrong in ("", "?before=0", "?before=-1", "?before=x", "?before=1e3"):
            await asked(h.url, path + wrong, status=400)
        await asked(h.url, "/api/tournaments/nothing/rounds?before=2", status=404)
        assert (await asked(h.url, f"{path}?before=1")) == {"rounds": [], "next": None}
        lines = await records(h.url, tournament_id)
    assert [each.number for each in rounds] == [*range(1, 40)]
    assert len({p.players for each in rounds for p in each.pairings}) == 40 * 39 / 2
    assert [line.id for line in lines] == [f"{tournament_id}-{n}" for n in range(1, 781)]


async def test_a_tournament_is_made_into_bytes_once_for_each_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    state = TournamentViews.state

    def counted(views: TournamentViews, hosted: HostedTournament) -> wire.TournamentState:
        made.append(threading.current_thread().name)
        return state(views, hosted)

    tournament_id = await store_large_event(tmp_path, engine.game("bluestone", "pent-4"), 6)
    async with hall(tmp_path, ()) as h:
        monkeypatch.setattr(TournamentViews, "state", counted)
        path = f"/api/tournaments/{tournament_id}"
        await asyncio.gather(*(asked(h.url, path) for _ in range(6)))
    assert len(made) == 1
    assert made[0] != threading.main_thread().name


async def test_a_tournament_that_is_unreadable_now_is_answered_with_503(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament_api, "ANSWER_S", 0.01)
    lock = asyncio.Lock()
    await lock.acquire()
    async with hall(tmp_path, ()) as h:
        await h.create()
        monkeypatch.setattr(
            TournamentBook,
            "find_current",
            lambda book, name: CurrentTournament(book._current[name].hosted, lock),
        )
        answer = await asked(h.url, f"/api/tournaments/{h.tournament_id}", status=503)
        assert answer["code"] == "unavailable"


def plan_of_one() -> dict[str, Any]:
    return {"name": "Winter cup", "setups": [{"clock": {"kind": "per_turn", "turn_s": 5}}]}


async def test_a_missing_document_is_answered_with_404(tmp_path: Path) -> None:
    async with hall(tmp_path, ()) as h:
        answer = await asked(h.url, "/api/tournaments/nothing", status=404)
        assert answer["code"] == "unknown_tournament"
        await asked(h.url, "/api/tournaments/nothing/games.jsonl", status=404)
        await asked(h.url, "/api/tournaments?limit=0", status=400)
