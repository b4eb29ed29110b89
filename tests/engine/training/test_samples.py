"""What is learnt from: positions as the network sees them, and how their games ended."""

import numpy as np
import pytest

import engine
from engine.training.samples import samples_of
from engine.training.self_play_worker import PlayTask, self_play
from engine.training.settings import Identity
from tests.engine.neural.reference import features_of
from tests.engine.training.small import BRIEF

BOARDS = [("bluestone", "pent-4"), ("blooms", "hexhex-4"), ("stargazers", "stars-39")]


@pytest.mark.parametrize(("name", "board"), BOARDS)
def test_a_sample_is_what_its_player_saw_and_got(name: str, board: str) -> None:
    game = engine.game(name, board=board)
    games = self_play(PlayTask(Identity(name, board, 1, 2), 1, 0, 2, None, BRIEF))
    samples = samples_of(game, games)
    row = 0
    for number, winner in enumerate(games.winner.tolist()):
        state = game.mechanics.start()
        steps = games.steps[games.step_start[number] : games.step_start[number + 1]].tolist()
        for at, step in enumerate(steps):
            if row < games.row_start[number + 1] and games.row_at[row] == at:
                codes, numbers, turned = features_of(game, state)
                assert samples.codes[row].tolist() == codes.tolist()
                assert samples.numbers[row].tolist() == numbers.tolist()
                assert samples.turned[row] == turned
                mover = int(state["player"])
                assert samples.result[row] == (0.5 if winner == 0 else float(winner == mover))
                assert samples.game[row] == number
                row += 1
            game.mechanics.try_step(state, step)
    assert row == len(samples.result)


def test_both_players_see_the_same_stones_at_the_end() -> None:
    game = engine.game("bluestone", board="pent-4")
    games = self_play(PlayTask(Identity("bluestone", "pent-4", 1, 2), 1, 0, 1, None, BRIEF))
    samples = samples_of(game, games)
    first, second = samples.owners[0], samples.owners[-1]
    exchanged = np.array([0, 2, 1])
    for owners in samples.owners:
        assert owners.tolist() in (first.tolist(), exchanged[first].tolist())
    assert first.any()
    assert second.any()


def test_taken_rows_keep_their_visits() -> None:
    game = engine.game("bluestone", board="pent-4")
    games = self_play(PlayTask(Identity("bluestone", "pent-4", 1, 2), 1, 0, 3, None, BRIEF))
    samples = samples_of(game, games)
    taken = samples.taken(samples.game == 1)
    assert set(taken.game.tolist()) == {1}
    assert taken.visits is samples.visits
    assert taken.policy.tolist() == samples.policy[samples.game == 1].tolist()
