"""The bot's records beside the platform's games."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.guests.abstract_play.rehearsal.evidence import checks
from bot.guests.abstract_play.rehearsal.game import ClockTerms
from bot.guests.abstract_play.rehearsal.site import HostedGame
from bot.guests.abstract_play.rehearsal.stand_in import World
from bot.records.jsonl import append_record
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult, RecordedTurn
from bot.time_controls import Untimed
from tests.bot.guests.abstract_play.rehearsal.patient_bot import CREDENTIALS, START, scenario

BOT = CREDENTIALS.client_id
WHEN = datetime(2026, 8, 20, tzinfo=UTC)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "records.jsonl"


@pytest.fixture
def world() -> World:
    return World(scenario(), lambda _call, _now: None)


def resigned(world: World, *turns: str) -> HostedGame:
    """A game that the bot begins and loses after the turns."""
    players = (BOT, "person-001")
    game = world.site.begin("bluestone", (), players, ClockTerms(48, 12, 96), START)
    for number, turn in enumerate(turns):
        world.site.move(players[number % 2], game.terms.game_id, "bluestone", turn, START)
    world.site.end(game, "resign", 0, START)
    return game


def record(game: HostedGame, turns: Sequence[str], winner: int = 2) -> GameRecord:
    player = RecordedPlayer(name="somebody", kind="bot")
    return GameRecord(
        id=game.terms.game_id,
        platform="abstract-play",
        game="bluestone",
        board="pent-6",
        rules="abstractplay",
        clock=Untimed(),
        players=(player, player),
        turns=[RecordedTurn(turn=turn) for turn in turns],
        result=RecordedResult(winner=1 if winner == 1 else 2, reason="resignation"),
        started_at=WHEN,
        software="test",
    )


def found(world: World, file: Path, wanted: int = 1) -> set[str]:
    return {check.name for check in checks(world, BOT, wanted, file) if check.found}


def test_a_true_record_is_fine_with_its_stones_in_either_order(world: World, file: Path) -> None:
    game = resigned(world, "5-3", "0-0,5-9")
    append_record(file, record(game, ["5-3", "5-9,0-0"]))
    assert found(world, file) == set()


def test_a_game_without_a_record_is_missed(world: World, file: Path) -> None:
    resigned(world, "5-3", "0-0")
    assert found(world, file) == {"games without a record"}


def test_a_game_in_which_the_bot_never_moved_need_not_be_known(world: World, file: Path) -> None:
    resigned(world)
    assert found(world, file) == set()


def test_a_record_written_twice_or_of_other_turns_or_of_another_winner(
    world: World, file: Path
) -> None:
    game = resigned(world, "5-3", "0-0")
    append_record(file, record(game, ["5-3"]))
    append_record(file, record(game, ["5-3", "0-0"], winner=1))
    assert found(world, file) == {"games recorded twice", "records that tell another game"}


def test_running_and_missing_games_are_not_finished(world: World, file: Path) -> None:
    clock = ClockTerms(48, 12, 96)
    world.site.begin("bluestone", (), (BOT, "person-001"), clock, START)
    assert found(world, file) == {"games not finished"}
