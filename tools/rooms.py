"""The picture of the rooms: `make rooms` draws it from the sources.

Floors are those of the import rules in pyproject.toml. An arrow is an import; it is left out where
another way leads to the same room, and where it ends on the ground, on which everybody stands. What
the bot may see of the engine has a bold frame.
"""

import textwrap
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from tools import ROOT
from tools.import_graph import Room, arrows, contracts, floors

PICTURE: Final = ROOT / "docs" / "images" / "rooms.svg"

BOX: Final = (148, 66)
GAP: Final = 14
FLOOR: Final = 106
HEAD: Final = 44
MARGIN: Final = 18
LETTERS: Final = 25
"""How many letters of a subject fit into a line."""
MOST_LETTERS: Final = 36
"""How many letters of the names of parts fit into a line."""

STYLE: Final = """
text{font:10px system-ui,sans-serif;fill:#444;text-anchor:middle}
.house{font-size:15px;font-weight:600;text-anchor:start}
.note{text-anchor:start;fill:#666}
.parts{font-size:9px;fill:#5b7fa6}
.room{font-size:12px;font-weight:600;fill:#123}
.box{fill:#fff;stroke:#5b7fa6}
.engine .box{stroke:#a6805b}
.public .box{stroke-width:2.5}
.floor{fill:#eef3f8}
.engine .floor{fill:#f8f3ec}
.arrow{fill:none;stroke:#6d7b88;stroke-width:1.1;marker-end:url(#head)}
#head path{fill:#6d7b88}
"""


@dataclass(frozen=True)
class House:
    """A package with its floors, and where it stands in the picture."""

    name: str
    note: str
    rows: list[list[Room]]
    left: float

    @property
    def width(self) -> float:
        return max(map(len, self.rows)) * (BOX[0] + GAP) + GAP

    @property
    def height(self) -> float:
        return HEAD + len(self.rows) * FLOOR

    def places(self) -> dict[str, tuple[float, float]]:
        """The middle of the upper edge of each room's box."""
        return {
            room.module: (self._left_of(rooms, place) + BOX[0] / 2, HEAD + floor * FLOOR + 8)
            for floor, rooms in enumerate(self.rows)
            for place, room in enumerate(rooms)
        }

    def _left_of(self, rooms: list[Room], place: int) -> float:
        spread = self.width / len(rooms)
        return self.left + spread * (place + 0.5) - BOX[0] / 2


def houses() -> list[House]:
    """The bot on the left, the engine on the right."""
    bot = House("bot", "each floor knows those below it", floors("bot"), MARGIN)
    left = MARGIN + bot.width + MARGIN
    return [bot, House("engine", "bold: what the bot may see", floors("engine"), left)]


def picture() -> str:
    """The rooms as an SVG document."""
    both = houses()
    width = both[-1].left + both[-1].width + MARGIN
    height = max(house.height for house in both)
    view = f"0 0 {width:g} {height:g}"
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": view, "role": "img"})
    SubElement(svg, "title").text = "The rooms of the house, and which imports which"
    SubElement(svg, "style").text = STYLE
    SubElement(svg, "rect", {"width": f"{width:g}", "height": f"{height:g}", "fill": "#fff"})
    svg.append(_arrow_head())
    svg.extend(_floors(house) for house in both)
    places = {module: place for house in both for module, place in house.places().items()}
    lowest = {room.module for house in both for room in house.rows[-1]}
    for here, there in arrows():
        same_house = here.partition(".")[0] == there.partition(".")[0]
        if same_house and {here, there} <= places.keys() and there not in lowest:
            svg.append(_arrow(places[here], places[there]))
    svg.extend(_boxes(house) for house in both)
    return tostring(svg, encoding="unicode") + "\n"


def _floors(house: House) -> Element:
    group = Element("g", {"class": house.name})
    heading = {"x": f"{house.left:g}", "y": "28"}
    SubElement(group, "text", {"class": "house", **heading}).text = house.name
    note = {"class": "note", "x": f"{house.left + 62:g}", "y": "28"}
    SubElement(group, "text", note).text = house.note
    for floor in range(len(house.rows)):
        place = {"x": f"{house.left:g}", "y": f"{HEAD + floor * FLOOR}"}
        size = {"width": f"{house.width:g}", "height": f"{BOX[1] + 16}", "rx": "6"}
        SubElement(group, "rect", {"class": "floor", **place, **size})
    return group


def _boxes(house: House) -> Element:
    group = Element("g", {"class": house.name})
    hidden = contracts()["what-bot-sees-of-the-engine"]["protected_modules"]
    places = house.places()
    for room in (room for rooms in house.rows for room in rooms):
        box = _box(room, *places[room.module])
        if house.name == "engine" and room.module not in hidden:
            box.set("class", "public")
        group.append(box)
    return group


def _box(room: Room, middle: float, top: float) -> Element:
    box = Element("g", {"transform": f"translate({middle - BOX[0] / 2:g} {top:g})"})
    size = {"width": str(BOX[0]), "height": str(BOX[1])}
    SubElement(box, "rect", {"class": "box", "rx": "7", **size})
    centre = f"{BOX[0] / 2:g}"
    name = SubElement(box, "text", {"class": "room", "x": centre, "y": "16"})
    name.text = room.name
    room_for = 2 if room.parts else 3
    lines = textwrap.wrap(room.subject, LETTERS, max_lines=room_for, placeholder=" …")
    for number, line in enumerate(lines):
        SubElement(box, "text", {"x": centre, "y": f"{31 + 12 * number}"}).text = line
    parts = SubElement(box, "text", {"class": "parts", "x": centre, "y": "59"})
    names = " ".join(f"{part}/" for part in room.parts)
    parts.text = names if len(names) <= MOST_LETTERS else f"{len(room.parts)} rooms of its own"
    return box


def _arrow_head() -> Element:
    attributes = {"id": "head", "viewBox": "0 0 8 8", "refX": "7", "refY": "4"}
    size = {"markerWidth": "7", "markerHeight": "7", "orient": "auto"}
    head = Element("marker", {**attributes, **size})
    SubElement(head, "path", {"d": "M0 0L8 4L0 8Z"})
    return head


def _arrow(here: tuple[float, float], there: tuple[float, float]) -> Element:
    """Towards the middle of its target, a little to the side that it comes from."""
    lean = max(-0.3, min(0.3, (there[0] - here[0]) / 600)) * BOX[0]
    (x, y), (end, bottom) = (here[0] + lean, here[1] + BOX[1]), (there[0] - lean, there[1])
    bend = min(40.0, (bottom - y) / 2)
    curve = f"C{x:g} {y + bend:g} {end:g} {bottom - bend:g} {end:g} {bottom:g}"
    return Element("path", {"class": "arrow", "d": f"M{x:g} {y:g}{curve}"})


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))
