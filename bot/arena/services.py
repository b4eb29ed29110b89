"""The arena's services, made from their dependencies. `bot.arena.startup` starts them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from bot.arena.announcer import Announcer
from bot.arena.arena_clock import ArenaClock
from bot.arena.capability import Core, Part, open_capabilities
from bot.arena.games.all_games import AllGames
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.game_requests import game_requests
from bot.arena.games.game_service import Games
from bot.arena.games.game_store import GameStore
from bot.arena.games.games_in_play import GamesInPlay
from bot.arena.games.maintenance import MaintenanceMode
from bot.arena.games.preparation import Preparation
from bot.arena.games.rated_play import RatedPlay
from bot.arena.games.referee import Menu
from bot.arena.games.restart import Restart
from bot.arena.hall import Hall, OwnHall
from bot.arena.lobby.challenge_service import Challenges
from bot.arena.lobby.free_levels import FreeLevels
from bot.arena.lobby.game_quotas import GameQuotas
from bot.arena.lobby.game_starter import GameStarter
from bot.arena.lobby.ignore_store import IgnoreStore
from bot.arena.lobby.ignores import Ignores
from bot.arena.lobby.lobby import Lobby
from bot.arena.lobby.lobby_requests import lobby_requests
from bot.arena.lobby.renaming import Renamer, Renaming
from bot.arena.metrics import ArenaMetrics
from bot.arena.operations import Operations, Performer
from bot.arena.operator.moderation import Moderation
from bot.arena.players.accounts import Accounts
from bot.arena.players.hosts import Hosts
from bot.arena.players.presence import Presence
from bot.arena.processes import Processes
from bot.arena.settings import ArenaSettings
from bot.arena.store.database import Database
from bot.arena.stores import Stores
from bot.runtime.workers import Workers
from bot.time_source import TimeSource


@dataclass(frozen=True)
class Services:
    """What the network uses: everything except the network itself."""

    accounts: Accounts
    store: GameStore
    games: Games
    all_games: AllGames
    challenges: Challenges
    lobby: Lobby
    maintenance: MaintenanceMode
    presence: Presence
    renaming: Renaming
    menu: Menu
    clock: ArenaClock
    hosts: Hosts
    database: Database
    moderation: Moderation
    performer: Performer
    renamer: Renamer
    workers: Workers
    core: Core
    parts: Sequence[Part]
    """What the installed capabilities give."""
    cluster: Processes | None
    """The other processes; None if the arena is one process."""


@dataclass(frozen=True)
class Background:
    """Services that work without requests, so that the network does not see them."""

    preparation: Preparation
    restart: Restart


def make_services(
    settings: ArenaSettings,
    stores: Stores,
    announcer: Announcer,
    clock: ArenaClock,
    time: TimeSource,
    rng: random.Random,
    metrics: ArenaMetrics,
    cluster: Processes | None,
) -> tuple[Services, Background]:
    """Make every service from its dependencies. Nothing runs yet."""
    play, accounts, hosts = settings.play, stores.accounts, stores.hosts
    # Games
    presence = Presence()
    workers = Workers()
    preparation = Preparation(settings.offered, stores.kernels, time)
    finished = FinishedGames(stores.games, stores.records, play, preparation, workers)
    playing = GamesInPlay(stores.games, finished, announcer, presence, clock, metrics)
    games = Games(playing, stores.games, finished, presence, play, clock, metrics, workers)
    presence.on_renamed.append(finished.player_renamed)
    all_games: AllGames = games if cluster is None else cluster.placed(games, finished, presence)
    restart = Restart(playing, stores.games, play, clock)
    # Challenges
    rated_play = RatedPlay()
    menu = Menu(settings.offered, tuple(settings.clocks), rated_play)
    quotas = GameQuotas(all_games, play, time)
    mode = MaintenanceMode(time)
    starter = GameStarter(all_games, accounts, presence, preparation, quotas, rng, rated_play, mode)
    levels = FreeLevels(presence, time)
    ignores = Ignores(IgnoreStore(stores.database), accounts, time)
    challenges = Challenges(
        starter, accounts, announcer, menu, play, workers, time, levels, ignores, stores.challenges
    )
    # Everything together
    lobby = Lobby(presence, challenges, all_games, preparation, announcer, time, rated_play, mode)
    renaming = Renaming(accounts, presence, challenges, all_games, stores.records)
    renamer = renaming if cluster is None else cluster.renaming(renaming, presence)
    moderation = Moderation(stores.database, all_games, challenges, renaming, mode, clock)
    hall: Hall = OwnHall() if cluster is None else cluster.shared_hall
    core = Core(
        settings=settings,
        database=stores.database,
        announcer=announcer,
        time=time,
        clock=clock,
        rng=rng,
        metrics=metrics,
        workers=workers,
        presence=presence,
        accounts=accounts,
        store=stores.games,
        records=stores.records,
        preparation=preparation,
        finished=finished,
        games=games,
        all_games=all_games,
        menu=menu,
        rated_play=rated_play,
        ignores=ignores,
        lobby=lobby,
        renamer=renamer,
        moderation=moderation,
        starter=starter,
        maintenance=mode,
        hosts=hosts,
        name_keepers=renaming.keepers,
        hall=hall,
        alarm_failures={"games": lambda: playing.alarm_failures},
    )
    parts = open_capabilities(core)
    operations = Operations(
        [
            *game_requests(games, workers),
            *lobby_requests(challenges, ignores),
            *(request for part in parts for request in part.requests),
        ],
        [part.welcome for part in parts if part.welcome is not None],
        [
            lambda player: {"may_host": hosts.is_known(player.id)},
            *(part.welcome_here for part in parts if part.welcome_here is not None),
        ],
        games,
        challenges,
        lobby,
        clock,
    )
    services = Services(
        accounts=accounts,
        store=stores.games,
        games=games,
        all_games=all_games,
        challenges=challenges,
        lobby=lobby,
        maintenance=mode,
        presence=presence,
        renaming=renaming,
        menu=menu,
        clock=clock,
        hosts=hosts,
        renamer=renamer,
        workers=workers,
        cluster=cluster,
        database=stores.database,
        performer=operations,
        core=core,
        parts=parts,
        moderation=moderation,
    )
    return services, Background(preparation, restart)
