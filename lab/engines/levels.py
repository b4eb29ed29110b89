"""The distances between the levels of the built-in engine: matches of neighbours, in this process.

Searches are limited by playouts, so the figures do not depend on the machine.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import engine
from bot.tournaments.pentanomial import pentanomial_of, score_interval
from engine.players.levels import LEVEL_WORDS, level
from lab.engines.mixed_games import built_in, result_for, search

TURNS_SEEN: Final = 150
"""Legal turns that the greedy player evaluates; a random sample if there are more."""


def greedy_turn(position: engine.Position, chance: random.Random) -> str:
    """Return the turn after which the player's score is furthest ahead, with ties broken
    at random.
    """
    turns = list(position.legal_turns())
    seen = chance.sample(turns, min(TURNS_SEEN, len(turns)))
    return max(seen, key=lambda turn: lead(position.play(turn), position.to_play))


def lead(position: engine.Position, player: int) -> tuple[float, ...]:
    """Return the player's lead as a key for comparisons: a result first, then score by score."""
    if position.over:
        won = 0.5 if position.winner is None else float(position.winner == player)
        return (3 * won - 1.5,)
    mine, theirs = (_listed(position.scores[seat - 1]) for seat in (player, 3 - player))
    length = max(len(mine), len(theirs))
    sign = -1 if position.game.info.fewer_wins else 1
    ahead = zip(_filled(mine, length), _filled(theirs, length), strict=True)
    return (0.0, *(sign * (own - other) for own, other in ahead))


def _listed(score: int | tuple[int, ...]) -> Sequence[int]:
    return score if isinstance(score, tuple) else (score,)


def _filled(scores: Sequence[int], length: int) -> list[int]:
    return [*scores, *([0] * (length - len(scores)))]


RANDOM_TURNS: Final = 2
"""Random turns at the start of a game; the second game of a pair has the same ones."""
FULL_SHARE: Final = 2
"""The highest level has no limit: here it gets this many times the playouts of the level below."""

Progress = Callable[[str], None]
Mover = Callable[[engine.Position, random.Random], str]


@dataclass(frozen=True)
class LadderPlan:
    """Levels `lowest` to `highest`, each against the one below it in `games` games."""

    game: engine.Game
    games: int
    lowest: int = 1
    highest: int = len(LEVEL_WORDS)
    seed: int = 1


@dataclass(frozen=True)
class Rung:
    """The score of a level against one opponent.

    `low` and `high` bound the true score with 95 % confidence. `turns` is the mean number of turns
    per game, of both players.
    """

    level: int
    opponent: str
    games: int
    won: int
    drawn: int
    score: float
    low: float
    high: float
    turns: float


@dataclass(frozen=True)
class Contender:
    """A player: `reset` is called with a seed before each game, `move` for each turn."""

    name: str
    move: Mover
    reset: Callable[[int], None] = lambda _: None


SIMPLE: Final = (
    Contender("random", engine.Position.random_turn),
    Contender("greedy", greedy_turn),
)
"""The opponents of level 1: one plays at random, one compares the scores after its turn."""


def measure(plan: LadderPlan, on_progress: Progress) -> list[Rung]:
    """Measure from the lowest level up. Level 1 plays against simple players."""
    rungs = list[Rung]()
    below = SIMPLE if plan.lowest == 1 else (contender(plan.lowest - 1, plan.game),)
    for number in range(plan.lowest, plan.highest + 1):
        own = contender(number, plan.game)
        for opponent in below:
            rung = match(plan, number, own, opponent)
            rungs.append(rung)
            on_progress(f"level {number} against {rung.opponent}: {rung.score:.0%}")
        below = (own,)
    return rungs


def contender(number: int, game: engine.Game) -> Contender:
    """Return that level of the built-in engine."""
    player, playouts = built_in({"Level": number}), playouts_of(number, game)

    def move(position: engine.Position, _: random.Random) -> str:
        return search(player, position, playouts).turn

    return Contender(f"level {number}", move, lambda seed: player.set_option("Seed", seed))


def playouts_of(number: int, game: engine.Game) -> int:
    """Return the maximal number of playouts per turn of a level."""
    bound = level(number, game).bound_on(game)
    return FULL_SHARE * playouts_of(number - 1, game) if bound is None else bound


def match(plan: LadderPlan, number: int, own: Contender, opponent: Contender) -> Rung:
    """Play `plan.games` games in pairs: the same opening twice, with the seats swapped."""
    results, turns = list[float](), 0
    for played in range(plan.games):
        pair, seat = divmod(played, 2)
        chance = random.Random(f"{plan.seed} {number} {pair}")
        players = (own, opponent) if seat == 0 else (opponent, own)
        last = play(plan.game, players, chance)
        results.append(result_for(seat + 1, last))
        turns += len(last.turns)
    points = sum(results)
    pairs = (results[place : place + 2] for place in range(0, plan.games, 2))
    low, high = score_interval(pentanomial_of(pairs))
    return Rung(
        level=number,
        opponent=opponent.name,
        games=plan.games,
        won=results.count(1),
        drawn=results.count(0.5),
        score=points / plan.games,
        low=low,
        high=high,
        turns=turns / plan.games,
    )


def play(
    game: engine.Game, players: tuple[Contender, Contender], chance: random.Random
) -> engine.Position:
    """Play a game, which starts with some random turns, and return its last position."""
    position = game.start()
    for _ in range(RANDOM_TURNS):
        if not position.over:
            position = position.play(position.likely_turn(chance))
    for each in players:
        each.reset(chance.getrandbits(32))
    while not position.over:
        position = position.play(players[position.to_play - 1].move(position, chance))
    return position
