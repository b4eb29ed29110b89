"""Glicko-2 ratings, for games that are rated one by one.

The source is Mark Glickman, "Example of the Glicko-2 system" (2013), whose step numbers are in the
comments: http://www.glicko.net/glicko/glicko2.pdf. `updated` is that system as it stands: a rating
period with any number of games. `after_game` rates one game, as lichess does:

- Each game is a rating period of its own. `periods` says how many periods have passed since the
  player's last rated game, as a fraction: a player who plays ten games in an hour gets almost no
  additional deviation, and one who comes back after a year gets a lot.
- PERIODS_PER_DAY is the constant of lichess: with the usual volatility of 0.06, a deviation of 60
  grows to 110 in one year, so that a rating without games becomes provisional again.
- Deviation, rating and volatility have bounds. Without the lower bound of the deviation, the rating
  of a player with thousands of games could not follow a change of strength.
- Results are rounded to a millionth. The functions `exp` and `log` may differ in the last bit
  between machines; rounding after each game prevents that such differences add up, so that a
  recomputation from the same games gives the same bytes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SCALE: Final = 173.7178
"""Points of the Glicko scale per unit of the internal scale: 400 / ln(10)."""
TAU: Final = 0.5
"""How fast the volatility may change; Glickman recommends 0.3 to 1.2."""
TOLERANCE: Final = 1e-6
PERIODS_PER_DAY: Final = 0.21436
PROVISIONAL: Final = 110.0
"""A rating with a greater deviation is provisional."""
LEAST_DEVIATION: Final = 45.0
MOST_DEVIATION: Final = 350.0
MOST_VOLATILITY: Final = 0.1
LOWEST: Final = 400.0
HIGHEST: Final = 4000.0
DIGITS: Final = 6
"""Decimals of stored ratings and deviations."""
VOLATILITY_DIGITS: Final = 9


@dataclass(frozen=True)
class Rating:
    """A rating on the Glicko scale; the defaults are those of a new player."""

    rating: float = 1500.0
    deviation: float = MOST_DEVIATION
    volatility: float = 0.06

    @property
    def is_provisional(self) -> bool:
        """Whether too little is known for a place on a leaderboard."""
        return self.deviation > PROVISIONAL


@dataclass(frozen=True)
class Played:
    """One game of a player: the opponent's rating, and the player's score of 0, 0.5 or 1."""

    opponent: Rating
    score: float


def expected_score(player: Rating, opponent: Rating) -> float:
    """The score, 0 to 1, that the player is expected to get; it ignores the own deviation."""
    return _expected(_mu(player), _mu(opponent), _g(opponent.deviation / SCALE))


def updated(player: Rating, games: Sequence[Played], periods: float = 1.0) -> Rating:
    """The rating after a rating period with these games, without bounds and rounding.

    `periods` is the length of the period in units of the system's usual one, 1 in Glickman's text.
    """
    mu, phi = _mu(player), player.deviation / SCALE
    if not games:
        deviation = SCALE * _grown(phi, player.volatility, periods)
        return Rating(player.rating, deviation, player.volatility)
    # Step 3: the variance of the rating, based on the results only. Step 4: the improvement.
    information = improvement = 0.0
    for game in games:
        g = _g(game.opponent.deviation / SCALE)
        expected = _expected(mu, _mu(game.opponent), g)
        information += g * g * expected * (1 - expected)
        improvement += g * (game.score - expected)
    variance = 1 / information
    sigma = _volatility(phi, player.volatility, variance, variance * improvement)  # step 5
    before = _grown(phi, sigma, periods)  # step 6
    phi = 1 / math.sqrt(1 / before**2 + information)  # step 7
    return Rating(SCALE * (mu + phi**2 * improvement) + 1500.0, SCALE * phi, sigma)  # step 8


def aged(player: Rating, periods: float) -> Rating:
    """The rating after that many periods without a game: only its deviation grows."""
    deviation = SCALE * _grown(player.deviation / SCALE, player.volatility, periods)
    return Rating(player.rating, min(deviation, MOST_DEVIATION), player.volatility)


def after_game(
    one: Rating, two: Rating, score: float, periods: tuple[float, float]
) -> tuple[Rating, Rating]:
    """Both ratings after a game in which `one` scored 0, 0.5 or 1.

    `periods` says for each of them how many rating periods have passed since their last game; the
    deviation of an opponent counts as it is at the time of the game.
    """
    of_one, of_two = _limited(one, periods[0]), _limited(two, periods[1])
    return (
        _bounded(updated(one, [Played(aged(two, of_two), score)], of_one)),
        _bounded(updated(two, [Played(aged(one, of_one), 1 - score)], of_two)),
    )


def _limited(player: Rating, periods: float) -> float:
    """At most the periods after which the player's deviation is that of a new player."""
    return min(periods, _periods_until(player, MOST_DEVIATION))


def _periods_until(player: Rating, deviation: float) -> float:
    growth = deviation**2 - player.deviation**2
    return max(0.0, growth / (SCALE * player.volatility) ** 2)


def periods_in(seconds: float) -> float:
    """How many rating periods a time has; none if it is negative."""
    return max(0.0, seconds) / 86_400 * PERIODS_PER_DAY


def established_s(player: Rating) -> float:
    """For how many seconds without a game the rating stays established; 0 if it is provisional."""
    return _periods_until(player, PROVISIONAL) / PERIODS_PER_DAY * 86_400


def _mu(player: Rating) -> float:
    return (player.rating - 1500.0) / SCALE


def _g(phi: float) -> float:
    return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)


def _expected(mu: float, opponent: float, g: float) -> float:
    return 1 / (1 + math.exp(-g * (mu - opponent)))


def _grown(phi: float, sigma: float, periods: float) -> float:
    return math.sqrt(phi**2 + periods * sigma**2)


def _volatility(phi: float, sigma: float, variance: float, delta: float) -> float:
    """Step 5: the new volatility is the root of a function, found by the Illinois algorithm."""
    start = math.log(sigma**2)

    def f(x: float) -> float:
        power = math.exp(x)
        total = phi**2 + variance + power
        return power * (delta**2 - total) / (2 * total**2) - (x - start) / TAU**2

    one, two = start, start - TAU
    if delta**2 > phi**2 + variance:
        two = math.log(delta**2 - phi**2 - variance)
    else:
        while f(two) < 0:
            two -= TAU
    f_one, f_two = f(one), f(two)
    while abs(two - one) > TOLERANCE:
        between = one + (one - two) * f_one / (f_two - f_one)
        f_between = f(between)
        if f_between * f_two <= 0:
            one, f_one = two, f_two
        else:
            f_one /= 2
        two, f_two = between, f_between
    return math.exp(one / 2)


def _bounded(player: Rating) -> Rating:
    return Rating(
        round(min(max(player.rating, LOWEST), HIGHEST), DIGITS),
        round(min(max(player.deviation, LEAST_DEVIATION), MOST_DEVIATION), DIGITS),
        round(min(player.volatility, MOST_VOLATILITY), VOLATILITY_DIGITS),
    )
