"""Bluestone's notation, its reasons for refusing a turn, and its scores."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from engine.boards import grid
from engine.boards.grid import Board
from engine.errors import Refusal
from engine.games.bluestone import kernel  # noqa: F401  (registers the kernel)
from engine.games.bluestone.features import ENCODING
from engine.games.bluestone.state import ABSENT, STATE_DTYPE, board_record
from engine.games.rules import BoardRules
from engine.kernel.generic import PASS, Record
from engine.notation import PASS_TEXT


class BluestoneRules(BoardRules):
    """Bluestone under either rule set."""

    state_dtype = STATE_DTYPE
    encoding = ENCODING

    def board(self, name: str) -> Board:
        return grid.board(name)

    def board_record(self, board: Board, rule_set: str, options: Mapping[str, int | str]) -> Record:
        assert not options
        return board_record(board, abstractplay=rule_set == "abstractplay")

    def parse(self, board: Board, turn: str) -> tuple[int, ...] | Refusal:
        if turn == PASS_TEXT:
            return (PASS,)
        parts = turn.split(",")
        if len(parts) > 2 or "" in parts:
            reason = "a turn is 'pass', one cell, or two cells with a comma between them"
            return Refusal("malformed", reason)
        for part in parts:
            if part not in board:
                reason = f"there is no cell {part[:20]!r} on {board.name}"
                return Refusal("unknown-cell", reason, part[:20])
        return tuple(board.index(part) for part in parts)

    def why_illegal(
        self, board: Board, record: Record, before: Record, now: Record, steps: Sequence[int]
    ) -> Refusal:
        if before["over"]:
            return Refusal("game-over", "the game is over")
        where = board.cells[steps[-1]]
        if len(steps) == 1 and now["step"] == 1:
            reason = f"two stones must be placed, and there is room for one beside {where}"
            return Refusal("two-stones", reason, where)
        if len(steps) == 2 and before["turn"] == 1:
            return Refusal("one-stone", "the first turn of the game is a single stone", where)
        if len(set(steps)) < len(steps):
            return Refusal("same-cell", f"both stones are on {where}", where)
        judged = before if record["abstractplay"] else now
        return self._why_closed(board, record, judged, int(before["player"]), steps)

    def _why_closed(
        self, board: Board, record: Record, judged: Record, player: int, steps: Sequence[int]
    ) -> Refusal:
        """Return the reason why no stone may be placed on a cell.

        `judged` is the state that the rules consult: for `abstractplay` that at the start of the
        turn, for `official` the current one.
        """
        step, where = steps[-1], board.cells[steps[-1]]
        if judged["cells"][step]:
            when = " when the turn begins" if record["abstractplay"] else ""
            return Refusal("occupied", f"{where} is not empty{when}", where)
        if judged["open_at"][player - 1, step] != ABSENT:
            first = board.cells[steps[0]]
            return Refusal("same-group", f"{where} would join the group of {first}", where)
        if record["abstractplay"]:
            reason = f"{where} lies in a region that is closed to player {player}"
            return Refusal("closed-region", reason, where)
        reason = f"a stone on {where} would be dead: it could never reach four blue stones"
        return Refusal("dead-cell", reason, where)

    def captured(self, before: Record, after: Record) -> list[int]:
        enemy = 3 - int(before["player"])
        taken = (before["cells"] == enemy) & (after["cells"] != enemy)
        cells: list[int] = np.flatnonzero(taken).tolist()
        return cells

    def scores(self, board: Board, state: Record) -> tuple[tuple[int, ...], tuple[int, ...]]:
        size = len(board.cells)
        cells, parents = state["cells"][:size].tolist(), state["parent"][:size].tolist()
        blue = np.bitwise_count(state["chain_blue"][:size]).tolist()
        scores: tuple[list[int], list[int]] = ([], [])
        for cell, player in enumerate(cells):
            if player and parents[cell] == cell and blue[cell]:
                scores[player - 1].append(blue[cell])
        return _from_high_to_low(scores[0]), _from_high_to_low(scores[1])


def _from_high_to_low(scores: list[int]) -> tuple[int, ...]:
    return tuple(sorted(scores, reverse=True)) or (0,)


RULES: Final = BluestoneRules()
