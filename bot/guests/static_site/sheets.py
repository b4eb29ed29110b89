"""The boards to print of a static site: a file for each choice that the page of the rules offers.

They are 100 kB for a game, and no visitor's browser keeps them for times without a connection.
"""

from collections.abc import Iterable, Mapping

import engine
from bot.drawing import Annotations
from bot.drawing.paper import PAPERS
from bot.drawing.pdf import as_pdf
from bot.drawing.sheet import board_sheet
from bot.drawing.track import goal_of


def sheets(boards: Mapping[str, Iterable[str]]) -> dict[str, bytes]:
    """Return the PDFs of these boards of games, by paths as in `js/learn/print_board.js`."""
    found = {}
    for game, names in boards.items():
        for board in names:
            start = engine.game(game, board).start()
            has_track = goal_of(start.game) is not None
            for coordinates, ending in ((False, ""), (True, "-coordinates")):
                notes = Annotations(coordinates=coordinates, track=has_track)
                for paper in PAPERS:
                    pdf = as_pdf(board_sheet(start, paper, notes), compress=True)
                    found[f"sheets/{game}/{board}-{paper.name}{ending}.pdf"] = pdf
    return found
