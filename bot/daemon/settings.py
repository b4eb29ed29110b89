"""The settings of a daemon, with defaults; `bot.daemon.settings_file` reads them from a file."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, cast, get_args

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationError,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

import engine
from bot.daemon.time_manager import TimePolicy
from bot.engines.spec import EngineOptions, EngineSpec
from bot.platforms.arena.settings import ArenaConnection
from bot.platforms.settings import PLATFORMS, BotContext, ClockText, PlatformSettings
from bot.runtime.settings import FilePath, GameName, Host, SettingsTable
from bot.time_controls import parse_time_control
from bot.time_source import TimeSource
from engine.players.installed import known_engines

USUAL_KIND: Final = "arena"
"""The kind of a platform whose table names none."""

Label = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.\-]+$")]
Word = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.\-]+$")]
Name = Annotated[str, Field(min_length=1, max_length=40)]
Count = Annotated[int, Field(ge=1, le=10_000)]
Silence = Annotated[float, Field(gt=0, le=604_800)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Chance = Annotated[float, Field(ge=0, le=1)]
Ply = Annotated[int, Field(ge=0, le=10_000)]
ClockKind = Literal["fischer", "byoyomi", "per_turn", "absolute", "correspondence", "none"]


def _every_game() -> list[str]:
    return [game.name for game in engine.games()]


def _every_rule_set() -> list[str]:
    return list(dict.fromkeys(name for game in engine.games() for name in game.rule_sets))


class DaemonSettings(SettingsTable):
    data: FilePath = Field(Path("var/bot"), description="folder of the journal and of the records")
    drain_s: Annotated[float, Field(ge=0, le=86_400)] = Field(
        300, description="how long live games may continue after the first signal to stop"
    )


class LoggingSettings(SettingsTable):
    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["auto", "pretty", "json"] = Field(
        "auto", description="auto: readable lines on a terminal, else JSON"
    )


class HealthSettings(SettingsTable):
    host: Host = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] | None = Field(
        None,
        description="port of /healthz, /readyz and /metrics; without it the daemon does not listen",
    )


class EngineTable(EngineSpec):
    processes: Annotated[int, Field(ge=1, le=64)] = Field(
        1, description="number of processes, each for one turn at a time"
    )

    @field_validator("builtin")
    @classmethod
    def _is_installed(cls, name: str) -> str:
        if name not in (known := known_engines()):
            raise ValueError(f"there is no built-in engine {name!r}; known: {', '.join(known)}")
        return name


class PolicySettings(SettingsTable):
    """Which challenges are accepted; `bot.daemon.policy` has the checks and their codes."""

    games: list[GameName] = Field(default_factory=_every_game, min_length=1)
    boards: list[str] = Field(["*"], min_length=1, description="names, or patterns with * and ?")
    rules: list[Word] = Field(default_factory=_every_rule_set, min_length=1)
    clocks: list[ClockKind] = Field(list(get_args(ClockKind)), min_length=1)
    min_base_s: Seconds = Field(
        1, description="shortest time on a full clock, byo-yomi periods included"
    )
    max_base_s: Seconds | None = None
    min_increment_s: Seconds = Field(
        0, description="shortest time that a turn adds; a byo-yomi period counts, absolute has 0"
    )
    max_increment_s: Seconds | None = None
    rated: Literal["any", "rated", "casual"] = "any"
    opponents: list[Literal["bot", "person", "guest"]] = Field(
        ["bot", "person", "guest"], min_length=1
    )
    open_challenges: bool = Field(False, description="also accept challenges that name no opponent")
    max_games: Count = Field(4, description="games at once")
    max_games_per_opponent: Count = Field(2, description="games at once against one opponent")
    allow: list[Name] = Field([], description="if not empty, play only these opponents")
    block: list[Name] = Field([], description="never play these opponents")

    def overridden_by(self, other: "PolicySettings | None") -> "PolicySettings":
        """These settings, replaced by those that `other` sets."""
        if other is None:
            return self
        return self.model_copy(
            update={name: getattr(other, name) for name in other.model_fields_set}
        )


def _what_is_set(policy: PolicySettings | None) -> object:
    return policy and policy.model_dump(mode="json", exclude_unset=True)


class ResignSettings(SettingsTable):
    enabled: bool = False
    below: Chance = Field(
        0.03, description="resign below this chance to win, by the engine's value"
    )
    turns: Count = Field(3, description="number of consecutive own turns below it")
    min_ply: Ply = Field(20, description="never resign before this ply")


class DrawSettings(SettingsTable):
    accept: bool = Field(False, description="accept draw offers; otherwise all are declined")
    lowest: Chance = 0.0
    highest: Chance = Field(0.5, description="accept if the own chance is between lowest and this")
    min_ply: Ply = 30


@dataclass(frozen=True, slots=True)
class Conduct:
    """How games are played. An operator may change it while games run."""

    time: TimePolicy
    resign: ResignSettings
    draws: DrawSettings


class SeekSettings(SettingsTable):
    """Games that the bot offers itself, one after another."""

    opponent: Name | None = Field(
        None, description="the player to challenge; if it is not set, any player may accept"
    )
    games: Count | None = Field(
        None, description="number of games; if it is not set, there is no limit"
    )
    at_once: Count = 1
    clock: ClockText = Field(default_factory=lambda: parse_time_control("300+5"))
    game: GameName = "bluestone"
    board: Word | None = Field(
        None, description="the game's default board if it is not set", validate_default=True
    )
    rules: Word = Field("official", validate_default=True)
    options: dict[Word, str] = Field(
        default_factory=dict, max_length=8, description="options of the game, such as captures"
    )
    rated: bool = False

    @field_validator("options", mode="before")
    @classmethod
    def _texts(cls, value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        return {name: str(each) for name, each in value.items()}

    @field_validator("board", "rules", "options")
    @classmethod
    def _known(cls, value: Any, info: ValidationInfo) -> object:  # noqa: ANN401
        """Check each value with those before it, unless one of those is already wrong."""
        setup = {**info.data, str(info.field_name): value}
        if "game" in setup and "board" in setup:
            rules, options = setup.get("rules"), setup.get("options", {})
            engine.game_of(setup["game"], setup["board"], rules, options)
        return value


class IdentitySettings(PlatformSettings):
    """The settings of one identity on a platform of any kind.

    The name of the account is not a setting, because the token determines it.
    """

    name: Label = Field(USUAL_KIND, description="name of this identity in logs and records")
    engine: Label = "search"
    level: Annotated[int, Field(ge=1, le=10, strict=True)] | None = Field(
        None, description="shown to people, and set as the engine's option Level"
    )
    options: EngineOptions = Field(
        default_factory=dict, description="override single options of the engine"
    )
    policy: Annotated[PolicySettings | None, PlainSerializer(_what_is_set)] = Field(
        None, description="override single keys of [policy]"
    )
    seek: SeekSettings | None = None

    reconnect_after_s: Silence = Field(60, description="longest silence before the bot reconnects")
    restart_after_s: Silence = Field(300, description="longest silence before this bot restarts")
    alarm_after_s: Silence = Field(900, description="longest silence before a person is called")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.reconnect_after_s <= self.restart_after_s <= self.alarm_after_s:
            raise ValueError(
                "reconnect_after_s, restart_after_s, alarm_after_s: must not decrease in this order"
            )
        return self

    @field_validator("seek", mode="before")
    @classmethod
    def _can_offer(cls, seek: object) -> object:
        if not cls.offers_games:
            raise ValueError("a bot cannot offer games on this kind of platform; leave seek out")
        return seek

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, table: object) -> object:
        return cls.completed(table)

    def options_of(self, spec: EngineSpec) -> dict[str, str]:
        """Return the engine's options when it chooses a turn for this identity."""
        level = {} if self.level is None else {"Level": str(self.level)}
        # Engines ignore case in names of options, so the last spelling wins.
        chosen: dict[str, tuple[str, str]] = {}
        for name, value in [*spec.options.items(), *level.items(), *self.options.items()]:
            chosen[name.lower()] = (name, value)
        return dict(chosen.values())

    def title_of(self, spec: EngineSpec) -> str:
        """Return the engine's name as people see it, with its level."""
        level: str | int | None = self.level
        if self.shows_level_of_options:
            options = {name.lower(): value for name, value in self.options_of(spec).items()}
            level = options.get("level")
        return spec.name if level is None else f"{spec.name}, level {level}"


