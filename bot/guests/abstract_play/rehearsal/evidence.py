"""The conditions that must hold after a rehearsal, from the platform's list and the bot's
records.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bot.guests.abstract_play.rehearsal.audit import KINDS
from bot.guests.abstract_play.rehearsal.game import GameState, Seat
from bot.guests.abstract_play.rehearsal.stand_in import World
from bot.records.model import GameRecord
from bot.rehearsal.evidence import FinishedGame, checks_of_records, checks_of_violations
from bot.rehearsal.verdict import Condition


def checks(world: World, bot_id: str, wanted: int, records: Path) -> list[Condition]:
    """Return every condition with the number of violations."""
    over = sum(game.over for game in world.site.games.values())
    return [
        Condition("games not finished", max(wanted - over, 0)),
        *checks_of_violations(world.audit.violations, KINDS),
        *checks_of_records(_finished(world, bot_id), records),
    ]


def missing_records(world: World, bot_id: str, records: Path) -> int:
    """Return the number of finished games that are not recorded yet."""
    return checks_of_records(_finished(world, bot_id), records)[0].found


def _finished(world: World, bot_id: str) -> Iterator[FinishedGame]:
    """A game in which the bot was never to move may have passed without its knowledge."""
    for game_id, game in world.site.games.items():
        if game.over:
            is_known = _has_moved(game.now, bot_id)
            yield FinishedGame(game_id, is_known, partial(_differs, game.now))


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
