"""The arena's configuration: a TOML file, the environment (BLUESTONE_ARENA_...), or defaults."""

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, model_validator

import engine
from bot.runtime.settings import (
    FilePath,
    GameName,
    HostOrSocket,
    OneLine,
    SettingsTable,
    read_toml,
    said_by_environment,
    validated,
    who_said,
    with_what_is_said,
)
from bot.runtime.unix_sockets import socket_file
from bot.time_controls import parse_time_control
from bot.wire.clocks import offered

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]

VARIABLES: Final = "BLUESTONE_ARENA_"
BASE_PATH: Final = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
LONGEST_BASE_PATH: Final = 200
OWN_PATHS: Final = frozenset({"account", "games", "healthz", "metrics"})
"""Paths of the arena's own; none of its paths begins with one of these and a slash."""
OWN_FOLDERS: Final = frozenset(
    {
        *("analysis", "api", "assets", "bundle", "css", "embed", "engine", "game", "icons"),
        *("invite", "js", "leaderboards", "learn", "lessons", "messages", "openings", "player"),
        *("puzzle", "puzzles", "rules", "socket.io", "tournament", "tournaments", "vendor"),
    }
)
"""The first parts of all other paths of the arena's own."""
UNIX_PEER: Final = "unix"
"""In `trusted_proxies` and in limits: the client of a Unix socket, which has no address."""
SOCKET_MODE: Final = re.compile(r"0?[0-7]{3}")
HOST_NAME: Final = re.compile(r"[\w-]+(\.[\w-]+)*\.?")


def _clock(clock: str) -> str:
    offered(parse_time_control(clock))
    return clock


def _host_name(host: str) -> str:
    if not HOST_NAME.fullmatch(host):
        raise ValueError(f"{host!r} is not a host name; write one as play.example.org")
    return host


def _domain(domain: str) -> str:
    return _host_name(domain).lower().rstrip(".") if domain else ""


def _network(network: str) -> str:
    ipaddress.ip_network(network)
    return network


def _proxy(network: str) -> str:
    return network if network == UNIX_PEER else _network(network)


def _mode(mode: str) -> str:
    if not SOCKET_MODE.fullmatch(mode):
        raise ValueError(f"{mode!r} is not the mode of a file; write one as 0660")
    return mode


def _base_path(path: str) -> str:
    path = path.rstrip("/")
    if not BASE_PATH.fullmatch(path) or len(path) > LONGEST_BASE_PATH:
        raise ValueError(
            f"{path!r} is no path of letters, digits and the characters - . _ ~; write one as "
            "/games/bluestone"
        )
    top = path[1:].partition("/")[0]
    if top in OWN_FOLDERS or path[1:] in OWN_PATHS:
        raise ValueError(f"/{top} is a path of the arena's own; choose another one")
    return path


def _origin(origin: str) -> str:
    if not origin.startswith(("http://", "https://")) or origin.count("/") != 2:
        raise ValueError(f"{origin!r} is not an origin; write one as https://example.org")
    return origin


def _database(url: str) -> str:
    if url and not url.partition("://")[1]:  # which URLs there are, `bot.arena.store.servers` knows
        raise ValueError("an address such as postgresql://user@host/name is required")
    return url


def _bus(url: str) -> str:
    if url and not url.startswith(("valkey://", "valkeys://", "redis://", "rediss://")):
        raise ValueError("an address such as valkey://host:6379 is required")
    return url


def _link(address: str) -> str:
    if address.startswith(("0.0.0.0:", "[::]:")):
        raise ValueError(
            f"{address} is no address that other processes can reach; name this machine's address "
            "in their network, such as 10.0.0.5:9765"
        )
    return address


@dataclass(frozen=True)
class Place:
    """Where an arena stores everything: its data folder, and its database.

    `database` is the URL of a PostgreSQL database, which may have a password in it. Without it, the
    database is a SQLite file in the folder.
    """

    folder: Path
    database: str | None = field(default=None, repr=False)


