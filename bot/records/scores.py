"""Scores as a record has them, and what they count in each game."""

import engine
from bot.records.known_game import known_game


def score_lists(position: engine.Position) -> tuple[list[int], list[int]]:
    """A list for each player, also in games whose score is one number."""
    first, second = (
        [score] if isinstance(score, int) else list(score) for score in position.scores
    )
    return first, second


def describe_scores(game: str, scores: list[int]) -> str:
    """One player's scores in words, such as `groups 8 5` or `captured 12`."""
    known = known_game(game)
    word = "score" if known is None else known.score_word
    return f"{word} {' '.join(str(score) for score in scores) or 'none'}"
