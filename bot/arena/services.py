"""The arena's services, put together over one data folder and brought up in order."""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from bot.arena.model.menu import Menu
from bot.arena.service.announcer import Announcer
from bot.arena.service.arena_clock import ArenaClock
from bot.arena.service.challenge_service import Challenges
from bot.arena.service.game_service import FinishedGames, Games
from bot.arena.service.game_starter import GameStarter
from bot.arena.service.lobby import Lobby
from bot.arena.service.preparation import Preparation
from bot.arena.service.presence import Presence
from bot.arena.service.renaming import Renaming
from bot.arena.service.restart import Restart
from bot.arena.service.tournament_book import TournamentBook
from bot.arena.service.tournament_library import TournamentLibrary
from bot.arena.service.tournament_runner import TournamentRunner
from bot.arena.service.tournament_service import Tournaments
from bot.arena.service.tournament_views import TournamentNews, TournamentViews
from bot.arena.settings import ArenaSettings
from bot.arena.store.accounts import Accounts
from bot.arena.store.archive import RecordFile
from bot.arena.store.database import open_database, sole_user
from bot.arena.store.game_store import GameStore
from bot.arena.store.hosts import Hosts
from bot.arena.store.tournament_store import TournamentStore
from bot.runtime.kernels import compiled_behind
from bot.time_source import TimeSource


@dataclass(frozen=True)
class Services:
    """Everything but the network."""

    accounts: Accounts
    store: GameStore
    games: Games
    challenges: Challenges
    lobby: Lobby
    presence: Presence
    renaming: Renaming
    menu: Menu
    clock: ArenaClock
    hosts: Hosts
    tournaments: Tournaments
    library: TournamentLibrary


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
        kernels = await stack.enter_async_context(
            compiled_behind([offered.name for offered in settings.offered])
        )
        accounts, store, presence = Accounts(database, time, play), GameStore(database), Presence()
        await accounts.forget_guests(timedelta(days=play.forget_guests_days))
        records = RecordFile(settings.data, store, time)
        stack.push_async_callback(records.close)
        await records.open()
        clock = ArenaClock(time, await store.clock_s())
        preparation = Preparation(settings.offered, kernels, time)
        finished = FinishedGames(store, records, play, preparation)
        games = Games(store, finished, announcer, presence, play, clock)
        restart = Restart(games, store, play, clock)
        menu = Menu(settings.offered, tuple(settings.clocks))
        starter = GameStarter(games, accounts, presence, preparation, play, rng)
        challenges = Challenges(starter, accounts, announcer, menu, play, time)
        hosts, events = Hosts(database, accounts, time), TournamentStore(database, time)
        book, views = TournamentBook(events, clock), TournamentViews(presence, clock)
        news = TournamentNews(views, announcer, time)
        runner = TournamentRunner(book, events, games, starter, presence, views, clock)
        tournaments = Tournaments(book, runner, views, events, hosts, menu, play, clock)
        lobby = Lobby(presence, challenges, games, tournaments, preparation, announcer, time)
        renaming = Renaming(accounts, presence, challenges, games, tournaments)

        def disk_changed(why: str | None) -> None:
            if why is not None:
                games.pause()
            else:
                games.resume()
                runner.everything_changed()

        database.on_trouble = disk_changed
        clock.on_stop.append(games.announce_all_soon)
        games.on_change.append(lobby.game_changed)
        challenges.on_change.append(lobby.changed)
        at_each = [lobby.player_came_or_left, runner.player_came_or_left]
        presence.on_came += [challenges.player_came, *at_each]
        presence.on_left += [challenges.player_left, *at_each]
        presence.on_renamed += [challenges.player_renamed, lobby.player_renamed]

        preparation.on_change += [lobby.changed, runner.everything_changed]
        games.on_end.append(runner.game_ended)
        book.on_change += [lobby.tournament_changed, news.changed]

        for service in (lobby, news, challenges, restart, games, runner, preparation):
            stack.push_async_callback(service.close)
        first = settings.offered[0].name
        await preparation.open({first, *await store.games_running()})
        await restart.open(play.reconnect_grace_s)
        await book.open()
        runner.everything_changed()
        await lobby.open()
        yield Services(
            accounts,
            store,
            games,
            challenges,
            lobby,
            presence,
            renaming,
            menu,
            clock,
            hosts,
            tournaments,
            TournamentLibrary(book, events, views),
        )
