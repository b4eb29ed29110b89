"""The settings of a bot on HeXO-Arena."""

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from bot import __version__
from bot.errors import PeerError
from bot.guests.hexo_arena.facts import GAME, OPTIONS, clock_of
from bot.platforms.base import ChallengingPlatform
from bot.platforms.settings import BotContext, CheckResult, ClockText, SafeAddress, SiteSettings
from bot.runtime.settings import OneLine, SettingsTable
from bot.time_controls import TimeControl, parse_time_control

if TYPE_CHECKING:
    from bot.guests.hexo_arena.streaming import Options

Deadline = Annotated[float, Field(gt=0, le=60)]
Silence = Annotated[float, Field(ge=11, le=29)]
"""The server writes every ten seconds, and ends the games of a bot that is away for thirty."""
Text = Annotated[OneLine, Field(max_length=280)]
Word = Annotated[OneLine, Field(max_length=64)]
Link = Annotated[str, Field(max_length=2048, pattern=r"^https?://\S+$")]
TurnSeconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
BotPattern = Annotated[str, Field(min_length=1, max_length=60)]

USUAL_CLOCKS: Final = ("15/turn", "180+2")
LEAST_TURN_S: Final = 5.0
LEAST_MAIN_S: Final = 60.0
"""The shortest clocks of the server."""


class AcceptsTable(SettingsTable):
    """The clocks that the bot plays. People and tournaments start games within them unasked."""

    turn_s: tuple[TurnSeconds, TurnSeconds] | None = Field(
        (5, 600), description="least and greatest seconds of a clock per turn; [] for none"
    )
    match: bool = Field(True, description="whether it plays clocks for the whole game")
    unlimited: bool = Field(False, description="whether it plays games without a clock")

    @field_validator("turn_s", mode="before")
    @classmethod
    def _none_if_empty(cls, value: object) -> object:
        return None if value == [] else value

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.turn_s is not None and self.turn_s[0] > self.turn_s[1]:
            raise ValueError("turn_s: the least time is greater than the greatest")
        return self


class ChallengesTable(SettingsTable):
    """The bots that this bot challenges, with which clocks, and how often."""

    opponents: Annotated[list[BotPattern], Field(min_length=1, max_length=1000)] = Field(
        ["*"], description="names of bots, or patterns with * and ?"
    )
    block: Annotated[list[BotPattern], Field(max_length=1000)] = Field(
        [], description="bots that are never challenged"
    )
    clocks: Annotated[list[ClockText], Field(min_length=1, max_length=20)] = Field(
        default_factory=lambda: [parse_time_control(clock) for clock in USUAL_CLOCKS],
        description="clocks to offer; the first that the other bot plays is used",
    )
    opening_plies: Literal[1, 3, 5, 7, 9] = Field(
        5, description="stones that the server places before the first turn"
    )
    rating_range: Annotated[float, Field(gt=0, le=10_000)] | None = Field(
        None, description="greatest difference to the bot's own rating"
    )
    at_once: Annotated[int, Field(ge=1, le=4)] = Field(
        1, description="games that the bot seeks at the same time"
    )
    every_s: Annotated[float, Field(ge=1, le=86_400)] = Field(
        60, description="least seconds between two challenges"
    )
    rest_s: Annotated[float, Field(ge=0, le=86_400)] = Field(
        600, description="seconds for which a bot that declined is left alone"
    )
    per_day: Annotated[int, Field(ge=1, le=100)] = Field(
        80, description="games with bots per day (UTC) after which the bot challenges nobody"
    )
    per_opponent: Annotated[int, Field(ge=1, le=20)] = Field(
        10, description="the same for the games against one opponent"
    )
    directory_s: Annotated[float, Field(ge=10, le=3600)] = Field(
        180, description="seconds between two reads of the directory of bots"
    )

    @field_validator("clocks")
    @classmethod
    def _offered_there(cls, clocks: list[TimeControl]) -> list[TimeControl]:
        for control in clocks:
            try:
                clock = clock_of(control)
            except PeerError as error:
                raise ValueError(f"{control}: {error.message}") from None
            if clock.mode == "turn" and clock.turn_time_ms < LEAST_TURN_S * 1000:
                raise ValueError(f"{control}: a turn has at least {LEAST_TURN_S:g} s there")
            if clock.mode == "match" and clock.main_time_ms < LEAST_MAIN_S * 1000:
                raise ValueError(f"{control}: a player has at least {LEAST_MAIN_S:g} s there")
        return clocks


