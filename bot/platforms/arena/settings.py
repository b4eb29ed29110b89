"""The settings of an account on an arena."""

import random
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from bot.platforms.base import ChallengingPlatform
from bot.platforms.settings import AccountKey, CheckResult, PlatformSettings
from bot.runtime.settings import Address
from bot.time_source import TimeSource

if TYPE_CHECKING:
    from bot.platforms.arena.link import ArenaOptions

Pattern = Annotated[str, Field(min_length=1, max_length=60)]
Deadline = Annotated[float, Field(gt=0, le=600)]


class ArenaConnection(PlatformSettings):
    """The address of an arena, its timeouts in seconds, and the tournaments that the bot enters."""

    kind: Literal["arena"] = "arena"
    url: Address
    connect_s: Deadline = 10
    answer_s: Deadline = 5
    silence_s: Deadline = 30
    longest_wait_s: Deadline = 30
    tournaments: bool | Annotated[list[Pattern], Field(max_length=100)] = Field(
        False, description="tournaments to enter: true for all, or names and patterns with * and ?"
    )

    @property
    def server_address(self) -> str:
        return self.url

    @property
    def _patterns(self) -> tuple[str, ...]:
        if isinstance(self.tournaments, bool):
            return ("*",) if self.tournaments else ()
        return tuple(self.tournaments)

    def platform(
        self,
        environ: Mapping[str, str],
        time_source: TimeSource,
        rng: random.Random,
        *,
        data: Path,
        engine: str,
        level: int | None,
    ) -> ChallengingPlatform:
        del data
        # Imported here: reading and checking settings needs no library of a protocol.
        from bot.platforms.arena.platform import ArenaPlatform

        return ArenaPlatform(self._options(environ, engine, level), time_source, rng)

    def check_online(
        self, environ: Mapping[str, str], time_source: TimeSource, *, engine: str
    ) -> AsyncIterator[CheckResult]:
        from bot.platforms.arena.link import check_online

        del engine
        return check_online(self._options(environ, None, None), time_source)

    @classmethod
    def account_in(cls, table: Mapping[str, object]) -> AccountKey:
        url = str(table.get("url", "")).rstrip("/")
        source = (str(table.get(key, "")) for key in ("token_env", "token_file"))
        return AccountKey("url", (url, *source))

    def _options(
        self, environ: Mapping[str, str], engine: str | None, level: int | None
    ) -> "ArenaOptions":
        from bot.platforms.arena.link import ArenaOptions

        return ArenaOptions(
            url=self.url,
            token=self.read_token(environ),
            engine=engine,
            level=level,
            tournaments=self._patterns,
            connect_s=self.connect_s,
            answer_s=self.answer_s,
            silence_s=self.silence_s,
            longest_wait_s=self.longest_wait_s,
        )
