"""Scores as a record has them, and what they count in each game."""

from typing import Final, Literal

import engine

Counted = Literal["groups", "captures", "uninspired"]

_WORDS: Final[dict[Counted, str]] = {
    "groups": "groups",
    "captures": "captured",
    "uninspired": "uninspired",
}


def score_lists(position: engine.Position) -> tuple[list[int], list[int]]:
    """A list for each player, also in games whose score is one number."""
    first, second = (
        [score] if isinstance(score, int) else list(score) for score in position.scores
    )
    return first, second


def counted(game: str) -> Counted | None:
    """What the scores of that game count; None if nobody here knows the game."""
    return next((known.score for known in engine.games() if known.name == game), None)


def describe_scores(game: str, scores: list[int]) -> str:
    """One player's scores in words, such as `groups 8 5` or `captured 12`."""
    known = counted(game)
    word = "score" if known is None else _WORDS[known]
    return f"{word} {' '.join(str(score) for score in scores) or 'none'}"
