"""Measurements of engines: levels, use of time, the cost and accuracy of networks, calibration."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from bot.cli.games import Board, GameName, GameOptions, Rules, chosen_game
from bot.cli.measurements import (
    Chart,
    Count,
    FigureTable,
    MeasurementReport,
    Plot,
    Seed,
    measurement,
    progress,
)
from bot.errors import ConfigurationError

if TYPE_CHECKING:
    from lab.engines.calibration import Calibration
    from lab.engines.forecasts import Difference, Score
    from lab.engines.network import NetworkReport

LevelNumber = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=10))]
Nodes = Annotated[
    int, Parameter(help="playouts per turn", validator=validators.Number(gte=10, lte=10**7))
]
Playouts = Annotated[int, Parameter(validator=validators.Number(gte=10, lte=10**7))]


@measurement
def network(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    weights: Annotated[
        Path | None, Parameter(help="a file of weights; by default those of the engine")
    ] = None,
    positions: Annotated[Count, Parameter(help="positions for Brier scores, from new games")] = 400,
    ranked: Annotated[
        Count, Parameter(help="how many of them are used for the ranks of stones")
    ] = 100,
    long: Annotated[
        Playouts, Parameter(help="playouts of the search that finds the stone to rank")
    ] = 20_000,
    rounds: Annotated[Count, Parameter(help="rounds in which times are measured")] = 5,
    seed: Seed = 1,
    plot: Plot = None,
) -> MeasurementReport:
    """Measure the cost and the accuracy of a network.

    Reports times, the Brier scores of its value and of the search's value, and the rank of the
    stone that a long search places, by the network's policy and by AMAF values. ± are standard
    errors.
    """
    from lab.engines.network import NetworkPlan, foresight_chart, measure

    played = chosen_game(game, board, None)
    plan = NetworkPlan(played, weights, positions, ranked, long, rounds, seed)
    found = measure(plan, progress)
    chart = Chart(plot, lambda: foresight_chart(found))
    return MeasurementReport(_network_tables(found), found.as_json(), chart=chart)


@measurement
def calibration(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    positions: Annotated[
        Count, Parameter(help="positions from games between different engines")
    ] = 2_000,
    nodes: Annotated[
        Playouts, Parameter(help="playouts after which the engine states a value")
    ] = 1_000,
    seed: Seed = 1,
    plot: Plot = None,
) -> MeasurementReport:
    """Compare the engine's values, with its network and without, with the results of the games.

    ± are standard errors. They are 0 where all games of a line ended alike, even if there are few.
    """
    from lab.engines.calibration import measure, reliability_diagram

    found = measure(chosen_game(game, board, None), positions, nodes, seed, progress)
    text = [part for each in found for part in _calibration(each)]
    chart = Chart(plot, lambda: reliability_diagram(found))
    return MeasurementReport(text, [each.as_json() for each in found], chart=chart)


@measurement
def leads(
    *,
    captures: Annotated[
        tuple[int, ...], Parameter(help="numbers of captures; by default the usual one")
    ] = (),
    games: Annotated[Count, Parameter(help="games for each number")] = 40,
    nodes: Nodes = 300,
    game: GameName = "freego",
    board: Board = None,
    seed: Seed = 1,
) -> MeasurementReport:
    """Play games to different numbers of captures: their length, and whether the leader wins.

    The leader is the player who is ahead as soon as one has half of the captures.
    """
    from lab.engines.leads import measure

    chosen = [[f"captures={number}"] for number in captures] or [list[str]()]
    played = [chosen_game(game, board, None, options) for options in chosen]
    found = [measure(each, games, nodes, seed, progress) for each in played]
    rows = [
        (
            *(str(each.captures), str(each.games), f"{each.turns:.0f}", str(each.first_won)),
            *(f"{each.kept} of {each.leading}", f"{each.changes:.1f}"),
        )
        for each in found
    ]
    head = ("captures", "games", "turns", "Black won", "leader won", "changes of the lead")
    return MeasurementReport([FigureTable(head, rows)], [asdict(each) for each in found])


@measurement
def levels(
    *,
    games: Annotated[Count, Parameter(help="games of each level against the one below")] = 60,
    lowest: Annotated[LevelNumber, Parameter(help="lowest level to measure")] = 1,
    highest: Annotated[LevelNumber, Parameter(help="highest level to measure")] = 10,
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    game_option: GameOptions = (),
    seed: Seed = 1,
) -> MeasurementReport:
    """Play each level against the one below it, with a limit of playouts instead of time.

    Level 1 plays against random turns, and against a greedy player, which takes the turn after
    which the score looks best. Level 10 has no limit; here it gets twice the playouts of level 9.
    """
    from lab.engines.levels import LadderPlan, measure

    if lowest > highest:
        raise ConfigurationError(f"--lowest {lowest}: is above --highest {highest}")
    plan = LadderPlan(chosen_game(game, board, rules, game_option), games, lowest, highest, seed)
    rungs = measure(plan, progress)
    rows = [
        (
            *(str(each.level), each.opponent, str(each.games), f"{each.score:.0%}"),
            *(f"{each.low:.0%} to {each.high:.0%}", f"{each.turns:.0f}"),
        )
        for each in rungs
    ]
    head = ("level", "against", "games", "score", "95 %", "turns per game")
    return MeasurementReport([FigureTable(head, rows)], [asdict(each) for each in rungs])


@measurement
def pondering(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    games: Annotated[Count, Parameter(help="number of games")] = 20,
    nodes: Nodes = 2_000,
    seed: Seed = 1,
) -> MeasurementReport:
    """Measure how often the engine, as its own opponent, plays the turn that it expects.

    Also reports how many playouts pondering on that turn, or on all turns, would gain.
    """
    from lab.engines.time_use import measure_pondering

    found = measure_pondering(chosen_game(game, board, None), nodes, games, seed, progress)
    text = (
        f"{found.game} on {found.board}, {nodes:,} playouts per turn: {found.hits} of "
        f"{found.turns} turns were expected, {found.share:.0%} (95 % between {found.low:.0%} and "
        f"{found.high:.0%}); {nodes:,} playouts on the opponent's time are worth "
        f"{found.gained:,.0f} per turn if spent on the expected turn, {found.gained_of_all:,.0f} "
        "if spent on all turns"
    )
    return MeasurementReport([text], asdict(found))


@measurement
def clocks(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    games: Annotated[Count, Parameter(help="number of games, in pairs from one opening")] = 60,
    nodes: Nodes = 1_000,
    seed: Seed = 1,
) -> MeasurementReport:
    """Measure the engine's own use of a clock against an equal share of it for every turn."""
    from lab.engines.time_use import measure_clocks

    found = measure_clocks(chosen_game(game, board, None), nodes, games, seed, progress)
    ours, theirs = found.playouts
    text = (
        f"managed plans against even division, {found.game} on {found.board}, {nodes:,} playouts "
        f"per turn on the clock: {found.wins} won, {found.draws} drawn, {found.losses} lost: "
        f"{found.score:.1%} (95 % between {found.low:.1%} and {found.high:.1%}); used {ours:,} "
        f"and {theirs:,} per game, {found.own_turns:.0f} turns each"
    )
    return MeasurementReport([text], asdict(found))


