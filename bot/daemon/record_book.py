"""The bot's own records of finished games, with its engine's evaluation of each turn."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

import engine
from bot.daemon.journal import Chosen
from bot.errors import HostError
from bot.platforms.base import GameFacts, GameOutcome, Participant, TurnPlayed
from bot.records.jsonl import DamagedLine, append_record, read_records
from bot.records.model import (
    EngineSettings,
    GameRecord,
    RecordedPlayer,
    RecordedResult,
    RecordedTurn,
)
from bot.records.writing import RecordedSetup, game_record
from bot.runtime.bounded import BoundedMemory
from bot.runtime.database import WriteState
from bot.time_source import SystemTime, TimeSource

REMEMBERED_BYTES: Final = 1_000_000
"""Games whose record is not written again. Two identities end a game at almost the same time."""


class RecordBook:
    """The JSON Lines file of finished games. `writing` says whether it can be written."""

    def __init__(self, path: Path, time_source: TimeSource | None = None) -> None:
        self.writing = WriteState("records", time_source or SystemTime())
        self._path = path
        self._added: BoundedMemory[tuple[str, str], None] = BoundedMemory(REMEMBERED_BYTES)

    async def add(self, record: GameRecord) -> None:
        """Append the record, and return after the commit to disk. Raises HostError.

        In a game between two identities of this daemon, the first one writes the record; its turns
        have the evaluations that both engines sent to the server.
        """
        key = (record.platform, record.id)
        if key in self._added:
            return
        self._added.put(key, None)
        try:
            await asyncio.to_thread(append_record, self._path, record, private=True)
        except BaseException as error:
            self._added.forget(key)
            if isinstance(error, HostError):
                self.writing.failed(error)
            raise
        self.writing.worked()

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return self._path.stat().st_size if self._path.exists() else 0

    async def has(self, platform: str, game_id: str, since: int) -> bool:
        """Return whether a game has a record.

        Reads the file from the byte `since` on, its size when the game started.
        """
        return await asyncio.to_thread(self._has, platform, game_id, since)

    def _has(self, platform: str, game_id: str, since: int) -> bool:
        if not self._path.exists():
            return False
        return any(
            record.id == game_id and record.platform == platform
            for record in read_records(self._path, since)
            if not isinstance(record, DamagedLine)
        )


def record_of(
    facts: GameFacts,
    platform: str,
    own_turns: Mapping[int, Chosen],
    own_engine: EngineSettings,
    ended_at: datetime,
) -> GameRecord:
    """Return the record of a finished game. `own_turns` are our turns in the journal, by ply."""
    positions = _positions(facts)
    setup, outcome = facts.setup, facts.outcome
    return game_record(
        facts.game_id,
        platform,
        RecordedSetup(
            setup.game, setup.board, setup.rules, setup.control, setup.options, setup.rated
        ),
        (
            _player(facts.players[0], own_engine if facts.seat == 1 else None),
            _player(facts.players[1], own_engine if facts.seat == 2 else None),
        ),
        [
            _turn(played, own_turns.get(ply), positions[ply] if ply < len(positions) else None)
            for ply, played in enumerate(facts.turns)
        ],
        None if outcome is None else _result(outcome),
        last=positions[-1] if positions and len(positions) == facts.ply else None,
        began=facts.started_at,
        ended=ended_at,
    )


def _result(outcome: GameOutcome) -> RecordedResult:
    return RecordedResult(winner=outcome.winner, reason=outcome.reason, message=outcome.message)


def _positions(facts: GameFacts) -> list[engine.Position]:
    """Return the position after each turn, up to the first turn that our rules call illegal."""
    setup, positions = facts.setup, list[engine.Position]()
    try:
        game = engine.game_of(setup.game, setup.board, setup.rules, setup.options)
        position = game.start()
        for played in facts.turns:
            position = position.play(played.turn)
            positions.append(position)
    except (engine.UnknownGame, engine.IllegalTurn):
        # The session has logged it; the record has the server's turns.
        return positions
    return positions


def _player(participant: Participant, own_engine: EngineSettings | None) -> RecordedPlayer:
    theirs = EngineSettings(name=participant.engine) if participant.engine else None
    kind = participant.kind or ("bot" if own_engine else "person")
    return RecordedPlayer(name=participant.name, kind=kind, engine=own_engine or theirs)


def _turn(
    played: TurnPlayed, chosen: Chosen | None, position: engine.Position | None
) -> RecordedTurn:
    # The played turn is not ours if the server or another client played for us.
    ours = chosen.info if chosen is not None and chosen.turn == played.turn else None
    info = ours or played.info
    return RecordedTurn(
        turn=played.turn,
        captured=list(position.captured) if position else [],
        time_ms=played.time_ms,
        clock=played.clock,
        value=info and info.value,
        visits=info and info.visits,
        pv=list(info.pv) if info else [],
        source=info and info.source,
    )
