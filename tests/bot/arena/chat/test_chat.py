"""What the players of a game say to each other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot import wire
from bot.arena.chat.chat_store import ChatStore
from bot.arena.chat.chats import LINES_AT_ONCE, OPEN_AFTER_S
from bot.arena.operator.desk import open_desk
from bot.arena.settings import Place
from bot.arena.store.opening import open_database
from bot.arena.store.orders import By
from tests.bot.arena.table import Table, table
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.time import FakeTime


@asynccontextmanager
async def talking(folder: Path) -> AsyncIterator[tuple[Table, FakeTime]]:
    time = FakeTime()
    async with table(folder, time) as t:
        yield t, time


async def say(t: Table, client: ArenaClient, **what: Any) -> None:
    await client.do("game.chat", game_id=t.game_id, **what)


async def test_a_preset_is_sent_to_both_players_and_to_no_spectator(tmp_path: Path) -> None:
    async with talking(tmp_path) as (t, _), connected(t.url, name="Cleo") as cleo:
        await cleo.do("game.watch", game_id=t.game_id)
        await say(t, t.one, preset="good_luck")
        lines = [(await client.wait_for(wire.Chat)).line for client in (t.one, t.two)]
        line = lines[0]
        assert lines == [line, line]
        assert (line.seat, line.kind, line.body) == (1, "preset", "good_luck")
        asked = {"game_id": t.game_id}
        assert (await t.two.do("game.chats", **asked)).lines == [line]
        for event, more in (("game.chats", {}), ("game.chat", {"preset": "hello"})):
            assert await cleo.refused(event, **asked, **more) == "not_a_player"
        assert cleo.all_of(wire.Chat) == []


async def test_texts_need_the_consent_of_both(tmp_path: Path) -> None:
    async with talking(tmp_path) as (t, time):
        hi = {"game_id": t.game_id, "text": " <b>hi</b>\u202e "}
        await say(t, t.one, open=True)
        assert await t.one.refused("game.chat", **hi) == "chat_closed"
        await say(t, t.two, open=True)
        await say(t, t.one, text=hi["text"])
        chat = await t.two.wait_for(wire.Chat, lambda chat: chat.line.kind == "text")
        assert chat.line.body == "<b>hi</b>"
        await time.advance(60)
        await say(t, t.two, open=False)
        assert await t.one.refused("game.chat", **hi) == "chat_closed"
        done = await t.one.do("game.chats", game_id=t.game_id)
    assert done.open == (True, False)


@pytest.mark.parametrize(
    "what",
    [
        {},
        {"preset": "rude"},
        {"text": "x" * 141},
        {"text": " \u200b"},
        {"preset": "hello", "open": True},
    ],
)
async def test_what_is_no_line_is_refused(tmp_path: Path, what: dict[str, Any]) -> None:
    async with talking(tmp_path) as (t, _):
        assert await t.one.refused("game.chat", game_id=t.game_id, **what) == "invalid"


async def test_who_writes_too_fast_waits(tmp_path: Path) -> None:
    async with talking(tmp_path) as (t, time):
        for _ in range(LINES_AT_ONCE):
            await say(t, t.one, preset="hello")
        hello = {"game_id": t.game_id, "preset": "hello"}
        assert await t.one.refused("game.chat", **hello) == "rate_limited"
        await say(t, t.two, preset="hello")
        await time.advance(5)
        await say(t, t.one, preset="hello")


async def test_after_the_end_players_thank_each_other_and_then_the_chat_closes(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as (t, time):
        await t.one.do("game.action", game_id=t.game_id, action="resign")
        await say(t, t.two, preset="good_game")
        await time.advance(OPEN_AFTER_S + 1)
        thanks = {"game_id": t.game_id, "preset": "thanks"}
        assert await t.one.refused("game.chat", **thanks) == "game_over"
        assert len((await t.one.do("game.chats", game_id=t.game_id)).lines) == 1
        now = time.wall()
    async with open_database(Place(tmp_path)) as database:
        store = ChatStore(database)
        await store.forget(now.replace(year=now.year - 1))
        assert len(await store.lines(t.game_id, 10)) == 1
        await store.forget(now.replace(year=now.year + 1))
        assert await store.lines(t.game_id, 10) == []


async def test_a_report_is_in_the_operators_audit_log_once(tmp_path: Path) -> None:
    async with talking(tmp_path) as (t, _):
        await say(t, t.two, preset="bye")
        for _ in range(2):
            await t.one.do("game.report", game_id=t.game_id, reason="He left.")
    async with open_desk(Place(tmp_path), By("operator")) as desk:
        [order] = await desk.audit(10)
    assert (order.action, order.subject, order.by) == ("report", "Ben", By("Anna", "He left."))
    assert order.ok
    assert '"body":"bye"' in (order.detail or "")


async def test_lines_at_once_do_not_exceed_the_chats_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.arena.chat.chats.MOST_LINES", 4)
    async with talking(tmp_path) as (t, _):
        said = {"game_id": t.game_id, "preset": "hello"}
        answers = await asyncio.gather(
            *(client.ask("game.chat", **said) for client in (t.one, t.two) for _ in range(5))
        )
        assert (
            sorted(each.get("code", "sent") for each in answers) == ["sent"] * 4 + ["too_many"] * 6
        )
        assert len((await t.one.do("game.chats", game_id=t.game_id)).lines) == 4
