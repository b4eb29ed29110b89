"""The arena's games as whole states, kept up to date by the changes that it announces."""

from dataclasses import dataclass, field
from typing import Final

from bot import wire
from bot.runtime.bounded import BoundedMemory

REMEMBERED_GAMES: Final = 300
"""More than a bot may play at the same time."""


class MissedChange(Exception):
    """A change does not follow the known state of its game: only the whole state helps."""


@dataclass
class _Known:
    """A state, and the digests by ply of those before it."""

    state: wire.GameState
    digests: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.digests[len(self.state.turns)] = self.state.digest


class GameStates:
    """Every method returns the whole state that is new, or None if the message is outdated."""

    def __init__(self) -> None:
        self._known: BoundedMemory[str, _Known] = BoundedMemory(REMEMBERED_GAMES)

    def forget(self) -> None:
        """Drop everything that was known before a new `welcome`."""
        self._known.clear()

    def told(self, state: wire.GameState) -> wire.GameState | None:
        """Take a whole state that the server sent, unless it is part of what is known."""
        known = self._known.get(state.game_id)
        return None if known is not None and _is_part(state, known.state) else self.answered(state)

    def answered(self, state: wire.GameState) -> wire.GameState:
        """Take a whole state that was asked for because a change was missed, whatever is known."""
        self._known.put(state.game_id, _Known(state))
        return state

    def changed(self, change: wire.GameChange) -> wire.GameState | None:
        """Take what is new in a game. Raises MissedChange."""
        known = self._known.get(change.game_id)
        if known is None:
            raise MissedChange
        state = known.state
        is_past = known.digests.get(change.ply) == change.digest
        if is_past and _number(change) <= _number(state):
            return None
        if not _follows(state, change):
            raise MissedChange
        newer = wire.applied(state, change)
        self._known.put(change.game_id, _Known(newer, known.digests))
        return newer


def _number(message: wire.GameState | wire.GameChange) -> tuple[int, int]:
    return message.revision, message.sub_revision


def _is_part(older: wire.GameState, state: wire.GameState) -> bool:
    """Whether a state has led to another one, and has nothing to add to it."""
    is_older = _number(older) < _number(state)
    return is_older and older.turns == state.turns[: len(older.turns)]


def _follows(state: wire.GameState, change: wire.GameChange) -> bool:
    """Whether nothing is missing between a state and a change."""
    if change.follows != state.digest:
        return False
    has_turn = change.turn is not None
    if change.revision == state.revision:
        return not has_turn and change.sub_revision > state.sub_revision
    return change.revision == state.revision + 1 and change.ply == len(state.turns) + has_turn
