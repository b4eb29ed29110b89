"""Positions from games between different engines."""

import pytest

import engine
from bot.errors import HostError
from lab.engines import mixed_games
from lab.engines.mixed_games import PER_GAME, Contestant, Sample, sample_positions

GAME = engine.game("bluestone", board="pent-3")
STRONG, RANDOM = Contestant(300), Contestant(20, {"Level": 1})


def test_positions_are_of_both_players_and_from_several_games() -> None:
    samples = list(sample_positions(GAME, 10, (STRONG, RANDOM), seed=1))
    assert len(samples) == 10
    assert {sample.position.to_play for sample in samples} == {1, 2}
    assert [sample.game for sample in samples] == [0] * PER_GAME + [1] * PER_GAME + [2] * 2
    assert not any(sample.position.over for sample in samples)
    assert all(sample.position.turns for sample in samples), "games begin with random turns"


def test_the_same_seed_gives_the_same_positions_and_another_one_others() -> None:
    def drawn(seed: int) -> list[tuple[tuple[str, ...], float]]:
        found = sample_positions(GAME, 6, (STRONG, RANDOM), seed)
        return [(each.position.turns, each.result) for each in found]

    assert drawn(1) == drawn(1) != drawn(2)


def test_positions_that_are_proved_are_left_out() -> None:
    """The players' own searches are those that count, so a game of fools shows more of its end."""
    wise = list(sample_positions(GAME, 60, (Contestant(3_000), Contestant(3_000)), seed=1))
    foolish = list(sample_positions(GAME, 60, (Contestant(1), Contestant(1)), seed=1))
    assert latest(wise) < latest(foolish)


def latest(samples: list[Sample]) -> int:
    """The most turns that came before one of the positions."""
    return max(len(each.position.turns) for each in samples)


def test_results_are_those_of_the_player_to_move() -> None:
    """In a game both players have one: together they make 1."""
    samples = list(sample_positions(GAME, 40, (STRONG, RANDOM), seed=3))
    for number in {sample.game for sample in samples}:
        found = {each.position.to_play: each.result for each in samples if each.game == number}
        if len(found) == 2:
            assert sum(found.values()) == 1
    assert {0.0, 1.0} <= {sample.result for sample in samples}


def test_a_board_on_which_all_positions_are_proved_has_no_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mixed_games, "is_proved", lambda _: True)
    with pytest.raises(HostError, match="pent-3"):
        list(sample_positions(GAME, 4, (Contestant(1), Contestant(1)), seed=1))
