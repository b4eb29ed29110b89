"""What a deleted account leaves: in tournaments, in the audit log, and in caches of others."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot import wire
from bot.arena.accounts.command import new_link
from bot.arena.operator.desk import Desk
from bot.arena.players.hosts import issue_key
from bot.arena.store.opening import open_database
from bot.arena.store.orders import By, Orders
from bot.arena.store.sqlite_database import FILE_NAME as DATABASE
from bot.arena.tournaments.tournament_redaction import _renamed
from bot.time_source import SystemTime
from tests.bot.arena.accounts.test_account_api import Arena, arena_in
from tests.bot.arena.hall import plan
from tests.bot.arena.table import begin as begin_game
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.time import FakeTime

HOST = "Hanna"


async def finished_tournament(host: ArenaClient, loser: ArenaClient, winner: ArenaClient) -> str:
    """The id of a tournament of one game, whose texts name the loser and the host."""
    form = {"kind": "round-robin"}
    settings = plan(format=form, admits="people", games_per_pairing=1, review_s=1000)
    made = await host.do("tournament.create", settings=settings)
    about = {"tournament_id": made.tournament.tournament_id}
    await host.do("tournament.watch", **about)
    for player in (loser, winner):
        await player.do("tournament.enter", **about)
    await host.do("tournament.start", **about)
    game = await loser.wait_for(wire.GameState)
    await loser.do("game.action", game_id=game.game_id, action="resign")
    await host.wait_for(wire.TournamentState, lambda seen: seen.state == "played")
    await host.do("tournament.end", **about, why="Anna said it to Hanna.")
    await host.wait_for(wire.TournamentState, lambda seen: seen.state == "over")
    return str(about["tournament_id"])


async def shown(arena: Arena, tournament: str) -> tuple[str, str]:
    """The document of a tournament, and its ETag."""
    async with arena.http.get(f"/api/tournaments/{tournament}") as response:
        assert response.status == 200
        return await response.text(), response.headers["ETag"]


def rows(folder: Path) -> str:
    """All rows of all tables."""
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return repr([database.execute(f"SELECT * FROM {each}").fetchall() for (each,) in tables])


async def test_no_text_of_a_tournament_keeps_a_deleted_name(tmp_path: Path) -> None:
    host_key = await issue_key(tmp_path, HOST)
    async with arena_in(tmp_path) as arena:
        key, anna = await arena.person("Anna")
        _, ben = await arena.person("Ben")
        async with connected(arena.url, guest_key=host_key) as host:
            tournament = await finished_tournament(host, anna, ben)
            before, tag = await shown(arena, tournament)
            assert "Anna resigned." in before
            await arena.ok("/delete", key, name="Anna")
            after, new_tag = await shown(arena, tournament)
            assert ("Anna" in after, after.count("Deleted-") > 0) == (False, True)
            assert new_tag != tag
            assert HOST in after
            await arena.ok("/delete", host_key, name=HOST)
            assert HOST not in (await shown(arena, tournament))[0]
    stored = rows(tmp_path)
    assert ("Anna" in stored, HOST in stored, "Ben" in stored) == (False, False, True)
    async with arena_in(tmp_path) as arena:
        text, _ = await shown(arena, tournament)
        assert ("Anna" in text, HOST in text, "Ben" in text) == (False, False, True)


@pytest.mark.parametrize("name", ["finished", "hexo", "kind", "resignation"])
def test_words_of_a_tournament_that_are_somebodys_name_stay(name: str) -> None:
    event: dict[str, Any] = {"kind": "finished", "setups": [{"game": "hexo"}], "players": [name]}
    event["result"] = {"reason": "resignation", "message": f"{name} resigned."}
    written = json.loads(_renamed(json.dumps(event), name, "Deleted-3fa2b1") or "")
    said = {"reason": "resignation", "message": "Deleted-3fa2b1 resigned."}
    assert written == {**event, "players": ["Deleted-3fa2b1"], "result": said}


async def test_a_refused_deletion_leaves_no_name_in_the_audit_log(tmp_path: Path) -> None:
    async with arena_in(tmp_path) as arena:
        key, anna = await arena.person("Anna")
        _, ben = await arena.person("Ben")
        game = await begin_game(anna, ben)
        status, refused = await arena.post("/delete", key, name="Anna")
        assert (status, refused["message"]) == (409, "The player plays 1 game.")
        await anna.do("game.action", game_id=game, action="resign")
        await ben.game(game, lambda state: state.result is not None)
        await arena.ok("/delete", key, name="Anna")
    assert "Anna" not in rows(tmp_path)


async def reported_game(one: ArenaClient, two: ArenaClient) -> str:
    """A finished game in which both players wrote texts, and reported each other."""
    game = await begin_game(one, two)
    for client in (one, two):
        await client.do("game.chat", game_id=game, open=True)
    await one.do("game.chat", game_id=game, text="I am Anna, hello Ben")
    await two.do("game.chat", game_id=game, text="anna, you are slow. Bye Anna!")
    for client in (one, two):
        await client.do("game.report", game_id=game, reason="Anna and Ben insult each other")
    await one.do("game.action", game_id=game, action="resign")
    await two.game(game, lambda state: state.result is not None)
    return game


async def test_reports_and_chats_keep_neither_name_nor_lines_of_a_deleted_account(
    tmp_path: Path,
) -> None:
    """By whom the report was, and about whom: both directions, and the opponent's own lines."""
    async with arena_in(tmp_path) as arena:
        key, anna = await arena.person("Anna")
        _, ben = await arena.person("Ben")
        game = await reported_game(anna, ben)
        assert rows(tmp_path).count("I am Anna") == 3  # the line, and two reports
        await arena.ok("/delete", key, name="Anna")
        lines = (await ben.do("game.chats", game_id=game)).lines
        [text] = [line.body for line in lines if line.kind == "text"]
        assert (text.count("Deleted-"), "slow" in text) == (2, True)
    stored = rows(tmp_path)
    assert ("anna" in stored.lower(), "I am" in stored) == (False, False)
    with closing(sqlite3.connect(tmp_path / DATABASE)) as database:
        found = database.execute("SELECT subject, who, detail FROM orders WHERE action = 'report'")
        reports = {(subject[:7], who[:7]): json.loads(detail) for subject, who, detail in found}
    assert reports.keys() == {("Ben", "Deleted"), ("Deleted", "Ben")}
    assert {line["by"] for each in reports.values() for line in each["chat"]} == {"Ben"}


