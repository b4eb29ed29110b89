"""The settings of a bot on Abstract Play."""

import ipaddress
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, field_validator

from bot.guests.abstract_play.facts import POSSIBLE_CHALLENGES
from bot.guests.abstract_play.stages import STAGES, StageName
from bot.platforms.base import Platform
from bot.platforms.settings import (
    AccountKey,
    BotContext,
    CheckResult,
    ListenAddress,
    PlatformSettings,
    PossibleChallenges,
    SafeAddress,
)
from bot.runtime.settings import Host

if TYPE_CHECKING:
    from bot.guests.abstract_play.platform import Options

EXAMPLE_ID: Final = "your-client-id"
"""The placeholder for the id in the example file."""


def _listened_on(host: str) -> str:
    if host != "localhost":
        try:
            ipaddress.ip_address(host)
        except ValueError:
            raise ValueError(
                "an IP address of this machine is required, such as 127.0.0.1, or localhost"
            ) from None
    return host


def _not_the_example(client_id: str) -> str:
    if client_id == EXAMPLE_ID:
        raise ValueError(f"{EXAMPLE_ID!r} is the example; enter the id that the site has shown you")
    return client_id


Text = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^\S+$")]
Deadline = Annotated[float, Field(gt=0, le=120)]


class AbstractPlayConnection(PlatformSettings):
    """The platform's addresses, by stage unless a key replaces them, and our own address.

    `token_env` or `token_file` has the client's secret.
    """

    kind: Literal["abstract_play"] = "abstract_play"
    possible_challenges: ClassVar[PossibleChallenges | None] = POSSIBLE_CHALLENGES
    offers_games: ClassVar[bool] = False
    client_id: Annotated[Text, AfterValidator(_not_the_example)] = Field(
        description="id of the client, which is also the bot's id there"
    )
    stage: StageName = Field(
        "development", description="which stage's addresses and key are the defaults"
    )
    base: SafeAddress | None = Field(
        None, description="address to which `query` and `botQuery` are appended"
    )
    token_url: SafeAddress | None = None
    scope: Text | None = None
    public_key: Annotated[str, Field(min_length=1, max_length=4000)] | None = Field(
        None, description="the platform's public key; if it is not set, the key at `key_url`"
    )
    key_url: SafeAddress | None = None
    public_url: SafeAddress | None = Field(
        None, description="our address as the platform knows it; only checks use it"
    )
    listen_host: Annotated[Host, AfterValidator(_listened_on)] = "127.0.0.1"
    listen_port: Annotated[int, Field(ge=0, le=65_535)] = Field(
        8780, description="port to which a proxy forwards the platform's calls"
    )
    sweep_s: Annotated[float, Field(ge=1, le=86_400)] = Field(
        300, description="seconds between two sweeps over all games"
    )
    answer_s: Deadline = Field(20, description="timeout of a call in seconds")

    @field_validator("public_key")
    @classmethod
    def _is_key(cls, text: str | None) -> str | None:
        if text is not None:
            from bot.guests.abstract_play.keys import public_key_of

            public_key_of(text)  # a ValueError says what is wrong
        return text

    def platform(self, bot: BotContext) -> Platform:
        from bot.guests.abstract_play.platform import opened

        return opened(self._options(bot.environ), bot.data, bot.time_source, bot.rng)

    def check_online(self, bot: BotContext) -> AsyncIterator[CheckResult]:
        from bot.guests.abstract_play.checks import check_online

        return check_online(self._options(bot.environ), self.public_url, bot.time_source)

    @classmethod
    def account_in(cls, table: Mapping[str, object]) -> AccountKey:
        parts = (str(table.get(key)) for key in ("client_id", "stage", "base"))
        return AccountKey("client_id", tuple(parts))

    @classmethod
    def listens_on(cls, table: Mapping[str, object]) -> ListenAddress | None:
        host, port = cls.value_in(table, "listen_host"), cls.value_in(table, "listen_port")
        if isinstance(host, str) and isinstance(port, int):
            return ListenAddress("listen_port", host, port)
        return None

    def _options(self, environ: Mapping[str, str]) -> "Options":
        """Return the options, with the stage's defaults.

        Raises ConfigurationError without a secret.
        """
        from bot.guests.abstract_play.client import ClientOptions
        from bot.guests.abstract_play.platform import Options

        stage = STAGES[self.stage]
        client = ClientOptions(
            base=self.base or stage.base,
            token_url=self.token_url or stage.token_url,
            scope=self.scope or stage.scope,
            client_id=self.client_id,
            secret=self.read_token(environ),
            answer_s=self.answer_s,
        )
        return Options(
            client=client,
            server=f"Abstract Play, {self.stage}",
            key_url=self.key_url or stage.key_url,
            public_key=self.public_key,
            listen_host=self.listen_host,
            listen_port=self.listen_port,
            sweep_s=self.sweep_s,
        )
