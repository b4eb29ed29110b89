"""The kernel interface as the search uses it: from compiled code, over record arrays."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import engine
from engine.kernel import calls, uncompiled
from engine.kernel import generic as kernel
from engine.kernel.bits import random_below
from engine.kernel.generic import PASS, STOP, WIN, Record, compiled

BOARDS = ["pent-3", "pent-6", "limping-4", "hexhex-5"]
RULES = ["official", "abstractplay"]


@compiled
def walk(board: Record, state: Record, rng: Any, out: Any, log: Any) -> int:
    """Play random legal steps, passes and stops too, until the game is over; log them."""
    played = 0
    while not kernel.is_over(board, state) and played < log.size:
        count = kernel.legal_steps(board, state, out)
        step = out[random_below(rng, count)]
        kernel.play_step(board, state, step)
        log[played] = step
        played += 1
    return played


@compiled
def facts(board: Record, state: Record, owned: Any, legal: Any) -> int:
    """Owners, and which codes from STOP up may be played; the outcome is returned."""
    kernel.owners(board, state, owned)
    for index in range(legal.size):
        legal[index] = kernel.is_legal_step(board, state, index + STOP)
    return kernel.outcome(board, state)


@compiled
def finish(board: Record, states: Any, rng: Any, guided: bool) -> int:
    """A playout in the second of two states, from the position of the first."""
    kernel.copy_state(states[1], states[0])
    if guided:
        return kernel.guided_playout(board, states[1], rng)
    return kernel.playout(board, states[1], rng)


@compiled
def promises(board: Record, state: Record, steps: Any, out: Any, revised: bool) -> int:
    """The priors of all legal steps, and their number."""
    count = kernel.legal_steps(board, state, steps)
    kernel.priors(board, state, steps, count, out)
    if revised:
        kernel.revised_priors(board, state, steps, count, out)
    return count


def described(game: engine.Game, state: Record) -> dict[str, Any]:
    """Everything that the kernel says of a position."""
    owned = np.zeros(game.mechanics.n_steps, np.int8)
    legal = np.zeros(len(owned) + 2, np.bool_)
    result = facts(game.record, state, owned, legal)
    shared = ("player", "step", "first", "turn", "passes", "over")
    out = np.zeros(len(owned) + 2, np.int16)
    steps = out[: calls.legal_steps(game.record, state, out)].tolist()
    values = {name: int(state[name]) for name in shared}
    return values | {
        "outcome": int(result),
        "owners": owned.tolist(),
        "legal": (np.flatnonzero(legal) + STOP).tolist(),
        "steps": steps,
    }


def walked(game: engine.Game, seed: int, most: int) -> tuple[Record, list[int]]:
    state = game.start().record()
    log = np.zeros(most, np.int16)
    out = np.zeros(game.mechanics.n_steps + 2, np.int16)
    count = walk(game.record, state, calls.random_source(seed), out, log)
    return state, log[:count].tolist()


def turn_strings(game: engine.Game, steps: list[int]) -> Iterator[str]:
    """The whole turns in a list of steps that ends with a turn."""
    state, turn = game.start().record(), list[int]()
    for step in steps:
        assert calls.try_step(game.record, state, step)
        turn.append(step)
        if state["step"] == 0:
            names = [game.start().frame.step_name(code) for code in turn if code >= 0]
            yield ",".join(names) or "pass"
            turn = []


GAMES: dict[engine.Game, tuple[list[int], list[int]]] = {
    **{engine.game("bluestone", board, "official"): ([PASS], []) for board in BOARDS},
    **{engine.game("bluestone", board, "abstractplay"): ([PASS], [STOP]) for board in BOARDS},
    engine.game("blooms", "hexhex-4", "official"): ([], [STOP]),
    engine.game("blooms", "hexhex-5", "abstractplay", captures=7): ([], [STOP]),
    engine.game("stargazers", "stars-39", "official"): ([], []),
    engine.game("stargazers", "stars-39", "ludii", protocol="alternating"): ([], []),
    engine.game("stargazers", "stars-63", "ludii"): ([], []),
    engine.game("freego", "square-7", captures=9): ([], []),
    # Uncompiled, the window of HeXO takes minutes; its own tests are quicker.
    **({} if uncompiled.IS_ON else {engine.game("hexo", cap=12): ([], [])}),
}
"""With what may be done besides placements, at the first and at the second stone of a turn."""

SMALL_GAMES = [
    engine.game("bluestone", "pent-3"),
    engine.game("blooms", "hexhex-4", captures=2),
    engine.game("stargazers", "stars-39"),
    engine.game("freego", "square-5", captures=1),
]
"""In which the first move counts."""


def named(game: engine.Game) -> str:
    options = [f"{name}={value}" for name, value in game.options]
    return "-".join([game.name, game.board.name, game.rule_set, *options])


@pytest.fixture(params=GAMES, ids=named)
def game(request: pytest.FixtureRequest) -> engine.Game:
    chosen: engine.Game = request.param
    return chosen


def test_steps_make_the_same_game_as_turn_strings(game: engine.Game) -> None:
    for seed in range(5):
        state, steps = walked(game, seed, 2000)
        assert state["over"]
        position = game.start()
        for turn in turn_strings(game, steps):
            assert position.is_legal(turn)
            position = position.play(turn)
        if position.frame == game.start().frame:
            assert described(game, state) == described(game, position.record())


@pytest.mark.uncompiled
def test_lists_and_single_questions_agree_in_the_order_promised(game: engine.Game) -> None:
    for seed in range(20):
        state, _ = walked(game, seed, 3 * seed)
        seen = described(game, state)
        assert sorted(seen["steps"]) == seen["legal"]
        placements = [step for step in seen["steps"] if step >= 0]
        extra = seen["steps"][len(placements) :]
        assert placements == sorted(placements)
        if seen["over"]:
            assert seen["steps"] == []
        else:
            assert placements or PASS in extra
            assert extra == GAMES[game][seen["step"]]


def finished(game: engine.Game, state: Record, seed: int, *, guided: bool) -> tuple[int, Record]:
    """The result and the end of a playout, which leaves the position that it began from alone."""
    before = described(game, state)
    states = np.zeros(2, state.dtype)
    states[0] = state
    result = finish(game.record, states, calls.random_source(seed), guided)
    assert described(game, states[0]) == before
    return int(result), states[1]


def test_guided_playouts_return_the_first_players_expectation(game: engine.Game) -> None:
    certain = set[int]()
    for seed in range(60):
        state, _ = walked(game, seed, 3 * seed)
        result, end = finished(game, state, seed, guided=True)
        after = described(game, end)
        assert 0 <= result <= WIN
        if after["over"]:
            assert result == {0: WIN // 2, 1: WIN, 2: 0}[after["outcome"]]
            certain.add(result)
    assert {0, WIN} <= certain or game.name == "hexo", "stones far apart win nothing"


@pytest.mark.uncompiled
def test_playouts_end_games_from_the_middle_of_a_turn_too(game: engine.Game) -> None:
    middle = 0
    for seed in range(30):
        state, _ = walked(game, seed, seed)
        before = described(game, state)
        result, end = finished(game, state, seed, guided=False)
        after = described(game, end)
        assert after["over"]
        assert after["outcome"] == result
        if game.name == "bluestone" and before["passes"] == 0:
            assert not end["n_open"].any(), "unless somebody passed, the board is full"
        middle += before["step"]
    assert middle > 5 or not any("," in turn for turn in engine.play_out(game).turns)


@pytest.mark.parametrize("revised", [False, True], ids=["first", "revised"])
def test_priors_are_bounded_and_leave_the_position_alone(game: engine.Game, revised: bool) -> None:
    steps = np.zeros(game.mechanics.n_steps + 2, np.int16)
    for seed in range(12):
        state, _ = walked(game, seed, 4 * seed)
        before = described(game, state)
        found = np.full(steps.size, 101, np.int8)
        count = promises(game.record, state, steps, found, revised)
        assert (np.abs(found[:count]) <= 100).all()
        assert (found[count:] == 101).all(), "nothing is written behind the last step"
        again = np.zeros(steps.size, np.int8)
        promises(game.record, state, steps, again, revised)
        assert (again[:count] == found[:count]).all()
        assert described(game, state) == before


@pytest.mark.parametrize("game", SMALL_GAMES, ids=named)
def test_playouts_are_uniform_over_steps(game: engine.Game) -> None:
    """First players win random games as often by the fast path as by listed steps.

    Both generators are seeded.
    """
    count = 1500
    slow = sum(engine.play_out(game, seed).winner == 1 for seed in range(count))
    wins = np.zeros(3, np.int64)
    origin, state = game.start().record(), game.mechanics.new_state()
    calls.playouts(game.record, origin, state, calls.random_source(5), wins, 40 * count)
    expected = wins[1] / wins.sum()
    deviation = (expected * (1 - expected) / count) ** 0.5
    assert abs(slow / count - expected) < 4 * deviation


@pytest.mark.parametrize("board", ["pent-4", "pent-6", "limping-3", "limping-4", "hexhex-4"])
@pytest.mark.parametrize("rules", RULES)
def test_no_draws_on_a_board_with_an_odd_number_of_blue_stones(board: str, rules: str) -> None:
    game = engine.game("bluestone", board=board, rules=rules)
    assert len(game.board.blue_stones) % 2 == 1
    wins = np.zeros(3, np.int64)
    origin, state = game.start().record(), game.mechanics.new_state()
    calls.playouts(game.record, origin, state, calls.random_source(1), wins, 5000)
    assert wins[0] == 0
    assert wins.sum() == 5000


def test_a_draw_is_possible_on_a_board_with_an_even_number_of_blue_stones() -> None:
    game = engine.game("bluestone", board="pent-3")
    wins = np.zeros(3, np.int64)
    origin, state = game.start().record(), game.mechanics.new_state()
    calls.playouts(game.record, origin, state, calls.random_source(1), wins, 5000)
    assert wins[0] > 0


def test_a_used_state_is_as_good_as_a_blank_one_to_copy_to(game: engine.Game) -> None:
    blank, used = np.zeros(2, game.rules.state_dtype), np.zeros(2, game.rules.state_dtype)
    blank[0] = used[0] = game.start().record()
    for seed in range(50):
        finish(game.record, used, calls.random_source(seed), False)
    finish(game.record, used, calls.random_source(99), False)
    finish(game.record, blank, calls.random_source(99), False)
    assert described(game, used[1]) == described(game, blank[1])


@pytest.mark.parametrize(
    ("one", "two", "winner"),
    [
        ([10, 8, 5], [10, 8, 4, 4], 1),  # the designer's final example
        ([10, 8, 4, 4], [10, 8, 5], 2),
        ([2, 2], [2], 1),
        ([2, 0], [2, 0, 0], 0),
        ([], [1], 2),
        ([], [], 0),
        ([5, 5, 2], [5, 4, 4, 4], 1),
    ],
)
def test_scores_are_compared_from_high_to_low(one: list[int], two: list[int], winner: int) -> None:
    game = engine.game("bluestone")
    state = game.start().record()
    groups = [(1, score) for score in one] + [(2, score) for score in two]
    for cell, (player, score) in enumerate(groups):
        state["cells"][cell] = player
        state["chain_blue"][cell] = (1 << score) - 1
    assert calls.outcome(game.record, state) == winner
    assert calls.outcome(game.record, state) == winner
    shown = tuple(tuple(filter(None, scores)) or (0,) for scores in (one, two))
    assert game.mechanics.scores(state) == shown


@pytest.mark.parametrize("name", [info.name for info in engine.games()])
def test_records_have_no_gaps(name: str) -> None:
    """Copies would leave them undefined, and equal positions would have different bytes."""
    game = engine.game(name)
    for dtype in (game.record.dtype, game.mechanics.state_dtype):
        sizes = [field[0].itemsize for field in (dtype.fields or {}).values()]
        assert sum(sizes) == dtype.itemsize
