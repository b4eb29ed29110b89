"""Reads a report file, as the input for pairing its next round."""

from dataclasses import dataclass
from typing import Final

from bot.errors import ConfigurationError
from bot.tournaments.dutch.card import Card, CardLine, RoundToPair
from bot.tournaments.trf.codes import MOST_PLAYERS, MOST_ROUNDS, Header, score, whole
from bot.tournaments.trf.entries import NEVER_TOGETHER, BadLine, RoundEntry, entries_of

MOST_BYTES: Final = 4_000_000


@dataclass(frozen=True)
class _Row:
    """A `001` line: its line number `place`, the player's number, and the content."""

    place: int
    number: int
    points: float | None
    entries: list[RoundEntry | None]


class BadReport(ConfigurationError):
    """A report file is wrong. The text says how, with the line number if one line is at fault."""


class AllRoundsPaired(ConfigurationError):
    """The report has all rounds of its tournament, so there is no round to pair."""

    exit_code = 3


def read_report(content: bytes, name: str) -> RoundToPair:
    """The round after those in `content`. `name` precedes the line number in error messages.

    Raises BadReport, and AllRoundsPaired if no round is left.
    """
    if len(content) > MOST_BYTES:
        raise BadReport(f"{name}: longer than {MOST_BYTES:,} bytes")
    header, rows = Header(), dict[int, _Row]()
    for place, line in enumerate(_text(content).splitlines(), start=1):
        try:
            _read_line(header, rows, place, line)
        except BadLine as error:
            raise BadReport(f"{name}:{place}: {error}") from error
    if not rows:
        raise BadReport(f"{name}: the file has no player (001)")
    past = _past_rounds(rows)
    try:
        _check_rows(header, rows, past)
        if header.rounds is not None and past >= header.rounds:
            why = f"all rounds are paired already (XXR or 142: {header.rounds})"
            raise AllRoundsPaired(f"{name}: {why}")
        return _round(header, rows, past)
    except _Contradiction as error:
        where = name if error.place is None else f"{name}:{error.place}"
        raise BadReport(f"{where}: {error}") from error


class _Contradiction(Exception):
    """Lines contradict each other. `place` is the line number; None if no single line is wrong."""

    def __init__(self, text: str, place: int | None = None) -> None:
        super().__init__(text)
        self.place = place


