"""Settings that all platforms share, and the findings of an online check."""

import random
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, SecretStr

from bot.errors import ConfigurationError
from bot.platforms.base import Platform
from bot.runtime.settings import VARIABLE_NAME, FilePath, Table
from bot.time_source import TimeSource

State = Literal["ok", "failed", "not tried"]
"""Only what failed is a fault; what was not tried may work or not."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One step, and what was found, in a sentence for whoever runs the bot."""

    step: str
    told: str
    state: State = "ok"


@dataclass(frozen=True, slots=True)
class Offered:
    """`boards` are pairs of a game and a board, by our names; no clock has less than
    `least_base_s`. Without `is_rated_told` every challenge looks casual.
    """

    boards: tuple[tuple[str, str], ...]
    rules: str
    clock: Literal["correspondence"]
    least_base_s: float
    is_rated_told: bool

    @property
    def games(self) -> frozenset[str]:
        return frozenset(game for game, _ in self.boards)


DEFAULT_TOKEN_VARIABLE = "BLUESTONE_TOKEN"  # noqa: S105 - a name, not a secret


class PlatformSettings(Table, ABC):
    """One account on one server. `kind` says which keys the table has besides these."""

    challenges_there: ClassVar[Offered | None] = None
    """None where challenges may be of any kind."""

    kind: str
    token_env: Annotated[str, Field(pattern=VARIABLE_NAME)] | None = None
    token_file: FilePath | None = None

    @abstractmethod
    def platform(
        self,
        environ: Mapping[str, str],
        time_source: TimeSource,
        rng: random.Random,
        *,
        data: Path,
        engine: str,
        level: int | None,
    ) -> Platform:
        """The platform, not yet connected; `engine` and `level` are what people there are told.

        `data` is a folder for what it has to keep, which nobody else uses and may not be there.

        Raises ConfigurationError where the token is missing.
        """

    @abstractmethod
    def findings(
        self, environ: Mapping[str, str], time_source: TimeSource
    ) -> AsyncIterator[Finding]:
        """What comes of trying it out. Raises ConfigurationError where the token is missing."""

    @property
    def token_variable(self) -> str | None:
        """The environment variable of the token; None if it is in a file."""
        return None if self.token_file else self.token_env or DEFAULT_TOKEN_VARIABLE

    def read_token(self, environ: Mapping[str, str]) -> SecretStr:
        """The secret from where the settings say it is. Raises ConfigurationError."""
        return read_secret(self.token_env, self.token_file, environ)


def read_secret(variable: str | None, file: Path | None, environ: Mapping[str, str]) -> SecretStr:
    """The content of `file`, or of the variable.

    The ConfigurationError quotes neither, nor what the settings say: that may be the secret.
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
            raise ConfigurationError(f"token_file: cannot be read: {reason}") from error
        if not value:
            raise ConfigurationError("token_file: the file is empty")
    if re.search(r"\s", value):
        key = "token_env" if file is None else "token_file"
        raise ConfigurationError(f"{key}: there is white space inside the token")
    return SecretStr(value)
