"""The dialogue with a person who plays in the terminal."""

import re
import time
from collections.abc import Callable
from itertools import islice
from typing import Final

from rich.console import Console

import engine
from bot.records.model import RecordedResult, early_end_words, own_losses
from bot.terminal.board import legend, symbols_for
from bot.terminal.game import TerminalGame
from bot.terminal.opponent import EngineTurn, Opponent
from bot.terminal.replay import print_board
from bot.terminal.report import describe_game, describe_value, scores_lines
from engine import warming

NEEDS_SECOND_STONE = "two-stones"
"""The rule that a turn of one stone breaks although its stone is legal."""
ONLY_ONE_STONE = "one-stone"
"""The rule that the second stone of a turn breaks which must be a single stone."""


def turn_text(typed: str) -> str:
    """Return a turn as the rules write it: `5-3 2-1`, `5-3, 2-1` and `5-3,2-1` are the same."""
    return ",".join(part for part in re.split(r"[,\s]+", typed.lower()) if part)


def is_turn(text: str) -> bool:
    """Return whether the text looks like a turn, legal or not: cells have digits, words do not."""
    return text == "pass" or any(character.isdigit() for character in text)


def why_not_first(position: engine.Position, step: str) -> engine.IllegalTurn | None:
    """Return the rule that this first stone breaks; None if a turn may start with it."""
    try:
        position.play(step)
    except engine.IllegalTurn as error:
        return None if error.rule == NEEDS_SECOND_STONE else error
    return None


def why_no_second(choices: engine.Choices) -> str:
    """Say that no stone may follow the first one, with the reason if the turn is one stone."""
    reasons = (why.reason for why in choices.illegal.values() if why.rule == ONLY_ONE_STONE)
    return ", ".join(("none", *islice(reasons, 1)))


def ensure_kernels(console: Console, game: str | None = None) -> bool:
    """Compile the engine for this game, or for all games. Return False if everything was cached."""
    wanted = warming.all_parts() if game is None else warming.parts_of(game)
    if not warming.missing(wanted):
        return False
    began = time.monotonic()
    with console.status("compiling the engine, once") as status:

        def progress(label: str) -> None:
            if console.is_terminal:
                status.update(f"compiling the engine, once: {label}")
            else:
                console.print(f"compiling the engine, once: {label}")

        warming.warm(progress, wanted, apart=True)
    console.print(f"compiled the engine in {time.monotonic() - began:.1f} s")
    return True


Ask = Callable[[str], str]
"""Shows a prompt and returns a line. Raises EOFError at the end of the input."""

ONE_STONE: Final = (
    ("{turn}", "play this stone"),
    ("moves", "list the legal stones"),
)
TWO_STONES: Final = (
    ("{turn}", "play these stones (blanks work as well as the comma)"),
    ("{stone}", "play the first stone; you are asked for the second one"),
    ("moves", "list the legal first stones; `moves {stone}` lists the second stones after it"),
)
PASSES: Final = (
    ("pass", "play no stone, where the rules allow it; two passes in a row end the game"),
)
COMMANDS: Final = (
    ("hint", "show the turn that the engine would play"),
    ("undo", "take back your last turn and the engine's reply"),
    ("board", "draw the board again and explain the marks"),
    ("resign", "resign the game"),
    ("quit", "leave the game without a result"),
)
TWO_KINDS: Final = ("1 or 2", "before a cell: which of your two kinds of stones to place")


def example_turn(game: engine.Game) -> str:
    """Return a second turn, which has two stones in all games whose later turns have two."""
    return engine.play_out(game).turns[1]


def greeting(game: engine.Game) -> str:
    """Return the first line of the dialogue."""
    return f"{describe_game(game)}; type `help` for the commands"


def help_text(game: engine.Game) -> str:
    """Return the commands, with a turn of the game as an example."""
    turn = example_turn(game)
    commands = [
        *(TWO_STONES if "," in turn else ONE_STONE),
        *(PASSES if game.start().choices().may_pass else ()),
        *COMMANDS,
        *((TWO_KINDS,) if game.kinds > 1 else ()),
    ]
    example = {"turn": turn, "stone": turn.split(",")[0]}
    width = max(len(turn), len("resign")) + 2
    return "\n".join(
        typed.format(**example).ljust(width) + what.format(**example) for typed, what in commands
    )


