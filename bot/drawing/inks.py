"""The colours of a drawing on paper, as attributes of its elements.

A sheet has no style sheet: programs that cut and plot, and `bot.drawing.pdf`, read attributes only.
"""

from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element

from bot.drawing import svg


@dataclass(frozen=True)
class Ink:
    """How elements of a class are printed: colours, and lengths in mm, whatever the board's scale.

    `text_units` is the size of letters in board units.
    """

    fill: str = "none"
    stroke: str = "none"
    width_mm: float = 0.25
    dash_mm: tuple[float, float] | None = None
    text_units: float | None = None


WHITE: Final = "#ffffff"
BLACK: Final = "#000000"
BLUE: Final = "#1a56d6"
RED: Final = "#b3261e"
HALO_MM: Final = 1.2
"""The width of the white line around letters, so that they can be read on lines."""

INKS: Final[tuple[tuple[str, Ink | None], ...]] = (
    ("plate", None),
    ("track", None),
    ("shadow", None),
    ("lines", Ink(stroke="#222222")),
    ("dot", Ink("#222222")),
    ("label", Ink("#444444", text_units=0.36)),
    ("link", Ink(stroke="#6f8fd0", dash_mm=(1.0, 1.1))),
    ("blue", Ink("#6ea0f5", BLUE, 0.35)),
    ("star", Ink("#f2b01e", "#8a5f06", 0.3)),
    ("highlight", Ink("#d5e3ff")),
    ("connection", Ink(stroke="#a9c4f7", width_mm=2.5)),
    ("touch", Ink(stroke=BLUE, width_mm=0.8)),
    ("liberty", Ink(stroke=BLUE, width_mm=0.7, dash_mm=(1.4, 1.4))),
    ("sight", Ink(stroke=BLUE, width_mm=0.9)),
    ("gaze", Ink(stroke="#c07a00", width_mm=0.9)),
    ("player-1 body", Ink("#151a24", BLACK)),
    ("player-2 body", Ink(WHITE, BLACK, 0.35)),
    ("player-1 kind-2 body", Ink("#b3263e", "#6e0f21")),
    ("player-2 kind-2 body", Ink("#f2cf62", "#8a6410", 0.35)),
    ("player-1 kind-1 uninspired body", Ink("#8a909c", BLACK)),
    ("kind-ring", Ink(stroke="#ffd9de", width_mm=0.5)),
    ("player-2 kind-ring", Ink(stroke="#6b4a05", width_mm=0.5)),
    ("slash", Ink(stroke=RED, width_mm=0.8)),
    ("cross", Ink(stroke=RED, width_mm=0.8)),
    ("ghost", Ink(WHITE, "#5a667a", 0.3, (1.2, 1.2))),
    ("last", Ink("#7fb0ff", BLUE, 0.5)),
    ("last-ring", Ink(stroke="#4a8dff", width_mm=0.7)),
    ("field", Ink(WHITE, "#555555")),
    ("goal", Ink("#f2b01e", "#8a5f06", 0.35)),
    ("count", Ink("#222222")),
    ("count on-1-1", Ink(WHITE)),
    ("text", Ink(BLACK, text_units=0.42)),
    ("text on-1-1", Ink(WHITE, text_units=0.42)),
    ("text on-1-2", Ink(WHITE, text_units=0.42)),
    ("name", Ink("#555555")),
    ("caption", Ink("#222222")),
)
"""Classes and their ink. Of several that fit, the last one holds. None: not printed."""

SHAPES: Final = frozenset({"circle", "path", "rect", "text"})


def inked(element: Element, scale: float, around: frozenset[str] = frozenset()) -> Element | None:
    """Return an element with its colours, and its children likewise; None if it is not printed.

    `scale` is how many millimetres its unit has, `around` the classes of the groups around it.
    """
    words = around.union((element.get("class") or "").split())
    made = Element(element.tag, element.attrib)
    made.text = element.text
    if element.tag in SHAPES:
        ink = ink_of(words)
        if ink is None:
            return None
        _colour(made, ink, scale, is_haloed="on-ground" in words)
    children = (inked(child, scale, words) for child in element)
    made.extend(child for child in children if child is not None)
    return made


def ink_of(words: frozenset[str]) -> Ink | None:
    """Return the ink of an element by its classes and those of its groups.

    Raises KeyError for a class without one.
    """
    for classes, ink in reversed(INKS):
        if words.issuperset(classes.split()):
            return ink
    raise KeyError(*sorted(words))


def _colour(element: Element, ink: Ink, scale: float, *, is_haloed: bool) -> None:
    element.set("fill", ink.fill)
    if ink.stroke != "none":
        element.set("stroke", ink.stroke)
        element.set("stroke-width", svg.number(ink.width_mm / scale))
    if ink.dash_mm is not None:
        element.set("stroke-dasharray", " ".join(svg.number(mm / scale) for mm in ink.dash_mm))
    if ink.text_units is not None:
        element.set("font-size", svg.number(ink.text_units))
    if is_haloed:
        element.set("stroke", WHITE)
        element.set("stroke-width", svg.number(HALO_MM / scale))
        element.set("paint-order", "stroke")
