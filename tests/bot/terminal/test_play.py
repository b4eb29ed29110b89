"""A person's game in the terminal, typed by a script against an opponent that plays by a list."""

import io
from collections.abc import Iterator

import pytest
from rich.console import Console

import engine
from bot.records.model import EngineSettings, GameRecord, RecordedResult
from bot.records.writing import verify
from bot.terminal.game import TerminalGame
from bot.terminal.opponent import EngineTurn
from bot.terminal.play import Conversation, help_text, is_turn, turn_text, why_not_first
from tests.fakes.early_end import DECIDED, TURNS
from tests.fakes.time import EPOCH

FREEGO = ("freego", "square-5")
SECOND = engine.game("bluestone", board="pent-3").replay(["0-0"])


@pytest.mark.parametrize("typed", ["1-3,2-1", "1-3 2-1", " 1-3 , 2-1 ", "1-3,  2-1", "1-3,,2-1"])
def test_comma_and_blank_do_the_same(typed: str) -> None:
    assert turn_text(typed) == "1-3,2-1"


def test_capitals_do_not_matter() -> None:
    assert turn_text("A1 B2") == "a1,b2"
    assert turn_text("PASS") == "pass"


def test_words_are_distinguished_from_turns() -> None:
    assert is_turn("1-3,9-9")
    assert is_turn("pass")
    assert not is_turn("resing")


def test_a_first_stone_is_fine_though_a_second_is_missing() -> None:
    assert all(why_not_first(SECOND, step) is None for step in SECOND.choices().legal)
    occupied = why_not_first(SECOND, "0-0")
    assert occupied is not None
    assert occupied.rule == "occupied"


class ScriptedOpponent:
    """Plays the given turns; then the first legal ones."""

    settings = EngineSettings(name="Script", author="the tests")

    def __init__(self, *turns: str, failure: str | None = None) -> None:
        self._turns = iter(turns)
        self._failure = failure

    def choose(self, position: engine.Position) -> EngineTurn:
        turn = next(self._turns, None) or next(position.legal_turns())
        return EngineTurn(turn, 12, 0.25, 4000, (turn, "2-7,1-1"), failure=self._failure)


class Table:
    """A conversation with its printed text."""

    def __init__(
        self,
        *typed: str,
        board: str = "pent-3",
        rules: str = "official",
        game: str = "bluestone",
        seat: int = 1,
        opponent: ScriptedOpponent | None = None,
    ) -> None:
        self._lines: Iterator[str] = iter(typed)
        self.prompts: list[str] = []
        opponent = opponent or ScriptedOpponent()
        start = engine.game(game, board=board, rules=rules).start()
        own: tuple[int, int] = (seat, 3 - seat)
        self.game = TerminalGame(start, own[0], "Ada", opponent.settings, EPOCH)  # type: ignore[arg-type]
        out = io.StringIO()
        console = Console(file=out, width=100, highlight=False, markup=False)
        self.result = Conversation(self.game, opponent, console, self._ask).run()
        self.text = out.getvalue()

    def _ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        try:
            return next(self._lines)
        except StopIteration:
            raise EOFError from None

    @property
    def turns(self) -> tuple[str, ...]:
        return self.game.position.turns

    @property
    def record(self) -> GameRecord:
        return self.game.record("g", self.result, EPOCH)


def test_turns_alternate_and_the_engine_prints_its_evaluation() -> None:
    table = Table("0-0", "1-1 2-5", opponent=ScriptedOpponent("2-0,2-3", "2-1,2-8"))
    assert table.turns == ("0-0", "2-0,2-3", "1-1,2-5", "2-1,2-8")
    assert "Script plays 2-0,2-3" in table.text
    assert "player 2 wins 25.0% (4000 visits)" in table.text


def test_the_engine_plays_first_if_the_person_has_seat_2() -> None:
    table = Table("1-1,2-5", seat=2, opponent=ScriptedOpponent("0-0", "2-0,2-3"))
    assert table.turns == ("0-0", "1-1,2-5", "2-0,2-3")


