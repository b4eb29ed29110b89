"""What `bluestone match` and `bluestone tournament run` have in common: play on, show, sum up."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from bot.cli.app import INTERRUPTED
from bot.cli.bench_tables import print_table
from bot.cli.many_machines import print_workers, workers_document
from bot.cli.output import error_console, note, only_errors_logged, print_json, text_console
from bot.matches.distributed.venue import ManyMachines
from bot.matches.host import Watch
from bot.matches.run import run_event
from bot.matches.settings import LocalSettings
from bot.matches.summary import PlayerSummary, Tally, summaries
from bot.matches.usage import Usage
from bot.matches.venues import this_machine
from bot.terminal.kernels import ensure_kernels
from bot.time_source import SystemTime
from bot.tournaments.events import Event, Finished, Stopped, Voided
from bot.tournaments.model import Result
from bot.tournaments.outcomes import outcomes
from bot.tournaments.ratings import Rating, ratings
from bot.tournaments.state import Tournament


def host(
    settings: LocalSettings,
    folder: Path,
    *,
    as_json: bool,
    go_on: str,
    dask: str | None = None,
    of_event: bool = False,
) -> int:
    """Play a tournament to its end, or until a signal; `go_on` tells how it is continued.

    `dask` is the address of a scheduler whose workers play. What is printed at last are strengths;
    `of_event` and where the format makes places, these, as `bluestone tournament show` has them.

    Returns the exit code. Raises ConfigurationError and HostError.
    """
    import uvloop

    only_errors_logged()
    if dask is None:
        for game in sorted({each.game for each in settings.setups}):
            ensure_kernels(error_console(), game)
    usage = Usage(settings.concurrency)
    machines = None if dask is None else ManyMachines(dask)
    venue = machines or this_machine
    runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    with _shown(usage, machines) as watch, runner:
        tournament = runner.run(run_event(settings, folder, SystemTime(), watch, note, venue))
    if tournament is not None:
        if as_json:
            print_json(_document(tournament, machines))
        else:
            _print(tournament, folder if of_event else None)
        if machines is not None and not as_json:
            print_workers(machines.figures())
        elif usage.turns and not as_json:
            text_console().print(str(usage))
    if tournament is None or tournament.ended is None:
        note(f"interrupted; games that ran are played again. {go_on}")
        return INTERRUPTED
    return 0


@contextmanager
def _shown(usage: Usage, machines: ManyMachines | None) -> Iterator[Watch]:
    """A line for each game that is over, and one on a terminal that says how far it is."""
    console, tally = error_console(), Tally()
    with console.status("starting the engines") as status:

        def watch(tournament: Tournament, event: Event) -> None:
            usage.add(event)
            if (line := _line(tournament, event)) is not None:
                console.print(line)
            workers = "" if machines is None else f"; {machines.line()}"
            status.update(_how_far(tournament, tally) + workers)

        yield watch


def _line(tournament: Tournament, event: Event) -> str | None:
    match event:
        case Finished(game=number, result=result):
            seats = tournament.played[number].scheduled.seats
            return f"game {number}: {_told(result, seats)} in {event.plies} turns"
        case Voided(game=number, why=why):
            return f"game {number} counts for nothing and is played again: {why}"
        case Stopped(pairing=number, why=why):
            one, two = tournament.pairings[number].players
            return f"{one} against {two} is stopped: {why}"
        case _:
            return None


def _told(result: Result, seats: tuple[str, str]) -> str:
    one, two = seats
    if result.winner is None:
        return f"{one} and {two} draw"
    winner, loser = seats if result.winner == 1 else seats[::-1]
    reason = "" if result.reason == "played_out" else f" by {result.reason.replace('_', ' ')}"
    return f"{winner} beats {loser}{reason}"


def _how_far(tournament: Tournament, tally: Tally) -> str:
    played, left = len(tournament.played), len(tournament.left)
    best = tally.of(tournament)[0]
    return f"{played} of {played + left} games, {best.name} leads with {best.score:.1%}"


def _document(tournament: Tournament, machines: ManyMachines | None) -> dict[str, object]:
    workers = None if machines is None else workers_document(machines.figures())
    elo = _elo(tournament)
    players = [{**asdict(each), "elo": _fields(elo, each.name)} for each in summaries(tournament)]
    return {
        "ended": tournament.ended,
        "games": len(tournament.played),
        "players": players,
        "stopped": {str(number): why for number, why in tournament.stopped.items()},
        **({} if workers is None else {"workers": workers}),
    }


def _elo(tournament: Tournament) -> dict[str, Rating]:
    return {row.name: row for row in ratings(outcomes(tournament)).rows}


def _fields(elo: dict[str, Rating], name: str) -> dict[str, float] | None:
    row = elo.get(name)
    return None if row is None else {"value": row.elo, "low": row.low, "high": row.high}


def _print(tournament: Tournament, folder: Path | None) -> None:
    """With the standings of the event in the folder, if there is one that has them."""
    found = summaries(tournament)
    if folder is None or not _print_standings(folder):
        elo = _elo(tournament)
        head = ("player", "games", "won", "drawn", "lost", "score", "Elo", "95 %")
        print_table(head, [_row(each, elo.get(each.name)) for each in found])
    for each in found:
        for reason, times in each.faults.items():
            text_console().print(f"{each.name} lost by {reason.replace('_', ' ')}: {times}")
    if tournament.ended is not None:
        text_console().print(f"The end: {tournament.ended}.")


def _print_standings(folder: Path) -> bool:
    from bot.cli.tournament_tables import standings_table
    from bot.matches.report import read_chronicle
    from bot.matches.report.statistics import statistics

    story = read_chronicle(folder)
    figures = statistics(story)
    if figures.is_event:
        text_console().print(standings_table(story, figures))
    return figures.is_event


def _row(each: PlayerSummary, elo: Rating | None) -> tuple[str, ...]:
    """Elo is relative to the mean of all."""
    counts = (each.games, each.wins, each.draws, each.losses)
    rated = (
        ("", "")
        if elo is None
        else (f"{round(elo.elo):+d}", f"{round(elo.low):+d} to {round(elo.high):+d}")
    )
    return (each.name, *map(str, counts), f"{each.score:.1%}", *rated)
