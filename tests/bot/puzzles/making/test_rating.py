"""The first rating: higher for what a search finds late, and for longer wins."""

from bot.puzzles.making.rating import EASIEST, HARDEST, first_rating


def test_what_is_found_later_is_harder() -> None:
    ratings = [first_rating(8 << doubling, 16_000, 2) for doubling in range(12)]
    assert ratings == sorted(set(ratings))
    assert first_rating(None, 16_000, 2) > ratings[-1]


def test_a_longer_win_by_force_is_harder() -> None:
    ratings = [first_rating(None, 16_000, line, proved=True) for line in (0, 2, 4, 6)]
    assert ratings == [800, 1000, 1200, 1400]


def test_ratings_stay_in_their_range() -> None:
    assert first_rating(8, 16_000, 0) == EASIEST
    assert first_rating(None, 10**9, 15) == HARDEST
