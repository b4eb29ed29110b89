"""One game as the platform stores it: frozen states, each made from the previous one."""

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal

import orjson

import engine
from bot.errors import PeerError

HOUR_MS: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class ClockTerms:
    """`start`, `inc` and `most` are in hours.

    An hour has `hour_ms`, so that rehearsals can be fast.
    """

    start: int
    inc: int
    most: int
    hard: bool = False
    hour_ms: int = HOUR_MS

    @property
    def start_ms(self) -> int:
        return self.start * self.hour_ms

    def after(self, left: int, used: int) -> int:
        """Return a player's time after a move that took `used` of `left` milliseconds.

        It is the increment alone if the time had run out without a claim.
        """
        increment = self.inc * self.hour_ms
        if used > left:
            return increment
        return min(self.most * self.hour_ms, left - used + increment)

    def hours(self, milliseconds: int) -> int:
        return round(milliseconds / self.hour_ms)


BOARDS: Final[dict[str, dict[tuple[str, ...], str]]] = {
    "bluestone": {(): "pent-6", ("size-8",): "pent-8"},
    "blooms": {
        ("size-4",): "hexhex-4",
        ("size-5",): "hexhex-5",
        (): "hexhex-6",
        ("size-8",): "hexhex-8",
        ("size-10",): "hexhex-10",
    },
}
"""By `metaGame` and variants."""

RULES: Final = "abstractplay"
PASS: Final = "pass"  # noqa: S105 - a turn, not a secret

Seat = Literal[0, 1]
Reason = Literal["played out", "resign", "timeout", "draw", "abandoned"]


class NotPlayed(PeerError):
    """The platform's sentence about why a move is not played."""

    def __init__(self, message: str) -> None:
        super().__init__("not_played", message)


class IllegalMove(NotPlayed):
    """The rules forbid it."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The constants of a game. `players` are ids, in the order of the seats."""

    game_id: str
    meta: str
    variants: tuple[str, ...]
    players: tuple[str, str]
    clock: ClockTerms
    rated: bool
    started: int

    @property
    def rules(self) -> engine.Game:
        return engine.game(self.meta, BOARDS[self.meta][self.variants], RULES)


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a game. `winners` are seats from 1: both in a draw, none in an abandoned game."""

    reason: Reason
    winners: tuple[int, ...]
    at: int


@dataclass(frozen=True, eq=False)
class GameState:
    """A game at a moment.

    `times` are the players' times at the start of the present turn, in ms.
    """

    terms: Terms
    position: engine.Position
    times: tuple[int, int]
    moved_at: int
    stack: tuple[bytes, ...]
    ending: Ending | None = None

    @property
    def to_move(self) -> Seat | None:
        if self.ending is not None:
            return None
        return 0 if self.position.to_play == 1 else 1

    @property
    def ply(self) -> int:
        """The number of turns played. A resignation and other endings do not count."""
        return len(self.position.turns)

    @property
    def deadline(self) -> int | None:
        """When the time of the player to move runs out."""
        seat = self.to_move
        return None if seat is None else self.moved_at + self.times[seat]

    @property
    def rounds(self) -> list[list[str]]:
        """The turns by round. The last round may be shorter."""
        turns = self.position.turns
        return [list(turns[at : at + 2]) for at in range(0, len(turns), 2)]

    @cached_property
    def text(self) -> str:
        """The `state` of a record: JSON in a string."""
        winners = list(self.ending.winners) if self.ending else []
        head = {
            "game": self.terms.meta,
            "numplayers": 2,
            "variants": list(self.terms.variants),
            "gameover": self.ending is not None,
            "winner": winners,
        }
        return (orjson.dumps(head)[:-1] + b',"stack":[' + b",".join(self.stack) + b"]}").decode()


def begun(terms: Terms) -> GameState:
    """Return the game before its first turn."""
    position = terms.rules.start()
    times = (terms.clock.start_ms, terms.clock.start_ms)
    return GameState(terms, position, times, terms.started, (_entry(position, None),))


def played(state: GameState, text: str, now: int) -> GameState:
    """Return the game after a turn of the player to move, and after the passes that it forces.

    Raises IllegalMove. An empty move of Bluestone plays nothing, but credits the clock.
    """
    if not text and state.terms.meta == "bluestone":
        return _credited(state, now)
    after = _with_turn(_credited(state, now), text)
    while not after.position.over and _must_pass(after.position):
        after = _with_turn(after, PASS)
    if not after.position.over:
        return after
    winner = after.position.winner
    winners = (1, 2) if winner is None else (winner,)
    ended = replace(after, ending=Ending("played out", winners, now))
    return replace(ended, stack=(*after.stack[:-1], _entry(ended.position, ended)))


def ended(state: GameState, reason: Reason, loser: Seat | None, now: int) -> GameState:
    """Return a game that ended otherwise than by its rules.

    A draw and an abandoned game have no loser.
    """
    if loser is not None:
        winners: tuple[int, ...] = (2 - loser,)
    else:
        winners = (1, 2) if reason == "draw" else ()
    over = replace(state, moved_at=now, ending=Ending(reason, winners, now))
    return replace(over, stack=(*state.stack, _entry(state.position, over, reason)))


def _credited(state: GameState, now: int) -> GameState:
    seat = state.to_move
    assert seat is not None
    times = list(state.times)
    times[seat] = state.terms.clock.after(times[seat], now - state.moved_at)
    return replace(state, times=(times[0], times[1]), moved_at=now)


def _with_turn(state: GameState, text: str) -> GameState:
    try:
        position = state.position.play(text)
    except engine.IllegalTurn as refusal:
        raise IllegalMove(str(refusal)) from refusal
    return replace(state, position=position, stack=(*state.stack, _entry(position, None)))


def _must_pass(position: engine.Position) -> bool:
    """Return whether only the pass is legal; Blooms has none."""
    return all(turn == PASS for turn in itertools.islice(position.legal_turns(), 2))


def _entry(position: engine.Position, over: GameState | None, lastmove: str | None = None) -> bytes:
    """Return one entry of the stack; the empty board has no `lastmove`."""
    stones = [[cell, stone.player] for cell, stone in position.stones.items()]
    ending = over.ending if over else None
    entry: dict[str, Any] = {
        "_version": "20250801",
        "_results": [],
        "currplayer": position.to_play,
        "board": {"dataType": "Map", "value": stones},
        "gameover": ending is not None,
        "winner": list(ending.winners) if ending else [],
    }
    last = lastmove or (position.turns[-1] if position.turns else None)
    return orjson.dumps(entry if last is None else {**entry, "lastmove": last})
