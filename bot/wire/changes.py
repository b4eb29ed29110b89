"""Changes of a game, for clients that keep its state: turns, clocks, scores and connections.

A turn that is taken back has no change: all clients get the whole game.

A client applies a `GameChange` with `applied`.
"""

from collections.abc import Iterable
from datetime import datetime
from hashlib import blake2b
from typing import Final

from pydantic import Field

from bot.wire.base import FromServer, Id, Message, Seat
from bot.wire.games import ClockView, EarlyEnd, GameState, PlayedTurn, PositionView

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
    early_end: EarlyEnd | None = None


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


def digest_after(digest: str, turns: Iterable[PlayedTurn]) -> str:
    """Extend a digest by `turns`. The digest before the first turn is ""."""
    for turn in turns:
        text = f"{digest}{turn.as_json}".encode()
        digest = blake2b(text, digest_size=DIGEST_BYTES).hexdigest()
    return digest


def position_change(old: PositionView, new: PositionView) -> PositionChange:
    """Return the change between the positions before and after a turn."""
    # This runs for every turn, and all parts have been validated already.
    # Differences of views of dictionaries, because a board has hundreds of stones.
    placed = {cell for cell, _ in new.stones.items() - old.stones.items()}
    marked = {cell for cell, _ in new.marks.items() - old.marks.items()}
    return PositionChange.model_construct(
        to_play=new.to_play,
        placed={cell: stone for cell, stone in new.stones.items() if cell in placed},
        removed=sorted(old.stones.keys() - new.stones.keys() - set(new.captured)),
        marks={cell: word for cell, word in new.marks.items() if cell in marked}
        | dict.fromkeys(sorted(old.marks.keys() - new.marks.keys())),
        last=new.last,
        scores=new.scores,
        over=new.over,
        winner=new.winner,
        early_end=new.early_end,
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
        early_end=change.early_end,
    )
