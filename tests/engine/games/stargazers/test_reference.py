"""The engine's Stargazers against the slow reference, on every board and by every rule set."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engine
from tests.engine.games.stargazers.reference import Place, Reference
from tests.matrix import nightly_after

played_slowly = settings(derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def a_turn(chance: random.Random, reference: Reference) -> list[Place]:
    """Legal stones for a whole turn, already placed in the reference."""
    player, stones = reference.to_place, []
    while reference.winner is None and reference.to_place == player:
        stones.append(chance.choice(sorted(reference.legal())))
        reference.place(stones[-1])
        if reference.left == reference.stones_a_turn:
            break
    return stones


def check_same(position: engine.Position, reference: Reference) -> None:
    names = {place: name for name, place in reference.names.items()}
    stones = {names[place]: player for place, player in reference.stones.items()}
    assert {cell: stone.player for cell, stone in position.stones.items()} == stones
    dark = {names[place] for player in (1, 2) for place in reference.uninspired(player)}
    assert position.marks == {cell: "uninspired" for cell in position.stones if cell in dark}
    assert position.scores == tuple(len(reference.uninspired(player)) for player in (1, 2))
    assert position.winner == reference.winner
    if reference.winner is None:
        assert position.to_play == reference.to_place
        firsts = {turn.split(",")[0] for turn in position.legal_turns()}
        assert firsts == {names[place] for place in reference.legal()}


def check_game(board: str, rules: str, protocol: str, seed: int) -> None:
    chance = random.Random(seed)
    position = engine.game("stargazers", board=board, rules=rules, protocol=protocol).start()
    reference = Reference(board, rules, {"122": 2, "alternating": 1}[protocol])
    names = {place: name for name, place in reference.names.items()}
    while reference.winner is None:
        turn = ",".join(names[place] for place in a_turn(chance, reference))
        position = position.play(turn)
        check_same(position, reference)
    assert list(position.legal_turns()) == []


@pytest.mark.parametrize("protocol", ["122", "alternating"])
@pytest.mark.parametrize("rules", ["official", "ludii"])
@settings(played_slowly, max_examples=12)
@given(seed=st.integers(0, 2**32))
def test_games_on_the_usual_board(rules: str, protocol: str, seed: int) -> None:
    check_game("stars-39", rules, protocol, seed)


@pytest.mark.parametrize("board", nightly_after(1, ["stars-63", "stars-111"]))
@pytest.mark.parametrize("rules", ["official", "ludii"])
def test_games_on_the_large_boards(board: str, rules: str) -> None:
    check_game(board, rules, "122", seed=7)
    check_game(board, rules, "alternating", seed=8)


def test_a_player_stuck_after_a_first_stone_with_a_tie_wins_officially_and_loses_in_ludii() -> None:
    """Found by playing at random: the two rule sets end this game with different winners."""
    ends = set()
    for seed in range(400):
        game = engine.game("stargazers")
        last = engine.play_out(game, seed)
        stuck_in_the_middle = len(last.turns) > 1 and "," not in last.turns[-1]
        if stuck_in_the_middle and last.scores[0] == last.scores[1]:
            mover = 3 - last.to_play
            assert last.winner == mover
            ends.add(mover)
    assert ends == {1, 2}
