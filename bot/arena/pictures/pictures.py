"""Pictures of positions and games: what is drawn, as SVG, PDF, PNG or GIF.

Drawings are made in threads, pictures in a child process and animations in another one
(`Renderer`), so that a picture never waits for an animation. Each is made one at a time, for one
address after the other, and cached. Positions come from the database, so that every process of an
arena can draw every game.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import engine
from bot.arena.games.lines import GameLine
from bot.arena.http.documents import Document, DocumentCache
from bot.arena.pictures.renderer import Renderer
from bot.arena.refusals import Refused, sentence
from bot.drawing import Annotations, board_svg
from bot.drawing.board_svg import frame
from bot.drawing.paper import Paper
from bot.drawing.pdf import as_pdf
from bot.drawing.raster import Picture
from bot.drawing.sheet import board_sheet
from bot.drawing.track import goal_of
from bot.errors import ConfigurationError
from bot.runtime.workers import Workers

WAITING: Final = 16
"""Requests that may wait for a picture; further ones are refused."""
KEPT_BYTES: Final = 16_000_000
"""For each form of pictures."""
MOST_FRAMES: Final = 100
"""A longer game is animated with several turns a frame."""
MOST_CELLS: Final = 20_000
"""On an unbounded board; a drawing takes 5 ms for 1,000 cells."""
TYPES: Final = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "gif": "image/gif",
}
LAST_TURN: Final = Annotations(last_turn=True)


@dataclass(frozen=True)
class Sheet:
    """What a PDF has. `track` is None for a scoring track where captured stones are counted."""

    paper: Paper
    coordinates: bool = False
    track: bool | None = None


@dataclass(frozen=True)
class PictureView:
    """How a position is shown: its ply, the width of a PNG or GIF in pixels, and if as a card.

    A PDF has a `sheet`.
    """

    ply: int
    width: int = 0
    is_card: bool = False
    sheet: Sheet | None = None


class Pictures:
    """Makes and caches pictures."""

    def __init__(self, renderer: Renderer, animator: Renderer, workers: Workers) -> None:
        self._renderer = renderer
        self._animator = animator
        self._workers = workers
        self._caches = {form: DocumentCache(KEPT_BYTES, WAITING) for form in TYPES}

    async def close(self) -> None:
        await self._renderer.close()
        await self._animator.close()

    async def get(self, line: GameLine, view: PictureView, form: str) -> Document:
        """The picture of a position as `svg`, `pdf` or `png`, or that of all turns as `gif`.

        Raises Refused if there is no such game or turn, or if the picture cannot be made now.
        """

        async def drawn() -> bytes:
            return (await self._workers.run(_drawing, line, view.ply)).encode()

        async def printed() -> bytes:
            return await self._workers.run(_printed, line, view)

        async def rendered() -> bytes:
            drawing = await self._workers.run(_drawing, line, view.ply)
            return await self._renderer.render(Picture((drawing,), view.width, view.is_card))

        async def animated() -> bytes:
            frames = await self._frames(line)
            return await self._animator.render(Picture(frames, view.width, is_animated=True))

        make = {"svg": drawn, "pdf": printed, "png": rendered, "gif": animated}[form]
        return await self._caches[form].get((line, view), None, make, TYPES[form])

    async def _frames(self, line: GameLine) -> tuple[str, ...]:
        """The drawings of an animation; each is a piece of work of its own."""
        positions = await self._workers.run(_positions, line)
        # All of them show what the last one shows.
        view = await self._workers.run(lambda: frame(_checked(positions[-1]).shown_board))
        return tuple(
            [
                await self._workers.run(board_svg, each, LAST_TURN, view=view)
                for each in _chosen(positions)
            ]
        )


def _drawing(line: GameLine, ply: int) -> str:
    return board_svg(_checked(line.position(ply)), LAST_TURN)


def _printed(line: GameLine, view: PictureView) -> bytes:
    position, sheet = line.position(view.ply), view.sheet
    assert sheet is not None
    track = goal_of(position.game) is not None if sheet.track is None else sheet.track
    notes = Annotations(last_turn=True, coordinates=sheet.coordinates, track=track)
    try:
        return as_pdf(board_sheet(_checked(position), sheet.paper, notes))
    except ConfigurationError as error:
        raise Refused("invalid", sentence(str(error))) from error


def _positions(line: GameLine) -> list[engine.Position]:
    """The positions of a game, from its start to its end."""
    positions = [line.position(0)]
    for turn in line.turns:
        positions.append(positions[-1].play(turn))
    return positions


def _chosen(positions: Sequence[engine.Position]) -> Sequence[engine.Position]:
    """At most about `MOST_FRAMES` of the positions, the last one included."""
    step = math.ceil(len(positions) / MOST_FRAMES)
    return positions[::-step][::-1]


def _checked(position: engine.Position) -> engine.Position:
    if len(position.shown_board.cells) > MOST_CELLS:
        raise Refused("invalid", "The stones lie too far apart for a picture.")
    return position
