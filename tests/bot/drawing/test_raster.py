"""Pictures of drawings: their sizes, the frames of animations, and the program that makes them."""

import io
from dataclasses import replace

import pytest
from PIL import Image, ImageSequence

import engine
from bot.drawing import board_svg
from bot.drawing.board_svg import frame
from bot.drawing.raster import CARD, Picture, main, rendered

POSITION = engine.game("bluestone", "pent-3").replay(["2-1", "0-0,2-4"])
DRAWING = board_svg(POSITION)


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def test_a_picture_has_the_width_that_is_asked_for_and_a_transparent_ground() -> None:
    image = opened(rendered(Picture((DRAWING,), 200)))
    assert (image.format, image.width) == ("PNG", 200)
    pixels = image.convert("RGBA")
    assert pixels.getpixel((0, 0))[3] == 0  # type: ignore[index]
    assert pixels.getpixel((100, image.height // 2))[3] == 255  # type: ignore[index]


def test_a_card_has_the_size_that_other_sites_show() -> None:
    image = opened(rendered(Picture((DRAWING,), 200, is_card=True)))
    assert image.size == CARD
    assert image.convert("RGBA").getpixel((5, 5))[3] == 255  # type: ignore[index]


def test_an_animation_shows_each_position_and_the_last_one_longer() -> None:
    view = frame(POSITION.shown_board)
    positions = [POSITION.game.replay(POSITION.turns[:ply]) for ply in range(3)]
    drawings = tuple(board_svg(each, view=view) for each in positions)
    image = opened(rendered(Picture(drawings, 120, is_animated=True)))
    times = [each.info["duration"] for each in ImageSequence.Iterator(image)]
    assert (image.format, image.width, image.info["loop"]) == ("GIF", 120, 0)
    assert times == [700, 700, 4000]


def test_all_frames_of_a_board_without_an_edge_show_the_same_part() -> None:
    last = engine.game("hexo").replay(["0:0", "1:0,0:1", "5:-5,4:0"])
    view = frame(last.shown_board)
    for ply in range(4):
        drawing = board_svg(last.game.replay(last.turns[:ply]), view=view)
        assert f'viewBox="{view[0]:g} ' in drawing


def answers_to(*requests: bytes) -> list[tuple[int, bytes]]:
    out, found = io.BytesIO(), []
    main(io.BytesIO(b"".join(requests)), out)
    data = out.getvalue()
    while data:
        length = int.from_bytes(data[1:5], "big")
        found.append((data[0], data[5 : 5 + length]))
        data = data[5 + length :]
    return found


def test_the_program_answers_one_request_after_the_other_and_goes_on_after_a_bad_one() -> None:
    good = Picture((DRAWING,), 64)
    first, bad, last = answers_to(
        good.encoded(), replace(good, drawings=("<svg",)).encoded(), good.encoded()
    )
    assert first == last
    assert (first[0], bad[0]) == (1, 0)
    assert opened(first[1]).width == 64


@pytest.mark.parametrize("cut", [b"", b"\0\0", b"\0\0\0\x10{}"])
def test_the_program_ends_with_its_input(cut: bytes) -> None:
    assert answers_to(cut) == []
