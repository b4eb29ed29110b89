"""The program that makes pictures: it is replaced when it fails."""

import asyncio
import sys
from collections.abc import AsyncIterator

import pytest

from bot.arena.pictures.renderer import Renderer
from bot.arena.refusals import Refused
from bot.drawing.raster import Picture

ECHO = """
import sys
while len(head := sys.stdin.buffer.read(4)) == 4:
    body = sys.stdin.buffer.read(int.from_bytes(head, "big"))
    if b"die" in body:
        sys.exit(1)
    if b"hang" in body:
        sys.stdin.buffer.read()
    answer = b"no" if b"bad" in body else b"yes"
    sys.stdout.buffer.write(bytes([answer == b"yes"]) + len(answer).to_bytes(4, "big") + answer)
    sys.stdout.buffer.flush()
"""


def asking(word: str) -> Picture:
    return Picture((word,), 100)


@pytest.fixture
async def program() -> AsyncIterator[Renderer]:
    made = Renderer((sys.executable, "-c", ECHO), picture_s=2.0)
    yield made
    await made.close()


@pytest.mark.parametrize("word", ["die", "hang", "bad"])
async def test_a_failure_is_refused_and_the_next_picture_is_made(
    program: Renderer, word: str
) -> None:
    assert await program.render(asking("good")) == b"yes"
    with pytest.raises(Refused, match="cannot be made"):
        await program.render(asking(word))
    assert await program.render(asking("good")) == b"yes"


async def test_a_request_that_is_cancelled_leaves_no_answer_for_the_next_one(
    program: Renderer,
) -> None:
    assert await program.render(asking("good")) == b"yes"
    waiting = asyncio.create_task(program.render(asking("hang")))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await program.render(asking("good")) == b"yes"


async def test_a_program_that_cannot_be_started_is_no_error_of_the_server() -> None:
    with pytest.raises(Refused):
        await Renderer(("/no/such/program",)).render(asking("good"))