class ConnectionLimits(SettingsTable):
    """Limits of one connection, of one address and of the whole server."""

    connections: Count = Field(2000, description="connections of the whole server")
    sockets_per_address: Count = 200
    connections_per_player: Count = 20
    unread_bytes_per_address: Count = Field(
        16_000_000, description="output that all connections of one address may leave unread"
    )
    newcomers_share: float = Field(
        0.2,
        ge=0,
        le=0.9,
        description=(
            "share of the room that is reserved for addresses and players with at most one "
            "connection"
        ),
    )
    request_s: Positive = Field(
        10, description="seconds for the head of a request, and for its body"
    )
    keep_alive_s: Positive = Field(
        15, description="seconds for which HTTP waits for another request"
    )
    login_s: Positive = Field(10, description="seconds for the login over a new WebSocket")
    messages_per_s: Positive = 20
    messages_burst: Count = 60
    bot_factor: Count = Field(
        10, description="factor for bots, because a bot plays many games over one connection"
    )
    requests_per_s: Positive = Field(
        50, description="plain HTTP requests per second from one address"
    )
    requests_burst: Count = 1000
    new_guests_per_s: Positive = 1
    new_guests_burst: Count = 200
    failed_logins_per_s: Positive = 0.2
    failed_logins_burst: Count = 20
    ping_interval_s: Positive = 5
    ping_timeout_s: Positive = 5


class Allowances(SettingsTable):
    """Seconds for which a game waits for a first turn, a disconnected player, or any turn."""

    first_turn_s: Positive = 60
    abandonment_s: Positive = 60
    untimed_turn_s: Positive = Field(
        86_400, description="seconds that an untimed game against a bot waits for a person's turn"
    )


class LobbyLimits(SettingsTable):
    """Seconds for which challenges stay open, and how many one player may have at once."""

    challenge_s: Positive = 300
    correspondence_challenge_s: Positive = 7 * 86_400
    creator_away_s: Positive = 10
    challenges: Count = 20
    challenges_received: Count = Field(50, description="open challenges of others to one player")
    challenges_received_per_sender: Count = Field(
        5, description="of these, challenges of one player, and of all guests at one address"
    )
    person_games: Count = 20
    bot_games: Count = 200
    guest_games_per_hour: Count = Field(
        200, description="games that people without an account at one address begin in an hour"
    )
    account_games_per_hour: Count = Field(
        1000, description="games that people with an account at one address begin in an hour"
    )
    guest_games_per_bot: Count = Field(
        4, description="running games of all guests at one address against one bot"
    )


class NameLimits(SettingsTable):
    names_per_address: Count = Field(50, description="names that people at one address may hold")
    keep_former_names_days: Positive = Field(
        365, description="days for which a former name stays reserved for its owner"
    )


class TournamentLimits(SettingsTable):
    """Limits of one host."""

    tournaments: Count = Field(20, description="tournaments of one host that are not over")


class PlayLimits(TournamentLimits, NameLimits, LobbyLimits, Allowances):
    """The table [play]. Services take the base class with the settings that they use."""

    reconnect_grace_s: Positive = 10
    forget_guests_days: Positive = 30
    keep_aborted_days: Positive = Field(
        1, description="days after which aborted games are deleted, except games of tournaments"
    )


def _contact(contact: str) -> str:
    if contact and not contact.startswith(("mailto:", "https://")):
        raise ValueError("an address such as mailto:you@example.org is required")
    return contact


class PushSettings(SettingsTable):
    """The table [push]: notifications to browsers whose player is away (web push)."""

    enabled: bool = True
    contact: Annotated[OneLine, AfterValidator(_contact)] = Field(
        "", description="whom push services may write to, such as mailto:you@example.org"
    )
    delay_s: Positive = Field(
        15, description="seconds that a player is away before they are notified of their turn"
    )
    private_services: bool = Field(
        False, description="allow push services at addresses that are not public, for tests"
    )


class ClusterSettings(SettingsTable):
    """The table [cluster]: an arena of several processes on one PostgreSQL database."""

    link: Annotated[OneLine, AfterValidator(_link)] = Field(
        "",
        description=(
            "address, such as 10.0.0.5:9765, at which other processes of this arena reach this "
            "one; if empty, the process is alone"
        ),
    )
    bus: Annotated[OneLine, AfterValidator(_bus)] = Field(
        "",
        repr=False,
        description=(
            "URL of a Valkey or Redis server that carries events between processes; if empty, "
            "PostgreSQL's LISTEN and NOTIFY"
        ),
    )
    lease_s: Positive = Field(
        6, description="seconds after which a process that does not renew its lease is replaced"
    )
    renew_s: Positive = Field(2, description="seconds between two renewals of the lease")
    reuse_port: bool = Field(
        False, description="share the port with other processes on this machine"
    )


