"""The bots that `bluestone up` brings along: their tokens and the daemon's configuration."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.errors import HostError
from bot.private_files import make_folder


@dataclass(frozen=True)
class HouseBot:
    """`level` is that of the built-in engine, 1 to 10."""

    name: str
    level: int

    @property
    def label(self) -> str:
        return self.name.lower()

    @property
    def engine(self) -> str:
        """What people see under the bot's name."""
        return f"Bluestone-level-{self.level}"


HOUSE_BOTS: Final = (HouseBot("Pebble", level=3), HouseBot("Granite", level=10))
"""A weak one to begin with and a strong one; two, so that people can watch them play."""

_HEADER: Final = """\
# Written by `bluestone up` at each start: changes here are lost. For bots of your own, copy this
# file, and run `bluestone bot --config YOUR-COPY`.
"""


async def write_tokens(data: Path) -> None:
    """Make the accounts, and put a fresh token of each into a file that only the owner reads.

    Raises ConfigurationError if a person has taken a bot's name, HostError if the folder cannot
    be written.
    """
    from bot.arena.accounts import issue_token

    for bot in HOUSE_BOTS:
        write_secret(token_file(data, bot), await issue_token(data, bot.name))


def token_file(data: Path, bot: HouseBot) -> Path:
    return data / "bot" / f"{bot.label}.token"


def write_secret(path: Path, secret: str) -> None:
    """Write a file with mode 0600, whatever was there before."""
    try:
        make_folder(path.parent)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secret + "\n")
    except OSError as error:
        raise HostError(f"{path}: cannot be written: {error.strerror}") from error


def write_daemon_configuration(data: Path, url: str) -> Path:
    """The daemon's TOML file for an arena at that address."""
    path = data / "bot" / "up.toml"
    path.write_text(daemon_configuration(data, url), encoding="utf-8")
    return path


def daemon_configuration(data: Path, url: str) -> str:
    """Games are not drained at the end: they go on at the next start, from where they stood."""
    lines = [
        _HEADER,
        "[daemon]",
        f"data = {_quoted(data.absolute() / 'bot')}",
        "drain_s = 0\n",
        "[health]",
        'host = "127.0.0.1"',
        "port = 0\n",
        "[time]",
        "max_turn_s = 8\n",
        "[policy]",
        "max_games = 8",
        "max_games_per_opponent = 4\n",
    ]
    for bot in HOUSE_BOTS:
        lines += [
            f"[engines.{_quoted(bot.engine)}]",
            'builtin = "search"',
            f"options = {{ Level = {bot.level} }}\n",
            "[[platforms]]",
            f"name = {_quoted(bot.label)}",
            f"url = {_quoted(url)}",
            f"token_file = {_quoted(token_file(data, bot).absolute())}",
            f"engine = {_quoted(bot.engine)}\n",
        ]
    return "\n".join(lines)


def _quoted(text: object) -> str:
    """A TOML basic string, which is escaped as one of JSON."""
    return json.dumps(str(text), ensure_ascii=False)
