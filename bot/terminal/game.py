"""A game between a person and an engine: its turns so far, undo, and its record."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import engine
from bot.records.model import (
    EngineSettings,
    GameRecord,
    RecordedPlayer,
    RecordedResult,
    RecordedTurn,
)
from bot.records.writing import game_record, setup_of
from bot.terminal.opponent import EngineTurn
from bot.time_controls import Untimed

Seat = Literal[1, 2]


@dataclass
class TerminalGame:
    """The game, with the turns of both sides."""

    start: engine.Position
    person_seat: Seat
    person: str
    machine: EngineSettings
    began: datetime
    _positions: list[engine.Position] = field(default_factory=list)
    _turns: list[RecordedTurn] = field(default_factory=list)

    @property
    def position(self) -> engine.Position:
        return self._positions[-1] if self._positions else self.start

    @property
    def engine_seat(self) -> Seat:
        return 2 if self.person_seat == 1 else 1

    @property
    def persons_turn(self) -> bool:
        return self.position.to_play == self.person_seat

    @property
    def names(self) -> tuple[str, str]:
        both = (self.person, self.machine.name)
        return both if self.person_seat == 1 else (both[1], both[0])

    def play(self, turn: str, time_ms: int) -> None:
        """Play a turn of the person. Raises engine.IllegalTurn."""
        self._add(turn, RecordedTurn(turn=turn, time_ms=time_ms, source="person"))

    def play_engine(self, chosen: EngineTurn) -> None:
        """Play a turn of the engine, with its evaluation."""
        recorded = RecordedTurn(
            turn=chosen.turn,
            time_ms=chosen.time_ms,
            value=chosen.value,
            visits=chosen.visits,
            pv=list(chosen.pv),
            source=chosen.source,
        )
        self._add(chosen.turn, recorded)

    def _add(self, turn: str, recorded: RecordedTurn) -> None:
        after = self.position.play(turn)
        played = {"turn": after.turns[-1], "captured": list(after.captured)}
        self._turns.append(recorded.model_copy(update=played))
        self._positions.append(after)

    def undo(self) -> bool:
        """Undo to the person's last turn. Return False if there is none."""
        own = [ply for ply in range(len(self._turns)) if 1 + ply % 2 == self.person_seat]
        if not own:
            return False
        del self._turns[own[-1] :]
        del self._positions[own[-1] :]
        return True

    def record(self, game_id: str, result: RecordedResult, ended: datetime) -> GameRecord:
        """Return the record of the game so far, with that result."""
        person = RecordedPlayer(name=self.person, kind="person")
        bot = RecordedPlayer(name=self.machine.name, kind="bot", engine=self.machine)
        return game_record(
            game_id,
            "terminal",
            setup_of(self.start.game, Untimed()),
            (person, bot) if self.person_seat == 1 else (bot, person),
            self._turns,
            result,
            last=self.position,
            began=self.began,
            ended=ended,
        )
