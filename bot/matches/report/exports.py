"""Exports for other programs: figures as JSON; games and standings as JSON Lines, CSV, SGF, TRF."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from operator import itemgetter
from typing import Any, Final, Literal

from bot.errors import ConfigurationError
from bot.matches.report.chronicle import Chronicle
from bot.matches.report.head_to_head import head_to_head_fields, sequential_fields
from bot.matches.report.measures import (
    ends_by_player,
    faults_of,
    first_player_by_setup,
    tallies,
    times_of,
    times_used,
)
from bot.matches.report.statistics import Statistics, format_kind, statistics
from bot.records.model import GameRecord, is_draw
from bot.records.sgf import sgf_game
from bot.tournaments.elo import Estimate
from bot.tournaments.formats.choice import format_of
from bot.tournaments.formats.swiss import Swiss
from bot.tournaments.model import Bye, GameResult
from bot.tournaments.state import PlayedGame
from bot.tournaments.trf.writing import report_lines


def figures(story: Chronicle, anchor: str | None = None) -> dict[str, Any]:
    """All figures of the page as a document. Players are identified by their names.

    Ratings are relative to the anchor, or to the mean of the players if `anchor` is None. A match
    of two has the difference of the two players under `match` instead. Raises ConfigurationError as
    `statistics` does.
    """
    tournament, found = story.tournament, statistics(story, anchor)
    return {
        "name": tournament.began.name,
        "format": format_kind(story),
        "began_at": story.began_at.isoformat(),
        "last_at": story.last_at.isoformat(),
        "round": tournament.round,
        "played": len(tournament.played),
        "waiting": len(tournament.left),
        "voids": tournament.voids.total(),
        "paused": tournament.paused,
        "ended": tournament.ended,
        "stopped": tournament.stopped,
        "byes": [bye.model_dump() for bye in tournament.byes],
        "standings": [asdict(row) for row in found.standings],
        "anchor": found.ratings.anchor,
        "ratings": [] if found.match else list(_ratings(found)),
        "advantage_elo": _estimate(found.ratings.advantage),
        "first_player": _first_player(story),
        "sprt": sequential_fields(found.sequential),
        "match": head_to_head_fields(found.match),
        "pairs": [{"players": names, **asdict(counts)} for names, counts in found.pairs.items()],
        "repeats": [asdict(each) for each in found.repeats],
        "ends": {
            name: {f"{reason} {outcome}": count for (reason, outcome), count in ends.items()}
            for name, ends in ends_by_player(story).items()
        },
        "time": {name: asdict(used) for name, used in times_used(story).items()},
    }


def _ratings(found: Statistics) -> Iterator[dict[str, Any]]:
    rows = found.ratings.rows
    for row in rows:
        superiority = {
            other.name: round(found.ratings.superiority(row.name, other.name), 4)
            for other in rows
            if other.name != row.name
        }
        yield {**asdict(row), "superiority": superiority}


def _first_player(story: Chronicle) -> list[dict[str, Any]]:
    return [
        {"setup": place, **asdict(found), "elo": found.elo}
        for place, found in first_player_by_setup(story).items()
    ]


def _estimate(estimate: Estimate | None) -> dict[str, float] | None:
    return None if estimate is None else asdict(estimate)


Format = Literal["jsonl", "csv", "sgf", "standings"]
COLUMNS: Final = (
    *("number", "round", "pairing", "pair", "first", "second", "game", "board", "rules", "options"),
    *(
        "clock",
        "nodes",
        "first_clock",
        "second_clock",
        "opening",
        "result",
        "winner",
        "reason",
        "message",
        "plies",
        "voids",
    ),
    *("first_ms", "second_ms", "started_at", "ended_at", "game_id"),
)
STANDINGS: Final = (
    *("rank", "player", "points"),
    *("elo", "elo_low", "elo_high", "wins", "draws", "losses", "faults", "withdrawn"),
)
"""The columns of standings. The tie-breaks of the tournament are inserted after the points."""
FORMULAS: Final = ("=", "+", "-", "@")
NOBODY_CAME: Final = "0-0"
RESULTS: Final = {1: "1-0", 2: "0-1", None: "1/2-1/2"}


def exported(story: Chronicle, to: Format) -> Iterator[str]:
    """The games that count, by number, as pieces of text. Games without a record are only in CSV.

    CSV also has a row for each bye, after the games of its round. `standings` is CSV with one row
    per player.
    """
    match to:
        case "csv":
            yield _csv(COLUMNS, _games_and_byes(story))
        case "standings":
            found = statistics(story)
            columns = *STANDINGS[:3], *map(_tie_break_column, found.tie_breaks), *STANDINGS[3:]
            yield _csv(columns, _standings(story, found))
        case "jsonl" | "sgf":
            for record in _records(story):
                yield sgf_game(record) if to == "sgf" else f"{record.model_dump_json()}\n"


def _records(story: Chronicle) -> Iterator[GameRecord]:
    """The records of the games, with the tournament and the round added."""
    for game in story.played():
        number = game.scheduled.number
        if (record := story.record(number)) is not None:
            place = {"event": story.began.name, "round": story.tournament.pairing_of(number).round}
            yield record.model_copy(update=place)


def without_record(story: Chronicle) -> list[int]:
    """The numbers of the games that count and have no record in the ledger."""
    numbers = (game.scheduled.number for game in story.played())
    return [number for number in numbers if story.record(number) is None]


def swiss_report(story: Chronicle) -> str:
    """The complete rounds of a Swiss as a FIDE report, which pairing programs can continue.

    Raises ConfigurationError for another format.
    """
    settings = story.began.settings
    table = settings.get("format") or {}
    if str(table.get("kind")) != "swiss":
        raise ConfigurationError("--format trf: only a Swiss can be exported as TRF")
    form = format_of(**{"forbidden": settings.get("forbidden") or (), **table})
    assert isinstance(form, Swiss)
    tournament = story.tournament
    lines = report_lines(
        form.round_to_pair(tournament), story.began.name, tournament.entrants, form.bye_points
    )
    return "".join(f"{line}\n" for line in lines)


def _csv(columns: Sequence[str], rows: Iterable[dict[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _games_and_byes(story: Chronicle) -> Iterator[dict[str, object]]:
    games = [_fields(story, game) for game in story.played()]
    byes = [_bye(bye) for bye in story.tournament.byes]
    yield from sorted([*games, *byes], key=itemgetter("round"))  # stable: byes follow their games


def _bye(bye: Bye) -> dict[str, object]:
    return {"round": bye.round, "first": _cell(bye.player), "result": bye.points, "reason": "bye"}


def _tie_break_column(tie_break: str) -> str:
    """Its name. The tie-break `wins` counts pairings, and the column of that name counts games."""
    return f"tie_break_{tie_break}" if tie_break in STANDINGS else tie_break


def _standings(story: Chronicle, found: Statistics) -> Iterator[dict[str, object]]:
    rated = {row.name: row for row in found.ratings.rows}
    counts, faults = tallies(story), faults_of(story)
    for row in found.standings:
        rating = rated.get(row.name)
        wins, draws, losses = counts[row.name]
        yield {
            "rank": row.rank,
            "player": _cell(row.name),
            "points": row.points,
            **{_tie_break_column(each): row.tie_breaks[each] for each in found.tie_breaks},
            "elo": "" if rating is None else round(rating.elo, 1),
            "elo_low": "" if rating is None else round(rating.low, 1),
            "elo_high": "" if rating is None else round(rating.high, 1),
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "faults": faults[row.name],
            "withdrawn": "" if row.withdrawn is None else _cell(row.withdrawn),
        }


def _points(result: GameResult) -> str:
    is_decided = result.winner is not None or is_draw(result.winner, result.reason)
    return RESULTS[result.winner] if is_decided else NOBODY_CAME


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
        "result": _points(result),
        "winner": "" if result.winner is None else _cell(scheduled.seats[result.winner - 1]),
        "reason": result.reason,
        "message": result.message,
        "plies": game.plies,
        "voids": story.tournament.voids[scheduled.number],
        "game_id": game.game_id,
        **_setup(story, scheduled.setup),
        **_own_clocks(story, scheduled.number),
        **_times(story, scheduled.number),
    }


def _cell(name: str) -> str:
    """The text of a CSV cell that no spreadsheet takes for a formula (OWASP, "CSV injection").

    A text that begins like a formula gets an apostrophe in front.
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


def _own_clocks(story: Chronicle, number: int) -> dict[str, object]:
    record = story.record(number)
    if record is None:
        return {}
    clocks = [player.clock for player in record.players]
    return {
        key: "" if clock is None else str(clock)
        for key, clock in zip(("first_clock", "second_clock"), clocks, strict=True)
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
