"""The joint fit of ratings, compared with another algorithm, and its limits with few games."""

import math
from random import Random

import pytest

from bot.tournaments.outcomes import Outcome
from bot.tournaments.ratings import RatingTable, probability, quantile, ratings


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980), (1e4, 1.960)],
)
def test_quantiles_of_students_t_agree_with_tables(freedom: float, expected: float) -> None:
    assert quantile(0.975, freedom) == pytest.approx(expected, abs=1e-3)
    assert probability(-expected, freedom) == pytest.approx(0.025, abs=1e-4)


def test_students_t_has_its_median_at_0() -> None:
    assert probability(0, 3) == 0.5
    assert probability(60, 1e4) == 1


def random_games(players: int, pairs: int, seed: int, draws: float = 0.0) -> list[Outcome]:
    random = Random(seed)
    strength = [random.gauss(0, 1) for _ in range(players)]
    games = []
    for number in range(pairs):
        one, other = random.sample(range(players), 2)
        for first, second in ((one, other), (other, one)):
            ahead = strength[first] - strength[second] + 0.3
            won = float(random.random() < 1 / (1 + math.exp(-ahead)))
            points = 0.5 if random.random() < draws else won
            games.append(Outcome((f"p{first}", f"p{second}"), points, number))
    return games


def minorised(games: list[Outcome]) -> dict[str, float]:
    """Plain Bradley-Terry by the MM algorithm (D. R. Hunter, 2004, equation 3), in Elo."""
    names = sorted({name for game in games for name in game.seats})
    strength = dict.fromkeys(names, 1.0)
    won = {name: sum(g.points_of(name) for g in games if name in g.seats) for name in names}
    for _ in range(5_000):
        shares = dict.fromkeys(names, 0.0)
        for game in games:
            one, other = game.seats
            share = 1 / (strength[one] + strength[other])
            shares[one] += share
            shares[other] += share
        strength = {name: won[name] / shares[name] for name in names}
    logs = {name: 400 * math.log10(each) for name, each in strength.items()}
    mean = sum(logs.values()) / len(logs)
    return {name: each - mean for name, each in logs.items()}


def elo(table: RatingTable) -> dict[str, float]:
    return {row.name: row.elo for row in table.rows}


@pytest.mark.parametrize("draws", [0.0, 0.3])
def test_another_algorithm_finds_the_same_ratings(draws: float) -> None:
    games = random_games(8, 60, seed=3, draws=draws)
    found = elo(ratings(games, with_advantage=False, with_draws=False))
    assert found == pytest.approx(minorised(games), abs=0.1)


def davidson_slopes(games: list[Outcome], table: RatingTable) -> dict[str, float]:
    """The slope of the log-likelihood along each rating, as in Davidson's paper."""
    assert table.advantage is not None
    assert table.draws is not None
    slopes = dict.fromkeys(elo(table), 0.0)
    pi = {name: 10 ** (each / 400) for name, each in elo(table).items()}
    for game in games:
        first = pi[game.seats[0]] * 10 ** (table.advantage.value / 400)
        second = pi[game.seats[1]]
        even = table.draws * math.sqrt(first * second)
        expected = (first + even / 2) / (first + second + even)
        slopes[game.seats[0]] += game.points - expected
        slopes[game.seats[1]] -= game.points - expected
    return slopes


def test_draws_and_the_advantage_are_fitted_with_the_ratings() -> None:
    games = random_games(8, 100, seed=4, draws=0.3)
    table = ratings(games)
    assert table.draws is not None
    assert table.advantage is not None
    assert table.advantage.low < 0.3 * 400 / math.log(10) < table.advantage.high
    assert davidson_slopes(games, table) == pytest.approx(dict.fromkeys(elo(table), 0.0), abs=1e-6)
    assert sum(elo(table).values()) == pytest.approx(0)
    assert not any(row.is_bounded for row in table.rows)


def test_a_row_counts_games_and_points_and_the_table_pairs() -> None:
    games = [Outcome(("a", "b"), 1.0, 1), Outcome(("b", "a"), 0.5, 1), Outcome(("a", "c"), 0.5, 2)]
    table = ratings(games)
    row = next(row for row in table.rows if row.name == "a")
    assert (row.games, row.points) == (3, 2.0)
    assert (table.games, table.pairs) == (3, 2)


