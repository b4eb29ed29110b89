"""The words of the engine protocol: commands parsed into values, and values written as lines."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

import engine
from engine.contract import Candidate, Info, Limits, Option
from engine.game import Game, Position

TOO_LARGE: Final = 2**63


class Refused(ValueError):
    """A command that cannot be obeyed; the text becomes an `info string`."""


class UnreachablePosition(ValueError):
    """`N: T (reason)` for the turn that cannot be played."""


def reach(game: Game, turns: Sequence[str], known: Position | None) -> Position:
    """The position after `turns`; played on from `known` where it lies on the way."""
    try:
        return game.replay(turns, known)
    except engine.IllegalTurn as problem:
        where = f"{problem.turn_number}: {shortened(problem.turn)}"
        raise UnreachablePosition(f"{where} ({one_line(problem.reason)})") from None


def p1turn(position: Position) -> str:
    """Whether player 1 is to move."""
    return str(position.to_play == 1).lower()


def gameover(position: Position) -> str:
    """Whether the game has ended."""
    return str(position.over).lower()


def result(position: Position) -> str:
    """How the game ended: p1win, p2win, draw, or none."""
    if not position.over:
        return "none"
    return f"p{position.winner}win" if position.winner else "draw"


def host_options(game: Game) -> tuple[Option, ...]:
    """The options that every engine has here: what is played, on what, and each game's own."""
    known = {info.name: info for info in engine.games()}
    return (
        Option("Game", "combo", game.name, choices=tuple(known)),
        Option("Board", "string", game.board.name),
        Option("Rules", "combo", game.rule_set, choices=game.info.rule_sets),
        *(_game_option(option) for info in known.values() for option in info.options),
    )


def _game_option(option: engine.OptionInfo) -> Option:
    if option.choices:
        return Option(option.name, "combo", option.usual, choices=option.choices)
    return Option(option.name, "spin", option.usual, low=option.low or 0, high=option.high or 0)


def game_with(game: Game, name: str, value: str) -> Game:
    """The game after one of the host's options has changed; another game begins on its own usual
    board.
    """
    try:
        if name == "game":
            return game if value == game.name else engine.game(value)
        options: dict[str, object] = dict(game.options)
        if name == "board":
            return engine.game(game.name, value, game.rule_set, **options)
        if name == "rules":
            return engine.game(game.name, game.board.name, value, **options)
        return engine.game(game.name, game.board.name, game.rule_set, **{**options, name: value})
    except engine.UnknownGame as problem:
        raise Refused(f"option {one_line(str(problem))}") from None


def name_and_value(words: list[str]) -> tuple[str, str]:
    """The parts of `name N value V`; both may hold blanks."""
    if words[:1] != ["name"] or "value" not in words[2:]:
        raise Refused("setoption takes: name N value V")
    split = words.index("value", 2)
    return " ".join(words[1:split]), " ".join(words[split + 1 :])


def find_option(options: Sequence[Option], name: str) -> Option:
    """The option of that name, capitals aside."""
    for option in options:
        if option.name.lower() == name.lower():
            return option
    raise Refused(f"unknown option {shortened(name)}")


def declaration(option: Option) -> str:
    """The line that tells the host of an option."""
    default = str(option.default).lower() if option.kind == "check" else option.default
    line = f"option name {option.name} type {option.kind} default {default}"
    if option.kind == "spin":
        line += f" min {option.low} max {option.high}"
    return line.rstrip() + "".join(f" var {choice}" for choice in option.choices)


def parse_limits(words: list[str], player: int) -> Limits:
    """The limits of a `go` for the player to move; milliseconds become seconds."""
    known = ("p1time", "p2time", "p1inc", "p2inc", "movestogo", "movetime", "nodes")
    numbers: dict[str, int] = {}
    flags = set()
    rest: Iterator[str] = iter(words)
    for word in rest:
        if word in ("infinite", "ponder"):
            flags.add(word)
        elif word in known:
            numbers[word] = whole_number(word, next(rest, ""))
        else:
            raise Refused(f"go ignored: unknown limit {shortened(word)}")
    if "infinite" in flags:
        return Limits(ponder="ponder" in flags)
    clock = numbers.get(f"p{player}time")
    if clock is None and ({"p1time", "p2time", "p1inc", "p2inc", "movestogo"} & numbers.keys()):
        raise Refused(f"go ignored: p{player}time is missing")
    movetime = numbers.get("movetime")
    return Limits(
        clock=None if clock is None else max(0, clock) / 1000,
        increment=max(0, numbers.get(f"p{player}inc", 0)) / 1000,
        turns_to_go=numbers.get("movestogo"),
        turn_time=None if movetime is None else max(0, movetime) / 1000,
        nodes=None if "nodes" not in numbers else max(1, numbers["nodes"]),
        ponder="ponder" in flags,
    )


def whole_number(name: str, text: str) -> int:
    """A number after `name`, of 64 bits; clocks may be overdrawn, so a sign is no error."""
    try:
        number = int(text)
    except ValueError:
        raise Refused(f"go ignored: {name} takes a whole number, not {shortened(text)!r}") from None
    if abs(number) >= TOO_LARGE:
        raise Refused(f"go ignored: {name} is too large: {shortened(text)}")
    return number


def info_lines(info: Info) -> list[str]:
    """The report of a search: a line, or one for each candidate where there are several."""
    if not info.others:
        return [info_line(info, info.best)]
    return [
        info_line(info, candidate, f" multipv {number}")
        for number, candidate in enumerate((info.best, *info.others), start=1)
    ]


def info_line(info: Info, candidate: Candidate, which: str = "") -> str:
    """What the search says of a candidate; its line, last, runs to the end."""
    speed = round(info.nodes / info.seconds) if info.seconds > 0 else 0
    visits = f" visits {candidate.visits}" if which else ""
    return (
        f"info{which} nodes {info.nodes} nps {speed} time {round(info.seconds * 1000)}{visits}"
        f" winrate {candidate.value:.4f} score cp {centipoints(candidate.value)}"
        f" pv {' '.join(candidate.line)}"
    )


def centipoints(value: float) -> int:
    """A winning chance as 100 times its natural log-odds, so that 0 is an even game."""
    bounded = min(max(value, 1e-4), 1 - 1e-4)
    return round(100 * math.log(bounded / (1 - bounded)))


def no_more(words: list[str]) -> None:
    """Refuse words after a command that takes none."""
    if words:
        raise Refused(f"unexpected {shortened(' '.join(words))}")


def shortened(text: str) -> str:
    """At most 40 printable characters, to quote what was sent."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in text)
    return printable if len(printable) <= 40 else printable[:40] + "..."


def one_line(text: str) -> str:
    """A text that may hold line breaks, as one line."""
    return " ".join(text.split())
