"""Pictures and animations: made apart, so that neither waits for the other."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.arena.games.lines import GameLine
from bot.arena.pictures.pictures import Pictures, PictureView
from bot.arena.pictures.renderer import Renderer
from bot.drawing.raster import Picture
from bot.runtime.workers import Workers
from tests.fakes.waiting import eventually

GAME = GameLine("bluestone", "pent-3", None, (), ("0-0", "2-1,2-4"))


class Slow(Renderer):
    """Makes pictures when it is let go."""

    def __init__(self) -> None:
        super().__init__(())
        self.goes_on = asyncio.Event()
        self.asked: list[Picture] = []

    async def render(self, picture: Picture) -> bytes:
        self.asked.append(picture)
        await self.goes_on.wait()
        return b"picture"


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    made = Workers()
    yield made
    made.close()


async def test_a_picture_does_not_wait_for_an_animation(workers: Workers) -> None:
    renderer, animator = Slow(), Slow()
    pictures = Pictures(renderer, animator, workers)
    animation = asyncio.create_task(pictures.get(GAME, PictureView(2, 100), "gif"))
    await eventually(lambda: len(animator.asked) >= 1)
    renderer.goes_on.set()
    small = await pictures.get(GAME, PictureView(2, 100), "png")
    drawing = await pictures.get(GAME, PictureView(2, 100), "svg")
    assert small.bodies["identity"] == b"picture"
    assert drawing.content_type == "image/svg+xml"
    assert not animation.done()
    animator.goes_on.set()
    assert (await animation).content_type == "image/gif"
    await pictures.close()


async def test_an_animation_shows_each_turn_on_the_same_board(workers: Workers) -> None:
    animator = Slow()
    animator.goes_on.set()
    pictures = Pictures(Slow(), animator, workers)
    await pictures.get(GAME, PictureView(2, 100), "gif")
    (made,) = animator.asked
    assert [frame.count("data-cell") for frame in made.drawings] == [0, 1, 3]
    boxes = {frame.partition("viewBox=")[2].partition(">")[0] for frame in made.drawings}
    assert len(boxes) == 1
