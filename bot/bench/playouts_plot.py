"""Playouts a second drawn as bars, one a board, on a logarithmic scale."""

import math
from collections.abc import Sequence
from html import escape
from typing import Final

from bot.bench.playouts import PlayoutSpeed

ROW: Final = 22
LABELS: Final = 170
BARS: Final = 420
FIGURES: Final = 80
TOP: Final = 34
COLOURS: Final = ("#3a6ea5", "#b3263e", "#b8860b", "#4b7f52")
"""One a game, in the order in which they come; each readable on white and on black."""
STYLE: Final = "text{font:12px system-ui,sans-serif;fill:#222}.quiet{fill:#666}line{stroke:#ccc}"


def speed_chart(speeds: Sequence[PlayoutSpeed]) -> str:
    """An SVG document; raises ValueError if there is nothing to draw."""
    lowest = math.floor(math.log10(min(speed.playouts for speed in speeds)))
    highest = math.ceil(math.log10(max(speed.playouts for speed in speeds)))
    highest = max(highest, lowest + 1)
    width, height = LABELS + BARS + FIGURES, TOP + ROW * len(speeds) + 12
    games = list(dict.fromkeys(speed.game for speed in speeds))

    def reach(playouts: float) -> float:
        return BARS * (math.log10(playouts) - lowest) / (highest - lowest)

    parts = [
        _grid_line(10**power, reach(10**power), height) for power in range(lowest, highest + 1)
    ]
    for row, speed in enumerate(speeds):
        colour = COLOURS[games.index(speed.game) % len(COLOURS)]
        parts.append(_bar(speed, TOP + ROW * row, reach(speed.playouts), colour))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">\n'
        "<title>Uniformly random playouts a second, on one thread</title>\n"
        f'<style>{STYLE}</style>\n<rect width="{width}" height="{height}" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _grid_line(figure: float, reach: float, height: int) -> str:
    x = LABELS + reach
    return (
        f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{height - 8}"/>'
        f'<text class="quiet" x="{x:.1f}" y="{TOP - 14}" text-anchor="middle">{figure:,.0f}</text>'
    )


def _bar(speed: PlayoutSpeed, y: float, reach: float, colour: str) -> str:
    middle = y + ROW / 2 + 4
    name = escape(f"{speed.game} {speed.board}")
    return (
        f'<text x="{LABELS - 10}" y="{middle:.0f}" text-anchor="end">{name}</text>'
        f'<rect x="{LABELS}" y="{y + 3:.0f}" width="{max(reach, 1):.1f}" height="{ROW - 6}" '
        f'fill="{colour}"/>'
        f'<text x="{LABELS + reach + 6:.1f}" y="{middle:.0f}">{speed.playouts:,}</text>'
    )
