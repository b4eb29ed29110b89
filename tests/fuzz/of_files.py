"""Files that people edit or copy, and databases."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import orjson

import engine
from bot.arena.settings import load_settings as arena_settings
from bot.daemon.journal import open_work_of
from bot.daemon.settings_file import load_settings as bot_settings
from bot.errors import ConfigurationError, HostError
from bot.guests.abstract_play.game_record import abstract_play_record, why_not_exported
from bot.matches.ledger import LEDGER, Chain, LedgerEntry, read_ledger
from bot.matches.openings import read_suite
from bot.matches.settings import load_settings as tournament_settings
from bot.records.jsonl import DamagedLine, read_records
from bot.records.model import GameRecord
from bot.records.sgf import sgf_game
from bot.records.writing import verify
from bot.runtime.backup import MANIFEST
from bot.runtime.backup import verify as verify_backup
from bot.tournaments.dutch.card import Unpairable
from bot.tournaments.dutch.pairing import pair
from bot.tournaments.trf.reading import read_report
from engine.training.weights import UnfitWeights, parameters_in
from tests.fuzz.target import JSON_WORDS, Target, file_with

NOW: Final = datetime(2026, 11, 1, tzinfo=UTC)
TOML_WORDS: Final = ("[a]", "[[a]]", " = ", "'''", '"""', "1e999", "2026-11-01", "inf", "{a=1}")


def _records(data: bytes) -> None:
    """A file of records, and all that is made of a record."""
    for record in read_records(file_with("records.jsonl", data)):
        if isinstance(record, DamagedLine):
            continue
        assert GameRecord.model_validate_json(record.model_dump_json()) == record
        _check_sgf(sgf_game(record))
        if why_not_exported(record) is None:
            json.dumps(abstract_play_record(record, NOW))
        if len(record.turns) <= 40:
            verify(record)


def _check_sgf(text: str) -> None:
    """Outside of values no text of the record may appear: a value could end its own brackets."""
    inside = escaped = False
    depth = 0
    for character in text:
        if escaped:
            escaped = False
        elif inside:
            escaped, inside = character == "\\", character != "]"
        else:
            assert character in "()[;\n" or character.isupper() or character.isdigit(), character
            depth += (character == "(") - (character == ")")
            inside = character == "["
    assert not inside
    assert depth == 0


def _ledger(data: bytes) -> None:
    """A ledger as it is on the disk."""
    read_ledger(file_with(LEDGER, data))


def _ledger_events(data: bytes) -> None:
    """The lines of a ledger, with valid checksums, so that their events are read."""
    chain = Chain()
    lines = [chain.sealed(line) for line in data.split(b"\n") if len(line) > 1]
    for entry in read_ledger(file_with(LEDGER, b"".join(lines))).entries:
        text = entry.model_dump_json()  # an infinity among the settings is written as null
        assert LedgerEntry.model_validate_json(text).model_dump_json() == text


def _swiss_report(data: bytes) -> None:
    """A report of a Swiss tournament (TRF), and the pairing of its next round."""
    coming = read_report(data, "report")
    if len(coming.cards) <= 12 and coming.number <= 20:
        pair(coming)


def _settings(load: Callable[[Path], object], data: bytes) -> None:
    load(file_with("settings.toml", data))


def _openings(name: str, data: bytes) -> None:
    read_suite(file_with(name, data), engine.game("bluestone", "pent-3"))


def _weights(data: bytes) -> None:
    parameters_in(engine.game("bluestone", "pent-3"), data)


def _backup(data: bytes) -> None:
    """The manifest of a backup, whose other files are missing or empty."""
    manifest = verify_backup(file_with(MANIFEST, data).parent)
    for file in manifest.files:
        assert (Path("/data") / file.path).resolve().is_relative_to("/data")


def _journal(data: bytes) -> None:
    """A row of the journal: any values that SQLite stores, as a JSON list."""
    match orjson.loads(data):
        case [_, _, _, _, _, _, _] as row:
            open_work_of(tuple(row))
        case _:
            pass


TARGETS: Final = (
    Target("records", _records, (), JSON_WORDS),
    Target("ledger", _ledger, (ConfigurationError,), JSON_WORDS),
    Target("ledger-events", _ledger_events, (ConfigurationError,), JSON_WORDS),
    Target("swiss-report", _swiss_report, (ConfigurationError, Unpairable), ("001", "XXR", "XXC")),
    Target(
        "arena-settings",
        partial(_settings, partial(arena_settings, environ={})),
        (ConfigurationError,),
        TOML_WORDS,
    ),
    Target(
        "bot-settings",
        partial(_settings, partial(bot_settings, environ={})),
        (ConfigurationError,),
        TOML_WORDS,
    ),
    Target(
        "tournament-settings",
        partial(_settings, tournament_settings),
        (ConfigurationError,),
        TOML_WORDS,
    ),
    Target("openings", partial(_openings, "openings.txt"), (ConfigurationError,), ("#", "0-0")),
    Target("opening-records", partial(_openings, "o.jsonl"), (ConfigurationError,), JSON_WORDS),
    Target("weights", _weights, (UnfitWeights,), ("PK\x03\x04", "first.npy", "\x93NUMPY")),
    Target("backup", _backup, (HostError,), ("../", "/", *JSON_WORDS)),
    Target("journal", _journal, (HostError, orjson.JSONDecodeError), JSON_WORDS),
)
