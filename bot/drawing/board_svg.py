"""A position as an SVG document."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, indent, tostring

from bot.drawing import board_layers as layers
from bot.drawing import svg, track
from bot.errors import ConfigurationError
from engine import Board, Position

NOTHING = layers.Annotations()
Frame = tuple[float, float, float, float]
"""Left, top, width and height, in board units."""


def board_svg(
    position: Position,
    annotations: layers.Annotations = NOTHING,
    title: str | None = None,
    view: Frame | None = None,
) -> str:
    """Draw a position. `title` is the text for screen readers, by default the game and the board.

    `view` is the part of the plane that is shown, by default the `frame` of the position's board.

    Raises ConfigurationError if the annotations name cells that the board does not have, or want a
    track in a game that does not count captured stones.
    """
    annotations.check(position.shown_board)
    around = track_of(position, position.shown_board) if annotations.track else None
    margin = svg.MARGIN if around is None else around.reach
    root = _root(view or frame(position.shown_board, margin))
    heading = Element("title")
    heading.text = title_of(position, title)
    root.append(heading)
    root.append(svg.style_sheet(svg.STYLE_SHEET + (track.STYLE_SHEET if around else "")))
    shades = Element("defs")
    shades.extend(svg.gradient(name, *ends) for name, ends in svg.SHADES.items())
    root.append(shades)
    if around:
        root.append(svg.group("scoring-track", track.elements(around, track.captured(position))))
    root.extend(_layers(position, annotations))
    indent(root, " ")
    return tostring(root, encoding="unicode") + "\n"


def track_of(position: Position, board: Board) -> track.Track:
    """Return the track around the board as it is drawn, with labels or without them.

    Raises ConfigurationError if the game has none.
    """
    goal = track.goal_of(position.game)
    if goal is None:
        title = position.game.info.title
        raise ConfigurationError(f"{title} has no track: it does not count captured stones")
    return track.track(layers.everything(board), goal)


def _layers(position: Position, annotations: layers.Annotations) -> Iterator[Element]:
    """Yield the layers from bottom to top."""
    yield svg.group("ground", layers.ground(position.shown_board, annotations.highlighted))
    belongings = [layers.connections(position, cell) for cell in annotations.connected]
    yield svg.group("connections", (part for parts in belongings for part in parts))
    yield svg.group("fixtures", layers.fixtures(position.shown_board))
    yield svg.group("stones", layers.stones(position))
    yield svg.group("last-turn", layers.last_turn(position, annotations))
    yield svg.group("texts", layers.texts(position, annotations))


def _root(view: Frame) -> Element:
    left, top, width, height = view
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": " ".join(map(svg.number, (left, top, width, height))),
        "width": svg.number(round(width * svg.PIXELS_PER_UNIT)),
        "height": svg.number(round(height * svg.PIXELS_PER_UNIT)),
        "role": "img",
    }
    return Element("svg", attributes)


def frame(board: Board, margin: float = svg.MARGIN) -> Frame:
    """Return left, top, width and height of the drawing, in board units."""
    xs, ys = zip(*layers.everything(board), strict=True)
    left, top = min(xs) - margin, min(ys) - margin
    return left, top, max(xs) + margin - left, max(ys) + margin - top


def title_of(position: Position, title: str | None) -> str:
    """Return the title of a drawing, by default what it shows. Raises ConfigurationError."""
    if title is not None:
        if not title.isprintable():
            raise ConfigurationError(f"title {title!r}: it has characters that cannot be shown")
        return title
    game, count = position.game, len(position.turns)
    played = (
        f"after {count} {'turn' if count == 1 else 'turns'}" if count else "before the first turn"
    )
    return f"{game.info.title} on {game.board.name}, {played}"
