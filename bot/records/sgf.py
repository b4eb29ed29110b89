"""Export to SGF, the Smart Game Format, FF[4] (https://www.red-bean.com/sgf/).

FF[4] lets each game define the types Move, Point and Stone. Here a Point is a cell's name, and a
Move is a whole turn as the rules write it (`5-3`, `5-3,2-1`, `pass`). So a turn is one node with
one B or W property. A game on the board of Go has the Points of Go instead, so that Go programs
open it. docs/records.md lists all properties that are used.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Final

import engine
from bot import __version__
from bot.records.model import GameRecord, RecordedPlayer, RecordedTurn, describe_scores, known_game
from bot.time_controls import Absolute, ByoYomi, Correspondence, Fischer, PerTurn, TimeControl

OTHER_GAME: Final = 1999
"""The value of GM for games without a number of their own.

The format assigns numbers in sequence from 1, and has not reached this one in 25 years.
"""

GO: Final = 1
"""The value of GM for games on the board of Go."""

_COLOURS: Final = ("B", "W")
_RESULT_SUFFIXES: Final = {"resignation": "R", "time_forfeit": "T", "abandonment": "F"}


def sgf_game(record: GameRecord) -> str:
    """Return one game tree, ended by a line break. Several in a row make a collection."""
    points = _go_points(record)
    turns = (_turn_node(i % 2, turn, points) for i, turn in enumerate(record.turns))
    nodes = [_root(record), *turns]
    return "(" + "\n".join(nodes) + ")\n"


def _root(record: GameRecord) -> str:
    first, second = record.players
    return ";" + "".join(
        (
            _number("FF", 4),
            _number("GM", _game_number(record.game)),
            _simple("CA", "UTF-8"),
            f"AP[Bluestone:{_escape(__version__, composed=True)}]",
            _simple("GAME", record.game),
            _simple("BOARD", record.board),
            *_go_size(record),
            _list("OPTION", (f"{name}={value}" for name, value in record.options.items())),
            _simple("RU", record.rules),
            _simple("GN", record.id),
            *_tournament(record),
            _simple("PC", record.platform),
            _simple("DT", record.started_at.date().isoformat()),
            _simple("PB", first.name),
            _simple("PW", second.name),
            *_time(record.clock),
            _simple("RE", _result(record)),
            _text("GC", _game_comment(record)),
        )
    )


def _tournament(record: GameRecord) -> Iterator[str]:
    if record.event is not None:
        yield _simple("EV", record.event)
    if record.round is not None:
        yield _number("RO", record.round)


def _go_size(record: GameRecord) -> Iterator[str]:
    """Yield the size of the board and the komi, which Go programs ask for."""
    if _game_number(record.game) == GO:
        yield _number("SZ", engine.game(record.game, record.board).board.size)
        yield _number("KM", 0)


def _go_points(record: GameRecord) -> Mapping[str, str]:
    """Return the name of each point in files of Go: column and row from the top left, `aa`."""
    if _game_number(record.game) != GO:
        return {}
    board = engine.game(record.game, record.board).board
    letters = ascii_lowercase[: board.size]
    return dict(zip(board.cells, (x + y for y in letters for x in letters), strict=True))


def _game_number(game: str) -> int:
    known = known_game(game)
    return OTHER_GAME if known is None or known.sgf_number is None else known.sgf_number


def _time(control: TimeControl) -> Iterator[str]:
    """Yield TM, the main time in seconds, and OT, a description of the time added to it."""
    match control:
        case Fischer(initial_s=main, increment_s=increment):
            yield from (_number("TM", main), _simple("OT", f"{increment:g} fischer"))
        case Correspondence(initial_s=main):
            yield from (_number("TM", main), _simple("OT", f"{control} correspondence"))
        case ByoYomi(main_s=main, period_s=period, periods=periods):
            yield from (_number("TM", main), _simple("OT", f"{periods}x{period:g} byo-yomi"))
        case Absolute(initial_s=main):
            yield _number("TM", main)
        case PerTurn(turn_s=turn):
            yield from (_number("TM", 0), _simple("OT", f"{turn:g} per turn"))
        case _:
            return


def _result(record: GameRecord) -> str:
    result = record.result
    if result is None or (result.winner is None and result.reason == "unknown"):
        return "?"
    if result.winner is None:
        return "Draw" if result.is_draw else "Void"
    return f"{_COLOURS[result.winner - 1]}+{_RESULT_SUFFIXES.get(result.reason, '')}"


def _game_comment(record: GameRecord) -> str:
    lines = [
        _describe_player(colour, player)
        for colour, player in zip(("Black", "White"), record.players, strict=True)
    ]
    if record.scores is not None:
        lines += [
            f"{colour}: {describe_scores(record.game, scores)}"
            for colour, scores in zip(("Black", "White"), record.scores, strict=True)
        ]
    if record.result is not None and record.result.message:
        lines.append(record.result.message)
    return "\n".join(lines)


def _describe_player(colour: str, player: RecordedPlayer) -> str:
    text = f"{colour}: {player.name} ({player.kind})"
    if player.clock is not None:
        text += f", own clock {player.clock}"
    if player.engine is None:
        return text
    options = _joined([f"{name}={value}" for name, value in player.engine.options.items()], ", ")
    return f"{text}, engine {player.engine.name}" + (f" [{options}]" if options else "")


def _turn_node(player: int, turn: RecordedTurn, points: Mapping[str, str]) -> str:
    colour = _COLOURS[player]
    parts = [";", _simple(colour, points.get(turn.turn, turn.turn))]
    if turn.clock is not None and turn.clock.main_ms is not None:
        parts.append(_number(f"{colour}L", turn.clock.main_ms / 1000))
    if turn.captured:
        parts.append(_list("CAPTURED", turn.captured))
    if turn.value is not None:
        # V counts for Black: 1 if Black is sure to win, -1 if White is.
        advantage = 2 * turn.value - 1
        parts.append(_number("V", round(-advantage if player else advantage, 4)))
    parts.append(_text("C", "\n".join(_turn_comment(turn))))
    return "".join(parts)


def _turn_comment(turn: RecordedTurn) -> Iterator[str]:
    if turn.value is not None:
        yield f"value {turn.value:.1%}"
    if turn.visits is not None:
        yield f"visits {turn.visits}"
    if turn.pv:
        yield f"pv {_joined(turn.pv, ' ')}"
    if turn.time_ms is not None:
        yield f"time {turn.time_ms / 1000:g} s"
    if turn.source is not None:
        yield f"source {turn.source}"


def _joined(parts: Sequence[object], separator: str) -> str:
    return separator.join(str(part) for part in parts)


def _number(name: str, value: float) -> str:
    return f"{name}[{round(value, 4):.15g}]"


def _simple(name: str, text: str) -> str:
    """Return a SimpleText value, all on one line."""
    return f"{name}[{_escape(' '.join(text.split()))}]"


def _list(name: str, texts: Iterable[str]) -> str:
    """Return a property with several values; a node may have each property only once."""
    values = "".join(f"[{_escape(text)}]" for text in texts)
    return name + values if values else ""


def _text(name: str, text: str) -> str:
    return f"{name}[{_escape(text)}]" if text else ""


def _escape(text: str, *, composed: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("]", "\\]")
    return text.replace(":", "\\:") if composed else text
