"""The conditions that must hold after a rehearsal, from the platform's list and the bot's
records.
"""

from collections import Counter
from pathlib import Path

from bot.guests.abstract_play.rehearsal.audit import KINDS
from bot.guests.abstract_play.rehearsal.game import GameState, Seat
from bot.guests.abstract_play.rehearsal.stand_in import World
from bot.records.jsonl import DamagedLine, read_records
from bot.records.model import GameRecord
from bot.rehearsal.verdict import Check


def checks(world: World, bot_id: str, wanted: int, records: Path) -> list[Check]:
    """Return every condition with the number of violations."""
    over = sum(game.over for game in world.site.games.values())
    found = Counter(violation.kind for violation in world.audit.violations)
    return [
        Check("games not finished", max(wanted - over, 0)),
        *(Check(kind, found[kind], _examples(world, kind)) for kind in KINDS),
        *_of_records(world, bot_id, _read(records)),
    ]


def _examples(world: World, kind: str) -> tuple[str, ...]:
    return tuple(str(one) for one in world.audit.violations if one.kind == kind)[:3]


def _of_records(world: World, bot_id: str, records: dict[str, list[GameRecord]]) -> list[Check]:
    missing, twice, different = [], [], []
    for game_id, game in world.site.games.items():
        if not game.over:
            continue
        written = records.get(game_id, [])
        # A game in which the bot was never to move may have passed without its knowledge.
        if not written and _has_moved(game.now, bot_id):
            missing.append(game_id)
        if len(written) > 1:
            twice.append(game_id)
        different += [
            f"{game_id}: {why}" for record in written if (why := _differs(game.now, record))
        ]
    return [
        Check("games without a record", len(missing), tuple(missing[:3])),
        Check("games recorded twice", len(twice), tuple(twice[:3])),
        Check("records that tell another game", len(different), tuple(different[:3])),
    ]


def missing_records(world: World, bot_id: str, records: Path) -> int:
    """Return the number of finished games that are not recorded yet."""
    return _of_records(world, bot_id, _read(records))[0].found


def _has_moved(state: GameState, bot_id: str) -> bool:
    seat: Seat = 0 if state.terms.players[0] == bot_id else 1
    return state.ply > seat


def _differs(state: GameState, record: GameRecord) -> str | None:
    """Return why the record is not of that game. Two stones in either order are the same turn."""
    turns = [_settled(turn.turn) for turn in record.turns]
    if turns != [_settled(turn) for turn in state.position.turns]:
        return f"{len(turns)} turns that differ from the {state.ply} that were played"
    assert state.ending is not None
    winners = state.ending.winners
    winner = winners[0] if len(winners) == 1 else None
    if record.result is None or record.result.winner != winner:
        return f"it should have {winner} as the winner"
    return None


def _settled(turn: str) -> str:
    return ",".join(sorted(turn.split(",")))


def _read(path: Path) -> dict[str, list[GameRecord]]:
    """Read the records by the ids of their games; empty if there is no file."""
    found: dict[str, list[GameRecord]] = {}
    if path.exists():
        for record in read_records(path):
            if not isinstance(record, DamagedLine):
                found.setdefault(record.id, []).append(record)
    return found
