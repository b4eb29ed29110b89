"""How often a sequential test is wrong, and how many pairs it needs, by simulation."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Final

import numpy as np
from cyclopts import Parameter, validators
from numpy.typing import NDArray

from bot.cli.measurements import Count, Report, Seed, Table, measurement, progress
from bot.errors import ConfigurationError
from bot.tournaments.elo import ELO, expected_score
from bot.tournaments.sprt import Bounds, log_likelihood_ratio
from tests.lab.synthetic import NORMAL, OpeningShare, World

Floats = NDArray[np.float64]

FARTHEST: Final = 20.0
HALVINGS: Final = 80
EVERY: Final = 500
"""Pairs between two lines of progress."""


@dataclass(frozen=True)
class SprtRun:
    """Tests of a player who is truly `elo` ahead. Shares are fractions of 1, without tests given
    up.

    `wrong` is the share that accepts a false hypothesis, if one is false; `allowed` is the error
    that the test was made for.
    """

    elo: float
    simulations: int
    accepted_h0: float
    accepted_h1: float
    undecided: float
    wrong: float | None
    allowed: float | None
    mean_pairs: float
    most_pairs: int


def measure(
    bounds: Bounds,
    simulations: int,
    most_pairs: int,
    seed: int,
    world: World,
    on_progress: Callable[[str], None],
) -> list[SprtRun]:
    """Simulate tests at elo0, a quarter, half and three quarters of the way, and at elo1."""
    width = bounds.elo1 - bounds.elo0
    return [
        _run(
            bounds, bounds.elo0 + share * width, simulations, most_pairs, number, world, on_progress
        )
        for number, share in enumerate((0, 0.25, 0.5, 0.75, 1), start=5 * seed)
    ]


def _run(
    bounds: Bounds,
    elo: float,
    simulations: int,
    most_pairs: int,
    seed: int,
    world: World,
    on_progress: Callable[[str], None],
) -> SprtRun:
    random = np.random.default_rng(seed)
    lead = lead_of(elo, world)
    counts = np.zeros((simulations, 5))
    length = np.zeros(simulations, dtype=np.intp)
    accepted = np.zeros(simulations)
    running = np.arange(simulations)
    for pair in range(most_pairs):
        counts[running, pairs(lead, len(running), world, random)] += 1
        ratio = log_likelihood_ratio(counts[running], bounds)
        length[running] += 1
        accepted[running] = 1.0 * (ratio >= bounds.upper) - 1.0 * (ratio <= bounds.lower)
        running = running[accepted[running] == 0]
        if not len(running):
            break
        if (pair + 1) % EVERY == 0:
            on_progress(f"{elo:g} Elo: {len(running)} undecided after {pair + 1} pairs")
    return _summed(bounds, elo, accepted, length)


def _summed(bounds: Bounds, elo: float, accepted: Floats, length: NDArray[np.intp]) -> SprtRun:
    h0, h1 = float((accepted < 0).mean()), float((accepted > 0).mean())
    wrong = {bounds.elo0: (h1, bounds.alpha), bounds.elo1: (h0, bounds.beta)}.get(elo)
    return SprtRun(
        elo,
        len(accepted),
        h0,
        h1,
        float((accepted == 0).mean()),
        None if wrong is None else wrong[0],
        None if wrong is None else wrong[1],
        float(length.mean()),
        int(length.max()),
    )


def pairs(lead: float, number: int, world: World, random: np.random.Generator) -> NDArray[np.intp]:
    """Draw pairs by their points, in halves. Both games have the same luck of the opening."""
    opening = math.sqrt(world.opening) * random.standard_normal(number)
    halves = np.zeros(number, dtype=np.intp)
    for seat in (1, -1):
        luck = opening + math.sqrt(1 - world.opening) * random.standard_normal(number)
        loss, draw = _shares(seat * lead, world)
        first = 1 * (luck > NORMAL.inv_cdf(loss)) + 1 * (luck > NORMAL.inv_cdf(loss + draw))
        halves += first if seat == 1 else 2 - first
    return halves


def lead_of(elo: float, world: World) -> float:
    """Return the lead in Davidson's model, in natural logarithms, that scores as logistic
    Elo says.
    """
    low, high = -FARTHEST, FARTHEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _score(middle, world) < expected_score(elo) else (low, middle)
    return (low + high) / 2


def _score(lead: float, world: World) -> float:
    """Return the mean score of a game, over both seats of an opening."""
    loss, draw = _shares(lead, world)
    back_loss, back_draw = _shares(-lead, world)
    return (1 - loss - draw / 2 + back_loss + back_draw / 2) / 2


def _shares(lead: float, world: World) -> tuple[float, float]:
    """Return the shares of games that the first seat loses and draws."""
    ahead = lead + world.advantage / ELO
    win, loss = math.exp(ahead / 2), math.exp(-ahead / 2)
    total = win + world.nu + loss
    return loss / total, world.nu / total


Elo = Annotated[float, Parameter(validator=validators.Number(gte=-1000, lte=1000))]
Probability = Annotated[float, Parameter(validator=validators.Number(gt=0, lt=1))]


@measurement
def sprt(
    *,
    elo0: Annotated[Elo, Parameter(help="lead under the first hypothesis, in Elo")] = 0.0,
    elo1: Annotated[Elo, Parameter(help="lead under the second hypothesis, in Elo")] = 20.0,
    alpha: Annotated[Probability, Parameter(help="allowed error at elo0")] = 0.05,
    beta: Annotated[Probability, Parameter(help="allowed error at elo1")] = 0.05,
    simulations: Annotated[Count, Parameter(help="number of simulated tests")] = 2000,
    most: Annotated[
        int,
        Parameter(
            help="pairs after which a test is given up",
            validator=validators.Number(gte=1, lte=10**6),
        ),
    ] = 20_000,
    opening: OpeningShare = 0.5,
    seed: Seed = 1,
) -> Report:
    """Simulate matches, and report how often a sequential test is wrong and how many pairs it
    needs.
    """
    try:
        bounds = Bounds(elo0, elo1, alpha, beta)
    except ValueError as error:
        raise ConfigurationError(str(error)) from error
    found = measure(bounds, simulations, most, seed, World(opening=opening), progress)
    rows = [
        (
            *(f"{each.elo:g}", str(each.simulations), f"{each.accepted_h0:.1%}"),
            *(f"{each.accepted_h1:.1%}", f"{each.undecided:.1%}"),
            "-" if each.wrong is None else f"{each.wrong:.1%} (at most {each.allowed:.0%})",
            *(f"{each.mean_pairs:.0f}", f"{each.most_pairs:,}"),
        )
        for each in found
    ]
    head = ("true Elo", "tests", "H0", "H1", "undecided", "wrong", "mean pairs", "most")
    return Report([Table(head, rows)], [asdict(each) for each in found])
