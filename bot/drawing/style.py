"""Sizes, in board units, and the style sheet of a drawing.

A drawing brings its own ground, so that it reads the same on light and on dark pages.
"""

from typing import Final

STONE_RADIUS: Final = 0.43
KIND_RING_RADIUS: Final = 0.27
BLUE_RADIUS: Final = 0.25
STAR_RADIUS: Final = 0.36
DOT_RADIUS: Final = 0.11
LIBERTY_RADIUS: Final = 0.34

PLATE_WIDTH: Final = 1.1
"""How thick the outline of the plate is drawn; it pads and rounds the plate."""

MARGIN: Final = PLATE_WIDTH / 2 + 0.1

PIXELS_PER_UNIT: Final = 44

SHADES: Final = {
    "shade-1-1": ("#4a566c", "#0c1220"),
    "shade-2-1": ("#ffffff", "#d3dae5"),
    "shade-1-2": ("#e0616a", "#b3263e"),
    "shade-2-2": ("#f6d57c", "#e5b53b"),
    "shade-blue": ("#7fb0ff", "#1a56d6"),
}
"""The light and the deep end of each shading; stones by player and kind."""

STYLE_SHEET: Final = """
.plate { fill: #e4eaf3; stroke: #e4eaf3; stroke-width: 1.1; stroke-linejoin: round }
.lines { fill: none; stroke: #a3b0c4; stroke-width: .028; stroke-linecap: round }
.link { fill: none; stroke: #a9bbdd; stroke-width: .03; stroke-dasharray: .1 .08 }
.blue { fill: url(#shade-blue); stroke: #1a56d6; stroke-width: .03 }
.star { fill: #f2b01e; stroke: #a87408; stroke-width: .04; stroke-linejoin: round }
.highlight { fill: #b9d2ff }
.connection { fill: none; stroke: #1f5fe0; stroke-width: .28; stroke-linecap: round }
.touch { fill: none; stroke: #1f5fe0; stroke-width: .08 }
.liberty { fill: none; stroke: #1f5fe0; stroke-width: .07; stroke-dasharray: .14 .1 }
.sight { fill: none; stroke: #1f5fe0; stroke-width: .1; stroke-linecap: round }
.gaze { fill: none; stroke: #c07a00; stroke-width: .1; stroke-linecap: round }
.shadow { fill: #0a101e; fill-opacity: .22 }
.body { stroke-width: .035 }
.player-1 .body { fill: url(#shade-1-1); stroke: #05080f }
.player-2 .body { fill: url(#shade-2-1); stroke: #6d7b91 }
.player-1.kind-2 .body { fill: url(#shade-1-2); stroke: #6e0f21 }
.player-2.kind-2 .body { fill: url(#shade-2-2); stroke: #8a6410 }
.kind-ring { fill: none; stroke: #ffd9de; stroke-width: .05 }
.player-2 .kind-ring { stroke: #6b4a05 }
.uninspired .shadow, .uninspired .body { opacity: .5 }
.slash, .cross { fill: none; stroke: #b3261e; stroke-width: .07; stroke-linecap: round }
.ghost { fill: #e4eaf3; stroke: #5a667a; stroke-width: .035; stroke-dasharray: .12 .1 }
.last { fill: #7fb0ff; stroke: #1a56d6; stroke-width: .05 }
.last-ring { fill: none; stroke: #4a8dff; stroke-width: .07 }
text { font-family: "Segoe UI", system-ui, "Helvetica Neue", "DejaVu Sans", sans-serif;
  text-anchor: middle; fill: #172033 }
.text { font-size: .42px; font-weight: 700 }
.name { font-size: .25px; font-weight: 500 }
.on-ground { paint-order: stroke; stroke: #e4eaf3; stroke-width: .1 }
.on-1-1, .on-1-2 { fill: #ffffff }
"""
"""Colours of the game's page in its light dress."""
