"""The common part of every platform's settings, and a platform's facts about its own."""

import ipaddress
import random
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, SecretStr

from bot.errors import ConfigurationError
from bot.platforms.base import Platform
from bot.runtime.doors import Door
from bot.runtime.settings import VARIABLE_NAME, Address, FilePath, SettingsTable
from bot.time_controls import TimeControl, parse_time_control
from bot.time_source import TimeSource

CheckState = Literal["ok", "failed", "not tried"]
"""Only `failed` is an error: what was not tried may work or not."""

DEFAULT_TOKEN_VARIABLE: Final = "BLUESTONE_TOKEN"  # noqa: S105 - a name, not a secret


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One step of an online check, with a sentence for the operator."""

    step: str
    message: str
    state: CheckState = "ok"


@dataclass(frozen=True, slots=True)
class PossibleChallenges:
    """The challenges that a platform can send at all.

    `boards` are pairs of a game and a board, by Bluestone's names. No clock has less than
    `least_base_s` seconds. If `is_rated_told` is false, every challenge seems casual.
    """

    boards: tuple[tuple[str, str], ...]
    rules: str
    clock: Literal["correspondence"]
    least_base_s: float
    is_rated_told: bool

    @property
    def games(self) -> frozenset[str]:
        return frozenset(game for game, _ in self.boards)


@dataclass(frozen=True, slots=True)
class AccountKey:
    """The identity of an account: equal `parts` are the same account.

    `key` is the key of the table that an error message names.
    """

    key: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """An address of this machine on which the bot listens; `key` is the key that sets the port."""

    key: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class BotContext:
    """What a bot gives its platform. `engine` and `level` are shown to people there.

    `data` is a folder for the platform's own files, which need not exist yet and which nothing else
    uses.
    """

    environ: Mapping[str, str]
    time_source: TimeSource
    rng: random.Random
    data: Path
    engine: str
    level: int | None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _not_in_the_clear(url: str) -> str:
    """Reject plain HTTP, where others could read a secret, or replace the key that signs calls."""
    parts = urlsplit(url)
    is_here = parts.scheme == "http" and _is_loopback(parts.hostname or "")
    if parts.scheme != "https" and not is_here:
        raise ValueError("https:// is required; http:// works only for an address on this machine")
    return url


SafeAddress = Annotated[Address, AfterValidator(_not_in_the_clear)]


def _read_control(value: object) -> object:
    return parse_time_control(value) if isinstance(value, str) else value


ClockText = Annotated[
    TimeControl, BeforeValidator(_read_control), PlainSerializer(str, return_type=str)
]
"""A clock in its short form, such as 300+5."""


class PlatformSettings(SettingsTable, ABC):
    """One account on one server. `kind` determines which further keys the table has.

    The class methods take a table as it is in the file, so that checks across tables report their
    problems even if other values of the table are wrong.
    """

    possible_challenges: ClassVar[PossibleChallenges | None] = None
    """None if challenges may be of any kind."""
    only_game: ClassVar[str | None] = None
    """The only game of the platform, which the engine must be able to play from the start."""
    offers_games: ClassVar[bool] = True
    """Whether a bot can offer games there itself, in addition to accepting them."""
    shows_level_of_options: ClassVar[bool] = False
    """Whether people see the level that an option of the engine sets, not only the key `level`."""

    kind: str
    token_env: Annotated[str, Field(pattern=VARIABLE_NAME)] | None = None
    token_file: FilePath | None = None

    @abstractmethod
    def platform(self, bot: BotContext) -> Platform:
        """Make the platform, not yet connected. Raises ConfigurationError if the token is missing.

        Reading and checking settings must need no library of a protocol, so import them here.
        """

    @abstractmethod
    def check_online(self, bot: BotContext) -> AsyncIterator[CheckResult]:
        """Try the settings out, step by step, and change nothing, neither there nor on this disk.

        Raises ConfigurationError if the token is missing.
        """

    @classmethod
    @abstractmethod
    def account_in(cls, table: Mapping[str, object]) -> AccountKey:
        """Return the account that the table is for."""

    @classmethod
    def completed(cls, table: object) -> object:
        """Return the table of a bot with the keys that follow from others."""
        return table

    @classmethod
    def listens_on(cls, table: Mapping[str, object]) -> ListenAddress | None:
        """Return where a bot with this table listens; None if nowhere, or if the values
        are wrong.
        """
        del table
        return None

    @classmethod
    def value_in(cls, table: Mapping[str, object], key: str) -> object:
        """Return the value of `key` in the table, or its default."""
        return table.get(key, cls.model_fields[key].default)

    @property
    def token_variable(self) -> str | None:
        """The environment variable that has the token; None if a file has it."""
        return None if self.token_file else self.token_env or DEFAULT_TOKEN_VARIABLE

    @property
    def server_address(self) -> str | None:
        """The address of the server; None if it has no single one that answers plain HTTP."""
        return None

    def read_token(self, environ: Mapping[str, str]) -> SecretStr:
        """Return the secret, from the variable or the file. Raises ConfigurationError."""
        return read_secret(self.token_env, self.token_file, environ)


class SiteSettings(PlatformSettings):
    """An account on a server with one address, which the token identifies."""

    url: Address

    @property
    def server_address(self) -> str:
        return self.url

    @classmethod
    def account_in(cls, table: Mapping[str, object]) -> AccountKey:
        url = str(table.get("url", "")).rstrip("/")
        source = (str(table.get(key, "")) for key in ("token_env", "token_file"))
        return AccountKey("url", (url, *source))


PLATFORMS: Final[Door[type[PlatformSettings]]] = Door(
    "bluestone.platforms", "platform", PlatformSettings
)
"""The platforms of installed packages. The name of an entry is the `kind` of its settings."""


class TokenFile:
    """A file with a token, which may be replaced while the program runs."""

    def __init__(self, path: Path, token: SecretStr) -> None:
        self._path = path
        self._token = token

    def new_token(self) -> SecretStr | None:
        """Return the token if it is another one than last time. Raises ConfigurationError."""
        token = read_secret(None, self._path, {})
        if token == self._token:
            return None
        self._token = token
        return token


def read_secret(variable: str | None, file: Path | None, environ: Mapping[str, str]) -> SecretStr:
    """Return the content of `file`, or of the environment variable.

    Raises ConfigurationError. Its message quotes neither the content nor the settings: an operator
    may have put the secret itself there.
    """
    if file is None:
        value = environ.get(variable or DEFAULT_TOKEN_VARIABLE, "").strip()
        if not value and variable is None:
            raise ConfigurationError(
                f"token_env: the environment variable {DEFAULT_TOKEN_VARIABLE} is not set"
            )
        if not value:
            raise ConfigurationError("token_env: no environment variable of that name is set")
    else:
        try:
            value = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise ConfigurationError(f"token_file: the file cannot be read: {reason}") from error
        if not value:
            raise ConfigurationError("token_file: the file is empty")
    if re.search(r"\s", value):
        key = "token_env" if file is None else "token_file"
        raise ConfigurationError(f"{key}: the token contains white space")
    return SecretStr(value)
