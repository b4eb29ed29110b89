"""Positions of analysis boards: any setup with any turns, replayed in a thread and remembered."""

from collections.abc import Sequence
from typing import Final

import engine
from bot import wire
from bot.arena.games import referee
from bot.arena.games.preparation import Preparation
from bot.arena.games.sizes import position_bytes
from bot.arena.refusals import Refused
from bot.runtime.bounded import BoundedMemory
from bot.runtime.workers import Workers

POSITIONS_BYTES: Final = 40_000_000
"""A position takes 10 to 300 kB."""
Key = tuple[str, ...]
MOST_CELLS_UNBOUNDED: Final = 200
"""Turns on a board without an edge: its positions grow with each turn."""


class FreePositions:
    """Replays turns. A position whose predecessor is remembered costs one turn."""

    def __init__(self, preparation: Preparation, workers: Workers) -> None:
        self._preparation = preparation
        self._workers = workers
        self._known: BoundedMemory[Key, engine.Position] = BoundedMemory(
            POSITIONS_BYTES, position_bytes
        )

    async def after(self, setup: wire.AnalysisSetup, turns: Sequence[str]) -> engine.Position:
        """The position after `turns`. Raises Refused."""
        # In a thread too: the rules for new options of a game take tens of milliseconds.
        game = await self._workers.run(referee.game_for, setup)
        self._preparation.check(game.name)
        if not game.board.is_bounded and len(turns) > MOST_CELLS_UNBOUNDED:
            message = f"An analysis on this board has at most {MOST_CELLS_UNBOUNDED} turns."
            raise Refused("invalid", message)
        given = tuple(turns)
        key = referee.key_of(game, given)
        position = self._known.get(key)
        if position is None:
            start, rest = self._nearest(game, given)
            position = await self._workers.run(self._played, key, start, rest)
        else:
            self._known.refresh(key)
        return position

    def _played(self, key: Key, position: engine.Position, turns: Sequence[str]) -> engine.Position:
        for turn in turns:
            if position.over:
                raise Refused("illegal_turn", "The game is over before the last of these turns.")
            position = referee.play(position, turn)
        self._known.put(key, position)
        return position

    def _nearest(
        self, game: engine.Game, turns: tuple[str, ...]
    ) -> tuple[engine.Position, tuple[str, ...]]:
        """The last position on the way that is remembered, and the turns after it."""
        for length in (len(turns) - 1, len(turns) - 2):
            known = self._known.get(referee.key_of(game, turns[:length]))
            if known is not None and length > 0:
                return known, turns[length:]
        return game.start(), turns


def settled(position: engine.Position) -> wire.AnalysisSetup:
    """The complete setup of a position, spelled as the game spells it."""
    game = position.game
    return wire.AnalysisSetup(
        game=game.name,
        board=game.board.name,
        rules=game.rule_set,
        options=dict(referee.option_texts(dict(game.options))),
    )


def key_of(position: engine.Position) -> str:
    """The same text for the same turns, whatever the order of the two stones of each."""
    game = position.game
    options = ",".join(f"{name}={value}" for name, value in sorted(dict(game.options).items()))
    turns = " ".join(",".join(sorted(engine.stones_of(turn))) for turn in position.turns)
    return f"{game.name}|{game.board.name}|{game.rule_set}|{options}|{turns}"
