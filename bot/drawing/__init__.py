"""Positions as pictures: SVG for pages and documents.

    svg = board_svg(position, Annotations(texts={"c3": "A"}, last_turn=True))

A drawing is the same text for the same position, on every machine.
"""

from bot.drawing.board_layers import Annotations
from bot.drawing.board_svg import board_svg

__all__ = ["Annotations", "board_svg"]
