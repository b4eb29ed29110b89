"""Which games are rated, and what a rated game does to the ratings of its players.

The rules are in docs/ratings.md. Everything that decides about a finished game is part of the game
as it is stored: its setup, its players as they were at its start, and its result. So the same
ratings can be computed again from the games alone.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

import engine
from bot import wire
from bot.arena.games.rated_play import NOT_RATED
from bot.arena.refusals import Refused
from bot.time_controls import Untimed
from bot.tournaments import glicko2
from bot.tournaments.glicko2 import Rating

TRUSTED_OPPONENTS: Final = 5
"""A person who has played rated games against fewer opponents is not trusted yet."""
PAIR_GAMES: Final = 3
"""Rated games of a pair within PAIR_S if one of the two is not trusted yet."""
PAIR_S: Final = 86_400.0


def check_setup(setup: wire.GameSetup) -> None:
    """Raises Refused if `setup` is rated and games with it cannot be rated."""
    if setup.rated and (why := why_not(setup)) is not None:
        raise Refused(NOT_RATED, why)


def why_not(setup: wire.GameSetup) -> str | None:
    """Why a game with this complete setup cannot be rated, as a sentence; None if it can."""
    info = engine.game_info(setup.game)
    if setup.board not in info.boards:
        known = ", ".join(info.boards)
        return f"Rated games of {info.title} are played on these boards: {known}."
    return _why_never(setup)


def _why_never(setup: wire.GameSetup) -> str | None:
    """What excludes a game even if it was accepted as rated; this must not depend on the version
    of the catalogue, because finished games are rated again by a recomputation.
    """
    if isinstance(setup.clock, Untimed):
        return "A rated game needs a clock."
    if setup.options:
        changed = ", ".join(setup.options)
        return f"A rated game has the usual options; this one changes: {changed}."
    return None


def may_be_rated(player: wire.Player) -> bool:
    """Whether a player may play rated games: a bot, or a person with an account."""
    return player.kind == "bot" or player.registered


def check_player(player: wire.Player) -> None:
    """Raises Refused if a player may not play rated games."""
    if not may_be_rated(player):
        why = f"{player.name} has no account; only bots and people with an account play rated games"
        raise Refused(NOT_RATED, f"{why}.", rule="account")


def is_trusted(player: wire.Player, opponents: int) -> bool:
    """Whether a player with rated games against that many opponents may play any number."""
    return player.kind == "bot" or opponents >= TRUSTED_OPPONENTS


def check_pair(one: wire.Player, two: wire.Player, games: int) -> None:
    """Raises Refused if a pair of which one is not trusted has played enough rated games."""
    if games >= PAIR_GAMES:
        why = f"{one.name} and {two.name} have played {PAIR_GAMES} rated games within a day"
        raise Refused(NOT_RATED, f"{why}; play a casual one, or rated ones against others.")


@dataclass(frozen=True)
class RatedGame:
    """A finished game that counts. `score` is that of the player on seat 1: 0, 0.5 or 1."""

    game_id: str
    game: str
    board: str
    accounts: tuple[str, str]
    score: float
    ended_at: datetime


def rated_game(
    game_id: str,
    setup: wire.GameSetup,
    players: tuple[wire.Player, wire.Player],
    result: wire.Result,
    ended_at: datetime,
) -> RatedGame | None:
    """The game if it counts in ratings, else None."""
    one, two = players
    if not setup.rated or result.reason == "aborted" or _why_never(setup) is not None:
        return None
    if result.unrated is not None:  # decided at the end; results of older versions all count
        return None
    if one.id is None or two.id is None or one.id == two.id:
        return None
    if not (may_be_rated(one) and may_be_rated(two)):
        return None
    score = 0.5 if result.winner is None else float(result.winner == 1)
    return RatedGame(game_id, setup.game, setup.board, (one.id, two.id), score, ended_at)


@dataclass(frozen=True)
class RatingStanding:
    """An account's rating in one game after `games` rated games; the last one ended at
    `rated_at`.
    """

    rating: Rating = field(default_factory=Rating)
    games: int = 0
    rated_at: datetime | None = None

    def at(self, moment: datetime) -> Rating:
        """The rating at a later moment: its deviation grows while no rated game is played."""
        return glicko2.aged(self.rating, self.periods_until(moment))

    @cached_property
    def established_until(self) -> datetime | None:
        """When the rating becomes provisional without another game; None if it is provisional."""
        seconds = glicko2.established_s(self.rating)
        if self.rated_at is None or seconds == 0:
            return None
        return self.rated_at + timedelta(seconds=round(seconds))

    def shown(self, moment: datetime) -> wire.ShownRating:
        """The rating as messages show it."""
        now = self.at(moment)
        return wire.ShownRating(rating=round(now.rating), provisional=now.is_provisional)

    def periods_until(self, moment: datetime) -> float:
        """How many rating periods have passed since the last rated game."""
        if self.rated_at is None:
            return 0.0
        return glicko2.periods_in((moment - self.rated_at).total_seconds())

    def after(self, rating: Rating, ended_at: datetime) -> "RatingStanding":
        """The standing after one more game."""
        return replace(self, rating=rating, games=self.games + 1, rated_at=ended_at)


NEW: Final = RatingStanding()


def after_game(
    one: RatingStanding, two: RatingStanding, game: RatedGame
) -> tuple[RatingStanding, RatingStanding]:
    """The standings of the players on seat 1 and seat 2 after a game."""
    at = game.ended_at
    periods = (one.periods_until(at), two.periods_until(at))
    new_one, new_two = glicko2.after_game(one.rating, two.rating, game.score, periods)
    return one.after(new_one, at), two.after(new_two, at)
