"""The scoring track: fields around the board on which the players' captured stones are counted.

The fields go clockwise from the left end of the upper side. A track with more than `MOST_FIELDS`
captures has one field for every 2, 5, 10 or 20 of them.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element

from bot.drawing import svg
from engine import Game, Position
from engine.boards.grid import Point

CAPTURES: Final = "captures"
"""What the scores of a game count that has a track. The option of that name is the goal."""
MOST_FIELDS: Final = 60
"""Not counting the field of 0."""
STEPS: Final = (1, 2, 5, 10, 20)
NUMBERED: Final = 5
"""Every fifth field has its number."""

GAP: Final = 0.15
"""Between the stones at the edge and the fields."""
LEAST_RADIUS: Final = 0.3
RADIUS_OF_EXTENT: Final = 0.03
"""Larger boards are drawn smaller, and need larger fields."""
FIELD: Final = 0.42
MARKER: Final = 0.5
"""The largest radii of fields and markers, as parts of the distance between two fields."""
DIGITS: Final = 3.0
"""How many radii of a field its number may be long, if its digits were as wide as high."""
LEAST_LETTERS: Final = 0.7
"""Of the usual size."""
RIM: Final = 0.1
"""Outside the fields."""


@dataclass(frozen=True)
class Track:
    """A track around a board.

    `captures` has the number of captured stones for each field, from 0 to the goal, and `places`
    has the fields' centres. `reach` is how far the track extends from the outline of the board.
    """

    outline: tuple[Point, ...]
    captures: tuple[int, ...]
    places: tuple[Point, ...]
    field_radius: float
    marker_radius: float
    letters: float
    reach: float

    def field_of(self, captured: int) -> int:
        """Return the index of the last field that a player with this many captures has reached."""
        return sum(1 for each in self.captures if each <= captured) - 1

    def letters_of(self, count: int) -> float:
        """Return the size of the digits of a number, so that it fits into its field."""
        fitting = DIGITS * self.field_radius / len(str(count))
        return max(LEAST_LETTERS * self.letters, min(self.letters, fitting))


def goal_of(game: Game) -> int | None:
    """Return how many captured stones win; None if the game does not count them."""
    score = game.info.score
    return int(game.all_options[score]) if score == CAPTURES else None


def captured(position: Position) -> tuple[int, int]:
    """Return how many stones each player has captured in a game that counts them."""
    one, two = position.scores
    return int(one), int(two)


def track(points: Iterable[Point], goal: int) -> Track:
    """Lay a track around the points of a board, for 0 to `goal` captured stones."""
    outline = _from_upper_left(svg.hull(points))
    captures = fields(goal)
    largest = max(LEAST_RADIUS, RADIUS_OF_EXTENT * _extent(outline))
    away = svg.STONE_RADIUS + GAP + largest
    apart = _around(outline, away) / len(captures)
    marker = min(largest, MARKER * apart)
    return Track(
        outline=tuple(outline),
        captures=captures,
        places=tuple(_walk(outline, away, apart, len(captures))),
        field_radius=min(largest, FIELD * apart),
        marker_radius=marker,
        letters=largest,
        reach=away + largest + RIM,
    )


def fields(goal: int) -> tuple[int, ...]:
    """Return the number of captures of each field."""
    step = next(
        (each for each in STEPS if goal <= each * MOST_FIELDS), math.ceil(goal / MOST_FIELDS)
    )
    return (*range(0, goal, step), goal)


def _extent(outline: Sequence[Point]) -> float:
    xs, ys = [x for x, _ in outline], [y for _, y in outline]
    return max(max(xs) - min(xs), max(ys) - min(ys))


def _from_upper_left(outline: list[Point]) -> list[Point]:
    """Let the outline begin at its highest corner, the left one of several."""
    start = min(range(len(outline)), key=lambda i: (round(outline[i][1], 6), outline[i][0]))
    return outline[start:] + outline[:start]


def _sides(outline: Sequence[Point]) -> Iterator[tuple[Point, Point, Point]]:
    """Yield the ends of each side, and the unit vector that points away from the board."""
    for index, (x, y) in enumerate(outline):
        to_x, to_y = outline[(index + 1) % len(outline)]
        length = math.hypot(to_x - x, to_y - y)
        yield (x, y), (to_x, to_y), ((to_y - y) / length, (x - to_x) / length)


def _around(outline: Sequence[Point], away: float) -> float:
    """Return the length of the line that has this distance from the outline."""
    return math.fsum(math.dist(a, b) for a, b, _ in _sides(outline)) + math.tau * away


def _walk(outline: Sequence[Point], away: float, apart: float, count: int) -> Iterator[Point]:
    """Yield points that are this far from the outline and from each other, along the line."""
    sides = list(_sides(outline))
    walked, index = 0.0, 0
    for here, (a, b, (u, v)) in enumerate(sides):
        length, (next_u, next_v) = math.dist(a, b), sides[(here + 1) % len(sides)][2]
        turn = math.atan2(u * next_v - v * next_u, u * next_u + v * next_v)
        while index < count and index * apart < walked + length + turn * away:
            on = index * apart - walked
            part, angle = min(on / length, 1.0), max(0.0, on - length) / away
            cos, sin = math.cos(angle), math.sin(angle)
            yield (
                a[0] + part * (b[0] - a[0]) + away * (u * cos - v * sin),
                a[1] + part * (b[1] - a[1]) + away * (u * sin + v * cos),
            )
            index += 1
        walked += length + turn * away


def elements(track: Track, captured: tuple[int, int] | None) -> Iterator[Element]:
    """Draw the track, and a marker with its count for each player; None: without markers."""
    ground = svg.outline("track", track.outline)
    ground.set("stroke-width", svg.number(2 * track.reach))
    yield ground
    last = len(track.places) - 1
    for index, (place, count) in enumerate(zip(track.places, track.captures, strict=True)):
        is_goal = index == last
        yield svg.circle("field goal" if is_goal else "field", place, track.field_radius)
        if is_goal or (index % NUMBERED == 0 and last - index > 1):
            yield _count(track, index, count, "field-number")
    if captured is not None:
        yield from _markers(track, captured)


def _markers(track: Track, captured: tuple[int, int]) -> Iterator[Element]:
    """Draw both markers: as halves of a disc if they are on the same field."""
    one, two = (track.field_of(count) for count in captured)
    for player, (at, count) in enumerate(zip((one, two), captured, strict=True), start=1):
        if one == two:
            parts = [_half(track.places[at], track.marker_radius, player)]
        else:
            disc = svg.circle("body", track.places[at], track.marker_radius)
            parts = [disc, _count(track, at, count, f"on-{player}-1")]
        css_class = f"marker player-{player} kind-1"
        yield svg.group(css_class, parts, data_captured=str(count))
    if captured[0] == captured[1]:
        yield _count(track, one, captured[0], "on-ground")


def _half(centre: Point, radius: float, player: int) -> Element:
    """Draw the left half of a disc for player 1, the right one for player 2."""
    x, size = svg.number(centre[0]), svg.number(radius)
    top, bottom = svg.number(centre[1] - radius), svg.number(centre[1] + radius)
    arc = f"A{size} {size} 0 0 {player - 1} {x} {bottom}"
    return svg.element("path", "body", d=f"M{x} {top}{arc}Z")


def _count(track: Track, field: int, count: int, css_class: str) -> Element:
    x, y = track.places[field]
    size = track.letters_of(count)
    made = svg.label(f"count {css_class}", (x, y + 0.36 * size), str(count))
    made.set("font-size", svg.number(size))
    return made


STYLE_SHEET: Final = """
.track { fill: #d3dceb; stroke: #d3dceb; stroke-linejoin: round }
.field { fill: #f3f6fb; stroke: #a3b0c4; stroke-width: .03 }
.goal { fill: #f2b01e; stroke: #a87408 }
.marker .body { stroke-width: .05 }
.count { font-weight: 600 }
.goal + .count { paint-order: stroke; stroke: #f2b01e; stroke-width: .08 }
"""
