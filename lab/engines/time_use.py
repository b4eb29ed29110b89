"""The gain of pondering, and of the engine's use of its clock, in playouts."""

from collections.abc import Callable
from dataclasses import dataclass

import engine
from bot.tournaments.pentanomial import Pentanomial, pentanomial_of, score_interval
from engine.training.foreseeing import Foreseen, foreseen_in
from engine.training.gate import score_of
from engine.training.playout_time import ClockGame, play_pair

Progress = Callable[[str], None]


@dataclass(frozen=True)
class PonderingReport:
    """The gain of pondering in playouts, as means per turn of the opponent.

    `gained` is the gain of a search of the expected turn alone, `gained_of_all` that of a search of
    all turns, each with `nodes` playouts.
    """

    game: str
    board: str
    nodes: int
    turns: int
    hits: int
    share: float
    low: float
    high: float
    gained: float
    gained_of_all: float


@dataclass(frozen=True)
class ClocksReport:
    """Managed plans against even division. Playouts are means per game, managed first."""

    game: str
    board: str
    nodes: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float
    playouts: tuple[int, int]
    own_turns: float


def measure_pondering(
    game: engine.Game, nodes: int, games: int, seed: int, on_progress: Progress
) -> PonderingReport:
    found = Foreseen()
    for number in range(1, games + 1):
        found += foreseen_in(game, nodes, number, seed)
        on_progress(f"game {number} of {games}: {found.hits} of {found.turns} turns expected")
    turns = max(1, found.turns)
    low, high = score_interval(Pentanomial(singles=(found.turns - found.hits, 0, found.hits)))
    return PonderingReport(
        game=game.name,
        board=game.board.name,
        nodes=nodes,
        turns=found.turns,
        hits=found.hits,
        share=found.hits / turns,
        low=low,
        high=high,
        gained=round(nodes * found.hits / turns),
        gained_of_all=round((found.kept_of_all - found.kept) / turns),
    )


def measure_clocks(
    game: engine.Game, nodes: int, games: int, seed: int, on_progress: Progress
) -> ClocksReport:
    played = list[ClockGame]()
    for pair in range(1, (games + 1) // 2 + 1):
        played += play_pair(game, nodes, pair, seed)
        score = score_of(each.game for each in played)
        on_progress(f"game {len(played)} of {games}: {score.share:.1%}")
    score = score_of(each.game for each in played)
    points = [score_of([each.game]).share for each in played]
    low, high = score_interval(pentanomial_of(zip(points[::2], points[1::2], strict=True)))
    return ClocksReport(
        game=game.name,
        board=game.board.name,
        nodes=nodes,
        wins=score.wins,
        draws=score.draws,
        losses=score.losses,
        score=score.share,
        low=low,
        high=high,
        playouts=(_mean(played, 0), _mean(played, 1)),
        own_turns=sum(each.own_turns for each in played) / len(played),
    )


def _mean(played: list[ClockGame], side: int) -> int:
    return round(sum(each.used[side] for each in played) / len(played))