def test_the_anchor_is_at_0() -> None:
    games = random_games(6, 60, seed=5)
    free, anchored = ratings(games), ratings(games, anchor="p2")
    assert elo(anchored)["p2"] == 0
    difference = elo(free)["p0"] - elo(free)["p2"]
    assert elo(anchored)["p0"] == pytest.approx(difference)
    with pytest.raises(KeyError):
        ratings(games, anchor="nobody")


def pairs_of(
    one: str, other: str, points: float, back: float, count: int, at: int
) -> list[Outcome]:
    """Pairs in which `one` takes `points` on the first seat and `back` on the second."""
    both = (((one, other), points), ((other, one), 1 - back))
    return [Outcome(seats, each, at + n) for n in range(count) for seats, each in both]


def test_a_prior_limits_only_the_player_who_won_all_games() -> None:
    games = random_games(4, 60, seed=6)
    alone = ratings(games, with_advantage=False)
    more = ratings([*games, *pairs_of("hero", "p0", 1, 1, 5, at=100)], with_advantage=False)
    assert more.rows[0].name == "hero"
    assert [row.name for row in more.rows if row.is_bounded] == ["hero"]
    assert 200 < more.rows[0].elo < 2000
    assert more.rows[0].high < 3000
    assert more.difference("p0", "p1").value == pytest.approx(
        alone.difference("p0", "p1").value, abs=10
    )


def test_a_prior_limits_groups_that_never_met() -> None:
    games = [*pairs_of("a", "b", 1, 0, 9, at=0), *pairs_of("c", "d", 1, 0.5, 9, at=50)]
    games += [*pairs_of("b", "a", 1, 0.5, 3, at=100), *pairs_of("d", "c", 0, 1, 3, at=150)]
    table = ratings(games)
    assert all(row.is_bounded for row in table.rows)
    assert table.difference("a", "c").high - table.difference("a", "c").low > 400


def test_a_prior_limits_the_advantage_if_the_first_seat_won_every_game() -> None:
    table = ratings(pairs_of("a", "b", 1, 0, 10, at=0))
    assert table.is_advantage_bounded
    assert table.advantage is not None
    assert 200 < table.advantage.value < 1500
    assert elo(table) == pytest.approx({"a": 0, "b": 0}, abs=1e-6)


def test_a_prior_limits_the_advantage_if_seats_were_never_swapped() -> None:
    table = ratings([Outcome(("a", "b"), float(n % 2), n) for n in range(20)])
    assert table.is_advantage_bounded
    assert table.difference("a", "b").high > 300


def test_superiority_follows_differences_and_not_each_players_own_interval() -> None:
    """Two players met often, and a third one once: the difference is known, the ratings are not."""
    games = [*pairs_of("a", "b", 1, 0.5, 30, at=0), *pairs_of("a", "b", 0, 0.5, 8, at=50)]
    games += [*pairs_of("a", "c", 1, 0, 1, at=90), *pairs_of("b", "c", 0, 1, 1, at=91)]
    table = ratings(games)
    assert table.superiority("a", "b") > 0.97
    assert table.superiority("a", "b") + table.superiority("b", "a") == pytest.approx(1)
    assert table.superiority("a", "a") == 0.5
    rows = {row.name: row for row in table.rows}
    assert rows["a"].low < rows["b"].high


def test_openings_that_favour_a_seat_do_not_widen_intervals() -> None:
    """The same results, once as pairs that cancel out and once as independent games."""
    games = random_games(4, 10, seed=7)
    for number in range(60):
        one, other = PLAYED[number % 6]
        first = float(number % 4 < 2)
        games += pairs_of(one, other, first, 1 - first, 1, at=100 + number)
    apart = [Outcome(game.seats, game.points, n) for n, game in enumerate(games)]
    paired, single = ratings(games).rows[0], ratings(apart).rows[0]
    assert paired.elo == pytest.approx(single.elo)
    assert paired.high - paired.low < 0.8 * (single.high - single.low)


PLAYED = [("p0", "p1"), ("p0", "p2"), ("p0", "p3"), ("p1", "p2"), ("p1", "p3"), ("p2", "p3")]


@pytest.mark.parametrize("points", [0.0, 0.5, 1.0])
def test_after_one_game_intervals_are_wide(points: float) -> None:
    table = ratings([Outcome(("a", "b"), points, 1)])
    for row in table.rows:
        assert row.low <= row.elo <= row.high
        assert row.high - row.low > 300


def test_without_games_there_is_no_row() -> None:
    assert ratings([]).rows == ()
    with pytest.raises(KeyError):
        ratings([]).superiority("a", "b")
