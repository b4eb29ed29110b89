"""Opens the arena's services over one data folder: subscribes them to each other, and starts them.

The order matters in three places:

- Files first. The lock on the data folder comes before everything that writes to it, and the
  records are compared with the database before a game can end.
- Subscriptions before the start. Events during the restoration of games reach every service.
- The start from the inside out. The rules of running games are compiled before these games are
  restored, and the games are restored before the capabilities that need them. The lobby opens
  last, because it shows all of them.

The end takes the reverse order: the exit stack closes what was opened last first.
"""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import cast

from bot import wire
from bot.arena.announcer import Announcer
from bot.arena.arena_clock import ArenaClock
from bot.arena.capability import GameOver
from bot.arena.games.game_views import participants
from bot.arena.metrics import ArenaMetrics, arena_metrics
from bot.arena.operations import Operations
from bot.arena.processes import HallServices, Processes, installed_clustering
from bot.arena.readings import play_readings, process_readings, store_readings
from bot.arena.services import Background, Services, make_services
from bot.arena.settings import ArenaSettings
from bot.arena.store.ids import new_id
from bot.arena.stores import Stores, open_stores
from bot.runtime.metrics import Readings
from bot.time_source import TimeSource


@asynccontextmanager
async def open_services(
    settings: ArenaSettings,
    announcer: Announcer,
    time: TimeSource,
    rng: random.Random,
    metrics: ArenaMetrics | None = None,
) -> AsyncIterator[Services]:
    """The services with the games of the last run restored; closed in order at the end.

    They count in `metrics`, and add what can be read from them to its registry. In an arena of
    several processes, `announcer` must be an `Outbox`, and the caller lets the process join
    (`Processes.join`) as soon as it can answer.

    Raises HostError if the data folder cannot be used.
    """
    metrics = metrics or arena_metrics()
    clustering = installed_clustering() if settings.cluster.link else None
    process_id = None if clustering is None else new_id()
    async with AsyncExitStack() as stack:
        stores = await open_stores(stack, settings, time, process_id)
        cluster = None
        if clustering is not None and process_id is not None:
            opening = clustering.open(settings, stores.database, process_id, announcer, time)
            cluster = await stack.enter_async_context(opening)
            announcer = cluster.announcer
        # The clock of each process of several has its own zero.
        clock = ArenaClock(time, 0.0 if cluster else await stores.games.clock_s())
        services, background = make_services(
            settings, stores, announcer, clock, time, rng, metrics, cluster
        )
        stack.callback(services.workers.close)
        _subscribe(services)
        _measure(settings, services, stores, metrics)
        if cluster is None:
            await _start(stack, services, background, settings)
            yield services
        else:
            yield await _link(stack, services, background, stores, cluster, settings)


def _subscribe(services: Services) -> None:
    """Subscribe the games of this process to what stops their clocks."""
    playing = services.games.playing

    def disk_changed(why: str | None) -> None:
        if why is not None:
            playing.pause()
        else:
            playing.resume()

    services.database.on_trouble.append(disk_changed)
    services.clock.on_stop.append(playing.announce_all_soon)


def _open_hall(services: Services, background: Background) -> None:
    """Subscribe the lobby and challenges to events of services that do not know them.

    In an arena of several processes, only one of them does so.
    """
    playing, challenges, lobby = services.games.playing, services.challenges, services.lobby
    on_game_over = services.core.on_game_over

    def game_over(setup: wire.GameSetup, tournament_id: str | None, names: tuple[str, str]) -> None:
        for listener in on_game_over:
            listener(GameOver(setup, names, tournament_id))

    if (cluster := services.cluster) is None:
        playing.on_change.append(lobby.game_changed)
        playing.on_end.append(lambda game: game_over(game.setup, *participants(game)))
    else:
        cluster.follow_games(
            lambda: lobby.game_changed(is_news=True),
            lambda entry: game_over(entry.setup, entry.tournament_id, entry.names),
        )
    challenges.on_change.append(lobby.changed)
    background.preparation.on_change.append(lobby.changed)
    services.maintenance.on_change.append(lobby.changed)

    # Challenges first: the lobby shows them.
    presence = services.presence
    presence.on_came += [challenges.player_came, lobby.player_came_or_left]
    presence.on_left += [challenges.player_left, lobby.player_came_or_left]
    presence.on_renamed += [challenges.player_renamed, lobby.player_renamed]
    for part in services.parts:
        if part.subscribe is not None:
            part.subscribe()


