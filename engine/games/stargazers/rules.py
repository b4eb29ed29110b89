"""Stargazers' notation, its reasons for refusing a turn, its marks and its scores."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from engine.boards.grid import Board
from engine.boards.stars import star_board
from engine.errors import Refusal
from engine.games.early_end import EarlyEnd
from engine.games.mechanics import Bounds
from engine.games.rules import BoardRules
from engine.games.stargazers import guidance, kernel  # noqa: F401  (registers the kernel)
from engine.games.stargazers.bounds import write_bounds
from engine.games.stargazers.features import ENCODING
from engine.games.stargazers.state import STATE_DTYPE, board_record
from engine.kernel.generic import Record
from engine.notation import PASS_TEXT

STONES_A_TURN: Final = {"122": 2, "alternating": 1}
"""The number of stones in each turn after the first, by protocol."""

UNINSPIRED: Final = "uninspired"


class StargazersRules(BoardRules):
    """Stargazers under either rule set."""

    state_dtype = STATE_DTYPE
    encoding = ENCODING

    def board(self, name: str) -> Board:
        return star_board(name).board

    def default_options(self, board: Board) -> Mapping[str, int | str]:
        del board
        return {"protocol": "122"}

    def board_record(self, board: Board, rule_set: str, options: Mapping[str, int | str]) -> Record:
        stones = STONES_A_TURN[str(options["protocol"])]
        return board_record(star_board(board.name), stones_a_turn=stones, ludii=rule_set == "ludii")

    def parse(self, board: Board, turn: str) -> tuple[int, ...] | Refusal:
        if turn == PASS_TEXT:
            return Refusal(
                "malformed",
                "there is no pass in Stargazers: a player who can place a stone must place one",
            )
        parts = turn.split(",")
        if len(parts) > 2 or "" in parts:
            return Refusal("malformed", "a turn is one cell, or two with a comma between them")
        for part in parts:
            if part in star_board(board.name).star_names:
                return Refusal("star", f"{part} is a star: stones go on the cells around it", part)
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
            reason = f"two stones must be placed, and there is a place for one after {where}"
            return Refusal("two-stones", reason, where)
        if before["cells"][steps[-1]]:
            return Refusal("occupied", f"{where} is not empty", where)
        if len(steps) == 2 and (before["turn"] == 1 or record["stones_a_turn"] == 1):
            which = "every turn" if record["stones_a_turn"] == 1 else "the first turn of the game"
            return Refusal("one-stone", f"{which} is a single stone", where)
        if len(set(steps)) < len(steps):
            return Refusal("same-cell", f"both stones are on {where}", where)
        if now["over"]:
            reason = f"the game ends with {board.cells[steps[0]]}: no second stone can be placed"
            return Refusal("one-stone", reason, where)
        reason = f"a stone on {where} would not be inspired: it would see no star across an empty"
        return Refusal("uninspired-cell", f"{reason} cell, and no inspired stone of yours", where)

    def marks(self, record: Record, state: Record) -> Mapping[int, str]:
        del record
        stones = np.flatnonzero(state["cells"])
        views = state["views"][state["label"][stones]]
        return dict.fromkeys(stones[views == 0].tolist(), UNINSPIRED)

    def scores(self, board: Board, state: Record) -> tuple[int, int]:
        del board
        one, two = state["uninspired"]
        return int(one), int(two)

    def final_scores(self, record: Record, state: Record) -> tuple[Bounds, Bounds]:
        write_bounds(record, state)
        (least_1, least_2), (most_1, most_2) = state["least"].tolist(), state["most"].tolist()
        return (least_1, most_1), (least_2, most_2)

    def early_end(self, record: Record, state: Record) -> EarlyEnd | None:
        one, two = state["uninspired"].tolist()
        if record["ludii"]:
            assured, potential = state["early"].tolist()
            winner = int(state["winner"])
        else:
            winner = 1 if one < two else 2
            if state["over"] or one == two:
                return None
            bounds = self.final_scores(record, state)
            assured, potential = bounds[2 - winner][0], bounds[winner - 1][1]
        return EarlyEnd(winner, assured, potential) if assured > potential else None


RULES: Final = StargazersRules()
