"""Games of people's own devices: replayed, stored once, found by their players, counted nowhere."""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import engine
from bot import wire
from bot.arena.games.archive import record_of
from bot.arena.games.game_start import new_game
from bot.arena.games.game_store import GameStore
from bot.arena.local.added_games import A_DAY, BOT, _played_out, _prepare, _seated
from bot.arena.openings.opening_store import OpeningStore
from bot.arena.players.accounts import Accounts, issue_token
from bot.arena.records.game_search import GameSearch, Search
from bot.arena.refusals import Refused
from bot.arena.server import running_arena
from bot.arena.settings import Allowances
from bot.arena.store.database import Database
from bot.records.model import GameRecord
from bot.records.writing import verify
from bot.time_controls import Untimed
from bot.wire.analysis import MOST_TURNS
from tests.bot.arena.cluster.three import three
from tests.bot.arena.table import refusal, settings
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.early_end import TURNS
from tests.fakes.postgres import Postgres
from tests.fakes.time import EPOCH, FakeTime

SETUP = {"board": "pent-3"}
FIRST, SECOND = "0-0", "2-0,2-2"


def whole_game(seed: int = 1) -> list[str]:
    """The turns of a game to its end."""
    dice, position = random.Random(seed), engine.game("bluestone", "pent-3").start()
    while not position.over:
        position = position.play(dice.choice([*position.legal_turns()]))
    return list(position.turns)


def game(**changes: Any) -> dict[str, Any]:
    """A game of level 7 that the person resigned after two turns, an hour before `EPOCH`."""
    turns = changes.get("turns", [FIRST, SECOND])
    began, ended = (EPOCH - timedelta(minutes=minutes) for minutes in (90, 60))
    return {
        "local_id": "local-one",
        "setup": SETUP,
        "seat": 1,
        "level": 7,
        "turns": turns,
        "times_ms": [1500] * len(turns),
        "resigned": True,
        "takebacks": 1,
        "hints": 2,
        "started_at": began.isoformat(),
        "ended_at": ended.isoformat(),
        **changes,
    }


@asynccontextmanager
async def arena(folder: Path) -> AsyncIterator[tuple[str, aiohttp.ClientSession]]:
    async with (
        running_arena(settings(folder), FakeTime()) as url,
        aiohttp.ClientSession(url) as http,
    ):
        yield url, http


async def add(client: ArenaClient, **changes: Any) -> wire.GameAdded:
    done: wire.GameAdded = await client.do("game.add", **game(**changes))
    return done


async def read(http: aiohttp.ClientSession, path: str) -> Any:
    async with http.get(path) as response:
        assert response.status == 200, await response.text()
        return await response.json()


async def figures_of_games(http: aiohttp.ClientSession) -> list[str]:
    """The lines about games among the arena's metrics."""
    async with http.get("/metrics") as metrics:
        lines = (await metrics.text()).splitlines()
    found = [line for line in lines if "_games" in line]
    assert found
    return found


