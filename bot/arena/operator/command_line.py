"""What commands on an arena's database share: their options, its place, and the operator's desk.

They work on the folder of an arena whether it runs or not. Their arguments say which one; modules
that are slow to import are imported when a command runs.
"""

import asyncio
import getpass
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

from cyclopts import Parameter

from bot.errors import ConfigurationError
from bot.runtime.output import note, plain

if TYPE_CHECKING:
    from bot.arena.operator.desk import Desk
    from bot.arena.settings import Place
    from bot.arena.store.database import Database
    from bot.arena.store.orders import By

T = TypeVar("T")
LONGEST_REASON: Final = 200
NAME_THE_FOLDER: Final = "name the arena's folder by --config FILE or --data FOLDER"

Data = Annotated[Path | None, Parameter(help="folder of the arena's database")]
Config = Annotated[Path | None, Parameter(help="the arena's TOML file")]
Reason = Annotated[str, Parameter(help="why, for the audit log and for the players concerned")]
Note = Annotated[str, Parameter(help="why, for the audit log")]
Name = Annotated[str, Parameter(name="NAME", help="the name of the account")]
Address = Annotated[str | None, Parameter(help="the address at which people reach the arena")]


def place_of(data: Path | None, config: Path | None) -> "Place":
    """The arena's folder and database, for a command whose stdout is its result: logs go to
    stderr.
    """
    from bot.arena.settings import load_settings
    from bot.runtime.logs import configure_logging

    configure_logging(stream=sys.stderr)
    return load_settings(config, data=data).place


def note_if_new(place: "Place") -> None:
    """Say that a command is about to make a database, maybe because it has the wrong folder."""
    from bot.arena.store.opening import name_of, why_missing

    if (missing := why_missing(place)) is not None:
        note(f"{name_of(place)}: {missing}, so this makes one; if it is wrong, {NAME_THE_FOLDER}")


def by_operator(reason: str) -> "By":
    """The user who runs this command, also behind sudo."""
    from bot.arena.store.orders import By

    behind = os.environ.get("SUDO_USER")
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        user = f"user {os.getuid()}"
    return By(user if behind is None else f"{user} ({behind})", reason)


def existing_place(data: Path | None, config: Path | None) -> "Place":
    """The arena's folder and database. Raises ConfigurationError if there is no database."""
    from bot.arena.store.opening import name_of, why_missing

    place = place_of(data, config)
    if (missing := why_missing(place)) is not None:  # an empty list would look like an answer
        raise ConfigurationError(f"{name_of(place)}: {missing}; {NAME_THE_FOLDER}")
    return place


@asynccontextmanager
async def existing_database(data: Path | None, config: Path | None) -> AsyncIterator["Database"]:
    """Open the database of an arena. Raises ConfigurationError if there is none."""
    from bot.arena.store.connection import Hold
    from bot.arena.store.database import OPEN_S
    from bot.arena.store.opening import open_database

    async with open_database(existing_place(data, config), OPEN_S, Hold.NONE) as database:
        yield database


def at_desk(
    data: Path | None, config: Path | None, reason: str, work: "Callable[[Desk], Awaitable[T]]"
) -> T:
    """Do an operator's work on the arena's database. Raises ConfigurationError if it is missing."""
    from bot.arena.operator.desk import open_desk

    place = existing_place(data, config)

    async def run() -> T:
        async with open_desk(place, by_operator(reason)) as desk:
            return await work(desk)

    return asyncio.run(run())


def required(reason: str) -> str:
    """The reason as one line. Raises ConfigurationError if it is empty or too long."""
    reason = plain(" ".join(reason.split()))
    if not 0 < len(reason) <= LONGEST_REASON:
        raise ConfigurationError(f"--reason: 1 to {LONGEST_REASON} characters, please")
    return reason


def print_link(data: Path | None, config: Path | None, address: str | None, secret: str) -> None:
    """Print a link to the arena's page with a secret; without `address`, say which one it has."""
    from bot.arena.settings import load_settings
    from bot.arena.store.data_folder import address_of_arena
    from bot.runtime.listening import with_name

    settings = load_settings(config, data=data)
    running = address_of_arena(settings.data)
    found = address or with_name(running or settings.usual_address)
    print(f"{found.rstrip('/')}/#{secret}")
    if address is None:
        print(_of_address(settings.data, running), file=sys.stderr)


def _of_address(data: Path, running: str | None) -> str:
    otherwise = "if people reach it at another address, pass that with --address"
    if running is not None:
        return f"The link has the address of the arena that runs on {data}; {otherwise}."
    return f"No arena runs on {data}: the link has the address of its settings; {otherwise}."