def test_a_single_cell_is_asked_to_be_completed() -> None:
    table = Table("0-0", "1-1", "2-5", opponent=ScriptedOpponent("2-0,2-3", "2-1,2-8"))
    assert table.turns[2] == "1-1,2-5"
    assert "second stone (Enter to take back)> " in table.prompts


def test_a_first_stone_can_be_taken_back() -> None:
    table = Table("0-0", "1-1", "", "1-2,2-7", opponent=ScriptedOpponent("2-0,2-3", "2-1,2-8"))
    assert table.turns[2] == "1-2,2-7"


def test_one_stone_may_stand_alone_where_the_rules_allow_it() -> None:
    table = Table("0-0", "1-1", "", rules="abstractplay", opponent=ScriptedOpponent("2-0,2-3"))
    assert table.turns[2] == "1-1"
    assert "second stone (Enter for none)> " in table.prompts


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("2-0", "not legal: 2-0 is not empty (occupied)"),
        ("1-1,1-2", "not legal:"),
        ("9-9,1-1", "not legal: there is no cell '9-9' on pent-3 (unknown-cell)"),
        ("resing", "'resing' is neither a turn nor a command; try `help`"),
        ("moves 0-0", "not legal: 0-0 is not empty (occupied)"),
    ],
)
def test_an_illegal_turn_is_explained_and_changes_nothing(typed: str, why: str) -> None:
    table = Table("0-0", typed, opponent=ScriptedOpponent("2-0,2-3"))
    assert table.turns == ("0-0", "2-0,2-3")
    assert why in table.text


def test_legal_cells_are_listed() -> None:
    table = Table("moves", "moves 0-0", "0-0", "moves 1-1", opponent=ScriptedOpponent("2-0,2-3"))
    assert "first stones: 0-0 1-0 1-1" in table.text
    assert "second stones after 0-0: none" in table.text
    assert "second stones after 1-1: 2-4 2-5" in table.text


def test_undo_removes_the_own_turn_and_the_reply() -> None:
    table = Table("undo", "0-0", "undo", "1-1", opponent=ScriptedOpponent("2-0,2-3", "2-0,2-4"))
    assert "there is nothing to take back" in table.text
    assert table.turns == ("1-1", "2-0,2-4")
    assert [turn.turn for turn in table.record.turns] == ["1-1", "2-0,2-4"]


def test_help_and_hint_cost_no_turn() -> None:
    table = Table("help", "?", "hint", "board", "", opponent=ScriptedOpponent("2-2"))
    assert table.turns == ()
    assert "the engine would play 2-2" in table.text
    assert "player 1 wins 25.0%" in table.text


def test_help_shows_a_turn_of_the_game() -> None:
    for game, board in (("bluestone", "pent-3"), ("blooms", "hexhex-4"), ("stargazers", None)):
        text = help_text(engine.game(game, board))
        example = text.split()[0]
        assert engine.play_out(engine.game(game, board)).turns[1] == example
        assert ("which of your two kinds" in text) == (game == "blooms")


def test_help_follows_the_game() -> None:
    two, one = (help_text(engine.game(*each)) for each in (("bluestone", "pent-3"), FREEGO))
    assert "second one" in two
    assert "two passes in a row end the game" in two
    assert "second" not in one
    assert "pass" not in one
    assert "play this stone" in one
    assert "pass" not in help_text(engine.game("blooms", "hexhex-4"))


def test_where_a_turn_is_one_stone_no_second_one_is_listed() -> None:
    table = Table("moves", "moves c2", game="freego", board="square-5")
    assert "legal stones: a5 b5" in table.text
    assert "second stones after c2: none, a turn is one stone\n" in table.text


def test_blooms_asks_for_the_second_colour() -> None:
    opponent = ScriptedOpponent("1g1,2g2")
    table = Table(
        "a1", "1a1", "1d4", "2d3", "moves 1d4", game="blooms", board="hexhex-4", opponent=opponent
    )
    assert "not legal: " in table.text
    assert table.turns[:3] == ("1a1", "1g1,2g2", "1d4,2d3")
    assert "second stone (Enter for none)> " in table.prompts
    assert "blooms on hexhex-4, official rules, captures 20" in table.text
    assert "player 2 Script: captured 0" in table.text