async def test_an_added_game_is_like_any_other_of_the_player(tmp_path: Path) -> None:
    turns = whole_game()
    async with arena(tmp_path) as (url, http), connected(url, name="Anna") as anna:
        game_id = (await add(anna, turns=turns, resigned=False, seat=2)).game_id
        state = (await anna.do("game.state", game_id=game_id)).game
        assert [each.turn for each in state.turns] == turns
        assert state.turns[0].time_ms == 1500
        assert (state.state, state.takebacks, state.hints) == ("finished", 1, 2)
        assert state.result is not None
        last = engine.game("bluestone", "pent-3").replay(turns)
        assert (state.result.reason, state.result.winner) == ("played_out", last.winner)
        bot, person = state.players
        assert (bot.id, bot.name, bot.kind, bot.level) == (
            *("local-bot-7", "Level 7 on device"),
            *("bot", 7),
        )
        assert person.name == "Anna"
        [listed] = (await read(http, "/api/records?player=Anna"))["records"]
        assert listed["game_id"] == game_id
        assert listed["ended_at"].startswith("2025-12-31T23:00")
        assert listed["setup"]["rated"] is False
        record = GameRecord.model_validate(await read(http, f"/api/records/{game_id}"))
        assert verify(record) == []
        assert (record.platform, record.rated, record.takebacks) == ("page", False, 1)
        async with http.get(f"/api/records/{game_id}.sgf") as sgf:
            assert "PB[Level 7 on device]" in await sgf.text()
        async with http.get(f"/api/records/{game_id}.svg") as picture:
            assert picture.status == 200
    lines = (tmp_path / "records.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [game_id]


async def test_it_counts_for_nothing_else(tmp_path: Path) -> None:
    async with (
        arena(tmp_path) as (url, http),
        connected(url, name="Anna") as anna,
        connected(url, name="Ben") as ben,
    ):
        ben.events.clear()
        before = await figures_of_games(http)
        await add(anna)
        assert (await read(http, "/api/records"))["records"] == []
        [own] = (await read(http, "/api/records?player=Anna&opponent=local-bot-7"))["records"]
        assert own["result"]["reason"] == "resignation"
        for path, part in (
            ("/api/openings?game=bluestone&board=pent-3", "turns"),
            ("/api/ratings/bluestone", "players"),
        ):
            assert (await read(http, path))[part] == []
        assert await figures_of_games(http) == before
        async with connected(url, name="Cleo") as cleo:
            assert (await cleo.wait_for(wire.Lobby, lambda _: True)).games == []
        assert [event for event, _ in ben.events if event != "lobby"] == []


async def test_a_game_is_added_once(tmp_path: Path) -> None:
    async with (
        arena(tmp_path) as (url, http),
        connected(url, name="Anna") as anna,
        connected(url, name="Ben") as ben,
    ):
        both = await asyncio.gather(add(anna), add(anna))
        assert len({each.game_id for each in both}) == 1
        assert sorted(each.duplicate for each in both) == [False, True]
        later = await add(anna, turns=[FIRST, "pass"])  # whoever has changed it meanwhile
        assert (later.game_id, later.duplicate) == (both[0].game_id, True)
        [listed] = (await read(http, "/api/records?player=Anna"))["records"]
        assert listed["plies"] == 2
        of_ben = await add(ben)
        assert (of_ben.game_id == both[0].game_id, of_ben.duplicate) == (False, False)
        assert len((await read(http, "/api/records?player=Ben"))["records"]) == 1


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"turns": [FIRST, FIRST]}, "illegal_turn"),
        ({"turns": [FIRST, "nowhere"]}, "illegal_turn"),
        ({"resigned": False}, "not_now"),
        ({"turns": whole_game()}, "game_over"),
        ({"turns": [*whole_game(), "pass"], "resigned": False}, "game_over"),
        ({"turns": []}, "invalid"),
        ({"turns": ["pass"] * (MOST_TURNS + 1)}, "invalid"),
        ({"times_ms": [1, -1]}, "invalid"),
        ({"setup": {"game": "chess"}}, "unknown_game"),
        ({"setup": {"board": "pent-99"}}, "unknown_game"),
        ({"setup": {"game": "hexo", "options": {"cap": 0}}}, "unknown_game"),
        ({"setup": {**SETUP, "rated": True}}, "invalid"),
        ({"level": 11}, "invalid"),
        ({"seat": 3}, "invalid"),
        ({"local_id": "x" * 41}, "invalid"),
        ({"ended_at": "2026-01-01T00:00:00"}, "invalid"),
        ({"players": ["Ben", "Anna"]}, "invalid"),
    ],
)
async def test_what_was_not_a_game_is_refused(
    tmp_path: Path, changes: dict[str, Any], code: str
) -> None:
    async with arena(tmp_path) as (url, http), connected(url, name="Anna") as anna:
        assert await anna.refused("game.add", **game(**changes)) == code
        assert (await read(http, "/api/records?player=Anna"))["records"] == []


async def test_a_device_whose_clock_is_ahead_has_no_games_of_tomorrow(tmp_path: Path) -> None:
    later = (EPOCH + timedelta(days=9)).isoformat()
    async with arena(tmp_path) as (url, http), connected(url, name="Anna") as anna:
        await add(anna, started_at=later, ended_at=later)
        [listed] = (await read(http, "/api/records?player=Anna"))["records"]
        assert listed["created_at"] == listed["ended_at"]
        assert listed["ended_at"].startswith("2026-01-01T00:")


async def test_a_device_whose_clock_is_far_behind_has_no_games_of_before_there_were_any(
    tmp_path: Path,
) -> None:
    async with arena(tmp_path) as (url, http), connected(url, name="Anna") as anna:
        await add(anna, started_at="1970-01-01T00:00:00Z", ended_at="1970-01-02T00:00:00Z")
        [listed] = (await read(http, "/api/records?player=Anna"))["records"]
        assert listed["created_at"] == listed["ended_at"] == "2020-01-01T00:00:00Z"


async def test_a_turn_without_a_time_took_none(tmp_path: Path) -> None:
    async with arena(tmp_path) as (url, _), connected(url, name="Anna") as anna:
        game_id = (await add(anna, times_ms=[1500])).game_id
        state = (await anna.do("game.state", game_id=game_id)).game
        assert [each.time_ms for each in state.turns] == [1500, 0]


async def test_bots_play_on_no_device_and_nobody_has_the_name_of_such_a_bot(
    tmp_path: Path,
) -> None:
    token = await issue_token(tmp_path, "Basalt")
    async with arena(tmp_path) as (url, _), connected(url, token=token) as bot:
        assert await bot.refused("game.add", **game()) == "not_a_person"
        async with connected(url, name="Anna") as anna:
            await add(anna)
            for name in ("Level 7 on device", "local-bot-7"):
                offer = {"setup": {**SETUP, "clock": {"kind": "none"}}, "seats": ["Anna", name]}
                assert await anna.refused("challenge.create", **offer) == "unknown_player"
        taken = await refusal(url, {"v": 1, "name": "Level 7 on device"})
        assert taken.code == "name_taken"