class ArenaSettings(SettingsTable):
    """The settings of an arena.

    `allowed_origins` lists other sites whose pages may connect, such as https://example.org.
    `hosts` are the names under which this arena is reached, besides its addresses and localhost.
    """

    host: HostOrSocket = Field(
        "127.0.0.1",
        description="a name or address, or a Unix socket as unix:/run/bluestone-arena/arena.sock",
    )
    port: int = Field(8765, ge=0, le=65_535, description="the port; unused with a Unix socket")
    socket_mode: Annotated[str, AfterValidator(_mode)] = Field(
        "0660", description="the mode of the Unix socket's file, which says who may connect"
    )
    data: FilePath = Path("var")
    database: Annotated[OneLine, AfterValidator(_database)] = Field(
        "",
        repr=False,
        description="the URL of a PostgreSQL database; if empty, a SQLite file in the data folder",
    )
    hosts: list[Annotated[str, AfterValidator(_host_name)]] = Field(
        [], description="names of this arena"
    )
    base_path: Annotated[str, AfterValidator(_base_path)] = Field(
        "",
        description=(
            "the path below which a proxy shows the arena, such as /games/bluestone; if empty, "
            "the arena has all of its site"
        ),
    )
    passkey_domain: Annotated[str, AfterValidator(_domain)] = Field(
        "",
        description=(
            "the domain of passkeys, such as example.org for an arena at play.example.org; if "
            "empty, the name under which the page was opened"
        ),
    )
    allowed_origins: list[Annotated[str, AfterValidator(_origin)]] = Field([])
    trusted_proxies: list[Annotated[str, AfterValidator(_proxy)]] = Field(
        [],
        description=(
            'networks whose X-Forwarded-... headers count; "unix" for whoever connects to the '
            "Unix socket"
        ),
    )
    metrics_networks: list[Annotated[str, AfterValidator(_network)]] = Field(
        [], description="networks that may read /metrics, besides this machine"
    )
    games: list[GameName] = Field([], description="offered games; all games if empty")
    clocks: list[Annotated[str, AfterValidator(_clock)]] = Field(
        ["300+5", "600+10", "180+2", "300/3x30", "20/turn", "3d+1d:7d", "none"],
        min_length=1,
        description="clocks that pages suggest",
    )
    page_sources: bool = Field(False, description="serve the page's scripts without bundling")
    connections: ConnectionLimits = ConnectionLimits()
    play: PlayLimits = PlayLimits()
    push: PushSettings = PushSettings()
    cluster: ClusterSettings = ClusterSettings()

    @model_validator(mode="after")
    def _check_cluster(self) -> Self:
        if self.cluster.link and not self.database:
            raise ValueError("several processes need a PostgreSQL database: set database")
        if self.cluster.renew_s * 2 > self.cluster.lease_s:
            raise ValueError("cluster.lease_s must be at least twice cluster.renew_s")
        if self.cluster.reuse_port and self.socket_file is not None:
            raise ValueError(
                "cluster.reuse_port is for ports: give each process a Unix socket of its own, and "
                "name all of them in the proxy"
            )
        return self

    @property
    def socket_file(self) -> Path | None:
        """The file of the Unix socket; None if the arena listens on a port."""
        return socket_file(self.host)

    @property
    def place(self) -> Place:
        """Where the arena stores everything."""
        return Place(self.data, self.database or None)

    @property
    def usual_address(self) -> str:
        """The address under which people reach the arena, as far as these settings determine it."""
        return f"{self._usual_site}{self.base_path}"

    @property
    def _usual_site(self) -> str:
        if self.hosts:
            return f"https://{self.hosts[0]}" if self.trusted_proxies else self._at(self.hosts[0])
        if self.socket_file is not None:
            return "http://localhost"
        is_any = self.host in {"0.0.0.0", "::"}  # noqa: S104 - compared, not listened on
        return self._at("127.0.0.1" if is_any else self.host)

    def _at(self, host: str) -> str:
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def offered(self) -> tuple[engine.GameInfo, ...]:
        """The games that this arena offers."""
        return tuple(info for info in engine.games() if not self.games or info.name in self.games)


def load_settings(
    file: Path | None = None, environ: Mapping[str, str] = os.environ, **options: object
) -> ArenaSettings:
    """The settings from a TOML file, overridden by the environment, overridden by `options`.

    `options` come from the command line; None leaves a setting as it is. Raises ConfigurationError
    with all problems at once, each with its source.
    """
    said = said_by_environment(ArenaSettings, VARIABLES, environ)
    for name, value in options.items():
        if value is not None:
            said[name,] = ("command line", value)
    tables = with_what_is_said({} if file is None else read_toml(file), said)
    return validated(
        ArenaSettings, tables, lambda place: who_said(place, said) or file or "arena settings"
    )
