"""Rated games on an arena: who may play them, and what everybody sees of the ratings."""

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.players.hosts import issue_key
from bot.arena.ratings.rating_store import ratings_in
from bot.arena.server import running_arena
from bot.arena.settings import ConnectionLimits
from bot.arena.store.sqlite_database import FILE_NAME
from tests.bot.arena.table import begin, play_first, settings, setup
from tests.fakes.arena_client import DEADLINE_S, ArenaClient, connected

RATED = setup(board="pent-4", rated=True)


def register(folder: Path, name: str) -> None:
    """Let a person have an account from now on, as by a passkey."""
    with closing(sqlite3.connect(folder / FILE_NAME, timeout=DEADLINE_S)) as database:
        database.execute("UPDATE accounts SET registered_at = created_at WHERE name = ?", (name,))
        database.commit()


@dataclass
class Club:
    """An arena with a bot, and people who come."""

    folder: Path
    url: str
    http: aiohttp.ClientSession
    bot: ArenaClient
    stack: AsyncExitStack

    async def person(self, name: str, *, is_registered: bool = True) -> ArenaClient:
        client = await self.stack.enter_async_context(connected(self.url, name=name))
        if is_registered:
            register(self.folder, name)
        return client

    async def ask(self, path: str, status: int = 200) -> Any:
        async with self.http.get(path) as response:
            assert response.status == status, await response.text()
            return await response.json()

    async def changes(self, game_id: str) -> list[dict[str, Any]]:
        """The changes of a game, once it is rated."""
        async with asyncio.timeout(DEADLINE_S):
            while True:
                found: list[dict[str, Any]]
                found = (await self.ask(f"/api/records/{game_id}/ratings"))["changes"]
                if found:
                    return found
                await asyncio.sleep(0.01)


@asynccontextmanager
async def club(folder: Path) -> AsyncIterator[Club]:
    # Many games in a row: here nobody waits for the next message.
    patient = settings(folder, connections=ConnectionLimits(messages_burst=1000))
    async with AsyncExitStack() as stack:
        token = await issue_token(folder, "robot")
        url = await stack.enter_async_context(running_arena(patient, rng=random.Random(1)))
        http = await stack.enter_async_context(aiohttp.ClientSession(url))
        bot = await stack.enter_async_context(connected(url, token=token, engine="search", level=3))
        yield Club(folder, url, http, bot, stack)


async def resign(client: ArenaClient, game_id: str) -> None:
    await client.do("game.action", game_id=game_id, action="resign")


async def test_a_rated_game_moves_both_ratings_and_everybody_can_see_it(tmp_path: Path) -> None:
    async with club(tmp_path) as c:
        anna = await c.person("Anna")
        game_id = await begin(anna, c.bot, board="pent-4", rated=True)
        await play_first(anna, c.bot, game_id)
        await resign(c.bot, game_id)
        changes = {each["score"]: each for each in await c.changes(game_id)}
        assert [changes[score]["before"] for score in (1, 0)] == [1500, 1500]
        assert round(changes[1]["after"]) == 1662
        assert changes[1]["provisional"]

        lobby = await anna.wait_for(
            wire.Lobby, lambda seen: any(each.ratings for each in seen.players)
        )
        shown = {each.name: each.ratings for each in lobby.players}
        assert shown["Anna"]["bluestone"] == wire.ShownRating(rating=1662, provisional=True)

        profile = await c.ask("/api/players/anna")
        assert (profile["player"]["name"], profile["games"]) == ("Anna", 1)
        [bluestone] = profile["ratings"]
        assert bluestone["results"] == {"games": 1, "won": 1, "drawn": 0, "lost": 0}
        assert (bluestone["rank"], bluestone["best"], bluestone["provisional"]) == (
            None,
            None,
            True,
        )
        assert [each["player"]["name"] for each in bluestone["opponents"]] == ["robot"]
        assert bluestone["boards"] == [
            {"board": "pent-4", "games": 1, "won": 1, "drawn": 0, "lost": 0}
        ]
        assert [round(rating) for _, rating in bluestone["curve"]] == [1662]
        robot = await c.ask("/api/players/robot")
        assert robot["player"]["level"] == 3

        again = await begin(anna, c.bot, board="pent-4")
        seated = (await anna.game(again)).players[0]
        assert seated.ratings == {"bluestone": wire.ShownRating(rating=1662, provisional=True)}
        await resign(anna, again)
    async with ratings_in(tmp_path) as store:
        now, computed = await store.compare()
        assert now == computed
        assert len(now.changes) == 2


