"""The command that takes the pictures for README and docs."""

import struct
from pathlib import Path

import engine
from tests.e2e.pictures import DESKTOP, PHONE, make_pictures, scripted_game


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
