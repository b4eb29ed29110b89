"""The data with which the script of the page replays a game."""

import engine
from bot.matches.report.chronicle import Chronicle
from bot.matches.report.games import LETTERS, NOTHING, REMOVED, base_36, replay, turn_item
from bot.records.model import RecordedTurn
from tests.bot.records.samples import record_of

PLACED = {letter: stone for stone, letter in LETTERS.items()}


def follow(board: engine.Board, stones: dict[str, tuple[int, int]], change: str) -> None:
    """Apply the changes of a turn, as the script of the page does."""
    for one in [] if change == NOTHING else change.split("."):
        cell = board.cells[int(one[1:], 36)]
        if one[0] == REMOVED:
            del stones[cell]
        else:
            stones[cell] = PLACED[one[0]]


def test_changes_lead_to_every_position(story: Chronicle) -> None:
    for game in (1, 5, 7):
        record = story.record(game)
        assert record is not None
        made = replay(record)
        assert made is not None
        assert made.problem is None
        position, stones = made.last.game.start(), dict[str, tuple[int, int]]()
        for turn, change in zip(record.turns, made.changes.split(" "), strict=True):
            position = position.play(turn.turn)
            follow(position.game.board, stones, change)
            assert stones == position.stones


def test_own_stones_that_a_turn_costs_are_no_capture() -> None:
    turns = ("a1", "a3", "e5", "b1", "e4", "b2", "a2", "d5")
    record = record_of(engine.game("freego", "square-5").replay(turns))
    made = replay(record)
    assert made is not None
    assert made.losses == {6}
    assert "loses 2" in turn_item(record.turns[6], loses=True)
    assert "×2" in turn_item(record.turns[6], loses=False)


def test_a_damaged_record_is_replayed_up_to_the_damage(story: Chronicle) -> None:
    record = story.record(1)
    assert record is not None
    turns = [*record.turns[:5], RecordedTurn(turn="z99"), *record.turns[6:]]
    made = replay(record.model_copy(update={"turns": turns}))
    assert made is not None
    assert len(made.last.turns) == 5
    assert made.problem is not None
    assert "turn 6" in made.problem


def test_an_unknown_game_has_no_replay(story: Chronicle) -> None:
    record = story.record(1)
    assert record is not None
    assert replay(record.model_copy(update={"game": "three-stones"})) is None


def test_cells_are_numbered_in_base_36() -> None:
    assert [int(base_36(number), 36) for number in range(2000)] == list(range(2000))