def test_stargazers_shows_stars_and_explains_that_they_are_not_cells() -> None:
    table = Table("l1", "i2", game="stargazers", board="stars-39")
    assert "(star)" in table.text
    assert "✶ star" in table.text
    assert table.turns[0] == "i2"


def test_resigning_gives_the_engine_the_win() -> None:
    table = Table("0-0", "resign", opponent=ScriptedOpponent("2-0,2-3"))
    assert table.result == RecordedResult(winner=2, reason="resignation", message="You resigned.")
    assert verify(table.record) == []


def test_a_game_that_was_left_does_not_count() -> None:
    for typed in (("0-0", "quit"), ("0-0",)):
        table = Table(*typed, opponent=ScriptedOpponent("2-0,2-3"))
        assert (table.result.winner, table.result.reason) == (None, "aborted")


def test_two_passes_end_the_game_and_the_board_decides() -> None:
    table = Table("2-0", "pass", opponent=ScriptedOpponent("pass"))
    assert (table.result.winner, table.result.reason) == (1, "played_out")
    assert table.text.endswith("You win.\n")
    assert verify(table.record) == []


def test_the_engine_can_win() -> None:
    table = Table("0-0", "pass", opponent=ScriptedOpponent("2-0,2-5", "pass"))
    assert table.result.winner == 2
    assert table.text.endswith("The engine wins.\n")


def test_a_draw_is_one() -> None:
    table = Table("pass", opponent=ScriptedOpponent("pass"))
    assert (table.result.winner, table.result.reason) == (None, "played_out")
    assert table.text.endswith("The game is a draw.\n")


def test_a_failing_engine_is_reported_and_the_game_continues() -> None:
    table = Table("0-0", opponent=ScriptedOpponent("2-0,2-3", failure="its process ended"))
    assert "the engine failed: its process ended" in table.text
    assert table.turns == ("0-0", "2-0,2-3")


def test_captures_are_printed_and_the_record_replays() -> None:
    turns = ("1-3", "2-6,1-4", "2-5,2-0", "2-4,0-0", "2-7,2-2")
    table = Table(*turns[::2], opponent=ScriptedOpponent(*turns[1::2], "pass"))
    assert "you capture 2-6" in table.text
    record = table.record
    assert [turn.source for turn in record.turns[:2]] == ["person", "engine"]
    assert (record.turns[1].value, record.turns[1].visits) == (0.25, 4000)
    assert record.players[1].engine == ScriptedOpponent.settings
    assert verify(record) == []


SUICIDE = ("a1", "a3", "e5", "b1", "e4", "b2", "a2")
"""In Free Go. The last turn takes the last liberty of the player's own chain."""


def test_own_stones_are_lost_not_captured() -> None:
    opponent = ScriptedOpponent(*SUICIDE[1::2])
    table = Table(*SUICIDE[::2], game="freego", board="square-5", opponent=opponent)
    assert "you lose a2 a1" in table.text
    assert "you capture" not in table.text
    opponent = ScriptedOpponent(*SUICIDE[::2])
    table = Table(*SUICIDE[1::2], seat=2, game="freego", board="square-5", opponent=opponent)
    assert "Script loses a2 a1" in table.text
    assert "Script captures" not in table.text


def test_what_the_engine_captures_is_printed() -> None:
    turns = ("a1", "b1", "e5", "a2")
    opponent = ScriptedOpponent(*turns[1::2])
    table = Table(*turns[::2], game="freego", board="square-5", opponent=opponent)
    assert "Script captures a1" in table.text


def test_stargazers_shows_the_final_scores_to_expect_and_ends_when_they_decide() -> None:
    table = Table(
        *TURNS[:DECIDED:2],
        game="stargazers",
        board="stars-39",
        opponent=ScriptedOpponent(*TURNS[1:DECIDED:2]),
    )
    assert len(table.turns) == DECIDED
    assert "player 1 Ada: uninspired 3, in the end 3 to 19" in table.text
    assert "The engine wins. The game ends early, because the winner is certain" in table.text
    assert "Ada keeps at least 3, and Script gets at most 2." in table.result.message
    assert verify(table.record) == []
