"""`bluestone bench network` and `bluestone bench calibration`: what a network costs and knows, and
how honest the values are that engines state.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from bot.cli.bench_options import Count, Seed, progress
from bot.cli.bench_tables import print_table
from bot.cli.games import Board, GameName, chosen_game
from bot.cli.output import output_file, print_json
from bot.cli.records import Json

if TYPE_CHECKING:
    from bot.bench.calibration import Calibration
    from bot.bench.forecasts import Difference, Score
    from bot.bench.network import NetworkReport

Playouts = Annotated[int, Parameter(validator=validators.Number(gte=10, lte=10**7))]
Plot = Annotated[Path | None, Parameter(help="also draw the figures into this SVG file")]


def network(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    weights: Annotated[
        Path | None, Parameter(help="a file of weights; those of the engine if none")
    ] = None,
    positions: Annotated[Count, Parameter(help="for Brier scores, from new games")] = 400,
    ranked: Annotated[Count, Parameter(help="so many of them for the ranks of stones")] = 100,
    long: Annotated[Playouts, Parameter(help="playouts that find the stone to be ranked")] = 20_000,
    rounds: Annotated[Count, Parameter(help="in which times are measured")] = 5,
    seed: Seed = 1,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """What a network costs and knows: times, Brier scores of its value and of the search's, and
    where the stone that a long search places stands in its policy and by AMAF values.

    ± are standard errors.
    """
    from bot.bench.network import NetworkPlan, measure

    played = chosen_game(game, board, None)
    plan = NetworkPlan(played, weights, positions, ranked, long, rounds, seed)
    report = measure(plan, progress)
    if as_json:
        print_json(report.as_json())
    else:
        _print_network(report)
    if plot is not None:
        from bot.bench.network_plot import foresight_chart

        with output_file(plot) as target:
            target.write(foresight_chart(report))


def calibration(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    positions: Annotated[Count, Parameter(help="from games between different engines")] = 2_000,
    nodes: Annotated[Playouts, Parameter(help="playouts after which a value is stated")] = 1_000,
    seed: Seed = 1,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Values that the engine states, with its network and without, against how games ended.

    ± are standard errors: 0 where all games of a line ended alike, however few they are.
    """
    from bot.bench.calibration import measure

    found = measure(chosen_game(game, board, None), positions, nodes, seed, progress)
    if as_json:
        print_json([each.as_json() for each in found])
    else:
        _print_calibrations(found)
    if plot is not None:
        from bot.bench.calibration_plot import reliability_diagram

        with output_file(plot) as target:
            target.write(reliability_diagram(found))


def _print_network(report: "NetworkReport") -> None:
    times = report.microseconds.items()
    rows = [(name.replace("_", " "), f"{f.least:.2f}", f"{f.median:.2f}") for name, f in times]
    print_table(("us of one", "least", "median"), rows)
    ratios = report.ratios.items()
    print_table(
        ("ratio", "least", "median"),
        [(name, f"{f.least:.2f}", f"{f.median:.2f}") for name, f in ratios],
    )
    print_table(
        ("Brier score", "playouts", "mean of playouts", "lower than without", "best turn"),
        [
            (
                each.source,
                "-" if each.playouts is None else f"{each.playouts:,}",
                _score(each.mean),
                _gain(each.gain),
                _score(each.best),
            )
            for each in report.foresight
        ],
    )
    print_table(
        ("rank of the stone of", "by", "positions", "of", "median", "mean", "first", "in five"),
        [
            (
                *(each.judge, each.guide, str(each.positions), f"{each.choices:.0f}"),
                *(f"{each.median:g}", f"{each.mean:.1f}"),
                *(f"{each.first:.0%}", f"{each.first_five:.0%}"),
            )
            for each in report.ranks
        ],
    )


def _print_calibrations(found: "list[Calibration]") -> None:
    for each in found:
        print(
            f"{each.engine}, {each.playouts:,} playouts, {each.score.count:,} positions: "
            f"Brier score {_score(each.score)}, calibration error {each.expected_error:.3f}"
        )
        if each.gain is not None:
            print(f"Brier score lower than without network by {_gain(each.gain)}")
        rows = [
            (
                f"{one.low:.0%} to {one.high:.0%}",
                f"{one.count:,}",
                *(_share(figure) for figure in (one.stated, one.result, one.error)),
            )
            for one in each.bins
        ]
        print_table(("stated", "positions", "mean", "result", "±"), rows)


def _score(score: "Score | None") -> str:
    return "-" if score is None else f"{score.brier:.3f} ± {score.error:.3f}"


def _gain(gain: "Difference | None") -> str:
    return "-" if gain is None else f"{gain.value:+.4f} ± {gain.error:.4f}"


def _share(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:.1%}"