def _measure(
    settings: ArenaSettings,
    services: Services,
    stores: Stores,
    metrics: ArenaMetrics,
) -> None:
    """Connect the services with the metrics."""
    playing, clock = services.games.playing, services.clock
    stores.database.on_commit = metrics.committed
    Readings(
        metrics.registry,
        [
            *play_readings(
                playing,
                services.challenges,
                services.presence,
                clock,
                services.core.alarm_failures,
            ),
            *(reading for part in services.parts for reading in part.readings),
            *store_readings(settings.place, stores.database, stores.records),
            *process_readings(services.cluster, playing),
        ],
    )


async def _start(
    stack: AsyncExitStack, services: Services, background: Background, settings: ArenaSettings
) -> None:
    """Restore the last run: rules, then games, then the capabilities, then the lobby."""
    await services.moderation.read_plan()  # before a capability can start a game
    _open_hall(services, background)
    _close_at_the_end(stack, services, background)
    await _open_parts(services)
    stack.push_async_callback(background.restart.close)
    usual = settings.offered[0].name
    await background.preparation.open({usual, *await services.store.games_running()})
    await background.restart.open(settings.play.reconnect_grace_s)
    await _open_halls(services)
    await services.lobby.open()
    await services.moderation.open()


async def _link(
    stack: AsyncExitStack,
    services: Services,
    background: Background,
    stores: Stores,
    cluster: Processes,
    settings: ArenaSettings,
) -> Services:
    """Connect with the other processes. Returns the services with what reaches all of them."""

    is_subscribed = False

    async def open_hall() -> None:
        nonlocal is_subscribed
        assert stores.challenges is not None
        stores.challenges.duty = cluster.shared_hall.duty
        if not is_subscribed:  # a second attempt follows one that failed
            is_subscribed = True
            _open_hall(services, background)
        await services.challenges.open(services.presence.is_here)
        await _open_halls(services)
        await services.lobby.open()
        services.moderation.carries_out_orders = True
        services.lobby.changed()

    def look() -> None:
        if cluster.has_hall and cluster.games_known:
            services.lobby.changed(is_news=False)  # the games have more turns

    cluster.on_look = look

    async def close_hall() -> None:
        services.moderation.carries_out_orders = False
        for service in (services.lobby, services.challenges):
            await service.close()
        for part in services.parts:
            await part.close_hall()

    _close_at_the_end(stack, services, background)
    await _open_parts(services)
    # A process must be able to take over any game at once.
    await background.preparation.open([info.name for info in settings.offered])
    services.moderation.carries_out_orders = False
    await services.moderation.open()
    operations = cast("Operations", services.performer)
    performer = await stack.enter_async_context(
        cluster.linked(
            operations,
            services.games,
            services.store,
            services.presence,
            services.clock,
            HallServices(open_hall, close_hall),
        )
    )
    return replace(services, performer=performer)


def _close_at_the_end(stack: AsyncExitStack, services: Services, background: Background) -> None:
    for service in (
        services.lobby,
        services.challenges,
        services.games.playing,
        background.preparation,
        services.moderation,
    ):
        stack.push_async_callback(service.close)
    for part in services.parts:
        stack.push_async_callback(part.close)
        stack.push_async_callback(part.close_hall)


async def _open_parts(services: Services) -> None:
    for part in services.parts:
        await part.open()


async def _open_halls(services: Services) -> None:
    for part in services.parts:
        await part.open_hall()
