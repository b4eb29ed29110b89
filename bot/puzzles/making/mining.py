"""Searches one recorded game for puzzles, cheap tests first; every candidate gets a reason."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import engine
from bot.puzzles.making.answers import answers_of
from bot.puzzles.making.rating import first_rating
from bot.puzzles.making.uniqueness import compare, value_of
from bot.puzzles.model import Puzzle
from bot.puzzles.symmetry import puzzle_id
from bot.puzzles.themes import themes_of
from engine.players.judge import Judge

# The problem: most positions of a game are no puzzles, and to know that one is takes seconds.
#
# The idea: each test costs more than the one before it and refuses most of what is left.
# - A few hundred playouts for every position of the game show where the chances swing.
# - A search without the best turn refuses positions in which another turn is nearly as good. The
#   mistake is compared with the turn that the engine would have chosen instead of it. Both tests
#   are made with few playouts first, and demand less then.
# - The full searches repeat both tests.
# - Four times as many playouts repeat the comparison, now with a larger gap: a gap that has only
#   just passed would often fail in the next search.


@dataclass(frozen=True)
class Demands:
    """What a puzzle must fulfil. Chances are from 0 to 1, playouts those of one search."""

    playouts: int = 16_000
    swing: float = 0.5
    """By how much the mistake raises the solver's chance to win."""
    gap: float = 0.35
    """By how much the second-best turn is worse than the solution."""
    firm_gap: float = 0.4
    """The same after `again` times as many playouts."""
    again: int = 4
    least_chance: float = 0.6
    """The solver's chance after the solution."""
    first_ply: int = 4
    """Turns before the position."""
    last_ply: int = 80
    screen: int = 300
    """Playouts for each position of a game."""
    screen_swing: float = 0.35
    sight: int = 1_000
    """Playouts of the first search without the best turn."""
    sight_gap: float = 0.15
    short: int = 2_000
    """Playouts of the tests that come before the full ones."""
    short_swing: float = 0.4
    short_gap: float = 0.25


USUAL: Final = Demands()

FIRM_RIVALS: Final = 1
"""Rivals in the last comparison, which costs most."""
KEPT: Final = "kept"
MOST_ANSWERS: Final = 3
"""Right answers beside the solution; with more of them there is nothing to find."""
PROOF_PLAYOUTS: Final = 300
"""Playouts for each turn of a win: a proof that has been found once is found again at once."""
MOST_TURNS: Final = 15
"""The longest line that is played after a solution that wins by force."""


@dataclass
class SwingCandidate:
    """A position with a swing: why it was kept or refused, and the figures that decided."""

    ply: int
    reason: str
    figures: dict[str, float] = field(default_factory=dict)
    puzzle: Puzzle | None = None


def candidates_of(
    game: engine.Game, turns: tuple[str, ...], source: str, judge: Judge, demands: Demands = USUAL
) -> Iterator[SwingCandidate]:
    """Yield each position of a game that follows a swing, with the verdict on it.

    `turns` are those of the game from its start, `source` is the id of the record. After a puzzle,
    the next two plies of the game are left out: they would show the same idea again.
    """
    positions = [game.start()]
    for turn in turns[: demands.last_ply]:
        positions.append(positions[-1].play(turn))
    screened = [None if each.over else _chance(judge, each, demands.screen) for each in positions]
    resume = demands.first_ply
    for ply, (earlier, now) in enumerate(pairwise(screened), start=1):
        if earlier is None or now is None or ply < resume:
            continue
        swing = now - (1.0 - earlier)
        if swing < demands.screen_swing:
            continue
        verdict = _Examination(judge, demands, positions[ply], positions[ply - 1], source).run()
        verdict.figures["screen_swing"] = round(swing, 3)
        if verdict.puzzle is not None:
            resume = ply + 3
        yield verdict


def _chance(judge: Judge, position: engine.Position, playouts: int) -> float:
    found = judge.judge(position, playouts, count=1).candidates
    return value_of(found[0]) if found else 0.5


