"""Puzzles on an arena: which ones come, what an answer does, the puzzle of the day, the streak."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import engine
from bot import wire
from bot.arena.server import running_arena
from bot.puzzles.library import find, shipped
from bot.wire.puzzles import PuzzleView
from tests.bot.arena.table import settings
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.time import FakeTime

DAY_S = 86_400


async def ask(client: ArenaClient, **fields: Any) -> wire.PuzzleDone:
    done: wire.PuzzleDone = await client.do("puzzle.ask", **fields)
    return done


async def answer(client: ArenaClient, puzzle: PuzzleView, turn: str | None) -> wire.PuzzleTried:
    while True:  # the rules of a game may still be loaded
        answer = await client.ask("puzzle.try", puzzle_id=puzzle.puzzle_id, turn=turn)
        if answer["ok"] or answer["code"] != "unavailable":
            return wire.PuzzleTried.model_validate(answer)
        await asyncio.sleep(0.1)


def solution(puzzle: PuzzleView) -> str:
    known = find(puzzle.puzzle_id)
    assert known is not None
    return known.solution


def wrong(puzzle: PuzzleView) -> str:
    known = find(puzzle.puzzle_id)
    assert known is not None
    return known.second_turn


def with_two_orders(game: str) -> tuple[str, str]:
    """A puzzle whose stones may be placed in both orders, and the other order."""
    for puzzle in shipped(game):
        turn = ",".join(reversed(puzzle.solution.split(",")))
        try:
            puzzle.position.play(turn)
        except engine.IllegalTurn:  # in Stargazers, the first stone may inspire the second
            continue
        if turn != puzzle.solution:
            return puzzle.id, turn
    raise AssertionError(game)


@pytest.mark.parametrize("game", ["bluestone", "blooms", "stargazers", "hexo"])
async def test_a_puzzle_is_solved_by_either_order_of_its_stones(tmp_path: Path, game: str) -> None:
    async with running_arena(settings(tmp_path)) as url, connected(url, name="Anna") as anna:
        puzzle_id, turn = with_two_orders(game)
        asked = await ask(anna, puzzle_id=puzzle_id)
        assert (asked.puzzle.game, asked.solution) == (game, None)
        assert asked.standing.left == len(shipped(game))
        done = await answer(anna, asked.puzzle, turn)
        assert done.solved
        assert done.solution is not None
        assert done.solution.turn == solution(asked.puzzle)
        assert done.change is not None
        assert done.change > 0
        assert (done.standing.tried, done.standing.solved) == (1, 1)


async def test_only_the_first_answer_counts(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, connected(url, name="Anna") as anna:
        puzzle = (await ask(anna, game="stargazers")).puzzle
        first = await answer(anna, puzzle, wrong(puzzle))
        assert (first.solved, first.solution) == (False, None)
        assert first.change is not None
        assert -200 < first.change < 0
        second = await answer(anna, puzzle, solution(puzzle))
        assert (second.solved, second.change) == (True, None)
        assert (second.standing.rating, second.standing.solved) == (first.standing.rating, 0)
        again = await ask(anna, puzzle_id=puzzle.puzzle_id)
        assert again.solution is not None


async def test_who_gives_up_sees_the_solution(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, connected(url, name="Anna") as anna:
        puzzle = (await ask(anna, game="hexo")).puzzle
        done = await answer(anna, puzzle, None)
        assert (done.solved, done.standing.streak) == (False, 0)
        assert done.solution is not None
        assert done.solution.turn == solution(puzzle)
        following = (await ask(anna, game="hexo")).puzzle
        assert following.puzzle_id != puzzle.puzzle_id


async def test_the_puzzle_of_the_day_is_the_same_for_everybody(tmp_path: Path) -> None:
    time = FakeTime()
    async with (
        running_arena(settings(tmp_path), time) as url,
        connected(url, name="Anna") as anna,
        connected(url, name="Ben") as ben,
    ):
        first, same = await ask(anna, daily=True), await ask(ben, daily=True)
        assert first.puzzle.puzzle_id == same.puzzle.puzzle_id
        assert first.puzzle.daily == time.wall().date()
        time.step_wall(DAY_S)
        following = await ask(ben, daily=True)
        assert following.puzzle.puzzle_id != first.puzzle.puzzle_id


async def test_a_streak_counts_days_in_a_row(tmp_path: Path) -> None:
    time = FakeTime()
    async with running_arena(settings(tmp_path), time) as url, connected(url, name="Anna") as anna:

        async def solve() -> wire.PuzzleTried:
            puzzle = (await ask(anna, game="bluestone")).puzzle
            return await answer(anna, puzzle, solution(puzzle))

        streaks = [(await solve()).standing.streak for _ in range(2)]
        time.step_wall(DAY_S)
        streaks.append((await ask(anna, daily=True)).standing.streak)
        streaks.append((await solve()).standing.streak)
        time.step_wall(timedelta(days=2).total_seconds())
        streaks.append((await ask(anna, daily=True)).standing.streak)
        streaks.append((await solve()).standing.streak)
        assert streaks == [1, 1, 1, 2, 0, 1]


@pytest.mark.parametrize(
    ("event", "fields", "code"),
    [
        ("puzzle.ask", {"game": "chess"}, "unknown_puzzle"),
        ("puzzle.ask", {"puzzle_id": "none"}, "unknown_puzzle"),
        ("puzzle.try", {"puzzle_id": "none", "turn": None}, "unknown_puzzle"),
        ("puzzle.try", {"puzzle_id": "x" * 50, "turn": None}, "invalid"),
    ],
)
async def test_what_is_refused(
    tmp_path: Path, event: str, fields: dict[str, Any], code: str
) -> None:
    async with running_arena(settings(tmp_path)) as url, connected(url, name="Anna") as anna:
        refused = await anna.ask(event, **fields)
        assert (refused["ok"], refused["code"]) == (False, code)


async def test_an_illegal_turn_is_no_answer(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, connected(url, name="Anna") as anna:
        puzzle = (await ask(anna, game="bluestone")).puzzle
        refused = await anna.ask("puzzle.try", puzzle_id=puzzle.puzzle_id, turn="nonsense")
        assert refused["code"] == "illegal_turn"
        assert (await ask(anna, puzzle_id=puzzle.puzzle_id)).standing.tried == 0