async def test_the_server_takes_no_game_of_two_people_who_share_a_device(tmp_path: Path) -> None:
    async with arena(tmp_path) as (url, _), connected(url, name="Anna") as anna:
        for without in ({"seat": None}, {"level": None}, {"names": ["Anna", "Ben"]}):
            assert await anna.refused("game.add", **game(**without)) == "invalid"
        offer = {"setup": {**SETUP, "clock": {"kind": "none"}}, "seats": ["local-seat:Anna"] * 2}
        assert await anna.refused("challenge.create", **offer) == "invalid"


async def test_a_player_adds_so_many_games_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.local.added_games.A_DAY", 2)
    async with arena(tmp_path) as (url, _), connected(url, name="Anna") as anna:
        for number in range(2):
            await add(anna, local_id=f"local-{number}")
        refused = wire.Refusal.model_validate(
            await anna.ask("game.add", **game(local_id="local-2"))
        )
        assert refused.code == "too_many"
        assert 0 < (refused.retry_after_ms or 0) <= 86_400_000 / 2
        assert (await add(anna, local_id="local-0")).duplicate  # known ones cost nothing
        async with connected(url, name="Ben") as ben:
            await add(ben)
    assert A_DAY >= 200  # what a browser keeps


async def test_an_erased_player_has_a_neutral_name_in_them(database: Database) -> None:
    accounts, store = Accounts(database, FakeTime()), GameStore(database)
    player = (await accounts.log_in(wire.Credentials(v=1, name="Anna"))).player
    await put(store, player, "one")
    await accounts.forget(str(player.id), "Deleted 1")
    await accounts.redact(str(player.id), "Deleted 1")
    stored = await store.finished("one")
    assert stored is not None
    assert [each.name for each in stored.players] == ["Deleted 1", "Level 7 on device"]
    with pytest.raises(Refused, match="name"):
        await put(store, player, "two")


async def test_stores_keep_it_once_and_out_of_lists_of_all_games(database: Database) -> None:
    accounts, store = Accounts(database, FakeTime()), GameStore(database)
    player = (await accounts.log_in(wire.Credentials(v=1, name="Anna"))).player
    assert await put(store, player, "one")
    assert not await put(store, player, "one")
    await put(store, player, "two")
    search, bot = GameSearch(database), BOT.format(level=7)
    for who in (Search(player=player.id), Search(player=player.id, opponent=bot)):
        page = await search.page(who, None, 9)
        assert [each.game_id for each in page.summaries] == ["two", "one"]
    assert (await search.page(Search(), None, 9)).summaries == []
    assert await store.summaries(9) == []
    openings = OpeningStore(database)
    await openings.start_again()
    assert await openings.how_many_due() == 0


async def put(store: GameStore, player: wire.Player, game_id: str) -> bool:
    message = wire.AddGame.model_validate({"v": 1, **game()})
    setup = wire.GameSetup(board="pent-3", clock=Untimed())
    seated = _seated(player, message)
    begun = new_game(game_id, setup, seated, Allowances(), EPOCH, 0.0)
    ended = _played_out(begun, message, EPOCH)

    def prepare(connection: Any) -> None:
        _prepare(player, 7, EPOCH, connection)

    return await store.add(ended, record_of(ended), prepare, None)


@pytest.mark.real_time
@pytest.mark.xdist_group("postgres")
async def test_it_is_added_by_any_process_of_an_arena(postgres: Postgres, tmp_path: Path) -> None:
    async with three(tmp_path, postgres.create()) as cluster:
        anna, ben = await cluster.player(1, name="Anna"), await cluster.player(2, name="Ben")
        added = await add(anna)
        assert (await add(anna)).duplicate
        seen = (await ben.do("game.state", game_id=added.game_id)).game
        assert seen.result is not None
        assert seen.result.reason == "resignation"


def test_a_game_that_a_page_of_1_0_0_played_on_after_its_early_end_is_added() -> None:
    message = wire.AddGame.model_validate(
        {"v": 1, **game(setup={"board": "stars-39"}, turns=list(TURNS), resigned=False)}
    )
    setup = wire.GameSetup(game="stargazers", board="stars-39", clock=Untimed())
    seated = _seated(wire.Player(id="p", name="Anna", kind="guest"), message)
    begun = new_game("one", setup, seated, Allowances(), EPOCH, 0.0)
    ended = _played_out(begun, message, EPOCH)
    assert ended.result is not None
    assert (ended.result.winner, len(ended.turns)) == (2, len(TURNS))
    assert "early" not in ended.result.message
    assert verify(record_of(ended)) == []
