"""What the bot writes down of a finished game."""

from dataclasses import replace
from pathlib import Path

from bot.daemon.journal import Chosen
from bot.daemon.record_book import RecordBook, record_of
from bot.platforms.base import GameFacts, GameOutcome, TurnInfo, TurnPlayed
from bot.records.jsonl import read_records
from bot.records.model import EngineSettings, GameRecord
from tests.fakes.platform import facts
from tests.fakes.time import EPOCH

ENGINE = EngineSettings(name="Fake", options={"Threads": "1"})
OWN = TurnInfo(value=0.7, visits=9, pv=("3-0",), source="engine")


def record(game: GameFacts, own_turns: dict[int, Chosen]) -> GameRecord:
    over = replace(game, outcome=GameOutcome(1, "resignation", "Ann resigned."))
    return record_of(over, "arena", own_turns, ENGINE, EPOCH)


def test_our_turns_have_our_engines_evaluation() -> None:
    written = record(facts("3-0", "2-0,1-1"), {0: Chosen("3-0", OWN)})
    assert (written.turns[0].value, written.turns[0].visits) == (0.7, 9)
    assert written.turns[1].value is None
    assert [player.engine for player in written.players] == [ENGINE, None]
    assert written.scores is not None
    assert written.ended_at == EPOCH


def test_the_opponents_turns_have_the_evaluation_from_the_server() -> None:
    game = facts("3-0")
    theirs = TurnPlayed("2-0,1-1", info=TurnInfo(value=0.4, source="engine"))
    written = record(replace(game, turns=(*game.turns, theirs)), {})
    assert (written.turns[1].value, written.turns[1].source) == (0.4, "engine")


def test_a_turn_that_is_not_the_one_we_chose_does_not_get_our_value() -> None:
    written = record(facts("3-0"), {0: Chosen("2-0", OWN)})
    assert (written.turns[0].turn, written.turns[0].value) == ("3-0", None)


def test_turns_that_our_rules_refuse_are_recorded_too() -> None:
    written = record(facts("3-0", "9-9"), {})
    assert [turn.turn for turn in written.turns] == ["3-0", "9-9"]
    assert written.scores is None


async def test_a_game_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    book = RecordBook(path)
    written = record(facts("3-0"), {})
    assert not await book.has("arena", "g1", 0)
    await book.add(written)
    await book.add(written)
    assert list(read_records(path)) == [written]
    assert await RecordBook(path).has("arena", "g1", 0)
    assert not await RecordBook(path).has("arena", "g2", 0)


async def test_only_records_since_the_start_of_the_game_are_read(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    book = RecordBook(path)
    await book.add(record(facts("3-0"), {}))
    since = book.size
    assert not await book.has("arena", "g1", since)
    await book.add(record(facts("3-0", game_id="g2"), {}))
    assert await book.has("arena", "g2", since)
    since = book.size
    path.unlink()
    await RecordBook(path).add(record(facts("3-0"), {}))
    assert await book.has("arena", "g1", since), "a file that was replaced is read whole"
