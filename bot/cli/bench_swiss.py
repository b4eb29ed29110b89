"""`bluestone bench swiss`: simulated events, and whether their pairings keep to FIDE's rules."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from bot.cli.bench_tables import print_table
from bot.cli.output import error_console, print_json
from bot.cli.records import Json
from bot.errors import ConfigurationError

if TYPE_CHECKING:
    from tests.lab.swiss import Findings

Events = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=1_000_000))]
Rounds = Annotated[int | None, Parameter(validator=validators.Number(gte=1, lte=100))]
MOST_PLAYERS = 2000


def swiss(
    *,
    events: Events = 1000,
    players: Annotated[str, Parameter(help="how many, drawn for each event, as LEAST..MOST")] = (
        "5..200"
    ),
    rounds: Rounds = None,
    seed: int = 1,
    as_json: Json = False,
) -> int:
    """Swiss events with draws, byes, no-shows, withdrawals and late entrants, checked.

    Without --rounds 3 to 11 of them are drawn. The exit status is 1 if a pairing broke a rule.
    """
    from tests.lab.swiss import simulate

    found = simulate(events, _range(players), rounds, seed, _progress)
    if as_json:
        print_json({**asdict(found), "fine": found.is_fine()})
    else:
        print_findings(found)
    return int(not found.is_fine())


def print_findings(found: "Findings") -> None:
    """What was counted, those first of which there may be none."""
    print(
        f"{found.events} events, {found.rounds} rounds, {found.pairings:,} pairings "
        f"({found.unplayed} not played), {found.byes} byes, {found.late} late entrants, "
        f"{found.withdrawn} withdrawals"
    )
    rows: list[tuple[str, object, object]] = [
        ("pairs that met twice", found.met_twice, 0),
        ("byes of players who had one", found.byes_twice, 0),
        ("colour differences beyond 2", found.differences, 0),
        ("third colours in a row", found.runs, 0),
        ("largest colour difference", found.largest_difference, 2),
        ("longest run of a colour", found.longest_run, 2),
        ("both, by topscorers in a last round", found.excused, "allowed"),
        (f"slowest pairing of {found.largest} players, s", f"{found.slowest_s:.2f}", "-"),
        ("the same in seconds of a core", f"{found.slowest_cpu_s:.2f}", "-"),
    ]
    print_table(("", "found", "bound"), [(name, f"{is_}", f"{may}") for name, is_, may in rows])
    for why, count in sorted(found.ended_early.items()):
        print(f"ended early: {count} because {why}")


def _range(text: str) -> tuple[int, int]:
    least, _, most = text.partition("..")
    try:
        lowest, highest = int(least), int(most or least)
    except ValueError:
        lowest, highest = 0, 0
    if not 2 <= lowest <= highest <= MOST_PLAYERS:
        raise ConfigurationError(f"--players {text}: give LEAST..MOST, from 2 to {MOST_PLAYERS}")
    return lowest, highest


def _progress(text: str) -> None:
    error_console().print(text)
