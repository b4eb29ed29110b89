"""What an operator does to people: mute, delete, decide on reports."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot import wire
from bot.arena.operator.desk import open_desk
from bot.arena.store.orders import By
from bot.errors import ConfigurationError
from bot.time_source import SystemTime
from tests.bot.arena.accounts.test_account_api import arena_in, export
from tests.bot.arena.table import table
from tests.fakes.arena_client import DEADLINE_S

BY = By("anna", "insults")


async def test_a_muted_player_plays_on_and_cannot_write(tmp_path: Path) -> None:
    async with table(tmp_path) as t, open_desk(tmp_path, BY) as desk:
        line = {"game_id": t.game_id, "preset": "hello"}
        assert await desk.mute("anna", SystemTime().wall() + timedelta(hours=1)) == "Anna"
        refused = wire.Refusal.model_validate(await t.one.ask("game.chat", **line))
        assert (refused.code, refused.rule) == ("blocked", "muted")
        assert refused.message.endswith(": insults")
        assert refused.retry_after_ms is not None
        await t.two.do("game.chat", **line)
        await t.one.do("game.chat", game_id=t.game_id, open=False)
        await t.play(0, "0-0")
        await desk.unmute("Anna")
        await t.one.do("game.chat", **line)
        with pytest.raises(ConfigurationError, match="Anna is not muted"):
            await desk.unmute("Anna")
        await desk.mute("Anna", SystemTime().wall())  # ends at once
        await t.one.do("game.chat", **line)


async def test_a_mute_is_in_the_persons_own_data(tmp_path: Path) -> None:
    async with arena_in(tmp_path) as arena, open_desk(tmp_path, BY) as desk:
        key, _ = await arena.person("Anna")
        assert (await export(arena, key))[0]["mute"] == []
        until = SystemTime().wall() + timedelta(hours=1)
        await desk.mute("Anna", until)
        [mute] = (await export(arena, key))[0]["mute"]
        assert mute["reason"] == "insults"
        assert datetime.fromisoformat(mute["until"]) == until


async def test_a_report_has_its_decision_which_is_in_the_audit(tmp_path: Path) -> None:
    async with table(tmp_path) as t, open_desk(tmp_path, BY) as desk:
        await t.one.do("game.report", game_id=t.game_id, reason="is rude")
        [found] = await desk.reports()
        report = found.order
        assert (report.subject, report.by) == ("Ben", By("Anna", "is rude"))
        assert found.decision is None
        await asyncio.sleep(1)  # orders are listed by their times
        await desk.decide(report.id)
        [found] = await desk.reports()
        assert found.decision is not None
        decided, kept = await desk.audit(2)
        assert found.decision == decided
        assert (decided.action, decided.subject, decided.by) == ("decide", report.id, BY)
        assert kept == report
        with pytest.raises(ConfigurationError, match="there is no report"):
            await desk.decide(decided.id)


async def test_an_account_is_deleted_when_its_game_is_over(tmp_path: Path) -> None:
    async with table(tmp_path) as t, open_desk(tmp_path, BY) as desk:
        refused = await desk.outcome(await desk.delete("Ben"), DEADLINE_S)
        assert (refused.ok, refused.outcome) == (False, "The player plays 1 game.")
        await t.one.do("game.action", game_id=t.game_id, action="resign")
        await desk.mute("Ben", SystemTime().wall() + timedelta(hours=1))
        done = await desk.outcome(await desk.delete("Ben"), DEADLINE_S)
        assert done.ok, done
        await t.two.wait_until_disconnected()
        with pytest.raises(ConfigurationError):
            await desk.delete("Ben")
        assert "Ben" not in str(await desk.audit(100))
