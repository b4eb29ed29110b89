"""The conditions that must hold after a rehearsal, from the server's games and the bot's files."""

import json
from collections import Counter
from pathlib import Path

from bot.guests.hexo_arena.rehearsal.audit import KINDS
from bot.guests.hexo_arena.rehearsal.game import Game
from bot.guests.hexo_arena.rehearsal.server import StandIn
from bot.records.jsonl import DamagedLine, read_records
from bot.records.model import GameRecord
from bot.rehearsal.verdict import Check


def checks(stand_in: StandIn, wanted: int, records: Path, ratings: Path) -> list[Check]:
    """Return every condition with the number of violations."""
    found = Counter(violation.kind for violation in stand_in.audit.violations)
    examples = {
        kind: tuple(str(each) for each in stand_in.audit.violations if each.kind == kind)[:3]
        for kind in KINDS
    }
    return [
        Check("games not finished", max(wanted - stand_in.tables.over, 0)),
        *(Check(kind, found[kind], examples[kind]) for kind in KINDS),
        *_of_records(stand_in, _read(records)),
        *_of_ratings(stand_in, ratings),
    ]


def missing_records(stand_in: StandIn, records: Path) -> int:
    """Return the number of finished games that are not recorded yet."""
    return _of_records(stand_in, _read(records))[0].found


def _of_records(stand_in: StandIn, records: dict[str, list[GameRecord]]) -> list[Check]:
    missing, twice, different = list[str](), list[str](), list[str]()
    for game_id, game in stand_in.tables.games.items():
        if not game.is_over:
            continue
        written = records.get(game_id, [])
        # A game that began and ended while the bot was away has passed without its knowledge.
        if not written and game.was_dialled:
            missing.append(game_id)
        if len(written) > 1:
            twice.append(game_id)
        different += [
            f"{game_id}: {why}" for record in written if (why := _differs(game, record)) is not None
        ]
    return [
        Check("games without a record", len(missing), tuple(missing[:3])),
        Check("games recorded twice", len(twice), tuple(twice[:3])),
        Check("records that tell another game", len(different), tuple(different[:3])),
    ]


def _differs(game: Game, record: GameRecord) -> str | None:
    """Return why the record is not of that game."""
    winner = None if game.winner is None else 1 if game.winner == "x" else 2
    if record.result is None or record.result.winner != winner:
        return f"it should have {winner} as the winner"
    stones = [stone for turn in record.turns for stone in turn.turn.split(",")]
    placed = [f"{q}:{r}" for q, r in game.board.stones]
    if sorted(stones) != sorted(placed):
        return f"{len(stones)} stones that differ from the {len(placed)} that were placed"
    return None


def _of_ratings(stand_in: StandIn, ratings: Path) -> list[Check]:
    """Each rated game with a winner has a line in the rating log, and only one."""
    told = Counter[str]()
    if ratings.exists():
        for line in ratings.read_text(encoding="utf-8").splitlines():
            told[json.loads(line)["game"]] += 1
    rated = {
        game.game_id
        for game in stand_in.tables.games.values()
        if game.is_over and game.rated and game.winner is not None and game.was_dialled
    }
    missing = sorted(rated - told.keys())
    twice = sorted(game_id for game_id, count in told.items() if count > 1)
    return [
        Check("rated games without a line in the rating log", len(missing), tuple(missing[:3])),
        Check("games twice in the rating log", len(twice), tuple(twice[:3])),
    ]


def _read(path: Path) -> dict[str, list[GameRecord]]:
    """Read the records by the ids of their games; empty if there is no file."""
    found: dict[str, list[GameRecord]] = {}
    if path.exists():
        for record in read_records(path):
            if not isinstance(record, DamagedLine):
                found.setdefault(record.id, []).append(record)
    return found
