"""`bluestone bench ratings` and `bluestone bench sprt`: statistics of tournaments whose truth is
known.
"""

from dataclasses import asdict
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from bot.cli.bench_options import Count, Seed, progress
from bot.cli.bench_tables import print_coverage, print_sprt_errors
from bot.cli.output import print_json
from bot.cli.records import Json
from bot.errors import ConfigurationError

Share = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=1))]


def ratings(
    *,
    players: Annotated[int, Parameter(validator=validators.Number(gte=2, lte=200))] = 20,
    simulations: Count = 500,
    event: Annotated[
        Literal["round-robin", "swiss"] | None,
        Parameter(name="--format", help="only this one; both without it"),
    ] = None,
    rounds: Annotated[
        Count | None, Parameter(help="9 of a Swiss, 1 of a round-robin without it")
    ] = None,
    spread: Annotated[
        float,
        Parameter(
            help="standard deviation of the true ratings, in Elo",
            validator=validators.Number(gte=0, lte=1000),
        ),
    ] = 150.0,
    opening: Annotated[Share, Parameter(help="share of a game's luck that its opening has")] = 0.5,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """How often 95 % intervals of ratings hold the truth, in simulated tournaments.

    Pairs of games with one opening, which favours a seat; a first-player advantage of 40 Elo; a
    sixth of the games between equals drawn. Beside it: what games taken one by one would give.
    """
    from tests.lab.interval_coverage import USUAL_ROUNDS, measure
    from tests.lab.synthetic import World

    world = World(spread=spread, opening=opening)
    found = [
        measure(name, players, rounds or usual, simulations, seed, world, progress)
        for name, usual in USUAL_ROUNDS.items()
        if event in (None, name)
    ]
    print_json([asdict(each) for each in found]) if as_json else print_coverage(found)


def sprt(
    *,
    elo0: Annotated[float, Parameter(validator=validators.Number(gte=-1000, lte=1000))] = 0.0,
    elo1: Annotated[float, Parameter(validator=validators.Number(gte=-1000, lte=1000))] = 20.0,
    alpha: Annotated[float, Parameter(validator=validators.Number(gt=0, lt=1))] = 0.05,
    beta: Annotated[float, Parameter(validator=validators.Number(gt=0, lt=1))] = 0.05,
    simulations: Count = 2000,
    most: Annotated[
        int,
        Parameter(
            help="pairs after which a test is given up",
            validator=validators.Number(gte=1, lte=10**6),
        ),
    ] = 20_000,
    opening: Annotated[Share, Parameter(help="share of a game's luck that its opening has")] = 0.5,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """How often a sequential test is wrong, and how many pairs it takes, in simulated matches."""
    from bot.tournaments.sprt import Bounds
    from tests.lab.sprt_errors import measure
    from tests.lab.synthetic import World

    try:
        bounds = Bounds(elo0, elo1, alpha, beta)
    except ValueError as error:
        raise ConfigurationError(str(error)) from error
    found = measure(bounds, simulations, most, seed, World(opening=opening), progress)
    print_json([asdict(each) for each in found]) if as_json else print_sprt_errors(found)
