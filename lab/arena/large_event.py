"""A finished tournament of 200 players in an arena's data folder, for load tests of plain HTTP."""

import random
from pathlib import Path
from typing import Final

import engine
from bot import wire
from bot.arena.arena_clock import ArenaClock
from bot.arena.games.archive import SOFTWARE
from bot.arena.players.accounts import Accounts
from bot.arena.players.presence import Presence
from bot.arena.store.connection import Connection
from bot.arena.store.database import OPEN_S
from bot.arena.store.ids import new_id
from bot.arena.store.opening import open_database
from bot.arena.tournaments.tournament import HostedTournament
from bot.arena.tournaments.tournament_settings import began
from bot.arena.tournaments.tournament_store import TournamentStore
from bot.arena.tournaments.tournament_views import TournamentViews
from bot.time_source import SystemTime
from bot.tournaments.events import Event, Finished
from bot.tournaments.model import GameResult

PLAYERS: Final = 200
PLIES: Final = 40
WHY_OVER: Final = "all rounds are played"


async def store_large_event(data: Path, game: engine.Game, players: int = PLAYERS) -> str:
    """Store a finished round-robin; returns its id. Raises HostError."""
    time = SystemTime()
    async with open_database(data, patience_s=OPEN_S) as database:
        accounts, store = Accounts(database, time), TournamentStore(database, time)

        def add(connection: Connection) -> list[wire.Player]:
            return [
                _account(accounts, connection, f"entrant-{number}") for number in range(players)
            ]

        entrants = await database.write(add)
        hosted = HostedTournament(new_id(), entrants[0], _settings(game), time.wall(), 1)
        hosted.entrants = {player.name: player for player in entrants}
        events = _played(hosted)
        await store.create(hosted.tournament_id, hosted.host, hosted.settings)
        for number, player in enumerate(entrants):
            later = events if number == len(entrants) - 1 else []
            await store.enter(hosted.tournament_id, number, player, 0, later)
        views = TournamentViews(Presence(), ArenaClock(time))
        last = views.summary(hosted).model_copy(update={"state": "over", "why": WHY_OVER})
        await store.close(hosted.tournament_id, "over", last)
    return hosted.tournament_id


def _account(accounts: Accounts, connection: Connection, name: str) -> wire.Player:
    known_as = accounts.account_named(connection, name, "bot", lambda _: True, new_id())
    return wire.Player(id=known_as, name=name, kind="bot")


def _settings(game: engine.Game) -> wire.TournamentSettings:
    setup = {"game": game.name, "board": game.board.name, "rules": game.rule_set, "rated": False}
    clock = {"kind": "fischer", "initial_s": 60, "increment_s": 1}
    return wire.TournamentSettings.model_validate(
        {
            "name": "Large",
            "format": {"kind": "round-robin"},
            "setups": [{**setup, "options": {}, "clock": clock}],
        }
    )


def _played(hosted: HostedTournament) -> list[Event]:
    """The events of the tournament; a random player wins each game."""
    rng = random.Random(1)
    happened: list[Event] = [began(hosted.settings, [*hosted.entrants.values()], [], SOFTWARE)]
    hosted.apply(happened[0])
    assert hosted.core is not None
    assert hosted.director is not None
    while due := hosted.director.due(hosted.core):
        for event in due:
            hosted.apply(event)
        results = [_won(game.number, rng) for game in hosted.core.waiting()]
        for event in results:
            hosted.apply(event)
        happened += [*due, *results]
    return happened


def _won(number: int, rng: random.Random) -> Finished:
    result = GameResult.model_validate({"winner": rng.choice((1, 2)), "reason": "played_out"})
    return Finished(game=number, game_id="", result=result, plies=PLIES, fingerprint=str(number))