def _text(content: bytes) -> str:
    """The text, in UTF-8 or in the Latin-1 of older programs, with line ends of any system."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_NO_LINE_ENDS)


_NO_LINE_ENDS: Final = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")
"""Characters that `splitlines` would take for the end of a line."""


def _read_line(header: Header, rows: dict[int, _Row], place: int, line: str) -> None:
    code = line[:3]
    if code != "001":
        header.read(code, line)
        return
    number = whole(line[4:8], MOST_PLAYERS, "number of a player")
    if number in rows:
        raise BadLine(f"player {number} is also in line {rows[number].place}")
    entries = entries_of(line)
    if len(entries) > MOST_ROUNDS:
        raise BadLine(f"more than {MOST_ROUNDS} rounds")
    points = score(line[80:84]) if line[80:84].strip() else None
    rows[number] = _Row(place, number, points, entries)


def _check_rows(header: Header, rows: dict[int, _Row], past: int) -> None:
    if header.players is not None and header.players > len(rows):
        raise _Contradiction(
            f"{header.players} players are stated (062), and {len(rows)} have a line (001)"
        )
    for row in rows.values():
        _check_opponents(rows, row, past)
    for row in rows.values():
        _check_points(header, row, past)


def _round(header: Header, rows: dict[int, _Row], past: int) -> RoundToPair:
    if header.rounds is None:
        raise _Contradiction("the number of rounds is missing: add a line `XXR 9`")
    away = header.absent | header.byes.get(past + 1, set())
    for player in sorted(away - rows.keys()):
        raise _Contradiction(f"player {player} is absent in the next round and has no line (001)")
    cards = tuple(_card(header, rows[number], past) for number in sorted(rows))
    return RoundToPair(
        number=past + 1,
        rounds=header.rounds,
        cards=cards,
        forbidden=frozenset(pair for ban in header.bans for pair in ban.pairs(past + 1)),
        first_sits_first=_initial_colour(header, rows, past),
        points=header.points.results,
    )


def _past_rounds(rows: dict[int, _Row]) -> int:
    """The number of rounds that were paired.

    A last column without a pairing belongs to the next round, unless all players are in it.
    """
    past = 0
    for row in rows.values():
        paired = [at for at, entry in enumerate(row.entries, start=1) if entry and entry.was_paired]
        past = max(past, len(row.entries) - 1, *paired)
    return past + all(len(row.entries) > past for row in rows.values())


def _check_opponents(rows: dict[int, _Row], row: _Row, past: int) -> None:
    for at, entry in enumerate(row.entries[:past]):
        if entry is None or entry.opponent is None:
            continue
        other = rows.get(entry.opponent)
        theirs = other.entries[at] if other is not None and at < len(other.entries) else None
        if theirs is None or not _agree(row.number, entry, theirs):
            raise _Contradiction(
                f"round {at + 1}: the line of player {entry.opponent} does not agree", row.place
            )


def _agree(number: int, entry: RoundEntry, theirs: RoundEntry) -> bool:
    if theirs.opponent != number or entry.opponent == number:
        return False
    if entry.was_played != theirs.was_played:
        return False
    if {entry.outcome, theirs.outcome} in NEVER_TOGETHER:
        return False
    return not entry.was_played or {entry.colour, theirs.colour} == {"w", "b"}


def _lines(header: Header, row: _Row, past: int) -> tuple[CardLine, ...]:
    entries = [*row.entries[:past], *[None] * (past - len(row.entries))]
    away = CardLine(header.points.zero_point_bye)
    return tuple(away if entry is None else entry.line(header.points) for entry in entries)


def _card(header: Header, row: _Row, past: int) -> Card:
    extra = header.acceleration.get(row.number, {})
    return Card(
        row.number,
        _lines(header, row, past),
        is_absent=len(row.entries) > past
        or row.number in header.absent
        or row.number in header.byes.get(past + 1, set()),
        acceleration=tuple(
            extra.get(number, 0.0) for number in range(1, max(extra, default=0) + 1)
        ),
    )


def _check_points(header: Header, row: _Row, past: int) -> None:
    """Compare the stated points with the results. Raises _Contradiction.

    Programs state points with or without the bye of the next round and the acceleration.
    """
    if row.points is None:
        return
    card = _card(header, row, past)
    bye = row.entries[-1] if len(row.entries) > past else None
    coming = 0.0 if bye is None else bye.line(header.points).points
    extra = card.pairing_score(past) - card.points
    known = {card.points + next_ + more for next_ in (0.0, coming) for more in (0.0, extra)}
    if not any(abs(row.points - each) < 0.05 for each in known):
        raise _Contradiction(
            f"player {row.number} has {card.points:g} points by the results, not {row.points:g}",
            row.place,
        )


def _initial_colour(header: Header, rows: dict[int, _Row], past: int) -> bool:
    """Whether the first player's initial colour is white: from the file, else from the first games.

    The colours of the first round with games follow from the initial colour and from the order of
    the players who took part so far (C.04.3, article 5.2.5).
    """
    if header.first_sits_first is not None:
        return header.first_sits_first
    ordered = [rows[number].entries for number in sorted(rows)]
    for at in range(past):
        column = [each for each in ordered if any(e and e.was_paired for e in each[: at + 1])]
        for order, entries in enumerate(column):
            entry = entries[at] if at < len(entries) else None
            if entry and entry.colour in {"w", "b"}:
                return (entry.colour == "w") == (order % 2 == 0)
    raise _Contradiction("the initial colour is missing: add a line `XXC white1` or `XXC black1`")
