"""Reading drawings back."""

from xml.etree.ElementTree import Element, fromstring

import engine
from bot.drawing import Annotations, board_svg

SVG = "{http://www.w3.org/2000/svg}"


def position(name: str, turns: str = "", board: str | None = None) -> engine.Position:
    reached = engine.game(name, board=board).start()
    for turn in turns.split():
        reached = reached.play(turn)
    return reached


class Picture:
    """A drawing, parsed."""

    def __init__(
        self, position: engine.Position, notes: Annotations | None = None, title: str | None = None
    ) -> None:
        self.text = board_svg(position, notes or Annotations(), title)
        self.root = fromstring(self.text)

    def all(self, css_class: str) -> list[Element]:
        return [one for one in self.root.iter() if css_class in one.get("class", "").split()]

    def cells(self, *css_classes: str) -> set[str]:
        """The cells whose stones have all those classes."""
        wanted = {"stone", *css_classes}
        return {
            one.get("data-cell", "")
            for one in self.all("stone")
            if wanted <= set(one.get("class", "").split())
        }

    def places(self, css_class: str) -> set[tuple[float, float]]:
        """The centres of circles, and where texts stand."""
        return {centre(one) for one in self.all(css_class)}


def centre(element: Element) -> tuple[float, float]:
    x, y = (element.get("cx") or element.get("x"), element.get("cy") or element.get("y"))
    assert x is not None
    assert y is not None
    return float(x), float(y)


def rounded(point: tuple[float, float]) -> tuple[float, float]:
    return round(point[0], 3) + 0.0, round(point[1], 3) + 0.0
