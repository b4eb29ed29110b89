"""What a score is in each game, in lists and in words."""

import pytest

import engine
from bot.records.scores import describe_scores, score_lists


@pytest.mark.parametrize(
    ("game", "words"),
    [("bluestone", "groups "), ("blooms", "captured "), ("stargazers", "uninspired ")],
)
def test_scores_are_lists_and_have_words_in_every_game(game: str, words: str) -> None:
    position = engine.play_out(engine.game(game), seed=2)
    for scores in score_lists(position):
        assert describe_scores(game, scores) == words + " ".join(map(str, scores))


def test_a_game_of_another_program_has_plain_scores() -> None:
    assert describe_scores("chess", [3, 1]) == "score 3 1"
    assert describe_scores("bluestone", []) == "groups none"
