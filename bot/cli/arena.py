"""`bluestone arena`: the server on which bots and people meet, tokens for bots, and hosts."""

import asyncio
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import parse_qs, urlsplit

from cyclopts import App, Parameter

from bot.arena.operator import command_line
from bot.arena.operator.command_line import Address, Config, Data
from bot.cli import accounts, maintenance, moderation
from bot.errors import ConfigurationError
from bot.runtime import doors
from bot.runtime.output import Json, note, print_json, print_table

app = App(
    name="arena",
    help="Serve the arena, where bots and people meet; tokens, hosts, moderation, ratings.",
)
moderation.add_to(app)
accounts.add_to(app)
maintenance.add_to(app)

SHOWN_TO_ALL: Final = (
    "--to has a password in it, which the list of processes shows to all users; "
    "put it into ~/.pgpass, or the URL into the settings file"
)
_HOST = "address to listen on; 0.0.0.0 for all addresses of this machine"


@app.default
def serve(
    *,
    host: Annotated[str | None, Parameter(help=_HOST)] = None,
    port: Annotated[int | None, Parameter(help="port to listen on; 0 for any free one")] = None,
    data: Annotated[Path | None, Parameter(help="folder of the database and the records")] = None,
    config: Annotated[
        Path | None, Parameter(help="a TOML file with these and further settings")
    ] = None,
) -> None:
    """Serve the arena until interrupted; prints its address when people can play.

    Options that are not given come from environment variables such as BLUESTONE_ARENA_HOST, then
    from the file. SIGHUP logs what has changed in the file since the start. A restart applies the
    changes, and ends no game.
    """
    from bot.arena.server import serve as serve_arena
    from bot.arena.settings import ArenaSettings, load_settings
    from bot.runtime.logs import configure_logging
    from bot.runtime.service_manager import ServiceManager
    from bot.runtime.signals import Reloader, handled

    def read() -> ArenaSettings:
        return load_settings(config, host=host, port=port, data=data)

    manager = ServiceManager.of(os.environ)
    settings = read()
    configure_logging()

    async def until_signalled() -> None:
        stop = asyncio.Event()
        with handled(stop.set, manager.reloading(Reloader(settings, read))):
            await serve_arena(settings, stop, lambda address: print(address, flush=True), manager)

    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(until_signalled())


@app.command
def token(
    name: Annotated[str, Parameter(name="NAME", help="the bot's name, 2 to 24 characters")],
    /,
    *,
    data: Data = None,
    config: Config = None,
) -> None:
    """Print a new token for a bot, and create the bot's account if there is none.

    The bot's former tokens end, and their connections are closed; `tokens rotate` lets them work
    for a while longer. The command works while the arena runs, unless the arena
    is an earlier version of this program with other tables in its database.
    """
    from bot.arena.players.accounts import issue_token

    place, by = command_line.place_of(data, config), command_line.by_operator("")
    command_line.note_if_new(place)
    print(asyncio.run(issue_token(place, name, by)))


@app.command
def host(
    name: Annotated[str, Parameter(name="NAME", help="the host's name, 2 to 24 characters")],
    /,
    *,
    data: Data = None,
    config: Config = None,
    address: Address = None,
) -> None:
    """Print a sign-in link for a host, a person who may create tournaments.

    Everyone who has the link can act as that host. The account is created if there is none; a new
    link replaces an earlier one. The command works while the arena runs, as `token` does. Without
    --address the link has the address of the running arena, otherwise that of the settings.
    """
    from bot.arena.players.hosts import issue_key

    place = command_line.place_of(data, config)
    command_line.note_if_new(place)
    key = asyncio.run(issue_key(place, name))
    command_line.print_link(data, config, address, f"guest_key={key}")


@app.command
def migrate(
    *,
    source: Annotated[
        Path, Parameter(name="--from", help="the arena's SQLite file, such as var/arena.db")
    ],
    target: Annotated[
        str | None,
        Parameter(
            name="--to",
            help="URL of an empty PostgreSQL database; default: `database` of the settings",
        ),
    ] = None,
    config: Annotated[Path | None, Parameter(help="the arena's TOML file")] = None,
    as_json: Json = False,
) -> None:
    """Copy the database of a stopped arena from its SQLite file to PostgreSQL.

    Copies all tables in one transaction, and compares counts and checksums before the commit. The
    file stays as it is. The target may have no rows of an arena.
    """
    from bot.arena.settings import load_settings
    from bot.arena.store.servers import driver_of

    if target is not None and _has_password(target):
        raise ConfigurationError(SHOWN_TO_ALL)
    url = load_settings(config, database=target).database
    if not url:
        raise ConfigurationError("name the PostgreSQL database by --to, or by a --config with it")
    name = driver_of(url).name
    from bot.arena.store.migration import copy_database

    def report(table: str, rows: int, total: int) -> None:
        note(f"{table}: {rows:,} of {total:,} rows")

    copied = copy_database(source, url, report)
    if as_json:
        tables = [asdict(each) for each in copied]
        print_json({"from": str(source), "to": name, "tables": tables})
        return
    rows = [[each.table, f"{each.rows:,}", each.checksum[:16]] for each in copied]
    print_table(["table", "rows", "checksum"], rows)
    print(f"copied {source} to {name}: all rows are the same")
    print(
        f"now set `database` in the arena's settings, and move {source} away: it is not used then"
    )


def _has_password(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:  # the settings say what is wrong
        return False
    return parts.password is not None or "password" in parse_qs(parts.query)


def _add_installed() -> None:
    """Add the commands of capabilities; say which ones cannot be imported."""
    for name in doors.COMMANDS.names:
        group, _, own = name.partition(".")
        if group == "arena" and own not in app:
            try:
                app.command(doors.COMMANDS.load(name).load(), name=own)
            except doors.UnusableEntry as problem:
                note(str(problem))


_add_installed()