@dataclass
class _Examination:
    """The tests of one position, cheap ones first."""

    judge: Judge
    demands: Demands
    position: engine.Position
    earlier: engine.Position
    """The position in which the opponent made the mistake."""
    source: str

    def run(self) -> SwingCandidate:
        verdict = SwingCandidate(len(self.position.turns), "")
        verdict.reason = self._refused(verdict)
        return verdict

    def _refused(self, verdict: SwingCandidate) -> str:
        """Return the reason of the first test that fails, or KEPT; set the figures on the way."""
        demands, judge, position = self.demands, self.judge, self.position
        figures = verdict.figures
        sight = judge.judge(position, demands.sight)
        rest = judge.judge(position, demands.sight, excluded=(sight.best.turn,))
        if not rest.candidates:
            return "only_turn"
        figures["sight_gap"] = round(value_of(sight.best) - value_of(rest.best), 3)
        if figures["sight_gap"] < demands.sight_gap:
            return "not_unique_at_first_sight"
        short = judge.judge(position, demands.short).best
        figures["short_swing"] = round(self._swing(value_of(short), demands.short), 3)
        if figures["short_swing"] < demands.short_swing:
            return "no_swing_at_first_sight"
        early = compare(judge, position, short.turn, demands.short, demanded=demands.short_gap)
        if early is not None:
            figures["short_gap"] = round(early.gap, 3)
            if early.gap < demands.short_gap:
                return "not_unique_in_short"
        best = judge.judge(position, demands.playouts).best
        swing = self._swing(value_of(best), demands.playouts)
        figures["swing"] = round(swing, 3)
        if swing < demands.swing:
            return "no_swing"
        first = compare(judge, position, best.turn, demands.playouts, demanded=demands.gap)
        if first is None:
            return "only_turn"
        figures |= {"chance": round(first.best.chance, 3), "gap": round(first.gap, 3)}
        if first.best.chance < demands.least_chance:
            return "not_good_enough"
        if first.gap < demands.gap:
            return "not_unique"
        firm = compare(
            judge,
            position,
            best.turn,
            demands.playouts * demands.again,
            demanded=demands.firm_gap,
            rivals=FIRM_RIVALS,
        )
        assert firm is not None
        figures |= {"firm_chance": round(firm.best.chance, 3), "firm_gap": round(firm.gap, 3)}
        if firm.best.chance < demands.least_chance:
            return "not_good_enough_again"
        if firm.gap < demands.firm_gap:
            return "not_unique_again"
        found_after = judge.found_after(position, best.turn, demands.playouts)
        figures["found_after"] = found_after or 2 * demands.playouts
        least = firm.best.chance - demands.firm_gap
        found = answers_of(judge, position, (best.turn,), demands.playouts, least)
        if len(found.right) > MOST_ANSWERS:
            return "many_answers"
        second = found.wrong if firm.second.turn in found.right else firm.second
        reached = position.play(best.turn)
        solution, line = reached.turns[-1], firm.line
        if firm.proved:
            line = winning_line(judge, reached, position.to_play) or line
        verdict.puzzle = Puzzle(
            id=puzzle_id(position),
            game=position.game.name,
            board=position.game.board.name,
            rules=position.game.rule_set,
            options={name: str(value) for name, value in position.game.options},
            turns=position.turns,
            solver=1 if position.to_play == 1 else 2,
            solution=solution,
            answers=found.right,
            line=line,
            before=_rounded(value_of(best) - swing),
            chance=_rounded(firm.best.chance),
            second=0.0 if second is None else _rounded(second.chance),
            second_turn="" if second is None else second.turn,
            themes=themes_of(position, solution, proved=firm.proved),
            rating=first_rating(found_after, demands.playouts, len(line), proved=firm.proved),
            source=self.source,
        )
        return KEPT

    def _swing(self, chance: float, playouts: int) -> float:
        """Return how much better the solver's chance is than after the engine's own turn.

        Both positions are searched from the solver's view, so their values are comparable.
        """
        choice = self.judge.judge(self.earlier, playouts).best
        instead = self.earlier.play(choice.turn)
        if instead.over:
            return chance - (1.0 if instead.winner == self.position.to_play else 0.0)
        return chance - value_of(self.judge.judge(instead, playouts).best)


def winning_line(judge: Judge, position: engine.Position, winner: int) -> tuple[str, ...] | None:
    """Return turns by which `winner` wins from a position; None if the search loses its way.

    The search's own line ends where the tree ends, and a proof needs hardly any tree.
    """
    turns: list[str] = []
    while not position.over:
        found = judge.judge(position, PROOF_PLAYOUTS, count=1).candidates
        if not found or len(turns) == MOST_TURNS:
            return None
        turns.append(found[0].turn)
        position = position.play(found[0].turn)
    return tuple(turns) if position.winner == winner else None


def _rounded(chance: float) -> float:
    return round(min(1.0, max(0.0, chance)), 3)
