"""`bluestone records`: list, show, export and verify recorded games."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter, validators

from bot.cli.output import note, output_file, print_json, print_list, text_console
from bot.errors import ConfigurationError
from bot.records.jsonl import DamagedLine
from bot.records.model import GameRecord
from bot.records.source import RecordSource, find_records, record_source

app = App(name="records", help="List, show, export, import and verify recorded games.")

DEFAULT_DATA = Path("var")
Format = Literal["jsonl", "ap", "sgf", "htttx1", "htttx2", "htttx2-setup"]

Data = Annotated[Path, Parameter(help="folder with an arena's database, or with records.jsonl")]
File = Annotated[Path | None, Parameter(help="a JSON Lines file to read instead")]
Json = Annotated[bool, Parameter(name="--json", negative="", help="print JSON")]
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
def export(
    ids: Ids = (),
    *,
    to_format: Annotated[
        Format,
        Parameter(
            name="--format",
            help="Bluestone's records or Abstract Play's, one per line; an SGF collection; HeXO's "
            "notation htttx 1 or 2, or the last position as a setup of htttx 2",
        ),
    ] = "jsonl",
    ply: Annotated[
        int | None,
        Parameter(help="with htttx2-setup: the position after this many turns, not the last one"),
    ] = None,
    data: Data = DEFAULT_DATA,
    file: File = None,
    output: Annotated[Path | None, Parameter(help="write to this file instead of stdout")] = None,
) -> int:
    """Export games in a format for other programs. The exit code is 1 if lines were skipped."""
    if ply is not None and to_format != "htttx2-setup":
        raise ConfigurationError("--ply: only --format htttx2-setup writes a position")
    damaged: list[DamagedLine] = []
    records = _chosen(record_source(data, file), ids, into=damaged)
    with ExitStack() as stack:
        target = stack.enter_context(output_file(output))
        for record in records:
            target.write(_exported(record, to_format, ply))
    return int(bool(damaged))


def _exported(record: GameRecord, to_format: Format, ply: int | None) -> str:
    if to_format == "jsonl":
        return record.model_dump_json() + "\n"
    if to_format == "sgf":
        from bot.records.sgf import sgf_game

        return sgf_game(record)
    if to_format == "ap":
        return _exported_to_abstract_play(record)
    return _exported_to_htttx(record, to_format, ply)


def _exported_to_htttx(record: GameRecord, to_format: str, ply: int | None) -> str:
    from bot.records.hexo import game_text, position_text, why_not_exported

    if (reason := why_not_exported(record)) is not None:
        note(f"{record.id}: left out: {reason}")
        return ""
    if to_format != "htttx2-setup":
        return game_text(record, 1 if to_format == "htttx1" else 2)
    from bot.terminal.replay import position_after

    ply = len(record.turns) if ply is None else ply
    if not 1 <= ply <= len(record.turns):
        raise ConfigurationError(f"--ply {ply}: {record.id} has plies 1 to {len(record.turns)}")
    return position_text(record, position_after(record, ply))


def _exported_to_abstract_play(record: GameRecord) -> str:
    import orjson

    from bot.records.abstract_play import abstract_play_record, why_not_exported

    if (reason := why_not_exported(record)) is not None:
        note(f"{record.id}: left out: {reason}")
        return ""
    return orjson.dumps(abstract_play_record(record, datetime.now(UTC))).decode() + "\n"


@app.command(name="import")
def import_games(
    files: Annotated[tuple[Path, ...], Parameter(name="FILE", help="files of games")],
    /,
    *,
    from_format: Annotated[
        Literal["htttx", "bke"],
        Parameter(name="--format", help="HeXO's notation htttx 1 or 2, or an opening in BKE"),
    ] = "htttx",
    zero: Annotated[
        int,
        Parameter(
            validator=validators.Number(gte=0, lte=5),
            help="BKE: the zero line, counted against the clock from 0, which is right",
        ),
    ] = 0,
    clockwise: Annotated[
        bool, Parameter(negative="", help="BKE: offsets count with the clock")
    ] = False,
    output: Annotated[Path | None, Parameter(help="write to this file instead of stdout")] = None,
) -> int:
    """Convert games of other programs to records, one per line.

    The exit code is 1 if a game cannot be played by the rules; the others are converted.
    """
    from bot.records.bke import read_bke
    from bot.records.hexo import Unplayable, record_of
    from bot.records.htttx_reading import read_all

    now, refused = datetime.now(UTC), 0
    with ExitStack() as stack:
        target = stack.enter_context(output_file(output))
        for path in files:
            text = _text_of(path)
            try:
                if from_format == "bke":
                    games = [read_bke(text, zero, clockwise=clockwise)]
                else:
                    games = read_all(text)
            except ConfigurationError as error:
                raise ConfigurationError(f"{path}: {error}") from error
            for number, game in enumerate(games, start=1):
                try:
                    target.write(record_of(game, now).model_dump_json() + "\n")
                except Unplayable as error:
                    note(f"{path}: game {number} is left out: {error}")
                    refused += 1
    return int(refused > 0)


def _text_of(path: Path) -> str:
    """The text of a file. Raises ConfigurationError."""
    from bot.records.htttx import MOST_CHARACTERS

    try:
        with path.open("rb") as file:
            text = file.read(4 * MOST_CHARACTERS + 1).decode("utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: is not UTF-8: {error.reason}") from error
    if not text.strip():
        raise ConfigurationError(f"{path}: the file is empty")
    return text


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
    for record in _chosen(source, ids, into=damaged):
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


def _chosen(
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