async def test_a_rated_game_without_a_turn_of_both_players_does_not_count(tmp_path: Path) -> None:
    async with club(tmp_path) as c:
        anna = await c.person("Anna")
        ids = []
        for turns in range(2):
            game_id = await begin(anna, c.bot, board="pent-4", rated=True)
            if turns:
                await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
            await resign(c.bot, game_id)
            ended = await anna.game(game_id, lambda state: state.result is not None)
            assert ended.result is not None
            assert (ended.result.winner, ended.result.unrated) == (1, "no_turns")
            ids.append(game_id)
        counted = await begin(anna, c.bot, board="pent-4", rated=True)
        await play_first(anna, c.bot, counted)
        await resign(c.bot, counted)
        assert len(await c.changes(counted)) == 2
        for game_id in ids:
            assert (await c.ask(f"/api/records/{game_id}/ratings"))["changes"] == []
            assert (await c.ask(f"/api/records/{game_id}"))["rated"] is False
    async with ratings_in(tmp_path) as store:
        now, computed = await store.compare()
        assert now == computed
        assert {row[0] for row in now.changes} == {counted}


async def test_a_rated_game_that_both_agree_to_abort_does_not_count(tmp_path: Path) -> None:
    async with club(tmp_path) as c:
        anna = await c.person("Anna")
        aborted, counted = [await begin(anna, c.bot, board="pent-4", rated=True) for _ in range(2)]
        for game_id in (aborted, counted):
            await play_first(anna, c.bot, game_id)
        await anna.do("game.action", game_id=aborted, action="offer_abort")
        await c.bot.do("game.action", game_id=aborted, action="accept_abort")
        await resign(anna, counted)
        assert len(await c.changes(counted)) == 2
        assert (await c.ask(f"/api/records/{aborted}/ratings"))["changes"] == []
    async with ratings_in(tmp_path) as store:
        now, computed = await store.compare()
        assert now == computed
        assert {row[0] for row in now.changes} == {counted}


async def test_a_pair_plays_three_rated_games_a_day_until_both_are_trusted(tmp_path: Path) -> None:
    async with club(tmp_path) as c:
        anna, ben = await c.person("Anna"), await c.person("Ben")
        offers = []
        for client, opponent in ((anna, "Ben"),) * 3 + ((ben, "Anna"),) * 3:
            name = "Anna" if client is anna else "Ben"
            offer = {"setup": {**RATED, "board": "pent-4"}, "seats": [name, opponent]}
            answer = await client.ask("challenge.create", random_seats=True, **offer)
            offers.append((client, answer))
        # Those of Ben accept those of Anna, because they mirror each other.
        games = [answer["challenge"]["game_id"] for _, answer in offers if answer["ok"]]
        begun = [game_id for game_id in games if game_id is not None]
        assert len(begun) == 3
        for game_id in begun:
            seats = [each.name for each in (await anna.game(game_id)).players]
            await play_first(*((anna, ben) if seats[0] == "Anna" else (ben, anna)), game_id)
            await resign(ben, game_id)
        fourth = {"setup": RATED, "seats": ["Ben", "Anna"]}
        assert await ben.refused("challenge.create", **fourth) == "not_rated"
        await ben.do("challenge.create", setup=setup(board="pent-4"), seats=["Ben", "Anna"])
        # An open offer does not say who will take it.
        opened = await ben.do("challenge.create", setup=RATED, seats=["Ben", None])
        wanted = {"challenge_id": opened.challenge.challenge_id}
        assert await anna.refused("challenge.accept", **wanted) == "not_rated"
        await c.bot.do("challenge.accept", **wanted)


async def test_the_leaderboard_has_players_with_established_ratings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.ratings.rated_games.PAIR_GAMES", 14)
    async with club(tmp_path) as c:
        anna, ben = await c.person("Anna"), await c.person("Ben")
        for number in range(14):
            game_id = await begin(anna, ben, board="pent-4", rated=True)
            await play_first(anna, ben, game_id)
            await resign(anna if number % 2 else ben, game_id)
            await c.changes(game_id)
        board = await c.ask("/api/ratings/bluestone")
        assert board["total"] == 2
        assert [each["rank"] for each in board["players"]] == [1, 2]
        best = board["players"][0]["player"]["name"]
        assert (await c.ask(f"/api/players/{best}"))["ratings"][0]["rank"] == 1
        one = await c.ask("/api/ratings/bluestone?kind=person&limit=1")
        assert (len(one["players"]), one["next"]) == (1, 1)
        rest = await c.ask("/api/ratings/bluestone?limit=1&start=1")
        assert (rest["players"][0]["rank"], rest["next"]) == (2, None)
        assert (await c.ask("/api/ratings/bluestone?kind=bot"))["players"] == []
        for query in ("kind=guest", "limit=0", "limit=101", "start=-1", "start=x"):
            await c.ask(f"/api/ratings/bluestone?{query}", 400)
        await c.ask("/api/ratings/chess", 404)
        await c.ask("/api/players/nobody", 404)
        await c.ask(f"/api/players/{'x' * 500}", 404)