class ArenaIdentity(ArenaConnection, IdentitySettings):
    """One identity on one arena."""


def _installed_identities() -> dict[str, type[IdentitySettings]]:
    """Return the models of identities on the platforms that come by the door, by their kinds."""
    return {
        kind: create_model(
            f"{connection.__name__.removesuffix('Connection')}Identity",
            __base__=(cast("type[IdentitySettings]", connection), IdentitySettings),
            __module__=__name__,
            __doc__=f"One identity on a platform of the kind {kind}.",
        )
        for kind, connection in PLATFORMS.usable().items()
        if kind != USUAL_KIND
    }


IDENTITIES: Final[Mapping[str, type[IdentitySettings]]] = {
    USUAL_KIND: ArenaIdentity,
    **_installed_identities(),
}
"""The models of identities, by the kinds of their platforms."""
if TYPE_CHECKING:
    AnyIdentity = IdentitySettings
else:
    AnyIdentity = reduce(or_, IDENTITIES.values())


def identity_model(
    table: Mapping[str, object],
) -> type[IdentitySettings] | None:
    """Return the model for a [[platforms]] table by its `kind`; None for an unknown kind."""
    kind = table.get("kind", USUAL_KIND)
    return IDENTITIES.get(kind) if isinstance(kind, str) else None


def _by_kind(table: object) -> object:
    """Validate a table with the model of its kind of platform."""
    found = table if isinstance(table, Mapping) else {}
    kind, model = found.get("kind", USUAL_KIND), identity_model(found)
    if model is not None:
        return model.model_validate(table)
    text = f"there is no platform of that kind; known: {', '.join(IDENTITIES)}"
    text = PLATFORMS.problems().get(str(kind), text)
    problem = PydanticCustomError("kind", "{text}", {"text": text})
    raise ValidationError.from_exception_data(
        "platforms", [InitErrorDetails(type=problem, loc=("kind",), input=kind)]
    )


class Settings(SettingsTable):
    daemon: DaemonSettings = DaemonSettings()
    logging: LoggingSettings = LoggingSettings()
    health: HealthSettings = HealthSettings()
    time: TimePolicy = TimePolicy()
    policy: PolicySettings = PolicySettings()
    resign: ResignSettings = ResignSettings()
    draws: DrawSettings = DrawSettings()
    engines: dict[Label, EngineTable] = Field(
        default_factory=lambda: {"search": EngineTable(name="search", builtin="search")}
    )
    platforms: list[Annotated[AnyIdentity, BeforeValidator(_by_kind)]] = Field([])

    def context(
        self, table: IdentitySettings, environ: Mapping[str, str], time_source: TimeSource
    ) -> BotContext:
        """Return what the platform of a table gets. The table's engine is one of `engines`."""
        title = table.title_of(self.engines[table.engine])
        data, rng = self.daemon.data / table.name, random.Random()
        return BotContext(environ, time_source, rng, data, title, table.level)
