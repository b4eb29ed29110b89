"""`bluestone bench arena` and `bluestone bench abuse`: the server under load, and under abuse."""

import asyncio
import shlex
from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter, validators

from bot.cli.bench_options import Count, Seconds, progress
from bot.cli.bench_tables import print_abuse, print_capacity, print_load
from bot.cli.games import Board, GameName, chosen_game
from bot.cli.output import print_json
from bot.cli.records import Json
from bot.errors import ConfigurationError

Warmup = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=3600))]
Crowd = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=10_000))]
ArenaCommand = Annotated[
    str | None,
    Parameter(help="another arena, such as 'env PYTHONPATH=../older python -m bot arena'"),
]


def arena(
    *,
    games: Count = 50,
    seconds: Seconds = 60.0,
    pause: Annotated[Seconds, Parameter(help="mean thinking time before a turn, in seconds")] = 1.0,
    warmup: Annotated[Warmup, Parameter(help="seconds of play that are not measured")] = 5.0,
    spectators: Annotated[Crowd, Parameter(help="so many more follow one of the games")] = 0,
    late: Annotated[
        bool, Parameter(negative="", help="spectators come all at once when the clock starts")
    ] = False,
    clients: Annotated[Count, Parameter(help="processes among which the games are divided")] = 1,
    capacity: Annotated[
        bool,
        Parameter(negative="", help="shorten the pause until turns come late, SECONDS a step"),
    ] = False,
    whole: Annotated[
        bool, Parameter(negative="", help="clients get the whole game after each turn")
    ] = False,
    command: ArenaCommand = None,
    game: GameName = "bluestone",
    board: Board = None,
    as_json: Json = False,
) -> None:
    """Many games at once: from a turn sent to its arrival at the opponent, in milliseconds.

    Starts an arena on an empty folder, with limits that this many clients do not reach; --command
    starts another one instead, and gets --port, --data and --config.
    """
    from bot.bench import arena_load
    from bot.bench import arena_load as arena_capacity
    from bot.bench.crowd import LoadPlan

    plan = LoadPlan(
        game=chosen_game(game, board, None),
        games=games,
        seconds=seconds,
        pause_s=pause,
        warmup_s=warmup,
        spectators=spectators,
        spectators_come_late=late,
        clients=clients,
        command=_words(command),
        changes=not whole,
    )
    if capacity:
        borne = asyncio.run(arena_capacity.measure(plan, progress))
        print_json(borne) if as_json else print_capacity(borne)
    else:
        load = asyncio.run(arena_load.measure(plan, progress))
        print_json(load) if as_json else print_load(load)


def _words(command: str | None) -> tuple[str, ...] | None:
    if command is None:
        return None
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise ConfigurationError(f"--command: {error}") from error
    if not words:
        raise ConfigurationError("--command: is empty")
    return words


def abuse(
    *,
    seconds: Annotated[Seconds, Parameter(help="how long each abuse lasts")] = 30.0,
    rest: Annotated[Seconds, Parameter(help="how long after it things are looked at")] = 10.0,
    share: Annotated[
        float,
        Parameter(
            help="of the usual numbers of connections, such as 0.1",
            validator=validators.Number(gt=0, lte=1),
        ),
    ] = 1.0,
    only: Annotated[tuple[str, ...], Parameter(help="the names of the abuses to try")] = (),
    command: ArenaCommand = None,
    game: GameName = "bluestone",
    board: Board = None,
    as_json: Json = False,
) -> int:
    """Ten honest players beside abuse on an arena with its usual limits: what do they notice?

    Ends with 1 if one of them was refused anything, needed a second to log in or waited 250 ms for
    a turn, or if the arena's memory stayed more than 10 % higher.
    """
    from tests.lab.abuse import ABUSES, AbusePlan, measure

    if unknown := sorted({*only} - {each.name for each in ABUSES}):
        known = ", ".join(each.name for each in ABUSES)
        raise ConfigurationError(f"--only: no abuse {unknown[0]!r} (known: {known})")
    played = chosen_game(game, board, None)
    plan = AbusePlan(played, seconds, rest, share=share, command=_words(command), only=only)
    outcomes = asyncio.run(measure(plan, progress))
    if as_json:
        print_json([{**asdict(each), "broken": each.broken} for each in outcomes])
    else:
        print_abuse(outcomes)
    return int(any(each.broken for each in outcomes))