async def test_what_the_operator_did_to_a_deleted_account_loses_its_name(tmp_path: Path) -> None:
    reason = "Anna was rude"
    async with arena_in(tmp_path) as arena, open_database(tmp_path, 5) as database:
        key, _ = await arena.person("Anna")
        await asyncio.sleep(1)
        desk = Desk(database, SystemTime(), By("root (olga)", reason))
        await new_link(desk, "Anna")
        assert (await arena.no("/delete", key, name="Anna"))[1] == "proof_needed"
        secret = await new_link(desk, "Anna")
        await arena.ok("/proof", key, secret=secret)
        await arena.ok("/delete", key, name="Anna")
        audit = await Orders(database, SystemTime()).latest(10)
    assert {order.action for order in audit} == {"recover", "delete"}
    made = [order for order in audit if order.action == "recover"]
    assert {(order.subject[:8], order.by.who) for order in made} == {("Deleted-", "root (olga)")}
    assert "Anna" not in rows(tmp_path)


async def test_reports_are_deleted_after_half_a_year(tmp_path: Path) -> None:
    time = FakeTime()
    async with arena_in(tmp_path, time=time) as arena:
        _, anna = await arena.person("Anna")
        _, ben = await arena.person("Ben")
        await reported_game(anna, ben)
    time.step_wall(179 * 86_400)
    async with arena_in(tmp_path, time=time):
        assert "insult" in rows(tmp_path)
    time.step_wall(2 * 86_400)
    async with arena_in(tmp_path, time=time):
        assert "insult" not in rows(tmp_path)


@pytest.mark.parametrize("form", ["records/{}", "records/{}.sgf", "records/{}.jsonl", "games/{}"])
async def test_caches_ask_whether_a_game_still_has_the_same_names(
    tmp_path: Path, form: str
) -> None:
    async with arena_in(tmp_path) as arena:
        key, anna = await arena.person("Anna")
        _, ben = await arena.person("Ben")
        game = await begin_game(anna, ben)
        await anna.do("game.action", game_id=game, action="resign")
        await ben.game(game, lambda state: state.result is not None)
        address = "/api/" + form.format(game)
        async with arena.http.get(address) as response:
            assert response.headers["Cache-Control"] == "no-cache"
            is_file = "attachment" in response.headers.get("Content-Disposition", "")
            assert is_file == ("." in form)
            assert "Anna" in await response.text()
            known = {"If-None-Match": response.headers["ETag"]}
        async with arena.http.get(address, headers=known) as response:
            assert (response.status, await response.read()) == (304, b"")
        await arena.ok("/delete", key, name="Anna")
        async with arena.http.get(address, headers=known) as response:
            assert response.status == 200
            assert "Anna" not in await response.text()
