"""HTTP: profiles of players, leaderboards, and what a game did to the ratings of its players."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, cast, get_args

from aiohttp import web

import engine
from bot import wire
from bot.arena.http.documents import json_answer, moment, problem
from bot.arena.http.routes import Routes
from bot.arena.ratings.profiles import GameProfile, Profile, Profiles, RatedTally
from bot.arena.ratings.rated_games import RatingStanding
from bot.arena.ratings.rating_fold import Change
from bot.arena.ratings.rating_store import RatingStore, Who
from bot.arena.refusals import Refused
from bot.time_source import TimeSource

MOST_LEADERS: Final = 100
FARTHEST: Final = 100_000
LONGEST_NAME: Final = 24

Connected = Callable[[str], wire.Player | None]
"""A connected player by name, with the engine and level that a bot declares."""


class RatingApi:
    """Routes about players and ratings."""

    def __init__(
        self, ratings: RatingStore, profiles: Profiles, connected: Connected, time: TimeSource
    ) -> None:
        self._ratings = ratings
        self._profiles = profiles
        self._connected = connected
        self._time = time

    def add_to(self, routes: Routes) -> None:
        """Add the routes; before those of `HttpApi`, whose last route answers any path in /api."""
        routes.get("/api/players/{name}", self._player)
        routes.get("/api/ratings/{game}", self._leaders)
        routes.get("/api/records/{id}/ratings", self._changes)

    async def _player(self, request: web.Request) -> web.Response:
        name, now = request.match_info["name"], self._time.wall()
        try:
            profile = await self._profiles.find(name[:LONGEST_NAME], now)
        except Refused as refused:
            return problem(404, refused.code, refused.message)
        return json_answer(self._profile(profile, now))

    def _profile(self, profile: Profile, now: datetime) -> dict[str, Any]:
        return {
            "player": self._shown(profile.player),
            "since": moment(profile.since),
            "games": profile.games,
            "ratings": [self._game(each, now) for each in profile.ratings],
        }

    def _game(self, of: GameProfile, now: datetime) -> dict[str, Any]:
        best = None
        if of.best is not None:
            rating, at, game_id = of.best
            best = {"rating": rating, "at": _in_utc(at), "game_id": game_id}
        return {
            "game": of.game,
            **_standing(of.standing, now),
            "rank": of.rank,
            "results": _tally(of.all),
            "best": best,
            "curve": [[_in_utc(at), rating] for at, rating in of.curve],
            "opponents": [
                {"player": self._shown(player), **_tally(tally)} for player, tally in of.opponents
            ],
            "boards": [{"board": board, **_tally(tally)} for board, tally in of.boards],
        }

    async def _leaders(self, request: web.Request) -> web.Response:
        game, who = request.match_info["game"], request.query.get("kind")
        if game not in {info.name for info in engine.games()}:
            return problem(404, "unknown_game", "There is no such game.")
        if who is not None and who not in get_args(Who):
            return problem(400, "invalid", "kind must be bot or person.")
        limit = _whole(request.query.get("limit", str(MOST_LEADERS)), 1, MOST_LEADERS)
        start = _whole(request.query.get("start", "0"), 0, FARTHEST)
        if limit is None or start is None:
            return problem(400, "invalid", f"limit must be 1 to {MOST_LEADERS}, start from 0.")
        now = self._time.wall()
        found = await self._ratings.leaders(game, now, limit, start, cast("Who | None", who))
        shown = [
            {"rank": start + place, "player": self._shown(player), **_standing(standing, now)}
            for place, (player, standing) in enumerate(found.players, 1)
        ]
        end = start + len(shown)
        following = end if end < found.total and shown else None
        return json_answer(
            {"game": game, "players": shown, "total": found.total, "next": following}
        )

    async def _changes(self, request: web.Request) -> web.Response:
        changes = await self._ratings.changes(request.match_info["id"])
        return json_answer({"changes": [_change(each) for each in changes]})

    def _shown(self, player: wire.Player) -> dict[str, Any]:
        """A player, with the level that a bot declares now."""
        connected = self._connected(player.name)
        level = None if connected is None else connected.level
        facts = wire.encode(player.model_copy(update={"level": level}))
        return {name: value for name, value in facts.items() if name != "ratings"}


def _standing(standing: RatingStanding, now: datetime) -> dict[str, Any]:
    rating = standing.at(now)
    return {
        "rating": round(rating.rating, 1),
        "deviation": round(rating.deviation, 1),
        "provisional": rating.is_provisional,
        "games": standing.games,
        "rated_at": None if standing.rated_at is None else moment(standing.rated_at),
    }


def _tally(tally: RatedTally) -> dict[str, int]:
    return {"games": tally.games, "won": tally.won, "drawn": tally.drawn, "lost": tally.lost}


def _change(change: Change) -> dict[str, Any]:
    return {
        "player": change.account,
        "score": change.score,
        "before": change.before,
        "after": change.rating,
        "provisional": change.standing.rating.is_provisional,
    }


def _in_utc(text: str) -> str:
    return text.replace("+00:00", "Z")


def _whole(text: str, low: int, high: int) -> int | None:
    """The number of a query; None if it is not a whole number within the bounds."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(high))):
        return None
    return int(text) if low <= int(text) <= high else None