class HexoArenaConnection(SiteSettings):
    """The address of the site, what the bot declares there, and whom it challenges.

    `token_env` or `token_file` has the token that the site has shown when the bot was created.
    """

    only_game: ClassVar[str | None] = GAME
    shows_level_of_options: ClassVar[bool] = True
    kind: Literal["hexo_arena"] = "hexo_arena"
    url: SafeAddress = Field(description="address of the site")
    about: Text | None = Field(
        None, description="text on the bot's page; without it the engine and its level"
    )
    version: Word | None = Field(
        None, description="version on the bot's page; without it that of Bluestone"
    )
    repo_url: Link | None = Field(None, description="link to the bot's source on its page")
    accepts: AcceptsTable = AcceptsTable()
    challenges: ChallengesTable | None = Field(
        None, description="without it the bot waits for others to challenge it"
    )
    answer_s: Deadline = Field(10, description="timeout of a request in seconds")
    silence_s: Silence = Field(21, description="silence after which a connection is given up")
    longest_wait_s: Annotated[float, Field(gt=0, le=600)] = Field(
        30, description="longest wait before the bot reconnects"
    )

    @classmethod
    def completed(cls, table: object) -> object:
        """Return the table with `seek`, which follows from its `challenges`."""
        return seek_table(table)

    def platform(self, bot: BotContext) -> ChallengingPlatform:
        from bot.guests.hexo_arena.platform import HexoArenaPlatform

        return HexoArenaPlatform(self._options(bot), bot.data, bot.time_source, bot.rng)

    def check_online(self, bot: BotContext) -> AsyncIterator[CheckResult]:
        from bot.guests.hexo_arena.checks import check_online

        return check_online(self._options(bot), bot.time_source)

    def _options(self, bot: BotContext) -> "Options":
        """Return the options of a bot. Raises ConfigurationError without a token."""
        from bot.guests.hexo_arena.challenger import ChallengePolicy
        from bot.guests.hexo_arena.declaration import Declaration
        from bot.guests.hexo_arena.messages import Accepts
        from bot.guests.hexo_arena.streaming import Options

        turn_s, policy = self.accepts.turn_s, ChallengePolicy()
        if (sought := self.challenges) is not None:
            policy = ChallengePolicy(
                opponents=tuple(sought.opponents),
                block=tuple(sought.block),
                clocks=tuple(sought.clocks),
                opening_plies=sought.opening_plies,
                rating_range=sought.rating_range,
                every_s=sought.every_s,
                rest_s=sought.rest_s,
                per_day=sought.per_day,
                per_opponent=sought.per_opponent,
                directory_s=sought.directory_s,
            )
        accepts = Accepts(
            turn_ms=None if turn_s is None else (round(turn_s[0] * 1000), round(turn_s[1] * 1000)),
            match=self.accepts.match,
            unlimited=self.accepts.unlimited,
        )
        return Options(
            url=self.url,
            token=self.read_token(bot.environ),
            declaration=Declaration(
                accepts,
                about=_played_by(bot.engine) if self.about is None else self.about,
                version=f"Bluestone {__version__}" if self.version is None else self.version,
                repo_url=self.repo_url or "",
            ),
            policy=policy,
            answer_s=self.answer_s,
            silence_s=self.silence_s,
            longest_wait_s=self.longest_wait_s,
        )


def _played_by(engine: str) -> str:
    return f"{engine[:200]}, played by Bluestone"


def seek_table(table: object) -> object:
    """Return a raw table of this kind with `seek`, which follows from its `challenges`."""
    if not isinstance(table, Mapping) or not isinstance(table.get("challenges"), Mapping):
        return table
    if "seek" in table:
        return table
    sought = table["challenges"]
    clocks = sought.get("clocks")
    clock = clocks[0] if isinstance(clocks, list) and clocks else USUAL_CLOCKS[0]
    at_once = sought.get("at_once", ChallengesTable.model_fields["at_once"].default)
    seek = {
        "game": GAME,
        "options": dict(OPTIONS),
        "rated": True,
        "clock": clock,
        "at_once": at_once,
    }
    return {**table, "seek": seek}
