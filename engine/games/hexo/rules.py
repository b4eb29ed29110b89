"""HeXO's board, its option, and its entry into the catalogue."""

from collections.abc import Mapping
from typing import Final

from engine.boards.grid import Board
from engine.boards.plane import PLANE, THE_PLANE
from engine.errors import UnknownGame
from engine.games.hexo.mechanics import HexoMechanics
from engine.games.hexo.state import STATE_DTYPE, board_record
from engine.games.rules import UnboundedRules
from engine.kernel.generic import Record

CAP: Final = 300
"""The default number of turns after which a game is a draw.

The rules know no draw, and two careful defenders can play on without end. Games of strong engines
are decided within 116 turns; the ladder of bots stops games after 500.
"""


class HexoRules(UnboundedRules):
    """HeXO. It has one rule set."""

    state_dtype = STATE_DTYPE

    def board(self, name: str) -> Board:
        if name != PLANE:
            raise UnknownGame("board", name, [PLANE])
        return THE_PLANE

    def default_options(self, board: Board) -> Mapping[str, int | str]:
        del board
        return {"cap": CAP}

    def board_record(self, board: Board, rule_set: str, options: Mapping[str, int | str]) -> Record:
        del board, rule_set
        return board_record(int(options["cap"]))

    def mechanics(self, options: Mapping[str, int | str], record: Record) -> HexoMechanics:
        return HexoMechanics(int(options["cap"]), record)


RULES: Final = HexoRules()
