"""The arena's services over one data folder: made, subscribed to each other, started in order.

The order matters in three places:

- Files first. The lock on the data folder comes before everything that writes to it, and the
  records are compared with the database before a game can end.
- Subscriptions before the start. Events during the restoration of games reach every service.
- The start from the inside out. The rules of running games are compiled before these games are
  restored, and the games are restored before the tournaments that they belong to. The lobby opens
  last, because it shows all of them.

The end takes the reverse order: the exit stack closes what was opened last first.
"""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog

from bot.arena.metrics import ArenaMetrics, arena_metrics
from bot.arena.model.referee import Menu
from bot.arena.service.announcer import Announcer
from bot.arena.service.arena_clock import ArenaClock
from bot.arena.service.challenge_service import Challenges
from bot.arena.service.game_service import FinishedGames, Games
from bot.arena.service.game_starter import GameStarter
from bot.arena.service.lobby import Lobby
from bot.arena.service.moderation import Moderation
from bot.arena.service.preparation import Preparation
from bot.arena.service.presence import Presence
from bot.arena.service.readings import play_readings, store_readings, tournament_readings
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
from bot.arena.store.data_folder import sole_user
from bot.arena.store.database import Database
from bot.arena.store.game_store import GameStore
from bot.arena.store.hosts import Hosts
from bot.arena.store.opening import open_database
from bot.arena.store.sqlite_database import FILE_NAME
from bot.arena.store.tournament_store import TournamentStore
from bot.runtime.kernels import Kernels, compiled_behind
from bot.runtime.metrics import Readings
from bot.time_source import TimeSource

log = structlog.get_logger()


@dataclass(frozen=True)
class Services:
    """What the network uses: everything except the network itself."""

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
    database: Database
    moderation: Moderation


@dataclass(frozen=True)
class _Stores:
    """The stores on disk, and the compiled rules."""

    database: Database
    kernels: Kernels
    accounts: Accounts
    games: GameStore
    records: RecordFile
    hosts: Hosts
    tournaments: TournamentStore


@dataclass(frozen=True)
class _Background:
    """Services that work without requests, so that the network does not see them."""

    preparation: Preparation
    restart: Restart
    book: TournamentBook
    runner: TournamentRunner
    news: TournamentNews


@asynccontextmanager
async def open_services(
    settings: ArenaSettings,
    announcer: Announcer,
    time: TimeSource,
    rng: random.Random,
    metrics: ArenaMetrics | None = None,
) -> AsyncIterator[Services]:
    """The services with the games of the last run restored; closed in order at the end.

    They count in `metrics`, and add what can be read from them to its registry.

    Raises HostError if the data folder cannot be used.
    """
    metrics = metrics or arena_metrics()
    async with AsyncExitStack() as stack:
        stores = await _open_stores(stack, settings, time)
        clock = ArenaClock(time, await stores.games.clock_s())
        services, background = _make_services(
            settings, stores, announcer, clock, time, rng, metrics
        )
        _subscribe(services, background, stores.database)
        _measure(settings, services, background, stores, metrics)
        await _start(stack, services, background, settings)
        yield services


async def _open_stores(stack: AsyncExitStack, settings: ArenaSettings, time: TimeSource) -> _Stores:
    """Lock the data folder, open its files, and start to compile the rules of the games."""
    stack.enter_context(sole_user(settings.data))
    database = await stack.enter_async_context(open_database(settings.place))
    if settings.database and (unused := settings.data / FILE_NAME).exists():
        log.warning("database_file_unused", file=str(unused))
    kernels = await stack.enter_async_context(
        compiled_behind([offered.name for offered in settings.offered])
    )
    accounts, games = Accounts(database, time, settings.play), GameStore(database)
    await accounts.forget_guests(timedelta(days=settings.play.forget_guests_days))
    records = RecordFile(settings.data, games, time)
    stack.push_async_callback(records.close)
    await records.open()
    hosts, tournaments = Hosts(database, accounts, time), TournamentStore(database, time)
    return _Stores(database, kernels, accounts, games, records, hosts, tournaments)


