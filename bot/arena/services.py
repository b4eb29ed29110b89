"""The arena's services, put together over one data folder and brought up in order."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import engine
from bot.arena.accounts import Accounts, NameLimits
from bot.arena.announcer import Announcer
from bot.arena.archive import RecordFile
from bot.arena.arena_clock import ArenaClock
from bot.arena.database import open_database, sole_user
from bot.arena.game import Allowances
from bot.arena.game_store import GameStore
from bot.arena.games import Games
from bot.arena.lobby import Lobby, LobbyLimits
from bot.arena.presence import Presence
from bot.arena.settings import ArenaSettings, PlayLimits
from bot.time_source import TimeSource


@dataclass(frozen=True)
class Services:
    """Everything but the network."""

    accounts: Accounts
    store: GameStore
    games: Games
    lobby: Lobby
    presence: Presence
    clock: ArenaClock


@asynccontextmanager
async def open_services(
    settings: ArenaSettings, announcer: Announcer, time: TimeSource, rng: random.Random
) -> AsyncIterator[Services]:
    """The services with the games of the last run brought back; closed in order when left.

    Raises HostError if the data folder cannot be used.
    """
    play = settings.play
    async with AsyncExitStack() as stack:
        stack.enter_context(sole_user(settings.data))
        database = await stack.enter_async_context(open_database(settings.data))
        await asyncio.to_thread(_warm_rules)
        names = NameLimits(play.names_per_address, timedelta(days=play.keep_former_names_days))
        accounts, store, presence = Accounts(database, time, names), GameStore(database), Presence()
        await accounts.forget_guests(timedelta(days=play.forget_guests_days))
        records = RecordFile(settings.data, store, time)
        stack.push_async_callback(records.close)
        await records.open()
        clock = ArenaClock(time, await store.clock_s())
        games = Games(
            store,
            records,
            announcer,
            presence,
            Allowances(play.first_turn_s, play.abandonment_s),
            clock,
            on_change=lambda is_news: lobby.game_changed(is_news),
        )
        offered = [info.name for info in settings.offered]
        lobby = Lobby(
            accounts, games, store, presence, announcer, _limits(play), offered, time, rng
        )
        database.on_trouble = lambda why: games.go_on() if why is None else games.stand_still()
        stack.push_async_callback(lobby.close)
        stack.push_async_callback(games.close)
        await games.open(play.reconnect_grace_s)
        await lobby.open()
        yield Services(accounts, store, games, lobby, presence, clock)


def _warm_rules() -> None:
    """Load the compiled rules before the first player waits for them."""
    for info in engine.games():
        position = engine.game(info.name).start()
        while position.turn_number < 3 and not position.over:
            position = position.play(next(position.legal_turns()))


def _limits(play: PlayLimits) -> LobbyLimits:
    return LobbyLimits(
        challenge_s=play.challenge_s,
        correspondence_challenge_s=play.correspondence_challenge_s,
        creator_away_s=play.creator_away_s,
        challenges=play.challenges,
        challenges_received=play.challenges_received,
        person_games=play.person_games,
        bot_games=play.bot_games,
    )