class Conversation:
    """Turns and commands, until the game ends or the person leaves."""

    def __init__(self, game: TerminalGame, opponent: Opponent, console: Console, ask: Ask) -> None:
        self._game = game
        self._opponent = opponent
        self._console = console
        self._ask = ask
        self._result: RecordedResult | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            "help": self._help,
            "?": self._help,
            "moves": self._moves,
            "hint": self._hint,
            "undo": self._undo,
            "board": self._explained_board,
            "resign": self._resign,
            "quit": self._quit,
        }

    def run(self) -> RecordedResult:
        """Play until the game ends or the person leaves; returns the result."""
        self._console.print(greeting(self._game.position.game), style="dim")
        self._explained_board("")
        while self._result is None:
            if self._game.position.has_ended:
                self._result = self._played_out()
            elif self._game.persons_turn:
                self._persons_turn()
            else:
                self._engines_turn()
        self._console.print(self._result.message, style="bold")
        return self._result

    # ---- the two sides ---------------------------------------------------------------------

    def _engines_turn(self) -> None:
        chosen = self._thinking()
        before, name = self._game.position, self._opponent.settings.name
        self._game.play_engine(chosen)
        self._draw("")
        self._console.print(f"{name} plays {chosen.turn}", style="bold")
        self._show_captures(before, f"{name} captures", f"{name} loses")
        self._show_thoughts(chosen, self._game.engine_seat)

    def _thinking(self) -> EngineTurn:
        with self._console.status(f"{self._opponent.settings.name} is thinking"):
            chosen = self._opponent.choose(self._game.position)
        if chosen.failure is not None:
            self._console.print(f"the engine failed: {chosen.failure}", style="red")
        return chosen

    def _persons_turn(self) -> None:
        began = time.monotonic()
        try:
            typed = self._ask(f"turn {self._game.position.turn_number}, your move> ").strip()
            turn = self._obey(typed)
        except EOFError:
            self._quit("")
            return
        if turn is not None:
            self._play(turn, round((time.monotonic() - began) * 1000))

    def _obey(self, typed: str) -> str | None:
        """Run a command, or return a turn."""
        word, _, rest = typed.partition(" ")
        if word.lower() in self._commands:
            self._commands[word.lower()](rest)
            return None
        text = turn_text(typed)
        if not text:
            return None
        if not is_turn(text):
            self._console.print(f"{typed!r} is neither a turn nor a command; try `help`")
            return None
        return text if "," in text or text == "pass" else self._with_second(text)

    def _with_second(self, first: str) -> str | None:
        """Ask for the second stone; returns the whole turn, or None if the person takes it back."""
        position = self._game.position
        if (error := why_not_first(position, first)) is not None:
            self._explain(error)
            return None
        choices = position.choices((first,))
        if not choices.legal:
            return first
        empty = "Enter for none" if choices.complete else "Enter to take back"
        second = turn_text(self._ask(f"second stone ({empty})> "))
        if second:
            return f"{first},{second}"
        return first if choices.complete else None

    def _play(self, turn: str, time_ms: int) -> None:
        before = self._game.position
        try:
            self._game.play(turn, time_ms)
        except engine.IllegalTurn as error:
            self._explain(error)
            return
        self._show_captures(before, "you capture", "you lose")

    def _show_captures(self, before: engine.Position, captures: str, loses: str) -> None:
        """Print which stones the last turn captured, and which of its own it lost."""
        after = self._game.position
        lost = own_losses(before, after)
        taken = [cell for cell in after.captured if cell not in lost]
        for words, cells in ((captures, taken), (loses, lost)):
            if cells:
                self._console.print(f"{words} {' '.join(cells)}")

    def _played_out(self) -> RecordedResult:
        position = self._game.position
        winner = position.final_winner
        if winner is None:
            return RecordedResult(winner=None, reason="played_out", message="The game is a draw.")
        message = "You win." if winner == self._game.person_seat else "The engine wins."
        why = early_end_words(position, self._game.names)
        message = " ".join(filter(None, (message, why)))
        seat = (
            self._game.person_seat if winner == self._game.person_seat else self._game.engine_seat
        )
        return RecordedResult(winner=seat, reason="played_out", message=message)

    # ---- commands --------------------------------------------------------------------------

    def _help(self, _: str) -> None:
        self._console.print(help_text(self._game.position.game))

    def _draw(self, _: str) -> None:
        print_board(self._console, self._game.position)
        self._console.print(scores_lines(self._game.position, self._game.names))

    def _explained_board(self, _: str) -> None:
        position = self._game.position
        self._draw("")
        self._console.print(legend(position, symbols_for(self._console.encoding)), soft_wrap=True)

    def _moves(self, rest: str) -> None:
        position, first = self._game.position, turn_text(rest)
        if not first:
            which = "first" if "," in example_turn(position.game) else "legal"
            self._console.print(f"{which} stones: {' '.join(position.choices().legal) or 'none'}")
        elif (error := why_not_first(position, first)) is not None:
            self._explain(error)
        else:
            choices = position.choices((first,))
            seconds = " ".join(choices.legal) or why_no_second(choices)
            self._console.print(f"second stones after {first}: {seconds}")

    def _hint(self, _: str) -> None:
        chosen = self._thinking()
        self._console.print(f"the engine would play {chosen.turn}")
        self._show_thoughts(chosen, self._game.person_seat)

    def _undo(self, _: str) -> None:
        if self._game.undo():
            self._draw("")
        else:
            self._console.print("there is nothing to take back")

    def _resign(self, _: str) -> None:
        self._result = RecordedResult(
            winner=self._game.engine_seat, reason="resignation", message="You resigned."
        )

    def _quit(self, _: str) -> None:
        self._result = RecordedResult(
            winner=None, reason="aborted", message="The game was left unfinished."
        )

    # ---- words -----------------------------------------------------------------------------

    def _explain(self, error: engine.IllegalTurn) -> None:
        self._console.print(f"not legal: {error.reason} ({error.rule})", style="red")

    def _show_thoughts(self, chosen: EngineTurn, seat: int) -> None:
        if words := describe_value(chosen.value, chosen.visits, seat):
            self._console.print(words)
        if len(chosen.pv) > 1:
            self._console.print(f"it expects {' '.join(chosen.pv[1:7])}", style="dim")
