"""Six, the line protocol of HeXO engines: our engine as a program for its hosts.

The search, its thread and its options are those of `engine.ugi.dialogue`; the words differ. Cells
are pairs of numbers, and a position is a list of them, or two sets.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import engine
from bot.guests.hexo.stones import MOST_STONES, Cell, TooHard, Unreachable, in_order, turns_of
from engine.contract import Choice, Info, Limits
from engine.ugi.dialogue import HostDialogue
from engine.ugi.text import (
    CommandRefused,
    find_option,
    info_line,
    no_more,
    one_line,
    parse_limits,
    shortened,
)

PACKAGE: Final = "bluestone"
RADIUS: Final = "8"
FARTHEST: Final = 10**9
_CLOCK_WORDS: Final = {"xtime": "p1time", "otime": "p2time", "xinc": "p1inc", "oinc": "p2inc"}


class SixDialogue(HostDialogue):
    """A conversation with a host that speaks Six."""

    def _first_game(self) -> engine.Game:
        return engine.game("hexo", cap=0)  # a host of Six has its own end of long games

    def _all_commands(self) -> dict[str, Callable[[list[str]], None]]:
        return {
            "six": self._introduce,
            "setoption": self._set_option,
            "isready": self._is_ready,
            "newgame": self._new_game,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
        }

    # ---- lines ---------------------------------------------------------------------------------

    def refusal_line(self, why: str) -> str:
        return f"error {why}"

    def best_line(self, choice: Choice) -> str:
        return f"bestmove {_numbers(choice.turn)}"

    def info_lines(self, info: Info) -> list[str]:
        """One line: hosts of Six know no `multipv`, and a score without a unit."""
        line = info_line(info, info.best).replace(" score cp ", " score ")
        words, _, turns = line.partition(" pv ")
        return [f"{words} pv {' '.join(map(_numbers, turns.split()))}" if turns else words]

    # ---- commands ------------------------------------------------------------------------------

    def _introduce(self, words: list[str]) -> None:
        no_more(words)
        self.say(f"id name {self._player.name}")
        self.say(f"id version {_version()}")
        self.say("sixok")

    def _set_option(self, words: list[str]) -> None:
        self._only_when_idle("setoption")
        if len(words) < 2:
            raise CommandRefused("setoption takes: NAME VALUE")
        option = find_option(self._player.options, words[0])
        try:
            self._player.set_option(option.name, option.parse(" ".join(words[1:])))
        except ValueError as problem:
            raise CommandRefused(f"option {problem}") from None

    def _set_position(self, words: list[str]) -> None:
        self._only_when_idle("position")
        before, self._position = self._position, None
        match words:
            case ["radius", "8"]:
                stones: Sequence[Cell] = ()
            case ["radius", "8", "moves", *numbers]:
                stones = _cells(numbers)
            case ["radius", "8", "setup", *rest]:
                stones = _stones_of_setup(rest)
            case ["radius", radius, *_] if radius != RADIUS:
                raise CommandRefused(f"radius {shortened(radius)} is not supported; 8 is")
            case _:
                raise CommandRefused("position takes: radius 8 [moves q r ... | setup x ... o ...]")
        try:
            self._position = self._after(stones, before)
        except engine.IllegalTurn as problem:
            where = f"{problem.turn_number}: {shortened(problem.turn)}"
            raise CommandRefused(f"illegal turn {where} ({one_line(problem.reason)})") from None

    def _after(self, stones: Sequence[Cell], before: engine.Position | None) -> engine.Position:
        """The position after these stones, in the middle of a turn if they end there."""
        turns = turns_of(stones) if stones else []
        if len(stones) % 2 or not stones:
            return self._game.replay(turns, before)
        return self._game.replay(turns[:-1], before).begin(turns[-1])

    def _limits(self, words: list[str], position: engine.Position) -> Limits:
        renamed = [_CLOCK_WORDS.get(word, word) for word in words]
        unknown = set(renamed[::2]) - {*_CLOCK_WORDS.values(), "movetime", "nodes"}
        if unknown:
            raise CommandRefused(
                f"go takes movetime, nodes or clocks, not {shortened(min(unknown))}"
            )
        return parse_limits(renamed, position.to_play)

    def _stop(self, words: list[str]) -> None:
        """Hosts may stop a search that has just ended, so that is no error."""
        no_more(words)
        if self._search is not None:
            self._search.signals.stop.set()


def _version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:  # a source tree that was never installed
        return "0"


def _numbers(turn: str) -> str:
    return turn.replace(":", " ").replace(",", " ")


def _cells(words: Sequence[str]) -> list[Cell]:
    if len(words) > 2 * MOST_STONES:
        raise CommandRefused(f"there are more than {MOST_STONES} stones")
    if len(words) % 2:
        raise CommandRefused("a stone is two numbers, and one is missing")
    numbers = [_number(word) for word in words]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _number(word: str) -> int:
    try:
        number = int(word)
    except ValueError:
        raise CommandRefused(f"a number is needed, not {shortened(word)}") from None
    if abs(number) > FARTHEST:
        raise CommandRefused(f"{shortened(word)} is too far away")
    return number


def _stones_of_setup(words: Sequence[str]) -> list[Cell]:
    """The stones of a game that leads to `x q r ... o q r ... [tomove SIDE N]`, in order."""
    end: Sequence[str] = ()
    if "tomove" in words:
        at = words.index("tomove")
        words, end = words[:at], words[at + 1 :]
    if words[:1] != ["x"] or "o" not in words:
        raise CommandRefused("setup takes: x q r ... o q r ... [tomove SIDE N]")
    middle = words.index("o")
    x, o = _cells(words[1:middle]), _cells(words[middle + 1 :])
    try:
        stones = in_order(x, o) if x or o else []
    except (Unreachable, TooHard) as problem:
        raise CommandRefused(f"no game leads to this setup: {problem}") from None
    count = len(stones)
    to_move = ["o" if count and (count - 1) // 2 % 2 == 0 else "x", "2" if count % 2 else "1"]
    if end and list(end) != to_move:
        raise CommandRefused(f"after these stones it is: tomove {' '.join(to_move)}")
    return stones
