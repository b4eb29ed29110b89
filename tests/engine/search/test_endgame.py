"""The search against brute force: the last turns of a game, played out by every legal turn."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import product

import pytest

import engine
from engine.contract import Choice, Limits, Signals
from engine.game import Position
from engine.players.search import SearchEngine

Known = dict[tuple[object, ...], int]
LARGEST = 1000
"""Positions after which brute force gives an ending up: captures can make it long."""


class TooLarge(Exception):
    """An ending with too many ways to go on."""


def best_result(position: Position, known: Known) -> int:
    """2, 1 or 0 half points for the player to move, by trying everything."""
    if position.over:
        if position.winner is None:
            return 1
        return 2 if position.winner == position.to_play else 0
    passed = position.turns[-1:] == ("pass",)
    key = (
        position.to_play,
        passed,
        tuple(sorted((c, s.player) for c, s in position.stones.items())),
    )
    if key not in known:
        if len(known) > LARGEST:
            raise TooLarge
        known[key] = max(results(position, known))
    return known[key]


def results(position: Position, known: Known) -> Iterator[int]:
    """The result of each turn, best for its mover, up to the first that wins."""
    for turn in position.legal_turns():
        result = 2 - best_result(position.play(turn), known)
        yield result
        if result == 2:
            return


def endings(game: engine.Game, empty_cells: int, count: int) -> list[Position]:
    """Positions from random games with at most so many empty cells, where a bad turn loses."""
    found: list[Position] = []
    for seed in range(1, 1000):
        position = game.start()
        for turn in engine.play_out(game, seed=seed).turns:
            if len(game.board.cells) - len(position.stones) <= empty_cells:
                break
            position = position.play(turn)
        with suppress(TooLarge):
            known: Known = {}
            replies = {best_result(position.play(turn), known) for turn in position.legal_turns()}
            if len(replies) > 1:
                found.append(position)
        if len(found) == count:
            return found
    raise AssertionError("too few endings")


def think(position: Position, nodes: int, threads: int = 1) -> Choice:
    player = SearchEngine()
    player.set_option("Hash", 16)
    player.set_option("Threads", threads)
    player.set_position(position)
    return player.search(Limits(nodes=nodes), lambda _: None, Signals())


@pytest.mark.parametrize(
    ("game", "empty_cells"),
    [
        (engine.game("bluestone", "pent-4", "official"), 5),
        (engine.game("bluestone", "pent-4", "abstractplay"), 5),
        (engine.game("stargazers", "stars-39", "official"), 9),
        (engine.game("stargazers", "stars-39", "ludii", protocol="alternating"), 9),
    ],
    ids=lambda value: f"{value.name}-{value.rule_set}" if isinstance(value, engine.Game) else "",
)
def test_plays_the_best_turn_where_a_bad_one_loses(game: engine.Game, empty_cells: int) -> None:
    for position, threads in product(endings(game, empty_cells, count=5), (1, 3)):
        answer = think(position, nodes=4000, threads=threads)
        known: Known = {}
        assert answer.candidates[0].result == best_result(position, known) / 2
        assert 2 - best_result(position.play(answer.turn), known) == best_result(position, known)


def test_a_draw_is_proved_on_a_board_that_allows_one() -> None:
    game = engine.game("bluestone", board="pent-3")
    for seed in range(1, 400):
        turns = engine.play_out(game, seed=seed).turns
        position = game.start()
        for turn in turns[:-2]:
            position = position.play(turn)
        if best_result(position, {}) == 1:
            assert think(position, nodes=4000).candidates[0].result == 0.5
            return
    raise AssertionError("no drawn ending found")
