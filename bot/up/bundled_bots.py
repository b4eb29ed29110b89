"""The bots of `bluestone up`: their tokens and the daemon's configuration."""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import engine
from bot.errors import ConfigurationError, HostError
from bot.runtime.files import make_folder
from bot.up.level_ratings import starting_ratings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.arena.players.accounts import Accounts
    from bot.arena.settings import Place
    from bot.arena.store.tables import Role
    from bot.tournaments.glicko2 import Rating


@dataclass(frozen=True)
class BundledBot:
    """A bundled bot. `level` is that of the built-in engine, 1 to 10."""

    name: str
    level: int

    @property
    def label(self) -> str:
        return self.name.lower()

    @property
    def other_names(self) -> list[str]:
        """Names to try if another player already has the bot's name."""
        first = f"{self.name}-{self.level}"
        return [first, *(f"{first}-{number}" for number in range(2, OTHER_NAMES + 1))]


_STONES: Final = (
    *("Sand", "Grit", "Pebble", "Cobble", "Boulder"),
    *("Ledge", "Crag", "Cliff", "Bedrock", "Granite"),
)
BUNDLED_BOTS: Final = tuple(BundledBot(name, level) for level, name in enumerate(_STONES, 1))
"""One bot per level; the larger the stone, the stronger the bot."""

ANALYST: Final = BundledBot("Analyst", len(_STONES))
"""The account that analyses positions for visitors; it plays no games."""

FIRST_GAME: Final = engine.games()[0].name
"""The game that the bots prepare first."""
ENGINE: Final = "Bluestone"
"""The engine's name under the bots' names on the page, next to the level."""
MOST_PROCESSES: Final = 8
OTHER_NAMES: Final = 9

_HEADER: Final = """\
# Written by `bluestone up` at each start: changes here are lost. For bots of your own, copy this
# file, and run `bluestone bot --config YOUR-COPY`.
"""


async def write_tokens(place: "Place") -> None:
    """Create the accounts, and write a token of each into a file that only the owner can read.

    `place` is where the arena stores everything; the files are in its folder.

    Raises ConfigurationError if other players have all names of a bot, HostError if the folder is
    not writable.
    """
    from bot.arena.players.accounts import accounts_in

    async with accounts_in(place) as accounts:
        for bot in BUNDLED_BOTS:
            file = token_file(place.folder, bot)
            if not await accounts.knows_token(_read(file)):
                write_secret(file, await _new_token(accounts, bot, starting_ratings(bot.level)))


async def write_analyst_token(place: "Place") -> bool:
    """Create the account that analyses for visitors, admit it, and write its token into a file.

    Returns False if this arena has no analyses, so that there is nothing to do.
    Raises ConfigurationError and HostError as `write_tokens`.
    """
    from bot.arena.players.accounts import accounts_in
    from bot.arena.store.tables import find_role

    if (role := find_role("analyst")) is None:
        return False
    file = token_file(place.folder, ANALYST)
    async with accounts_in(place) as accounts:
        if not await accounts.knows_token(_read(file)):
            write_secret(file, await _new_token(accounts, ANALYST, role=role))
    return True


async def _new_token(
    accounts: "Accounts",
    bot: BundledBot,
    starting: "Mapping[str, Rating] | None" = None,
    role: "Role | None" = None,
) -> str:
    """Create an account with these ratings and that role, and return its token.

    A bot of that name that is not ours keeps its token.
    """
    create = partial(accounts.create_token, new=True, starting=starting, role=role)
    for name in (bot.name, *bot.other_names[:-1]):
        with suppress(ConfigurationError):
            return await create(name)
    return await create(bot.other_names[-1])


def _read(file: Path) -> str:
    """Return the content, or an empty text if the file cannot be read."""
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def token_file(data: Path, bot: BundledBot) -> Path:
    return data / "bot" / f"{bot.label}.token"


def write_secret(path: Path, secret: str) -> None:
    """Write a file with mode 0600, replacing any earlier file."""
    try:
        make_folder(path.parent)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secret + "\n")
    except OSError as error:
        raise HostError(f"{path}: cannot be written: {error.strerror}") from error


def daemon_file(data: Path) -> Path:
    return data / "bot" / "up.toml"


def write_daemon_configuration(data: Path, url: str) -> Path:
    """Write the daemon's TOML file for an arena at that address, and return its path."""
    path = daemon_file(data)
    path.write_text(daemon_configuration(data, url), encoding="utf-8")
    return path


def daemon_configuration(data: Path, url: str) -> str:
    """Return the daemon's settings.

    Running games are not drained: they continue after the restart.
    """
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
        "max_games = 12",
        "max_games_per_opponent = 4",
        "max_base_s = 1209600\n",
        f"[engines.{ENGINE}]",
        'builtin = "search"',
        f"processes = {engine_processes()}\n",
    ]
    for bot in BUNDLED_BOTS:
        lines += [
            "[[platforms]]",
            f"name = {_quoted(bot.label)}",
            f"url = {_quoted(url)}",
            f"token_file = {_quoted(token_file(data, bot).absolute())}",
            f"engine = {_quoted(ENGINE)}",
            f"level = {bot.level}",
            "tournaments = true\n",
        ]
    return "\n".join(lines)


def engine_processes(processors: int | None = None) -> int:
    """Return the number of engine processes: one per core, minus one for the arena and the daemon.

    It is at least two, so that no player waits for a strong bot in another game.
    """
    processors = processors or os.cpu_count() or 1
    return min(max(2, processors - 1), MOST_PROCESSES)


def _quoted(text: object) -> str:
    """Return a TOML basic string, which has the escapes of JSON."""
    return json.dumps(str(text), ensure_ascii=False)
