"""A position as an SVG document."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, indent, tostring

from bot.drawing.board_layers import (
    Annotations,
    connections,
    everything,
    fixtures,
    ground,
    last_turn,
    stones,
    texts,
)
from bot.drawing.svg import (
    MARGIN,
    PIXELS_PER_UNIT,
    SHADES,
    STYLE_SHEET,
    gradient,
    group,
    number,
    style_sheet,
)
from bot.errors import ConfigurationError
from engine import Board, Position

NOTHING = Annotations()


def board_svg(
    position: Position, annotations: Annotations = NOTHING, title: str | None = None
) -> str:
    """The drawing; `title` is what a screen reader says, the game and the board if not given.

    Raises ConfigurationError if the annotations name cells that the board does not have.
    """
    annotations.check(position.game.board)
    root = _root(position.game.board)
    heading = Element("title")
    heading.text = _title(position) if title is None else title
    if not heading.text.isprintable():
        raise ConfigurationError(f"title {title!r}: it has characters that cannot be shown")
    root.append(heading)
    root.append(style_sheet(STYLE_SHEET))
    shades = Element("defs")
    shades.extend(gradient(name, *ends) for name, ends in SHADES.items())
    root.append(shades)
    root.extend(_layers(position, annotations))
    indent(root, " ")
    return tostring(root, encoding="unicode") + "\n"


def _layers(position: Position, annotations: Annotations) -> Iterator[Element]:
    """From the ground up."""
    yield group("ground", ground(position.game.board, annotations.highlighted))
    belongings = [connections(position, cell) for cell in annotations.connected]
    yield group("connections", (part for parts in belongings for part in parts))
    yield group("fixtures", fixtures(position.game.board))
    yield group("stones", stones(position))
    yield group("last-turn", last_turn(position, annotations))
    yield group("texts", texts(position, annotations))


def _root(board: Board) -> Element:
    left, top, width, height = frame(board)
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": " ".join(map(number, (left, top, width, height))),
        "width": number(round(width * PIXELS_PER_UNIT)),
        "height": number(round(height * PIXELS_PER_UNIT)),
        "role": "img",
    }
    return Element("svg", attributes)


def frame(board: Board) -> tuple[float, float, float, float]:
    """Left, top, width and height of what is drawn, in board units."""
    xs, ys = zip(*everything(board), strict=True)
    left, top = min(xs) - MARGIN, min(ys) - MARGIN
    return left, top, max(xs) + MARGIN - left, max(ys) + MARGIN - top


def _title(position: Position) -> str:
    game, count = position.game, len(position.turns)
    played = (
        f"after {count} {'turn' if count == 1 else 'turns'}" if count else "before the first turn"
    )
    return f"{game.info.title} on {game.board.name}, {played}"
