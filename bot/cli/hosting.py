"""The common part of `bluestone match` and `bluestone tournament run`: play, show, summarize."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

from bot.cli.app import INTERRUPTED
from bot.cli.tournament_tables import elo_notes, rating_cells, standings_table
from bot.cli.venues import print_workers, workers_document
from bot.errors import ConfigurationError
from bot.matches.host import Watch
from bot.matches.local_games import this_machine
from bot.matches.report import Chronicle
from bot.matches.report.head_to_head import head_to_head_fields, live_words
from bot.matches.report.statistics import Statistics, check_anchor, statistics
from bot.matches.run import run_event
from bot.matches.settings import LocalSettings
from bot.matches.summary import GameTally, PlayerSummary, TimeUsage, summaries
from bot.matches.venues import Elsewhere, RemoteVenue
from bot.runtime.output import (
    error_console,
    note,
    only_errors_logged,
    plain,
    print_json,
    print_table,
    text_console,
)
from bot.terminal.play import ensure_kernels
from bot.time_source import SystemTime
from bot.tournaments.events import Event, Finished, Stopped, Voided
from bot.tournaments.model import GameResult
from bot.tournaments.ratings import EloRating
from bot.tournaments.sprt_run import SprtRun
from bot.tournaments.state import Tournament


def host(
    settings: LocalSettings,
    folder: Path,
    *,
    as_json: bool,
    go_on: str,
    elsewhere: Elsewhere | None = None,
    anchor: str | None = None,
    log: Path | None = None,
    of_event: bool = False,
) -> int:
    """Play a tournament to its end, or until a signal. Return the exit code.

    `go_on` is a sentence about how to continue, printed after a signal. `elsewhere` is another
    venue than this machine. At the end a table of strengths is printed. If `of_event` is set and
    the format has places, it is the table of `bluestone tournament show` instead. Elo is relative
    to `anchor`, or to the mean of the players. `log` is a folder for the protocol of each game, and
    works only for games on this machine.

    Raises ConfigurationError and HostError.
    """
    import uvloop

    if elsewhere is not None and log is not None:
        where = f"not with --{elsewhere.kind}"
        raise ConfigurationError(f"--log: works only for games on this machine, {where}")
    check_anchor(anchor, [player.name for player in settings.players])
    only_errors_logged()
    if elsewhere is None:
        for game in sorted({each.game for each in settings.setups}):
            ensure_kernels(error_console(), game)
    usage = TimeUsage(settings.concurrency)
    machines = None if elsewhere is None else elsewhere.venue()
    venue = machines or partial(this_machine, log=log)
    runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    with _shown(usage, machines, _test_lines(settings)) as watch, runner:
        tournament = runner.run(run_event(settings, folder, SystemTime(), watch, note, venue))
    if tournament is not None:
        if as_json:
            print_json(_document(tournament, machines, anchor))
        else:
            _print(tournament, anchor, is_event=of_event)
        if machines is not None and not as_json:
            print_workers(machines.figures())
        elif usage.turns and not as_json:
            text_console().print(str(usage))
    if tournament is None or tournament.ended is None:
        note(f"interrupted; games that were running will be played again. {go_on}")
        return INTERRUPTED
    return 0


def _test_lines(settings: LocalSettings) -> Callable[[Tournament], str | None]:
    """A function that returns a line on the sequential test whenever more pairs of games are over.

    The lines become rarer, since a long test has thousands of pairs.
    """
    if settings.sprt is None:
        return lambda _: None
    run = SprtRun(settings.players[0].name, settings.players[1].name, settings.sprt.bounds)
    shown = 0

    def line(tournament: Tournament) -> str | None:
        nonlocal shown
        test = run.of(tournament)
        pairs = sum(test.counts.pairs)
        if pairs < shown + max(1, shown // 20) or pairs == 0:
            return None
        shown = pairs
        return f"after {pairs} {'pair' if pairs == 1 else 'pairs'}: {live_words(test)}"

    return line


@contextmanager
def _shown(
    usage: TimeUsage, machines: RemoteVenue | None, test: Callable[[Tournament], str | None]
) -> Iterator[Watch]:
    """Print a line for each finished game and on the sequential test; on a terminal, also a line of
    progress that changes.
    """
    console, tally = error_console(), GameTally()
    with console.status("starting the engines") as status:

        def watch(tournament: Tournament, event: Event) -> None:
            usage.add(event)
            if (line := _line(tournament, event)) is not None:
                console.print(line)
            if isinstance(event, Finished) and (line := test(tournament)) is not None:
                console.print(line)
            workers = "" if machines is None else f"; {machines.line()}"
            status.update(_progress_words(tournament, tally) + workers)

        yield watch


def _line(tournament: Tournament, event: Event) -> str | None:
    match event:
        case Finished(game=number, result=result):
            seats = tournament.played[number].scheduled.seats
            return f"game {number}: {_result_words(result, seats)} in {event.plies} turns"
        case Voided(game=number, why=why):
            return f"game {number} does not count and will be played again: {why}"
        case Stopped(pairing=number, why=why):
            one, two = tournament.pairings[number].players
            return f"{one} against {two} is stopped: {why}"
        case _:
            return None


def _result_words(result: GameResult, seats: tuple[str, str]) -> str:
    one, two = seats
    if result.winner is None:
        return f"{one} and {two} draw"
    winner, loser = seats if result.winner == 1 else seats[::-1]
    reason = "" if result.reason == "played_out" else f" by {result.reason.replace('_', ' ')}"
    return f"{winner} beats {loser}{reason}"


def _progress_words(tournament: Tournament, tally: GameTally) -> str:
    played, left = len(tournament.played), len(tournament.left)
    best = tally.of(tournament)[0]
    return f"{played} of {played + left} games, {best.name} leads with {best.score:.1%}"


def _document(
    tournament: Tournament, machines: RemoteVenue | None, anchor: str | None
) -> dict[str, object]:
    workers = None if machines is None else workers_document(machines.figures())
    found = statistics(Chronicle(tournament, ()), anchor)
    rated = {} if found.match else {row.name: row for row in found.ratings.rows}
    players = [
        {**asdict(each), "elo": _fields(rated.get(each.name))} for each in summaries(tournament)
    ]
    return {
        "ended": tournament.ended,
        "games": len(tournament.played),
        "anchor": found.ratings.anchor,
        "players": players,
        "match": head_to_head_fields(found.match),
        "stopped": {str(number): why for number, why in tournament.stopped.items()},
        **({} if workers is None else {"workers": workers}),
    }


def _fields(row: EloRating | None) -> dict[str, float | bool] | None:
    if row is None:
        return None
    return {"value": row.elo, "low": row.low, "high": row.high, "is_bounded": row.is_bounded}


def _print(tournament: Tournament, anchor: str | None, *, is_event: bool) -> None:
    """Print the standings of an event whose format has places, otherwise a table of strengths."""
    story, found = Chronicle(tournament, ()), summaries(tournament)
    figures, console = statistics(story, anchor), text_console()
    if is_event and figures.is_event:
        console.print(standings_table(story, figures))
    else:
        rated = {row.name: row for row in figures.ratings.rows}
        last = ("score", "95 %") if figures.match else ("score", "Elo", "95 %")
        rows = [_row(each, rated.get(each.name), figures) for each in found]
        print_table(("player", "games", "won", "drawn", "lost", *last), rows)
    for line in elo_notes(figures):
        console.print(plain(line))
    for each in found:
        for reason, times in each.faults.items():
            console.print(f"{each.name} lost by {reason.replace('_', ' ')}: {times}")
    if tournament.ended is not None:
        console.print(f"The end: {tournament.ended}.")


def _row(each: PlayerSummary, rating: EloRating | None, figures: Statistics) -> tuple[str, ...]:
    counts = map(str, (each.games, each.wins, each.draws, each.losses))
    interval = (f"{each.low:.1%} to {each.high:.1%}",)
    last = rating_cells(rating) if figures.match is None else interval
    return (each.name, *counts, f"{each.score:.1%}", *last)