async def test_games_that_cannot_be_rated_are_refused(tmp_path: Path) -> None:
    async with club(tmp_path) as c:
        anna = await c.person("Anna")
        carl = await c.person("Carl", is_registered=False)
        guest = await c.stack.enter_async_context(connected(c.url))
        seats = ["Anna", "robot"]
        for changes in (
            {"clock": {"kind": "none"}},
            {"board": "pent-3"},
            {"game": "blooms", "board": "hexhex-5", "options": {"captures": 15}},
            {"game": "blooms", "board": "hexhex-5", "options": {"handicap_2": 3}},
        ):
            offer = {**RATED, **changes}
            code = await anna.refused("challenge.create", setup=offer, seats=seats)
            assert code == "not_rated"
        for one, two in ((carl, "robot"), (guest, "robot"), (anna, "Carl")):
            name = one.all_of(wire.Welcome)[-1].you.name
            code = await one.refused("challenge.create", setup=RATED, seats=[name, two])
            assert code == "not_rated"
        offered = await anna.do("challenge.create", setup=RATED, seats=["Anna", None])
        open_id = offered.challenge.challenge_id
        for one in (carl, guest):
            assert await one.refused("challenge.accept", challenge_id=open_id) == "not_rated"
        await c.bot.do("challenge.accept", challenge_id=open_id)


async def test_a_tournament_with_rated_games_admits_those_who_may_play_them(
    tmp_path: Path,
) -> None:
    async with club(tmp_path) as c:
        key = await issue_key(tmp_path, "Hanna")
        hanna = await c.stack.enter_async_context(connected(c.url, guest_key=key))
        plan = {"name": "Rated cup", "admits": "both", "setups": [RATED]}
        made = await hanna.do("tournament.create", settings=plan)
        tournament_id = made.tournament.tournament_id
        carl = await c.person("Carl", is_registered=False)
        assert await carl.refused("tournament.enter", tournament_id=tournament_id) == "not_rated"
        anna = await c.person("Anna")
        for client in (anna, c.bot):
            await client.do("tournament.enter", tournament_id=tournament_id)
        await hanna.do("tournament.start", tournament_id=tournament_id)
        game = await anna.wait_for(wire.GameState)
        assert game.setup.rated
        assert all(each.registered or each.kind == "bot" for each in game.players)
        seats = [anna, c.bot] if game.players[0].name == "Anna" else [c.bot, anna]
        await play_first(seats[0], seats[1], game.game_id)
        await resign(anna, game.game_id)
        assert len(await c.changes(game.game_id)) == 2


async def test_the_openings_are_closed_to_who_plays_a_rated_game(tmp_path: Path) -> None:
    """Also in another browser that is signed in as the same person."""
    async with club(tmp_path) as c:
        anna = await c.person("Anna")
        ben = await c.person("Ben")

        async def asked(client: ArenaClient | None, key: str | None = None) -> tuple[int, str]:
            if client is not None:
                key = client.all_of(wire.Welcome)[0].guest_key
            headers = {} if key is None else {"Authorization": f"Bearer {key}"}
            async with c.http.get("/api/openings?game=bluestone", headers=headers) as response:
                return response.status, (await response.json()).get("code", "")

        assert await asked(anna) == (200, "")
        game_id = await begin(anna, c.bot, board="pent-4", rated=True)
        assert await asked(anna) == (403, "in_game")
        assert await asked(ben) == (200, "")
        assert await asked(None) == (200, "")
        assert await asked(None, "wrong") == (401, "bad_guest_key")
        async with c.http.post(
            "/api/account/devices/add",
            json={},
            headers={
                "Origin": c.url,
                "Authorization": f"Bearer {anna.all_of(wire.Welcome)[0].guest_key}",
            },
        ) as response:
            secret = (await response.json())["secret"]
        async with c.http.post(
            "/api/account/devices/use", json={"secret": secret}, headers={"Origin": c.url}
        ) as response:
            other = (await response.json())["guest_key"]
        assert await asked(None, other) == (403, "in_game")
        await resign(anna, game_id)
        await anna.game(game_id, lambda state: state.result is not None)
        assert await asked(anna) == (200, "")
