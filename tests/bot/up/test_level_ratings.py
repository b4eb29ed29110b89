"""The ratings at which the bundled bots start, and the pages that have the figures."""

import re
from pathlib import Path
from statistics import fmean

import pytest

from bot.tournaments.glicko2 import Rating, after_game, expected_score
from bot.up.bundled_bots import BUNDLED_BOTS
from bot.up.level_ratings import SCORES, starting_ratings

DOCS = Path(__file__).parents[3] / "docs"
LEVELS = [bot.level for bot in BUNDLED_BOTS]
MEASURED = re.compile(
    r"^\| level \| against \|(.*)\|\n\| --- .*\n((?:\| \d+ \| .*\n)+)", re.MULTILINE
)
ABOVE = re.compile(r"^\| \d+ \| level \d+ \|(.*)\|$", re.MULTILINE)
COLUMNS = {
    "`pent-6`": "bluestone",
    "`hexhex-5`": "blooms",
    "`stars-39`": "stargazers",
    "HeXO": "hexo",
    "`square-9`": "freego",
}
STARTS = re.compile(r"^\| (\d+) \|((?: \d+\??:? \|){5})$", re.MULTILINE)


def test_the_scores_are_those_of_the_page_about_performance() -> None:
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    games: dict[str, list[float]] = {}
    for table in MEASURED.finditer(page):
        names = [COLUMNS[cell.strip()] for cell in table[1].split("|")]
        for row in ABOVE.finditer(table[2]):
            shares = [int(cell) / 100 for cell in re.findall(r"(\d+) %", row[1])]
            for game, share in zip(names, shares, strict=True):
                games.setdefault(game, []).append(share)
    assert {game: tuple(shares) for game, shares in games.items()} == SCORES


def test_the_page_about_ratings_has_these_ratings() -> None:
    page = (DOCS / "ratings.md").read_text(encoding="utf-8")
    shown = {int(row[1]): row[2].replace("|", " ").split() for row in STARTS.finditer(page)}
    assert shown == {
        level: [
            f"{start.rating:.0f}{'?' if start.is_provisional else ''}"
            for start in starting_ratings(level).values()
        ]
        for level in LEVELS
    }


@pytest.mark.parametrize("game", SCORES)
def test_the_distances_are_the_measured_ones_around_the_rating_of_a_new_player(game: str) -> None:
    count = len(SCORES[game]) + 1
    starts = [starting_ratings(level)[game] for level in range(1, count + 1)]
    assert fmean(start.rating for start in starts) == pytest.approx(Rating().rating, abs=1)
    for below, above, score in zip(starts, starts[1:], SCORES[game], strict=False):
        exact = Rating(below.rating, 0.0)  # the expectation discounts an uncertain opponent
        assert expected_score(above, exact) == pytest.approx(score, abs=0.005)


def test_a_first_game_against_a_level_says_what_the_level_is_worth() -> None:
    new, games = Rating(), starting_ratings(1)
    for game, weakest in games.items():
        strongest = starting_ratings(10)[game]
        won, _ = after_game(new, weakest, 1.0, (0, 0))
        assert won.rating - new.rating < 30
        lost, _ = after_game(new, strongest, 0.0, (0, 0))
        assert new.rating - lost.rating < 50
        won, _ = after_game(new, strongest, 1.0, (0, 0))
        assert won.rating - new.rating > 200
