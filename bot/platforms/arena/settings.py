"""The settings of an account on an arena."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from bot.platforms.base import ChallengingPlatform
from bot.platforms.settings import BotContext, CheckResult, SiteSettings

if TYPE_CHECKING:
    from bot.platforms.arena.link import ArenaOptions

Pattern = Annotated[str, Field(min_length=1, max_length=60)]
Deadline = Annotated[float, Field(gt=0, le=600)]


class ArenaConnection(SiteSettings):
    """The address of an arena, its timeouts in seconds, and the tournaments that the bot enters."""

    kind: Literal["arena"] = "arena"
    connect_s: Deadline = 10
    answer_s: Deadline = 5
    silence_s: Deadline = 30
    longest_wait_s: Deadline = 30
    tournaments: bool | Annotated[list[Pattern], Field(max_length=100)] = Field(
        False, description="tournaments to enter: true for all, or names and patterns with * and ?"
    )

    @property
    def _patterns(self) -> tuple[str, ...]:
        if isinstance(self.tournaments, bool):
            return ("*",) if self.tournaments else ()
        return tuple(self.tournaments)

    def platform(self, bot: BotContext) -> ChallengingPlatform:
        from bot.platforms.arena.platform import ArenaPlatform

        return ArenaPlatform(self._options(bot), bot.time_source, bot.rng)

    def check_online(self, bot: BotContext) -> AsyncIterator[CheckResult]:
        from bot.platforms.arena.link import check_online

        options = replace(self._options(bot), engine=None, level=None)
        return check_online(options, bot.time_source)

    def _options(self, bot: BotContext) -> "ArenaOptions":
        from bot.platforms.arena.link import ArenaOptions

        return ArenaOptions(
            url=self.url,
            token=self.read_token(bot.environ),
            engine=bot.engine,
            level=bot.level,
            tournaments=self._patterns,
            connect_s=self.connect_s,
            answer_s=self.answer_s,
            silence_s=self.silence_s,
            longest_wait_s=self.longest_wait_s,
        )
