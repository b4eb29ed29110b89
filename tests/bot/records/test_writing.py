"""Records as they are built from games."""

import engine
from bot import __version__
from bot.records.model import RecordedPlayer, RecordedResult, RecordedTurn
from bot.records.verify import verify
from bot.records.writing import game_record, setup_of
from bot.time_controls import Untimed
from tests.fakes.time import EPOCH

PLAYERS = RecordedPlayer(name="Ann", kind="person"), RecordedPlayer(name="Granite", kind="bot")


def test_a_game_with_options_replays_from_its_record() -> None:
    position = engine.play_out(engine.game("blooms", board="hexhex-4", captures=9), seed=2)
    turns, at = [], position.game.start()
    for turn in position.turns:
        at = at.play(turn)
        turns.append(RecordedTurn(turn=turn, captured=list(at.captured)))
    result = RecordedResult(winner=position.winner, reason="played_out")
    setup = setup_of(position.game, Untimed())
    record = game_record(
        "g1", "terminal", setup, PLAYERS, turns, result, last=position, began=EPOCH, ended=EPOCH
    )
    assert verify(record) == []
    assert record.options == {"captures": "9"}
    assert record.software == f"bluestone {__version__}"


def test_a_game_that_our_rules_cannot_follow_has_no_scores() -> None:
    setup = setup_of(engine.game("bluestone", board="pent-3"), Untimed())
    turns = [RecordedTurn(turn="nowhere")]
    record = game_record(
        "g1", "arena", setup, PLAYERS, turns, None, last=None, began=EPOCH, ended=None
    )
    assert (record.scores, record.result) == (None, None)
