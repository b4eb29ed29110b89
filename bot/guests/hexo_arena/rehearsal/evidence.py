"""The conditions that must hold after a rehearsal, from the server's games and the bot's files."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bot.guests.hexo_arena.rehearsal.audit import KINDS
from bot.guests.hexo_arena.rehearsal.game import SimulatedGame
from bot.guests.hexo_arena.rehearsal.server import StandIn
from bot.records.model import GameRecord
from bot.rehearsal.evidence import FinishedGame, checks_of_records, checks_of_violations
from bot.rehearsal.verdict import Condition


def checks(stand_in: StandIn, wanted: int, records: Path, ratings: Path) -> list[Condition]:
    """Return every condition with the number of violations."""
    return [
        Condition("games not finished", max(wanted - stand_in.tables.over, 0)),
        *checks_of_violations(stand_in.audit.violations, KINDS),
        *checks_of_records(_finished(stand_in), records),
        *_of_ratings(stand_in, ratings),
    ]


def missing_records(stand_in: StandIn, records: Path) -> int:
    """Return the number of finished games that are not recorded yet."""
    return checks_of_records(_finished(stand_in), records)[0].found


def _finished(stand_in: StandIn) -> Iterator[FinishedGame]:
    """A game that began and ended while the bot was away has passed without its knowledge."""
    for game_id, game in stand_in.tables.games.items():
        if game.is_over:
            yield FinishedGame(game_id, game.was_dialled, partial(_differs, game))


def _differs(game: SimulatedGame, record: GameRecord) -> str | None:
    """Return why the record is not of that game."""
    winner = None if game.winner is None else 1 if game.winner == "x" else 2
    if record.result is None or record.result.winner != winner:
        return f"it should have {winner} as the winner"
    stones = [stone for turn in record.turns for stone in turn.turn.split(",")]
    placed = [f"{q}:{r}" for q, r in game.board.stones]
    if sorted(stones) != sorted(placed):
        return f"{len(stones)} stones that differ from the {len(placed)} that were placed"
    return None


def _of_ratings(stand_in: StandIn, ratings: Path) -> list[Condition]:
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
        Condition("rated games without a line in the rating log", len(missing), tuple(missing[:3])),
        Condition("games twice in the rating log", len(twice), tuple(twice[:3])),
    ]