def _make_services(
    settings: ArenaSettings,
    stores: _Stores,
    announcer: Announcer,
    clock: ArenaClock,
    time: TimeSource,
    rng: random.Random,
    metrics: ArenaMetrics,
) -> tuple[Services, _Background]:
    """Make every service from its dependencies. Nothing runs yet."""
    play, accounts, hosts = settings.play, stores.accounts, stores.hosts
    # Games
    presence = Presence()
    preparation = Preparation(settings.offered, stores.kernels, time)
    finished = FinishedGames(stores.games, stores.records, play, preparation)
    games = Games(stores.games, finished, announcer, presence, play, clock, metrics)
    restart = Restart(games, stores.games, play, clock)
    # Challenges
    menu = Menu(settings.offered, tuple(settings.clocks))
    starter = GameStarter(games, accounts, presence, preparation, play, rng)
    challenges = Challenges(starter, accounts, announcer, menu, play, time)
    # Tournaments
    book, views = TournamentBook(stores.tournaments, clock), TournamentViews(presence, clock)
    news = TournamentNews(views, announcer, time)
    runner = TournamentRunner(
        book, stores.tournaments, games, starter, presence, views, clock, metrics
    )
    tournaments = Tournaments(book, runner, views, stores.tournaments, hosts, menu, play, clock)
    # Everything together
    renaming = Renaming(accounts, presence, challenges, games, tournaments)
    services = Services(
        accounts=accounts,
        store=stores.games,
        games=games,
        challenges=challenges,
        lobby=Lobby(presence, challenges, games, tournaments, preparation, announcer, time),
        presence=presence,
        renaming=renaming,
        menu=menu,
        clock=clock,
        hosts=hosts,
        tournaments=tournaments,
        library=TournamentLibrary(book, stores.tournaments, views),
        database=stores.database,
        moderation=Moderation(stores.database, games, challenges, tournaments, renaming, clock),
    )
    return services, _Background(preparation, restart, book, runner, news)


def _subscribe(services: Services, background: _Background, database: Database) -> None:
    """Subscribe services to events of other services that do not know them."""
    games, challenges, lobby = services.games, services.challenges, services.lobby
    preparation, runner, book = background.preparation, background.runner, background.book

    def disk_changed(why: str | None) -> None:
        if why is not None:
            games.pause()
        else:
            games.resume()
            runner.everything_changed()

    database.on_trouble = disk_changed
    services.clock.on_stop.append(games.announce_all_soon)

    games.on_change.append(lobby.game_changed)
    games.on_end.append(runner.game_ended)
    challenges.on_change.append(lobby.changed)
    preparation.on_change += [lobby.changed, runner.everything_changed]
    book.on_change += [lobby.tournament_changed, background.news.changed]

    # Challenges first: the lobby shows them.
    presence, at_each = services.presence, [lobby.player_came_or_left, runner.player_came_or_left]
    presence.on_came += [challenges.player_came, *at_each]
    presence.on_left += [challenges.player_left, *at_each]
    presence.on_renamed += [challenges.player_renamed, lobby.player_renamed]


def _measure(
    settings: ArenaSettings,
    services: Services,
    background: _Background,
    stores: _Stores,
    metrics: ArenaMetrics,
) -> None:
    """Connect the services with the metrics."""
    games, clock = services.games, services.clock
    stores.database.on_commit = metrics.committed
    Readings(
        metrics.registry,
        [
            *play_readings(games, services.challenges, services.presence, clock),
            *tournament_readings(background.book, games, background.runner, clock),
            *store_readings(settings.place, stores.database, stores.records),
        ],
    )


async def _start(
    stack: AsyncExitStack, services: Services, background: _Background, settings: ArenaSettings
) -> None:
    """Restore the last run: rules, then games, then tournaments, then the lobby."""
    for service in (
        services.lobby,
        background.news,
        services.challenges,
        background.restart,
        services.games,
        background.runner,
        background.preparation,
        services.moderation,
    ):
        stack.push_async_callback(service.close)
    usual = settings.offered[0].name
    await background.preparation.open({usual, *await services.store.games_running()})
    await background.restart.open(settings.play.reconnect_grace_s)
    await background.book.open()
    background.runner.everything_changed()
    await services.lobby.open()
    await services.moderation.open()