def _network_tables(report: "NetworkReport") -> list[FigureTable]:
    times = [
        (name.replace("_", " "), f"{f.least:.2f}", f"{f.median:.2f}")
        for name, f in report.microseconds.items()
    ]
    ratios = [(name, f"{f.least:.2f}", f"{f.median:.2f}") for name, f in report.ratios.items()]
    scores = [
        (
            *(each.source, "-" if each.playouts is None else f"{each.playouts:,}"),
            *(_score(each.mean), _gain(each.gain), _score(each.best)),
        )
        for each in report.foresight
    ]
    ranks = [
        (
            *(each.judge, each.guide, str(each.positions), f"{each.choices:.0f}"),
            *(f"{each.median:g}", f"{each.mean:.1f}"),
            *(f"{each.first:.0%}", f"{each.first_five:.0%}"),
        )
        for each in report.ranks
    ]
    of_scores = ("Brier score", "playouts", "mean of playouts", "lower than without", "best turn")
    of_ranks = ("rank of the stone of", "by", "positions", "of", "median", "mean", "first")
    return [
        FigureTable(("us of one", "least", "median"), times),
        FigureTable(("ratio", "least", "median"), ratios),
        FigureTable(of_scores, scores),
        FigureTable((*of_ranks, "in five"), ranks),
    ]


def _calibration(found: "Calibration") -> Iterator[str | FigureTable]:
    yield (
        f"{found.engine}, {found.playouts:,} playouts, {found.score.count:,} positions: "
        f"Brier score {_score(found.score)}, calibration error {found.expected_error:.3f}"
    )
    if found.gain is not None:
        yield f"Brier score lower than without network by {_gain(found.gain)}"
    rows = [
        (
            f"{one.low:.0%} to {one.high:.0%}",
            f"{one.count:,}",
            *(_share(figure) for figure in (one.stated, one.result, one.error)),
        )
        for one in found.bins
    ]
    yield FigureTable(("stated", "positions", "mean", "result", "±"), rows)


def _score(score: "Score | None") -> str:
    return "-" if score is None else f"{score.brier:.3f} ± {score.error:.3f}"


def _gain(gain: "Difference | None") -> str:
    return "-" if gain is None else f"{gain.value:+.4f} ± {gain.error:.4f}"


def _share(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:.1%}"
