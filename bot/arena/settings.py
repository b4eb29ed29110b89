"""The arena's configuration: a TOML file, the environment (BLUESTONE_ARENA_...), or defaults."""

import ipaddress
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

import engine
from bot.errors import ConfigurationError
from bot.setting_types import FilePath, Host
from bot.time_controls import parse_time_control
from bot.toml_settings import Place, problems_of, read_toml, report
from bot.wire.clocks import offered

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)]

VARIABLES: Final = "BLUESTONE_ARENA_"
HOST_NAME: Final = re.compile(r"[\w-]+(\.[\w-]+)*\.?")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ConnectionLimits(_Section):
    """What one connection, one address and the whole server may do."""

    connections: Count = Field(2000, description="for the whole server")
    sockets_per_address: Count = 200
    connections_per_player: Count = 20
    newcomers_share: float = Field(
        0.2, ge=0, le=0.9, description="kept for addresses and players with hardly any connection"
    )
    request_s: Positive = Field(10, description="for the head of a request, and for its body")
    keep_alive_s: Positive = Field(15, description="how long HTTP waits for another request")
    login_s: Positive = Field(10, description="for logging in over a new WebSocket")
    messages_per_s: Positive = 20
    messages_burst: Count = 60
    bot_factor: Count = Field(10, description="a bot plays many games over one connection")
    new_guests_per_s: Positive = 1
    new_guests_burst: Count = 200
    failed_logins_per_s: Positive = 0.2
    failed_logins_burst: Count = 20
    ping_interval_s: Positive = 5
    ping_timeout_s: Positive = 5


class PlayLimits(_Section):
    """How long the arena waits, in seconds, and how much one player may have at once."""

    first_turn_s: Positive = 60
    abandonment_s: Positive = 60
    reconnect_grace_s: Positive = 10
    challenge_s: Positive = 300
    correspondence_challenge_s: Positive = 7 * 86_400
    creator_away_s: Positive = 10
    challenges: Count = 20
    challenges_received: Count = Field(50, description="open ones of others to one player")
    person_games: Count = 20
    bot_games: Count = 200
    forget_guests_days: Positive = 30
    names_per_address: Count = Field(50, description="names that people at one address may hold")
    keep_former_names_days: Positive = Field(
        365, description="how long nobody else gets a name that its owner has changed"
    )


class ArenaSettings(BaseSettings):
    """`allowed_origins` lists other sites whose pages may connect, such as https://example.org.

    `hosts` are the names under which this arena is reached, besides its addresses and localhost.
    """

    model_config: ClassVar[SettingsConfigDict] = SettingsConfigDict(
        frozen=True, extra="forbid", env_prefix=VARIABLES, env_nested_delimiter="__"
    )
    content: ClassVar[dict[str, Any]] = {}
    """What the file says."""

    host: Host = "127.0.0.1"
    port: int = Field(8765, ge=0, le=65_535)
    data: FilePath = Path("var")
    hosts: list[str] = Field(default_factory=list, description="names of this arena")
    allowed_origins: list[str] = Field(default_factory=list)
    trusted_proxies: list[str] = Field(
        default_factory=list, description="networks whose X-Forwarded-... headers count"
    )
    games: list[str] = Field(default_factory=list, description="games on offer; all if empty")
    clocks: list[str] = Field(
        default_factory=lambda: ["300+5", "600+10", "180+2", "300/3x30", "20/turn", "none"],
        min_length=1,
        description="clocks that pages suggest",
    )
    connections: ConnectionLimits = ConnectionLimits()
    play: PlayLimits = PlayLimits()

    @field_validator("games")
    @classmethod
    def _are_games(cls, games: list[str]) -> list[str]:
        known = [info.name for info in engine.games()]
        for game in games:
            if game not in known:
                raise ValueError(f"there is no game {game!r}; known: {', '.join(known)}")
        return games

    @property
    def offered(self) -> tuple[engine.GameInfo, ...]:
        """The games that people may play here."""
        return tuple(info for info in engine.games() if not self.games or info.name in self.games)

    @field_validator("clocks")
    @classmethod
    def _are_clocks(cls, clocks: list[str]) -> list[str]:
        for clock in clocks:
            offered(parse_time_control(clock))
        return clocks

    @field_validator("hosts")
    @classmethod
    def _are_names(cls, hosts: list[str]) -> list[str]:
        for host in hosts:
            if not HOST_NAME.fullmatch(host):
                raise ValueError(f"{host!r} is no name alone; write one as play.example.org")
        return hosts

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, networks: list[str]) -> list[str]:
        for network in networks:
            ipaddress.ip_network(network)
        return networks

    @field_validator("allowed_origins")
    @classmethod
    def _are_origins(cls, origins: list[str]) -> list[str]:
        for origin in origins:
            if not origin.startswith(("http://", "https://")) or origin.count("/") != 2:
                raise ValueError(f"{origin!r} is no origin; write one as https://example.org")
        return origins

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What the caller says counts most, then the environment, then the file."""
        return init_settings, env_settings, InitSettingsSource(settings_cls, cls.content)


def load_settings(file: Path | None = None, **options: Any) -> ArenaSettings:  # noqa: ANN401
    """The settings from a TOML file, with `options` of the command line on top.

    Raises ConfigurationError with everything that is wrong at once.
    """

    class FromFile(ArenaSettings):
        content = read_toml(file) if file is not None else {}

    given = {name: value for name, value in options.items() if value is not None}
    try:
        return FromFile(**given)
    except SettingsError as error:
        raise ConfigurationError(f"environment: {error}") from error
    except ValidationError as error:
        problems = problems_of(error, ArenaSettings)
        found = [
            line
            for place, text in problems
            for line in report(_source(place, file, given), [(place, text)])
        ]
        raise ConfigurationError(found) from error


def _source(place: Place, file: Path | None, given: Collection[str]) -> str:
    """Who said it: the command line, a variable of the environment, or the file."""
    if place and str(place[0]) in given:
        return "command line"
    variables = {name.upper() for name in os.environ}
    for end in range(1, len(place) + 1):
        variable = VARIABLES + "__".join(str(part).upper() for part in place[:end])
        if variable in variables:
            return variable
    return str(file or "arena settings")
