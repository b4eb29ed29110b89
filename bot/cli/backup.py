"""`bluestone backup` and `bluestone restore`: the data folder of an arena or a bot."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, TypedDict

from cyclopts import Parameter
from cyclopts.validators import Number

from bot.errors import ConfigurationError
from bot.runtime.output import Json, print_json, print_table

Data = Annotated[Path, Parameter(help="the data folder of the arena or of the bot")]
DIR: Final = Parameter(name="DIR", help="the folder of the backups")
SOURCE: Final = Parameter(name="DIR", help="the folder of the backups, or one of the backups in it")


def backup(
    target: Annotated[Path, DIR],
    /,
    *,
    data: Data,
    keep: Annotated[
        int | None,
        Parameter(help="delete older backups until this many are left", validator=Number(gte=1)),
    ] = None,
    as_json: Json = False,
) -> None:
    """Back up a data folder into a new folder in DIR, while its program runs.

    The backup has all that was committed before it began: games, accounts, tournaments, journals
    and tokens. It is read again and compared with its checksums before it appears in DIR. Keep it
    as safe as the data folder: it has the same secrets.
    """
    from bot.runtime.backup import back_up, verify

    folder = back_up(data, target, datetime.now(UTC), keep)
    files = verify(folder).files
    if as_json:
        print_json({"backup": str(folder), "files": [file.model_dump() for file in files]})
    else:
        count = "1 file" if len(files) == 1 else f"{len(files)} files"
        print(f"{folder}: {count}, {sum(file.bytes for file in files):,} bytes")


def restore(
    source: Annotated[Path, SOURCE],
    /,
    *,
    data: Data,
    journal: Annotated[
        list[Path] | None,
        Parameter(
            help="data folder of a bot: list what it saw and the backup lacks; may be repeated"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Put the newest backup in DIR, or the backup DIR itself, in the place of a data folder.

    The program that uses the folder must be stopped. The former files move into a new folder
    `before-restore-...` in the data folder. A damaged backup changes nothing.

    Everything since the backup is undone. Players and bots of a restored arena play on from its
    state. A restored bot reads its games from the server.
    """
    from bot.runtime.backup import MANIFEST, backups_in, restore, verify

    found = source if (source / MANIFEST).is_file() else next(iter(backups_in(source)), None)
    if found is None:
        raise ConfigurationError([f"{source}: there is no backup"])
    former = restore(found, data, datetime.now(UTC))
    lacking = _lacking(data, journal or [])
    if as_json:
        named = None if former is None else str(former)
        print_json({"restored": str(found), "former": named, "lacking": lacking})
        return
    print(f"restored {found}, of {verify(found).created_at:%Y-%m-%d %H:%M:%S} UTC")
    if former is not None:
        print(f"the former files are in {former}")
    print("everything since then is undone; games continue from their state in the backup")
    if lacking:
        print("the bots have seen more than the backup has:")
        rows = [
            [
                row["game"],
                row["platform"],
                "no such game" if row["backup"] is None else str(row["backup"]),
                str(row["seen"]),
            ]
            for row in lacking
        ]
        print_table(["game", "platform", "turns in the backup", "turns seen"], rows)
    elif journal:
        print("the bots have seen nothing that the backup lacks")


class Lacking(TypedDict):
    """A game of a bot's journal; `backup` is None if the backup does not have the game."""

    game: str
    platform: str
    backup: int | None
    seen: int


def _lacking(data: Path, journals: Sequence[Path]) -> list[Lacking]:
    """The games of which the bots have seen more turns than the restored arena has."""
    from bot.arena.games.game_store import read_plies
    from bot.daemon.journal import JOURNAL, read_plies_seen

    if not journals:
        return []
    plies = read_plies(data)
    most: dict[tuple[str, str], int] = {}
    for folder in journals:
        for key, seen in read_plies_seen(folder / JOURNAL).items():
            most[key] = max(seen, most.get(key, 0))
    return [
        Lacking(game=game, platform=platform, backup=plies.get(game), seen=seen)
        for (platform, game), seen in sorted(most.items())
        if game not in plies or plies[game] < seen
    ]
