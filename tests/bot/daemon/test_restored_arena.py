"""An arena that is restored from a backup shows the bot an older position of its game."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, MutableMapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
import structlog

import engine
from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.arena.store.sqlite_database import FILE_NAME
from bot.daemon.run import run
from bot.daemon.settings import Settings
from tests.bot.arena.table import setup
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.waiting import eventually

GAME = engine.game("bluestone", "pent-4", "official")


@asynccontextmanager
async def daemon(folder: Path, port: int, token: str) -> AsyncIterator[None]:
    address = f"http://127.0.0.1:{port}"
    account = {"url": address, "token_env": "TOKEN", "engine": "random", "longest_wait_s": 0.1}
    settings = Settings.model_validate(
        {
            "daemon": {"data": folder},
            "time": {"max_turn_s": 0.05},
            "engines": {"random": {"name": "random", "builtin": "random"}},
            "platforms": [account],
        }
    )
    running = asyncio.create_task(run(settings, asyncio.Event(), environ={"TOKEN": token}))
    try:
        yield
    finally:
        running.cancel()
        await asyncio.wait({running})


def back_up(data: Path, target: Path) -> None:
    """As an operator does while the arena runs."""
    target.mkdir()
    with (
        closing(sqlite3.connect(data / FILE_NAME)) as source,
        closing(sqlite3.connect(target / FILE_NAME)) as copy,
    ):
        source.backup(copy)


async def begin_with_the_bot(ann: ArenaClient) -> str:
    await ann.wait_for(wire.Lobby, lambda s: any(each.name == "Granite" for each in s.players))
    created = await ann.do(
        "challenge.create", setup=setup(board="pent-4"), seats=["Ann", "Granite"]
    )
    challenge_id = created.challenge.challenge_id
    started = await ann.wait_for(
        wire.Challenge, lambda s: s.challenge_id == challenge_id and s.game_id is not None
    )
    assert started.game_id is not None
    return started.game_id


async def play(ann: ArenaClient, game_id: str, turn: str) -> list[str]:
    """Play a turn; the turns of the game once the bot has answered it."""
    ply = len((await ann.game(game_id)).turns)
    await ann.do("game.turn", game_id=game_id, ply=ply, turn=turn)
    state = await ann.game(game_id, lambda s: len(s.turns) >= ply + 2 or s.state == "finished")
    assert state.result is None, state.result
    return [played.turn for played in state.turns]


async def play_any(ann: ArenaClient, game_id: str) -> list[str]:
    turns = [played.turn for played in (await ann.game(game_id)).turns]
    return await play(ann, game_id, next(GAME.replay(turns).legal_turns()))


@pytest.mark.parametrize("bot_restarts", [False, True])
async def test_the_bot_thinks_again_where_the_opponent_now_plays_otherwise(
    tmp_path: Path, held_port: int, *, bot_restarts: bool
) -> None:
    data, backup = tmp_path / "arena", tmp_path / "backup"
    token = await issue_token(data, "Granite")
    async with AsyncExitStack() as bot:
        async with running_arena(ArenaSettings(port=held_port, data=data)) as url:
            await bot.enter_async_context(daemon(tmp_path / "bot", held_port, token))
            async with connected(url, name="Ann") as ann:
                key = ann.all_of(wire.Welcome)[0].guest_key
                game_id = await begin_with_the_bot(ann)
                before = await play_any(ann, game_id)
                back_up(data, backup)
                answer = (await play_any(ann, game_id))[3]
                await play_any(ann, game_id)
        if bot_restarts:
            await bot.aclose()
            await bot.enter_async_context(daemon(tmp_path / "bot", held_port, token))
        async with (
            running_arena(ArenaSettings(port=held_port, data=backup)) as url,
            connected(url, guest_key=key) as ann,
        ):
            restored = await ann.game(game_id)
            assert [played.turn for played in restored.turns] == before
            # The bot's turn of before the restore is illegal after this one.
            turns = await play(ann, game_id, answer)
            assert turns[3] != answer
            for _ in range(2):
                turns = await play_any(ann, game_id)
    assert GAME.replay(turns).turns[3] == turns[3]


@pytest.mark.parametrize("bot_restarts", [False, True])
async def test_the_bot_says_from_which_ply_on_the_restored_game_is_older(
    tmp_path: Path, held_port: int, *, bot_restarts: bool
) -> None:
    data, backup = tmp_path / "arena", tmp_path / "backup"
    token = await issue_token(data, "Granite")
    async with AsyncExitStack() as bot:
        async with running_arena(ArenaSettings(port=held_port, data=data)) as url:
            await bot.enter_async_context(daemon(tmp_path / "bot", held_port, token))
            async with connected(url, name="Ann") as ann:
                key = ann.all_of(wire.Welcome)[0].guest_key
                game_id = await begin_with_the_bot(ann)
                before = await play_any(ann, game_id)
                back_up(data, backup)
                await play_any(ann, game_id)
                after = await play_any(ann, game_id)
        if bot_restarts:
            await bot.aclose()
            await bot.enter_async_context(daemon(tmp_path / "bot", held_port, token))
        with structlog.testing.capture_logs() as logged:
            async with (
                running_arena(ArenaSettings(port=held_port, data=backup)) as url,
                connected(url, guest_key=key) as ann,
            ):
                await ann.game(game_id, lambda state: state.connected[1])
                await eventually(lambda: bool(of(logged, "game_is_older")))
                # The opponent repeats the turns that were lost, and so does the bot.
                for ply in (2, 4):
                    assert (await play(ann, game_id, after[ply]))[: ply + 2] == after[: ply + 2]
                await play_any(ann, game_id)
    [older] = of(logged, "game_is_older")
    assert (older["game"], older["from_ply"]) == (game_id, len(before))
    # The arena may have stopped before the bot was shown its last turn.
    assert len(after) - 1 <= older["plies_seen"] <= len(after)


async def test_the_bot_says_that_a_game_is_gone_and_which_runs_again(
    tmp_path: Path, held_port: int
) -> None:
    data, backup = tmp_path / "arena", tmp_path / "backup"
    token = await issue_token(data, "Granite")
    async with AsyncExitStack() as bot:
        async with running_arena(ArenaSettings(port=held_port, data=data)) as url:
            await bot.enter_async_context(daemon(tmp_path / "bot", held_port, token))
            async with connected(url, name="Ann") as ann:
                key = ann.all_of(wire.Welcome)[0].guest_key
                ended = await begin_with_the_bot(ann)
                await play_any(ann, ended)
                back_up(data, backup)
                await ann.do("game.action", game_id=ended, action="resign")
                await eventually(lambda: (tmp_path / "bot" / "records.jsonl").exists())
                gone = await begin_with_the_bot(ann)
                await play_any(ann, gone)
        with structlog.testing.capture_logs() as logged:
            async with (
                running_arena(ArenaSettings(port=held_port, data=backup)) as url,
                connected(url, guest_key=key) as ann,
            ):
                await ann.game(ended, lambda state: state.connected[1])
                await play_any(ann, ended)
                await eventually(lambda: bool(of(logged, "game_lost")))
    assert [each["game"] for each in of(logged, "game_runs_again")] == [ended]
    [lost] = of(logged, "game_lost")
    assert lost["game"] == gone
    assert 1 <= lost["plies_seen"] <= 2


def of(logged: Sequence[MutableMapping[str, Any]], event: str) -> list[MutableMapping[str, Any]]:
    return [entry for entry in logged if entry["event"] == event]
