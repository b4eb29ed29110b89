"""The picture on the architecture page is the house as it stands."""

from tools.import_graph import PACKAGES, floors
from tools.rooms import PICTURE, picture


def test_the_picture_is_drawn_from_these_sources() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), "run: make rooms"


def test_every_room_has_a_docstring() -> None:
    silent = [
        room.module
        for house in PACKAGES
        for floor in floors(house)
        for room in floor
        if len(room.subject) < 10
    ]
    assert silent == []
