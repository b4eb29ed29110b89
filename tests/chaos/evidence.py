"""The files on disk when all programs have ended, compared with what players were told."""

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.arena.games.archive import FILE_NAME as RECORDS
from bot.arena.store.sqlite_database import FILE_NAME as DATABASE
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from tests.chaos.daemon import JOURNAL, Bot
from tests.chaos.daemon import NAME as BOT
from tests.chaos.ledger import Ledger


def problems(data: Path, ledger: Ledger) -> list[str]:
    """Return data that the arena's files lack, or have and should not have."""
    turns = _turns_in(data / DATABASE)
    recorded = _records_in(data / RECORDS)
    found = _damage(data / DATABASE)
    before = len(ledger.problems)
    for game_id, promised in ledger.promises().items():
        ledger.compare(game_id, promised, turns.get(game_id, []))
        if ledger.games[game_id].result is not None:
            found += _wrong_record(game_id, recorded.get(game_id, []), turns.get(game_id, []))
    found += ledger.problems[before:]
    del ledger.problems[before:]
    return found


def unjournaled(
    bot: Bot, ledger: Ledger, on_site: Mapping[tuple[str, int], str] | None = None
) -> list[str]:
    """Return turns of the bot that players were shown, and that its journal does not have.

    `on_site` has those that the rehearsed platform has, by game and ply. The bot journals a turn
    before it sends it, and forgets a game once its record is written.
    """
    recorded = {record.id for record in bot.recorded()}
    chosen = _chosen(bot)
    shown = {
        (game_id, ply): turn
        for game_id, notes in ledger.games.items()
        for ply, turn in enumerate(notes.seen)
        if notes.players[ply % 2] == BOT
    }
    return [
        f"{game_id}: the bot's journal has {chosen.get((game_id, ply))} as turn {ply}, not {turn}"
        for (game_id, ply), turn in {**shown, **(on_site or {})}.items()
        if game_id not in recorded and _settled(chosen.get((game_id, ply))) != _settled(turn)
    ]


def _settled(turn: str | None) -> list[str]:
    """Return a turn whose two stones may be in either order."""
    return sorted((turn or "").split(","))


def _chosen(bot: Bot) -> dict[tuple[str, int], str]:
    """Return the turns in the bot's journal, by game and ply."""
    with TemporaryDirectory() as folder:
        for file in bot.data.glob(f"{JOURNAL}*"):  # the bot's own file is left as it is
            shutil.copy(file, folder)
        with closing(sqlite3.connect(Path(folder) / JOURNAL)) as journal:
            rows = journal.execute("SELECT game, ply, turn FROM work").fetchall()
    return {(game, ply): turn for game, ply, turn in rows}


def surprises(log: Sequence[str]) -> list[str]:
    """Return lines of a log about unexpected failures."""
    return [
        f"in the log: {line[-300:]}"
        for line in log
        if "Traceback" in line or "never retrieved" in line
    ]


def misordered(log: Sequence[str]) -> list[str]:
    """Return connections that ended before they began, or ended twice, according to a log."""
    open_ones: set[str] = set()
    found = []
    for line in log:
        event = json.loads(line) if line.startswith("{") else {}
        match event.get("event"):
            case "connected":
                open_ones.add(event["connection"])
            case "disconnected" if event["connection"] in open_ones:
                open_ones.remove(event["connection"])
            case "disconnected":
                found.append(f"{event['connection']}: disconnected before it was connected")
            case _:
                pass
    return found


def _turns_in(path: Path) -> dict[str, list[str]]:
    turns: dict[str, list[str]] = {}
    with closing(sqlite3.connect(path)) as database:
        for game_id, played in database.execute(
            "SELECT game_id, played FROM turns ORDER BY game_id, ply"
        ):
            turns.setdefault(game_id, []).append(json.loads(played)["turn"])
    return turns


def _damage(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        said = [row[0] for row in database.execute("PRAGMA integrity_check")]
    return [] if said == ["ok"] else [f"{path.name}: {line}" for line in said]


def _records_in(path: Path) -> dict[str, list[GameRecord]]:
    records: dict[str, list[GameRecord]] = {}
    for record in read_records(path) if path.exists() else []:
        if isinstance(record, GameRecord):
            records.setdefault(record.id, []).append(record)
    return records


def _wrong_record(game_id: str, records: Sequence[GameRecord], turns: Sequence[str]) -> list[str]:
    if len(records) != 1:
        return [f"{game_id}: {len(records)} records of it"]
    if [turn.turn for turn in records[0].turns] != list(turns):
        return [f"{game_id}: its record has other turns"]
    return []


def repeated(records: Sequence[GameRecord]) -> list[str]:
    """Return games that a bot has recorded more than once."""
    counts = Counter(record.id for record in records)
    return [f"{name}: the bot has {n} records of it" for name, n in counts.items() if n > 1]
