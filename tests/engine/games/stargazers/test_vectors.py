"""Every recorded game of Stargazers, reproduced in every field (rule set `ludii`).

The games come from Ludii 1.3.13. They name cells by Ludii's index of the site: rows from the
bottom, stars included.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.boards.stars import star_board
from engine.kernel import calls
from tests.matrix import nightly_after

VECTORS = Path(__file__).parents[1] / "vectors"
FILES = {
    "stargazers-39-122": 36,
    "stargazers-39-alt": 36,
    "stargazers-63-122": 15,
    "stargazers-63-alt": 9,
    "stargazers-111-122": 3,
    "stargazers-111-alt": 2,
}


def recorded(file: str) -> list[dict[str, Any]]:
    with gzip.open(VECTORS / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def sites(board: str) -> dict[int, str]:
    """The cell at each site; sites of stars are left out."""
    shape = star_board(board)
    names = [*shape.board.cells, *shape.star_names]
    points = [*shape.board.positions, *shape.board.stars]
    order = sorted(range(len(names)), key=lambda i: (-points[i][1], points[i][0]))
    return {site: names[i] for site, i in enumerate(order) if names[i] in shape.board}


class Replay:
    """A game played by single placements, as Ludii counts them."""

    def __init__(self, file: str) -> None:
        _, size, protocol = file.split("-")
        board = f"stars-{size}"
        options = {"alt": "alternating", "122": "122"}
        self.game = engine.game(
            "stargazers", board=board, rules="ludii", protocol=options[protocol]
        )
        self.state = self.game.start().record()
        self.cell_at = sites(board)
        self.site_of = {cell: site for site, cell in self.cell_at.items()}

    def legal(self) -> list[int]:
        steps = self.game.mechanics.steps(self.state)
        return sorted(self.site_of[self.game.board.cells[step]] for step in steps)

    def place(self, site: int) -> None:
        step = self.game.board.index(self.cell_at[site])
        assert calls.try_step(self.game.record, self.state, step)

    def uninspired(self) -> list[list[int]]:
        """Each player's uninspired stones; as many as the state counts."""
        found: list[list[int]] = [[], []]
        for cell in self.game.mechanics.marks(self.state):
            owner = int(self.state["cells"][self.game.board.index(cell)])
            found[owner - 1].append(self.site_of[cell])
        assert [len(sites) for sites in found] == self.state["uninspired"].tolist()
        return [sorted(sites) for sites in found]

    def blocked(self, player: int) -> list[int]:
        cells = self.state["blocked"][player - 1].nonzero()[0].tolist()
        return sorted(self.site_of[self.game.board.cells[cell]] for cell in cells)


def check(file: str, game: dict[str, Any]) -> None:
    replay = Replay(file)
    for number, ply in enumerate(game["plies"]):
        assert replay.state["over"] == 0
        assert (replay.state["player"], replay.legal()) == (ply["mover"], sorted(ply["legal"]))
        replay.place(ply["cell"])
        assert replay.uninspired() == [sorted(ply["un1"]), sorted(ply["un2"])], number
        assert replay.blocked(1) == sorted(ply["rem1"]), number
        assert replay.blocked(2) == sorted(ply["rem2"]), number
    assert replay.state["over"] == 1
    assert calls.outcome(replay.game.record, replay.state) == game["winner"]


@pytest.mark.parametrize("file", nightly_after(2, FILES))
def test_recorded_games(file: str) -> None:
    games = recorded(file)
    assert len(games) == FILES[file]
    for game in games:
        check(file, game)
