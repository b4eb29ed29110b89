"""The command that takes the pictures for README and docs."""

import struct
from pathlib import Path

import engine
from tests.e2e.browser.places import PLACES
from tests.e2e.browser.scripted_game import scripted_game
from tools.gallery import MOST_BYTES, make_gallery
from tools.pictures import DESKTOP, PHONE, make_pictures


def size(path: Path) -> tuple[int, int]:
    """Width and height of a PNG, from its header."""
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    return width, height


async def test_all_pictures_are_taken_of_a_real_arena(chromium: str, tmp_path: Path) -> None:
    script = scripted_game(engine.game("bluestone", board="pent-4"), nodes=50)
    taken = await make_pictures(script, chromium, tmp_path)
    desktop = DESKTOP["width"], DESKTOP["height"]
    assert {path.name: size(path) for path in taken} == {
        "lobby.png": desktop,
        "game.png": desktop,
        "finished.png": desktop,
        "phone.png": (PHONE["width"], PHONE["height"]),
    }


async def test_the_gallery_has_small_pictures_for_desktop_phone_and_dark(
    chromium: str, tmp_path: Path
) -> None:
    script = scripted_game(engine.game("bluestone", board="pent-4"), nodes=50)
    lobby = [place for place in PLACES if place.name == "lobby"]
    taken = await make_gallery([script], chromium, tmp_path, lobby)
    names = {"lobby-desktop.png", "lobby-phone.png", "lobby-dark.png"}
    assert {path.name for path in taken} == names
    assert all(path.stat().st_size <= MOST_BYTES for path in taken)
