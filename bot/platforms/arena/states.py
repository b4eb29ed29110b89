"""The arena's games as whole states, updated by the changes that the arena announces."""

from dataclasses import dataclass, field
from typing import Final

from bot import wire
from bot.runtime.bounded import BoundedMemory
from bot.runtime.sizes import size_of

RUNNING_BYTES: Final = 100_000_000
"""For the games that a bot plays at the same time. A turn takes about a kilobyte."""
ENDED_BYTES: Final = 8_000_000
"""For games that have ended, because messages about them may still arrive."""


DIGEST_BYTES: Final = 200
"""What the digest of an earlier state takes."""


class MissedChange(Exception):
    """A change does not follow the known state of its game, so the whole state is needed."""


@dataclass
class _Known:
    """A state with its size, and the digests of earlier states by ply."""

    state: wire.GameState
    bytes: int
    digests: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.digests[len(self.state.turns)] = self.state.digest


class GameStates:
    """The latest state of each game. Methods return the new whole state, or None if outdated."""

    def __init__(self) -> None:
        self._running: BoundedMemory[str, _Known] = BoundedMemory(RUNNING_BYTES, _taken_by)
        self._ended: BoundedMemory[str, _Known] = BoundedMemory(ENDED_BYTES, _taken_by)

    def forget(self) -> None:
        """Forget all games, before a new `welcome`."""
        self._running.clear()
        self._ended.clear()

    def sent(self, state: wire.GameState) -> wire.GameState | None:
        """Take a whole state that the server sent, unless the known state contains it."""
        known = self._known(state.game_id)
        return None if known is not None and _is_part(state, known.state) else self.answered(state)

    def answered(self, state: wire.GameState) -> wire.GameState:
        """Take a whole state that we requested after a missed change."""
        self._keep(_Known(state, size_of(state)))
        return state

    def changed(self, change: wire.GameChange) -> wire.GameState | None:
        """Apply a change. Raises MissedChange."""
        known = self._known(change.game_id)
        if known is None:
            raise MissedChange
        state = known.state
        is_past = known.digests.get(change.ply) == change.digest
        if is_past and _number(change) <= _number(state):
            return None
        if not _follows(state, change):
            raise MissedChange
        newer = wire.applied(state, change)
        self._keep(_Known(newer, known.bytes + size_of(change), known.digests))
        return newer

    def _known(self, game_id: str) -> _Known | None:
        return self._running.get(game_id) or self._ended.get(game_id)

    def _keep(self, known: _Known) -> None:
        game_id = known.state.game_id
        self._running.forget(game_id)
        games = self._running if known.state.result is None else self._ended
        games.put(game_id, known)


def _taken_by(known: _Known) -> int:
    return known.bytes + len(known.digests) * DIGEST_BYTES


def _number(message: wire.GameState | wire.GameChange) -> tuple[int, int]:
    return message.revision, message.sub_revision


def _is_part(older: wire.GameState, state: wire.GameState) -> bool:
    """Return whether `older` came before `state` and adds nothing to it."""
    if _number(older) >= _number(state):
        return False
    if (older.takebacks or 0) < (state.takebacks or 0):
        return True  # it may have turns that were taken back
    return older.turns == state.turns[: len(older.turns)]


def _follows(state: wire.GameState, change: wire.GameChange) -> bool:
    """Return whether the change follows the state directly."""
    if change.follows != state.digest:
        return False
    has_turn = change.turn is not None
    if change.revision == state.revision:
        return not has_turn and change.sub_revision > state.sub_revision
    return change.revision == state.revision + 1 and change.ply == len(state.turns) + has_turn
