"""`bluestone backup` and `bluestone restore` on the data of a real arena."""

import asyncio
import json
import os
import random
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import engine
from bot import wire
from bot.runtime.files import make_folder
from tests.bot.arena.table import begin, setup
from tests.bot.cli.commands import Bluestone
from tests.e2e.browser.arena_process import ArenaProcess, running
from tests.e2e.browser.local_arena import LocalArena
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.waiting import eventually

BOARD = "pent-4"


async def command(*words: object) -> Any:
    """Run the command in its own process, as an operator does, and return its JSON."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *map(str, words), "--json"),
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return json.loads(out)


async def play(
    players: tuple[ArenaClient, ArenaClient], game_id: str, turns: list[str], first: int = 0
) -> None:
    """Play `turns` from the ply `first` on, one after the other."""
    for ply, turn in list(enumerate(turns))[first:]:
        await players[ply % 2].do("game.turn", game_id=game_id, ply=ply, turn=turn)


@pytest.mark.e2e
async def test_a_backup_taken_while_games_run_has_every_acknowledged_turn(tmp_path: Path) -> None:
    data, backups = tmp_path / "data", tmp_path / "backups"
    data.mkdir()
    position, chance, turns = engine.game("bluestone", BOARD).start(), random.Random(3), []
    for _ in range(8):
        turns.append(position.random_turn(chance))
        position = position.play(turns[-1])
    async with LocalArena(data) as arena:
        async with (
            connected(arena.address, name="Anna") as one,
            connected(arena.address, name="Ben") as two,
        ):
            game_id = await begin(one, two, board=BOARD)
            await play((one, two), game_id, turns[:4])
            made = await command("backup", backups, "--data", data)
            await play((one, two), game_id, turns, first=4)
            keys = [client.all_of(wire.Welcome)[0].guest_key for client in (one, two)]
        await arena.stop()
        restored = await command("restore", backups, "--data", data)
        assert restored["restored"] == made["backup"]
        await _turns_after_the_restore(arena, keys, game_id, turns)


async def _turns_after_the_restore(
    arena: LocalArena, keys: list[str | None], game_id: str, turns: list[str]
) -> None:
    await arena.start()
    async with (
        connected(arena.address, guest_key=keys[0]) as one,
        connected(arena.address, guest_key=keys[1]) as two,
    ):
        [game] = one.all_of(wire.Welcome)[-1].games
        assert [played.turn for played in game.turns] == turns[:4]
        await play((one, two), game_id, turns, first=4)


PEOPLE = ("Anna", "Ben", "Cleo")


@pytest.mark.nightly
@pytest.mark.e2e
async def test_a_bot_plays_on_in_an_arena_that_was_restored_after_a_kill(tmp_path: Path) -> None:
    """A backup is taken while games run, and everything acknowledged before it began is there."""
    data, bot, backups = tmp_path / "data", tmp_path / "bot", tmp_path / "backups"
    data.mkdir()
    async with running(data) as arena, AsyncExitStack() as stack:
        log = await stack.enter_async_context(daemon(arena, bot, await arena.token("Granite")))
        people = [
            await stack.enter_async_context(connected(arena.address, name=name)) for name in PEOPLE
        ]
        games = [await begin_with(person, "Granite") for person in people]
        seen_before = [await play_rounds(*each, 1) for each in zip(people, games, strict=True)]
        playing = [
            asyncio.create_task(play_rounds(*each, 2)) for each in zip(people, games, strict=True)
        ]
        await command("backup", backups, "--data", data)
        await asyncio.gather(*playing)
        seen = [await play_rounds(*each, 1) for each in zip(people, games, strict=True)]
        keys = [person.all_of(wire.Welcome)[0].guest_key for person in people]
        await arena.kill()
        restored = await command("restore", backups, "--data", data, "--journal", bot)
        await arena.start()
        lacking = {each["game"]: (each["backup"], each["seen"]) for each in restored["lacking"]}
        for key, game_id, before, later in zip(keys, games, seen_before, seen, strict=True):
            async with connected(arena.address, guest_key=key) as person:
                await person.game(game_id, lambda state: state.connected[1])
                turns = turns_of(await person.game(game_id))
                in_backup, seen_by_bot = lacking[game_id]
                assert turns[: len(before)] == before
                assert turns[:in_backup] == later[:in_backup]
                # The bot plays at once if the backup was taken while it thought.
                assert in_backup <= len(turns) <= in_backup + 1
                # The kill may have come before the bot was shown its last turn.
                assert len(later) - 1 <= seen_by_bot <= len(later)
                await eventually(partial(is_logged, log, "game_is_older", game_id))
                await play_rounds(person, game_id, 1)


def is_logged(log: Path, event: str, game_id: str) -> bool:
    return any(event in line and game_id in line for line in log.read_text().splitlines())


@asynccontextmanager
async def daemon(arena: ArenaProcess, folder: Path, token: str) -> AsyncIterator[Path]:
    """`bluestone bot` with an engine that plays at once; yields its log."""
    make_folder(folder)
    (folder / "bot.toml").write_text(
        f"""
        [daemon]
        data = "{folder}"
        [time]
        max_turn_s = 0.05
        [engines.random]
        name = "random"
        builtin = "random"
        [[platforms]]
        url = "{arena.address}"
        token_env = "TOKEN"
        engine = "random"
        longest_wait_s = 0.2
        """
    )
    path = folder / "bot.log"
    with path.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "bot", "--config", str(folder / "bot.toml")),
            stdout=log,
            stderr=log,
            env={**os.environ, "TOKEN": token},
        )
    try:
        yield path
    finally:
        process.kill()
        await process.wait()


async def begin_with(person: ArenaClient, bot: str) -> str:
    name = person.all_of(wire.Welcome)[-1].you.name
    await person.wait_for(wire.Lobby, lambda lobby: bot in {each.name for each in lobby.players})
    created = await person.do("challenge.create", setup=setup(board=BOARD), seats=[name, bot])
    started = await person.wait_for(
        wire.Challenge,
        lambda each: (
            each.challenge_id == created.challenge.challenge_id and each.game_id is not None
        ),
    )
    assert started.game_id is not None
    return started.game_id


async def play_rounds(person: ArenaClient, game_id: str, rounds: int) -> list[str]:
    """Play that many turns; returns the turns of the game once the bot has answered the last."""
    state = await person.game(game_id, lambda state: state.to_play == 1)
    for _ in range(rounds):
        ply = len(state.turns)
        position = engine.game("bluestone", BOARD).replay(turns_of(state))
        turn = next(iter(position.legal_turns()))
        await person.do("game.turn", game_id=game_id, ply=ply, turn=turn)
        state = await person.game(game_id, partial(has_turns, ply + 2))
    return turns_of(state)


def has_turns(plies: int, state: wire.GameState) -> bool:
    return len(state.turns) == plies


def turns_of(state: wire.GameState) -> list[str]:
    return [played.turn for played in state.turns]


def test_a_folder_without_backups_is_refused(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone("restore", tmp_path, "--data", tmp_path / "data")
    assert outcome.code == 78
    assert "there is no backup" in outcome.err


def test_the_output_says_where_the_files_are(bluestone: Bluestone, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "records.jsonl").write_text("{}\n")
    made = bluestone("backup", tmp_path / "b", "--data", tmp_path / "data", "--keep", 2)
    assert made.code == 0
    assert "1 file, 3 bytes" in made.out.replace("\n", " ")
    restored = bluestone("restore", tmp_path / "b", "--data", tmp_path / "data")
    assert restored.code == 0
    assert "the former files are in" in restored.out
