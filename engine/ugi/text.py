"""The text of the engine protocol: parses commands into values and writes values as lines."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import engine
from engine.contract import Candidate, Info, Limits, Option
from engine.game import Game, Position

TOO_LARGE: Final = 2**63


class CommandRefused(ValueError):
    """A command that the engine refuses; the dialogue writes the text as an `info string`."""


class UnreachablePosition(ValueError):
    """A turn of `position` is illegal; the text is `N: T (reason)` for turn T with number N."""


def reach(game: Game, turns: Sequence[str], known: Position | None) -> Position:
    """Return the position after `turns`; start at `known` if it is a position on the way.

    Raises UnreachablePosition for an illegal turn.
    """
    try:
        return game.replay(turns, known)
    except engine.IllegalTurn as problem:
        where = f"{problem.turn_number}: {shortened(problem.turn)}"
        raise UnreachablePosition(f"{where} ({one_line(problem.reason)})") from None


def p1turn(position: Position) -> str:
    """Return `true` if player 1 is to move, else `false`."""
    return str(position.to_play == 1).lower()


def gameover(position: Position) -> str:
    """Return `true` if the game is over, else `false`."""
    return str(position.over).lower()


def result(position: Position) -> str:
    """Return the result of the game: `p1win`, `p2win`, `draw`, or `none` before the end."""
    if not position.over:
        return "none"
    return f"p{position.winner}win" if position.winner else "draw"


def host_options(game: Game) -> tuple[Option, ...]:
    """Return the options of every engine: Game, Board, Rules, and the options of each game.

    Some games have an option of the same name. It is declared once, as the chosen game has it.
    """
    known = {info.name: info for info in engine.games()}
    declared = {option.name: option for info in reversed(known.values()) for option in info.options}
    declared |= {option.name: option for option in game.info.options}
    names = dict.fromkeys(option.name for info in known.values() for option in info.options)
    return (
        Option("Game", "combo", game.name, choices=tuple(known)),
        Option("Board", "string", game.board.name),
        Option("Rules", "combo", game.rule_set, choices=game.info.rule_sets),
        *(_game_option(declared[name]) for name in names),
    )


def _game_option(option: engine.OptionInfo) -> Option:
    if option.choices:
        return Option(option.name, "combo", option.usual, choices=option.choices)
    return Option(option.name, "spin", option.usual, low=option.low or 0, high=option.high or 0)


def game_with(game: Game, name: str, value: str) -> Game:
    """Return the game after one of the host's options is set to `value`.

    Another game begins on its usual board. An option whose value the new one excludes returns to
    its default, because a host sets options one by one. Raises Refused for a value that does not
    exist.
    """
    try:
        if name == "game":
            return game if value == game.name else engine.game(value)
        board = value if name == "board" else game.board.name
        rules = value if name == "rules" else game.rule_set
        options: dict[str, object] = dict(game.options)
        if name not in ("board", "rules"):
            options[name] = value
        return _game_of(game.name, board, rules, options, kept=name)
    except engine.UnknownGame as problem:
        raise CommandRefused(f"option {one_line(str(problem))}") from None


def _game_of(
    name: str, board: str, rules: str, options: Mapping[str, object], *, kept: str
) -> Game:
    """Return a game without the options that exclude the one to be `kept`."""
    left = dict(options)
    while True:
        try:
            return engine.game_of(name, board, rules, left)
        except engine.InvalidOption as problem:
            if problem.option == kept or left.pop(problem.option, None) is None:
                raise


def name_and_value(words: list[str]) -> tuple[str, str]:
    """Return N and V of `name N value V`; both may contain blanks. Raises Refused."""
    if words[:1] != ["name"] or "value" not in words[2:]:
        raise CommandRefused("setoption takes: name N value V")
    split = words.index("value", 2)
    return " ".join(words[1:split]), " ".join(words[split + 1 :])


def find_option(options: Sequence[Option], name: str) -> Option:
    """Return the option of that name, in upper or lower case. Raises Refused if there is none."""
    for option in options:
        if option.name.lower() == name.lower():
            return option
    raise CommandRefused(f"unknown option {shortened(name)}")


def declaration(option: Option) -> str:
    """Return the line that declares an option to the host."""
    default = str(option.default).lower() if option.kind == "check" else option.default
    line = f"option name {option.name} type {option.kind} default {default}"
    if option.kind == "spin":
        line += f" min {option.low} max {option.high}"
    return line.rstrip() + "".join(f" var {choice}" for choice in option.choices)


def parse_limits(words: list[str], player: int) -> Limits:
    """Return the limits of a `go` for the player to move; milliseconds become seconds.

    Raises Refused for unknown, incomplete or malformed limits.
    """
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
            raise CommandRefused(f"go ignored: unknown limit {shortened(word)}")
    if "infinite" in flags:
        return Limits(ponder="ponder" in flags)
    clock = numbers.get(f"p{player}time")
    if clock is None and ({"p1time", "p2time", "p1inc", "p2inc", "movestogo"} & numbers.keys()):
        raise CommandRefused(f"go ignored: p{player}time is missing")
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
    """Return the integer after `name`. Raises Refused if `text` is not one, or wider than 64 bits.

    It may be negative, as an overdrawn clock is.
    """
    try:
        number = int(text)
    except ValueError:
        raise CommandRefused(
            f"go ignored: {name} takes a whole number, not {shortened(text)!r}"
        ) from None
    if abs(number) >= TOO_LARGE:
        raise CommandRefused(f"go ignored: {name} is too large: {shortened(text)}")
    return number


def info_lines(info: Info) -> list[str]:
    """Return the report of a search: one line, or one per candidate if there are several."""
    if not info.others:
        return [info_line(info, info.best)]
    return [
        info_line(info, candidate, f" multipv {number}")
        for number, candidate in enumerate((info.best, *info.others), start=1)
    ]


def info_line(info: Info, candidate: Candidate, which: str = "") -> str:
    """Return the `info` line of a candidate; `pv` comes last and has the rest of the line."""
    speed = round(info.nodes / info.seconds) if info.seconds > 0 else 0
    visits = f" visits {candidate.visits}" if which else ""
    return (
        f"info{which} nodes {info.nodes} nps {speed} time {round(info.seconds * 1000)}{visits}"
        f" winrate {candidate.value:.4f} score cp {centipoints(candidate.value)}"
        f" pv {' '.join(candidate.line)}"
    )


def centipoints(value: float) -> int:
    """Return a winning chance as 100 times its natural log-odds; 0 is an even game."""
    bounded = min(max(value, 1e-4), 1 - 1e-4)
    return round(100 * math.log(bounded / (1 - bounded)))


def no_more(words: list[str]) -> None:
    """Raise Refused if words follow a command that takes none."""
    if words:
        raise CommandRefused(f"unexpected {shortened(' '.join(words))}")


def shortened(text: str) -> str:
    """Return at most 40 printable characters of `text`, to quote what the host sent."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in text)
    return printable if len(printable) <= 40 else printable[:40] + "..."


def one_line(text: str) -> str:
    """Return the text with all white space, line breaks too, replaced by single blanks."""
    return " ".join(text.split())
