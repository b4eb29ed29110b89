"""The games of a tournament for other programs: a line each, or a collection."""

import csv
import io
from collections.abc import Iterator
from typing import Final, Literal

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.measures import times_of
from bot.records.sgf import sgf_game
from bot.tournaments.state import PlayedGame

Format = Literal["jsonl", "csv", "sgf"]
COLUMNS: Final = (
    *("number", "round", "pairing", "pair", "first", "second", "game", "board", "rules", "options"),
    *("clock", "nodes", "opening", "result", "winner", "reason", "message", "plies", "voids"),
    *("first_ms", "second_ms", "started_at", "ended_at", "game_id"),
)
FORMULAS: Final = ("=", "+", "-", "@")
RESULTS: Final = {1: "1-0", 2: "0-1", None: "1/2-1/2"}


def exported(story: Chronicle, to: Format) -> Iterator[str]:
    """The games that count, by number, in pieces of text; those without a record only as CSV."""
    if to == "csv":
        yield from _csv(story)
        return
    for game in story.played():
        record = story.record(game.scheduled.number)
        if record is not None:
            yield sgf_game(record) if to == "sgf" else f"{record.model_dump_json()}\n"


def without_record(story: Chronicle) -> list[int]:
    """The numbers of games that count and whose turns the ledger does not have."""
    numbers = (game.scheduled.number for game in story.played())
    return [number for number in numbers if story.record(number) is None]


def _csv(story: Chronicle) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_fields(story, game) for game in story.played())
    yield text.getvalue()


def _fields(story: Chronicle, game: PlayedGame) -> dict[str, object]:
    scheduled, result = game.scheduled, game.result
    pairing = story.tournament.pairing_of(scheduled.number)
    return {
        "number": scheduled.number,
        "round": pairing.round,
        "pairing": pairing.number,
        "pair": scheduled.pair,
        "first": _cell(scheduled.seats[0]),
        "second": _cell(scheduled.seats[1]),
        "opening": " ".join(scheduled.opening),
        "result": RESULTS[result.winner],
        "winner": "" if result.winner is None else _cell(scheduled.seats[result.winner - 1]),
        "reason": result.reason,
        "message": result.message,
        "plies": game.plies,
        "voids": story.tournament.voids[scheduled.number],
        "game_id": game.game_id,
        **_setup(story, scheduled.setup),
        **_times(story, scheduled.number),
    }


def _cell(name: str) -> str:
    """A spreadsheet would compute what begins so (OWASP, "CSV injection"): an apostrophe first, and
    it is text.
    """
    return f"'{name}" if name.startswith(FORMULAS) else name


def _setup(story: Chronicle, place: int) -> dict[str, object]:
    setup = story.began.setups[place]
    return {
        "game": setup.game,
        "board": setup.board,
        "rules": setup.rules,
        "options": " ".join(f"{name}={value}" for name, value in setup.options.items()),
        "clock": str(setup.clock),
        "nodes": setup.nodes or "",
    }


def _times(story: Chronicle, number: int) -> dict[str, object]:
    record = story.record(number)
    if record is None:
        return {}
    first, second = (sum(times_of(record, seat)) for seat in (1, 2))
    ended = record.ended_at
    return {
        "first_ms": first,
        "second_ms": second,
        "started_at": record.started_at.isoformat(),
        "ended_at": "" if ended is None else ended.isoformat(),
    }
