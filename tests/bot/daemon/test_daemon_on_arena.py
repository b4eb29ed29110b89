"""Daemons on the real arena: what the fake one cannot prove."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import engine
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.daemon.run import run
from bot.daemon.settings import Settings
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from tests.bot.arena.hall import hall
from tests.fakes.waiting import eventually

GAMES = 3


@pytest.fixture
async def tokens(tmp_path: Path) -> dict[str, str]:
    return {name: await issue_token(tmp_path / "arena", name) for name in ("Granite", "Basalt")}


@pytest.fixture
async def url(tmp_path: Path, tokens: dict[str, str]) -> AsyncIterator[str]:
    assert tokens
    async with running_arena(ArenaSettings(port=0, data=tmp_path / "arena")) as address:
        yield address


def bot(folder: Path, url: str, name: str, **more: object) -> Settings:
    return Settings.model_validate(
        {
            "daemon": {"data": folder / name, "drain_s": 30},
            "time": {"max_turn_s": 0.05},
            "engines": {"random": {"name": "random", "builtin": "random"}},
            "platforms": [{"url": url, "token_env": name, "engine": "random", **more}],
        }
    )


def records(folder: Path, name: str) -> list[GameRecord]:
    path = folder / name / "records.jsonl"
    lines = read_records(path) if path.exists() else []
    return [record for record in lines if isinstance(record, GameRecord)]


async def test_two_daemons_play_each_other_unattended(
    tmp_path: Path, url: str, tokens: dict[str, str]
) -> None:
    seek = {"opponent": "Basalt", "games": GAMES, "board": "pent-4", "clock": "30+1"}
    stop = asyncio.Event()
    both = [
        asyncio.create_task(run(bot(tmp_path, url, "Granite", seek=seek), stop, environ=tokens)),
        asyncio.create_task(run(bot(tmp_path, url, "Basalt"), stop, environ=tokens)),
    ]
    try:
        await eventually(lambda: all(len(records(tmp_path, name)) >= GAMES for name in tokens))
        stop.set()
        assert [await task for task in both] == [0, 0]
    finally:
        for task in both:
            task.cancel()
        await asyncio.wait(both)
    for record in [*records(tmp_path, "Granite"), *records(tmp_path, "Basalt")]:
        position = engine.game(record.game, record.board, record.rules).start()
        for turn in record.turns:
            position = position.play(turn.turn)
            assert list(position.captured) == turn.captured
        assert position.over
        assert record.result is not None
        assert record.result.winner == position.winner
        assert any(turn.source == "engine" for turn in record.turns)


async def test_daemons_enter_a_tournament_play_it_and_leave_nothing_behind(tmp_path: Path) -> None:
    names = ("Granite", "Basalt")
    stop = asyncio.Event()
    async with hall(tmp_path / "arena", ()) as h:
        tokens = {name: await issue_token(tmp_path / "arena", name) for name in names}
        wanted = {"tournaments": ["autumn*"], "policy": {"max_games": 1}}
        both = [
            asyncio.create_task(run(bot(tmp_path, h.url, name, **wanted), stop, environ=tokens))
            for name in names
        ]
        try:
            pairs = {"games_per_pairing": 4, "openings": "random:3"}
            await h.create(format={"kind": "round-robin"}, no_show_s=300, **pairs)
            await h.until(lambda state: len(state.entrants) == 2)
            await h.do("start")
            await h.until(lambda state: state.state == "over")
            await eventually(lambda: all(len(records(tmp_path, name)) >= 4 for name in names))
            await h.create(name="Autumn open")
            await h.until(lambda state: len(state.entrants) == 2)
            stop.set()
            assert [await task for task in both] == [0, 0]
            assert (await h.watch(h.host)).entrants == []
        finally:
            for task in both:
                task.cancel()
            await asyncio.wait(both)
    for record in records(tmp_path, "Granite"):
        given = [turn.source == "opening" for turn in record.turns]
        assert given == [True] * 3 + [False] * (len(given) - 3)
        assert record.result is not None
        assert record.result.reason == "played_out"
