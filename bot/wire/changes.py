"""Changes of a game, for clients that keep its state: turns, clocks, scores and connections.

A turn that is taken back has no change: all clients get the whole game.

The server makes a `GameChange` with `change_between`. A client applies it with `applied`.
"""

from collections.abc import Iterable
from datetime import datetime
from hashlib import blake2b
from typing import Final

from pydantic import Field

from bot.wire.base import FromServer, Id, Message, Seat
from bot.wire.games import ClockView, GameState, PlayedTurn, PositionView

DIGEST_BYTES: Final = 6


class PositionChange(Message):
    """The board after a turn, relative to the board before it."""

    to_play: Seat
    placed: dict[str, tuple[Seat, int]] = Field(description="cell name: (player, kind of stone)")
    removed: list[str] = Field(
        description="cells that became empty, except those in `turn.captured`"
    )
    marks: dict[str, str | None] = Field(
        description="cell name: its new mark; null if the mark is gone"
    )
    last: list[str] = Field(description="cells of the turn")
    scores: tuple[list[int], list[int]]
    over: bool
    winner: Seat | None


class GameChange(FromServer):
    """The changes of a running game since the state whose digest is `follows`.

    `turn` and `position` are null if no turn was played. All other fields are as in `GameState`.
    """

    game_id: Id
    revision: int
    sub_revision: int
    ply: int = Field(description="number of turns after this change")
    follows: str = Field(description="digest of the turns before this change")
    digest: str = Field(description="digest of the turns after this change")
    turn: PlayedTurn | None
    position: PositionChange | None
    connected: tuple[bool, bool]
    clocks: ClockView
    draw_offer: Seat | None
    takeback_offer: Seat | None = None
    abort_offer: Seat | None = None
    hints: int = 0
    spectators: int = 0
    server_time: datetime

    def as_json(self) -> str:
        """Return the same text as `model_dump_json`, without encoding the turn a second time."""
        if self.turn is None:
            return self.model_dump_json()
        before, after = self.model_copy(update={"turn": None}).model_dump_json().split(_NO_TURN, 1)
        return f'{before}"turn":{self.turn.as_json}{after}'


_NO_TURN: Final = '"turn":null'


def digest_after(digest: str, turns: Iterable[PlayedTurn]) -> str:
    """Extend a digest by `turns`. The digest before the first turn is ""."""
    for turn in turns:
        text = f"{digest}{turn.as_json}".encode()
        digest = blake2b(text, digest_size=DIGEST_BYTES).hexdigest()
    return digest


def change_between(position: PositionView, digest: str, state: GameState) -> GameChange:
    """Return the change from a game's former position and digest to `state`, at most one turn
    later.
    """
    has_turn = position.ply < len(state.turns)
    # This runs for every turn, and all parts have been validated already.
    return GameChange.model_construct(
        game_id=state.game_id,
        revision=state.revision,
        sub_revision=state.sub_revision,
        ply=len(state.turns),
        follows=digest,
        digest=state.digest,
        turn=state.turns[-1] if has_turn else None,
        position=_position_change(position, state.position) if has_turn else None,
        connected=state.connected,
        clocks=state.clocks,
        draw_offer=state.draw_offer,
        takeback_offer=state.takeback_offer,
        abort_offer=state.abort_offer,
        hints=state.hints,
        spectators=state.spectators,
        server_time=state.server_time,
    )


def _position_change(old: PositionView, new: PositionView) -> PositionChange:
    captured = set(new.captured)
    gone = old.marks.keys() - new.marks.keys()
    return PositionChange.model_construct(
        to_play=new.to_play,
        placed={cell: stone for cell, stone in new.stones.items() if old.stones.get(cell) != stone},
        removed=sorted(old.stones.keys() - new.stones.keys() - captured),
        marks={cell: word for cell, word in new.marks.items() if old.marks.get(cell) != word}
        | dict.fromkeys(sorted(gone)),
        last=new.last,
        scores=new.scores,
        over=new.over,
        winner=new.winner,
    )


def applied(state: GameState, change: GameChange) -> GameState:
    """Return the state after a change whose `follows` is this state's digest."""
    fields: dict[str, object] = {
        "revision": change.revision,
        "sub_revision": change.sub_revision,
        "digest": change.digest,
        "connected": change.connected,
        "clocks": change.clocks,
        "draw_offer": change.draw_offer,
        "takeback_offer": change.takeback_offer,
        "abort_offer": change.abort_offer,
        "hints": change.hints,
        "spectators": change.spectators,
        "server_time": change.server_time,
    }
    if change.turn is not None and change.position is not None:
        fields["turns"] = [*state.turns, change.turn]
        fields["to_play"] = change.position.to_play
        fields["position"] = _position_after(state.position, change.turn, change.position)
    return state.model_copy(update=fields)


def _position_after(old: PositionView, turn: PlayedTurn, change: PositionChange) -> PositionView:
    emptied = {*change.removed, *turn.captured} - change.placed.keys()
    stones = {cell: stone for cell, stone in old.stones.items() if cell not in emptied}
    marks = {**old.marks, **change.marks}
    return PositionView.model_construct(
        ply=old.ply + 1,
        to_play=change.to_play,
        stones=stones | change.placed,
        last=change.last,
        captured=turn.captured,
        marks={cell: word for cell, word in marks.items() if word is not None},
        scores=change.scores,
        over=change.over,
        winner=change.winner,
    )
