"""`bluestone records`: list, show, export and verify recorded games."""

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter, validators

from bot.errors import ConfigurationError
from bot.records.jsonl import DamagedLine
from bot.records.model import GameRecord
from bot.records.source import RecordSource, find_records, record_source
from bot.runtime.output import Json, note, print_json, print_list, text_console

app = App(name="records", help="List, show, export, import and verify recorded games.")
app.command("bot.cli.conversions:export", help="Export games in a format for other programs.")
app.command(
    "bot.cli.conversions:import_games",
    name="import",
    help="Convert games of other programs to records, one per line.",
)

DEFAULT_DATA = Path("var")

Data = Annotated[Path, Parameter(help="folder with an arena's database, or with records.jsonl")]
File = Annotated[Path | None, Parameter(help="a JSON Lines file to read instead")]
Ids = Annotated[
    tuple[str, ...], Parameter(help="ids of games, or the start of ids; by default all games")
]


@app.command(name="list")
def list_records(
    *,
    last: Annotated[
        int | None,
        Parameter(validator=validators.Number(gte=1), help="list only that many, the newest"),
    ] = None,
    data: Data = DEFAULT_DATA,
    file: File = None,
    as_json: Json = False,
) -> int:
    """List the finished games, oldest first. The exit code is 1 if lines were skipped."""
    damaged: list[DamagedLine] = []
    records = deque(readable(record_source(data, file), damaged), maxlen=last)
    if as_json:
        print_json([_summary(record) for record in records])
    else:
        from bot.terminal.report import GAME_COLUMNS, game_row

        print_list(GAME_COLUMNS, [game_row(record) for record in records], number="turns")
    return int(bool(damaged))


def _summary(record: GameRecord) -> dict[str, Any]:
    whole = record.model_dump(mode="json", exclude={"turns", "format"})
    return {**whole, "turns": len(record.turns), "time_control": str(record.clock)}


@app.command
def show(
    game_id: Annotated[str, Parameter(name="ID", help="id of a game, or the start of the id")],
    /,
    *,
    ply: Annotated[int | None, Parameter(help="show the position after this many turns")] = None,
    data: Data = DEFAULT_DATA,
    file: File = None,
    as_json: Json = False,
) -> None:
    """Show a position of a game, with its scores, its evaluation and the turns."""
    from bot.terminal.replay import position_after, print_position

    record = noted(find_records(readable(record_source(data, file)), game_id))
    ply = len(record.turns) if ply is None else ply
    if not 0 <= ply <= len(record.turns):
        raise ConfigurationError(f"--ply {ply}: the game has plies 0 to {len(record.turns)}")
    position = position_after(record, ply)
    if as_json:
        from bot.terminal.replay import position_fields

        print_json({**record.model_dump(mode="json"), "ply": ply, **position_fields(position)})
    else:
        print_position(text_console(), record, position)


@app.command
def verify(
    ids: Ids = (), *, data: Data = DEFAULT_DATA, file: File = None, as_json: Json = False
) -> int:
    """Replay games by the rules. The exit code is 1 if a game does not replay as recorded."""
    from bot.records.writing import verify as contradictions

    source = record_source(data, file)
    damaged: list[DamagedLine] = []
    games = wrong = 0
    found: dict[str, list[str]] = {}
    for record in chosen_records(source, ids, into=damaged):
        problems = contradictions(record)
        games, wrong = games + 1, wrong + bool(problems)
        if problems:  # ids are unique on one platform only
            found.setdefault(record.id, []).extend(problems)
    if as_json:
        print_json({"games": games, "damaged": len(damaged), "problems": found})
    else:
        for game_id, problems in found.items():
            for problem in problems:
                print(f"{game_id}: {problem}")
        print(f"{games} games, {games - wrong} replay as recorded")
    return int(bool(wrong or damaged))


def chosen_records(
    source: RecordSource, ids: tuple[str, ...], into: list[DamagedLine] | None = None
) -> Iterator[GameRecord]:
    """Yield the records with those ids, in the order of the source; all records without ids."""
    if not ids:
        yield from readable(source, into)
        return
    records = list(readable(source, into))
    wanted = {find_records(records, game_id)[0].id for game_id in ids}
    yield from (record for record in records if record.id in wanted)


def noted(records: Sequence[GameRecord]) -> GameRecord:
    """Return the first of the records of one id. Note on stderr that there are others."""
    first = records[0]
    if len(records) > 1:
        note(f"game {first.id!r}: {len(records)} records have this id; this is the first")
    return first


def readable(source: RecordSource, into: list[DamagedLine] | None = None) -> Iterator[GameRecord]:
    """Yield the readable records. Note damaged ones on stderr, and append them to `into`."""
    for record in source:
        if isinstance(record, DamagedLine):
            note(f"{source.path}: {source.unit} {record.number} is skipped: {record.reason}")
            if into is not None:
                into.append(record)
        else:
            yield record
