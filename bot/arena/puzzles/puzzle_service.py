"""Puzzles: which one comes next, what an answer does, and the puzzle of the day."""

import random
from collections.abc import Sequence
from datetime import UTC, date
from typing import Final

import engine
from bot import wire
from bot.arena.games.preparation import Preparation
from bot.arena.puzzles.puzzle_store import PuzzleStore, SolverProgress
from bot.arena.refusals import Refused
from bot.puzzles import library
from bot.puzzles.model import Puzzle
from bot.runtime.workers import Workers
from bot.time_source import TimeSource

CHOICES: Final = 5
"""The next puzzle is one of this number of puzzles with the ratings closest to the solver's."""
UNKNOWN: Final = "There is no such puzzle."


class Puzzles:
    """Carries out the requests `puzzle.*`."""

    def __init__(
        self,
        store: PuzzleStore,
        preparation: Preparation,
        games: Sequence[str],
        workers: Workers,
        time: TimeSource,
        rng: random.Random,
    ) -> None:
        """`games` are those that the arena offers."""
        self._store = store
        self._workers = workers
        self._preparation = preparation
        self._games = tuple(game for game in games if library.shipped(game))
        self._time = time
        self._rng = rng

    async def ask(self, player: wire.Player, message: wire.AskPuzzle) -> wire.PuzzleDone:
        """A puzzle for a player. Raises Refused."""
        account, today = _account(player), self._today()
        if message.puzzle_id is not None:
            puzzle = self._found(message.puzzle_id)
        elif message.daily:
            puzzle = self._daily(today)
        else:
            puzzle = await self._next(account, message.game or "", today)
        progress = await self._store.progress(account, puzzle.game, today)
        done = puzzle.id in progress.answers
        return wire.PuzzleDone(
            puzzle=await self._view(puzzle, today),
            standing=_standing(progress, puzzle.game),
            solution=_solution(puzzle) if done else None,
        )

    async def answer(self, player: wire.Player, message: wire.TryPuzzle) -> wire.PuzzleTried:
        """Judge an answer; the first one of a player counts. Raises Refused."""
        _account(player)
        puzzle = self._found(message.puzzle_id)
        solved = False
        if message.turn is not None:
            self._preparation.check(puzzle.game)
            solved = await self._workers.run(_is_solution, puzzle, message.turn)
        counted = await self._store.answer(
            player, puzzle.id, puzzle.game, puzzle.rating, solved, self._time.wall()
        )
        is_over = solved or message.turn is None
        return wire.PuzzleTried(
            solved=solved,
            change=None if counted.change is None else round(counted.change),
            standing=_standing(counted.progress, puzzle.game),
            solution=_solution(puzzle) if is_over else None,
        )

    def _today(self) -> date:
        return self._time.wall().astimezone(UTC).date()

    def _found(self, puzzle_id: str) -> Puzzle:
        puzzle = library.find(puzzle_id)
        if puzzle is None or puzzle.game not in self._games:
            raise Refused("unknown_puzzle", UNKNOWN)
        return puzzle

    def _daily(self, day: date) -> Puzzle:
        """One puzzle for all players: the games take turns, each in the order of puzzle ids."""
        if not self._games:
            raise Refused("unknown_puzzle", UNKNOWN)
        number, place = divmod(day.toordinal(), len(self._games))
        puzzles = sorted(library.shipped(self._games[place]), key=lambda each: each.id)
        return puzzles[number % len(puzzles)]

    async def _next(self, account: str, game: str, today: date) -> Puzzle:
        """A puzzle that the player has not tried, with a rating close to that of the player."""
        if game not in self._games:
            raise Refused("unknown_puzzle", "There are no puzzles of that game.")
        puzzles = library.shipped(game)
        progress = await self._store.progress(account, game, today)
        new = [each for each in puzzles if each.id not in progress.answers]
        failed = [each for each in puzzles if progress.answers.get(each.id) is False]
        ratings = await self._ratings(puzzles)
        strength = progress.solver.rating.rating
        pool = sorted(new or failed or puzzles, key=lambda each: abs(ratings[each.id] - strength))
        return self._rng.choice(pool[:CHOICES])

    async def _ratings(self, puzzles: Sequence[Puzzle]) -> dict[str, float]:
        known = await self._store.ratings([each.id for each in puzzles])
        return {
            each.id: known[each.id].rating.rating if each.id in known else float(each.rating)
            for each in puzzles
        }

    async def _view(self, puzzle: Puzzle, today: date) -> wire.PuzzleView:
        known = (await self._store.ratings([puzzle.id])).get(puzzle.id)
        return wire.PuzzleView(
            puzzle_id=puzzle.id,
            game=puzzle.game,
            board=puzzle.board,
            rules=puzzle.rules,
            options=puzzle.options,
            turns=list(puzzle.turns),
            solver=puzzle.solver,
            rating=puzzle.rating if known is None else round(known.rating.rating),
            tried=0 if known is None else known.counted,
            daily=today if puzzle.id == self._daily(today).id else None,
        )


def _account(player: wire.Player) -> str:
    if player.id is None or player.kind == "bot":
        raise Refused("not_a_person", "Puzzles are for people.")
    return player.id


def _is_solution(puzzle: Puzzle, turn: str) -> bool:
    try:
        return puzzle.is_solved_by(turn)
    except engine.IllegalTurn as error:
        raise Refused("illegal_turn", str(error), rule=error.rule) from error


def _standing(progress: SolverProgress, game: str) -> wire.PuzzleStanding:
    solver = progress.solver
    return wire.PuzzleStanding(
        rating=round(solver.rating.rating),
        deviation=round(solver.rating.deviation),
        provisional=solver.rating.is_provisional,
        tried=solver.counted,
        solved=solver.solved,
        left=sum(each.id not in progress.answers for each in library.shipped(game)),
        streak=progress.streak,
        solved_today=progress.solved_today,
    )


def _solution(puzzle: Puzzle) -> wire.PuzzleSolution:
    return wire.PuzzleSolution(
        turn=puzzle.solution,
        line=list(puzzle.line),
        chance=puzzle.chance,
        second=puzzle.second,
        themes=list(puzzle.themes),
        answers=list(puzzle.answers),
    )
