"""Whole daemons on a server that fails on purpose: real sockets, real engine processes."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot import wire
from bot.daemon.journal import open_journal
from bot.daemon.settings import Settings
from bot.errors import ConfigurationError, HostError
from bot.time_controls import PerTurn, parse_time_control
from tests.bot.daemon.bots import (
    Daemon,
    fake_engine,
    identity,
    running,
    settings,
    submitted,
    until_ply,
)
from tests.fakes.arena_server import FakeArena
from tests.fakes.waiting import eventually


@pytest.fixture
async def arena() -> AsyncIterator[FakeArena]:
    async with FakeArena.running() as arena:
        yield arena


async def until_recorded(daemon: Daemon, games: int) -> None:
    await eventually(lambda: len(daemon.records()) >= games or daemon.task.done())


async def test_a_game_from_the_challenge_to_the_record(arena: FakeArena, tmp_path: Path) -> None:
    async with running(settings(tmp_path, identity(arena))) as daemon:
        await arena.until_connected("Granite")
        challenge = await arena.offer("Ann", ("Granite", "Ann"))
        await arena.until("challenge.accept")
        game = arena.games[str(arena.challenges[challenge.challenge_id].game_id)]
        await until_ply(game, 1)
        await arena.play(game, "pass")
        await until_recorded(daemon, 1)
        assert await daemon.stop() == 0
    (record,) = daemon.records()
    assert [turn.turn for turn in record.turns] == ["3-0", "pass", "pass"]
    assert (record.turns[0].value, record.turns[0].visits) == (0.625, 100)
    assert record.players[0].engine is not None
    assert record.players[0].engine.name == "Fake 1"
    assert record.result is not None
    assert record.result.winner == 1
    async with open_journal(tmp_path / "journal.db") as journal:
        assert await journal.games("Granite") == {}


async def test_files_of_the_daemon_are_private(arena: FakeArena, tmp_path: Path) -> None:
    data = tmp_path / "data"
    game = await arena.begin("Granite", "Basalt")
    async with running(settings(data, identity(arena))) as daemon:
        await until_ply(game, 1)
        game.finish(1, "resignation")
        await arena.announce(game)
        await until_recorded(daemon, 1)
        written = {path.name: path.stat().st_mode & 0o777 for path in data.iterdir()}
    assert written.keys() >= {"journal.db", "journal.db-wal", "records.jsonl", "daemon.lock"}
    assert set(written.values()) == {0o600}
    assert data.stat().st_mode & 0o777 == 0o700


async def test_a_bad_network_costs_no_turn(arena: FakeArena, tmp_path: Path) -> None:
    arena.faults.duplicate = True
    arena.faults.lose_turns = 1
    arena.faults.lose_answers = 1
    game = await arena.begin("Granite", "Basalt")
    engines = {"fake": fake_engine("3-0", "-", "2-0,1-1", "-", "3-5,3-9")}
    async with running(settings(tmp_path, identity(arena), engines=engines)) as daemon:
        await until_ply(game, 1)
        await arena.cut()
        await arena.play(game, "3-2,3-7")
        await until_ply(game, 3)
        await arena.stop()
        game.play("2-2,2-4")
        await arena.start()
        await until_ply(game, 5)
        game.finish(2, "time_forfeit")
        await arena.announce(game)
        await until_recorded(daemon, 1)
    assert game.turns == ["3-0", "3-2,3-7", "2-0,1-1", "2-2,2-4", "3-5,3-9"]
    assert all(len(turns) == 1 for turns in submitted(arena).values())


@pytest.mark.parametrize(
    ("reply", "pondered"), [("3-7,3-2", "hit"), ("3-2,3-9", "miss")], ids=["hit", "miss"]
)
async def test_an_engine_thinks_on_the_opponents_time(
    arena: FakeArena, tmp_path: Path, reply: str, pondered: str
) -> None:
    game, log = await arena.begin("Granite", "Basalt"), tmp_path / "heard"
    table = fake_engine("3-0", "-", "2-0,1-1", mode="ponders")
    table["command"] += ["--expects", "3-2,3-7", "--log", str(log)]
    log.touch()
    engines = {"fake": {**table, "ponder": True, "sandbox": {"write": [log]}}}
    with capture_logs() as logs:
        async with running(settings(tmp_path / "data", identity(arena), engines=engines)):
            await until_ply(game, 1)
            await eventually(lambda: "go ponder" in log.read_text())
            await arena.play(game, reply)
            await until_ply(game, 3)
            await eventually(lambda: len([each for each in logs if each["event"] == "turn"]) == 2)
    turns = [each["pondered"] for each in logs if each["event"] == "turn"]
    assert turns == [None, pondered]
    assert game.turns == ["3-0", reply, "2-0,1-1"]
    assert "position startpos moves 3-0 3-2,3-7\nisready\ngo ponder movetime " in log.read_text()


async def test_an_arena_that_cannot_write_for_a_while_gets_the_same_turn_again(
    arena: FakeArena, tmp_path: Path
) -> None:
    later = wire.Refusal(code="unavailable", message="disk full", retry_after_ms=50)
    arena.faults.refuse_turn, arena.faults.refuse_turns = later, 3
    game = await arena.begin("Granite", "Basalt")
    async with running(settings(tmp_path, identity(arena))):
        await until_ply(game, 1)
    assert [asked["turn"] for asked in arena.asked("game.turn")] == ["3-0"] * 4
    assert arena.asked("game.watch") == []


async def test_a_game_that_ended_unseen_is_looked_up_and_recorded(
    arena: FakeArena, tmp_path: Path
) -> None:
    game = await arena.begin("Granite", "Basalt")
    async with running(settings(tmp_path, identity(arena))) as daemon:
        await until_ply(game, 1)
        await arena.stop()
        game.finish(1, "abandonment")
        await arena.start()
        await until_recorded(daemon, 1)
    (record,) = daemon.records()
    assert record.result is not None
    assert record.result.reason == "abandonment"


async def test_a_wrong_token_ends_the_daemon_with_77(arena: FakeArena, tmp_path: Path) -> None:
    async with running(settings(tmp_path, identity(arena, token_env="WRONG"))) as daemon:
        assert await daemon.task == 77


async def test_one_refused_identity_leaves_the_other_playing(
    arena: FakeArena, tmp_path: Path
) -> None:
    wrong = identity(arena, "Wrong")
    game = await arena.begin("Basalt", "Granite")
    async with running(settings(tmp_path, wrong, identity(arena))) as daemon:
        await arena.until_connected("Granite")
        await arena.play(game, "3-2")
        await until_ply(game, 2)
        game.finish(1, "resignation")
        await arena.announce(game)
        assert await daemon.stop() == 0


async def test_two_identities_seek_and_play_each_other(arena: FakeArena, tmp_path: Path) -> None:
    seek = {"opponent": "Basalt", "games": 3, "board": "pent-4", "clock": "30+1"}
    both = identity(arena, seek=seek), identity(arena, "Basalt")
    async with running(settings(tmp_path, *both)) as daemon:
        await until_recorded(daemon, 3)
        assert await daemon.stop() == 0
    records = daemon.records()
    assert len({record.id for record in records}) == len(records) == 3
    assert [record.players[0].name for record in records] == ["Granite", "Basalt", "Granite"]
    assert len(arena.asked("challenge.create")) == 3


async def test_identities_of_one_engine_play_with_options_of_their_own(
    arena: FakeArena, tmp_path: Path
) -> None:
    strong = identity(arena, level=7, options={"LEVEL": "very strong", "Seed": 5})
    plain = identity(arena, "Basalt", seek={"opponent": "Granite", "games": 1, "clock": "30+1"})
    async with running(settings(tmp_path, strong, plain)) as daemon:
        await until_recorded(daemon, 1)
        assert await daemon.stop() == 0
    (record,) = daemon.records()
    # Each tells its own options, whichever of the two has written this record.
    (own,) = [each for each in record.players if each.engine and each.engine.name == "Fake 1"]
    wanted = {"Granite": {"LEVEL": "very strong", "Seed": "5"}, "Basalt": {}}
    assert own.engine is not None
    assert own.engine.options == wanted[own.name]
    said = {name: (each.engine, each.level) for name, each in arena.credentials.items()}
    assert said == {"Granite": ("fake, level 7", 7), "Basalt": ("fake", None)}


async def test_draining_declines_challenges_and_finishes_the_game(
    arena: FakeArena, tmp_path: Path
) -> None:
    game = await arena.begin("Granite", "Basalt")
    async with running(settings(tmp_path, identity(arena))) as daemon:
        await until_ply(game, 1)
        daemon.stopping.set()
        await asyncio.sleep(0)
        await arena.offer("Ann", ("Ann", "Granite"))
        declined = await arena.until("challenge.decline")
        assert declined["code"] == "draining"
        assert not daemon.task.done()
        await arena.play(game, "pass")
        assert await daemon.task == 0
    assert len(daemon.records()) == 1


async def test_draining_is_bounded_and_leaves_the_game_in_the_journal(
    arena: FakeArena, tmp_path: Path
) -> None:
    game = await arena.begin("Granite", "Basalt")
    chosen = settings(tmp_path, identity(arena), daemon={"data": tmp_path, "drain_s": 0.05})
    async with running(chosen) as daemon:
        await until_ply(game, 1)
        assert await daemon.stop() == 0
    async with open_journal(tmp_path / "journal.db") as journal:
        assert (await journal.games("Granite")).keys() == {game.game_id}


async def test_games_by_correspondence_do_not_hold_up_the_end(
    arena: FakeArena, tmp_path: Path
) -> None:
    days = wire.GameSetup(board="pent-4", clock=parse_time_control("3d+1d:7d"))
    game = await arena.begin("Granite", "Basalt", days)
    async with running(settings(tmp_path, identity(arena))) as daemon:
        await until_ply(game, 1)
        assert await daemon.stop() == 0


async def test_an_engine_that_does_not_start_is_replaced_by_the_fallback(
    arena: FakeArena, tmp_path: Path
) -> None:
    # The pool waits for its engine for half of the time there is.
    hurried = wire.GameSetup(board="pent-4", clock=PerTurn(turn_s=1))
    game = await arena.begin("Granite", "Basalt", hurried)
    engines = {"fake": fake_engine(mode="no-start")}
    async with running(settings(tmp_path, identity(arena), engines=engines)):
        await until_ply(game, 1)
    assert arena.asked("game.turn")[0]["info"]["source"] == "fallback"


async def test_a_second_daemon_on_the_same_folder_does_not_start(
    arena: FakeArena, tmp_path: Path
) -> None:
    async with running(settings(tmp_path, identity(arena))) as first:
        await arena.until_connected("Granite")
        async with running(settings(tmp_path, identity(arena))) as second:
            with pytest.raises(HostError, match="another daemon"):
                await second.task
        assert not first.task.done()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"token_env": "NOT_SET"}, "no environment variable of that name"),
        ({"engine": "other"}, r"no \[engines.other\]"),
    ],
)
async def test_missing_programs_and_tokens_are_reported_before_anything_starts(
    arena: FakeArena, tmp_path: Path, change: dict[str, str], complaint: str
) -> None:
    async with running(settings(tmp_path, identity(arena, **change))) as daemon:
        with pytest.raises(ConfigurationError, match=complaint):
            await daemon.task


async def test_settings_without_a_platform_are_refused(tmp_path: Path) -> None:
    chosen = Settings.model_validate({"daemon": {"data": tmp_path}})
    async with running(chosen) as daemon:
        with pytest.raises(ConfigurationError, match="platforms"):
            await daemon.task
