"""A sheet as PDF: one page with the lines, circles and texts of an SVG tree.

Problem: browsers and print shops print a PDF in its true size, and an SVG in any. Idea: draw the
few elements that a sheet has (`bot.drawing.sheet`) with pydyf, which writes the structure of the
file and the operators of its pages. Rejected, by what they add to an installation (with Pillow) and
to the start (Python 3.11): fpdf2 with its SVG import, 46 MB and 1.1 s; reportlab, 26 MB and 0.3 s.
pydyf takes 56 kB and 17 ms; it knows nothing of fonts, so the widths of Helvetica's letters are
below. CairoSVG needs a library of the system, and Chromium is not on servers.

A PDF is the same bytes for the same sheet, on every machine: it has no date and no identifier, and
is not compressed unless the caller wants that.
"""

import io
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final
from xml.etree.ElementTree import Element

import pydyf

from bot.errors import ConfigurationError
from engine.boards.grid import Point

POINTS: Final = 72 / 25.4
"""Points in a millimetre."""
ROUND: Final = 0.5523
"""How far the two inner points of a Bezier curve are from its ends for a quarter of a circle."""
FONT: Final = "F"
FIRST_LETTER: Final = 32
# fmt: off
WIDTHS: Final = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)
# fmt: on
"""The widths of Helvetica's letters from blank to tilde, in thousandths of their size."""
USUAL_WIDTH: Final = 556
STEP: Final = re.compile("([MLAZ])([^MLAZ]*)")


def text_width(text: str) -> float:
    """Return the width of a text in Helvetica, in multiples of the size of its letters."""
    places = [ord(letter) - FIRST_LETTER for letter in text]
    return sum(WIDTHS[at] if 0 <= at < len(WIDTHS) else USUAL_WIDTH for at in places) / 1000


def as_pdf(sheet: Element, *, compress: bool = False) -> bytes:
    """Draw the SVG tree of a sheet, whose view box is in mm.

    `compress` makes it smaller for a server that compresses nothing. Raises ConfigurationError for
    a text that the font cannot show.
    """
    width, height = (float(part) * POINTS for part in (sheet.get("viewBox") or "").split()[2:])
    page = pydyf.Stream(compress=compress)
    page.set_line_cap(1)
    page.set_line_join(1)
    page.set_matrix(POINTS, 0, 0, -POINTS, 0, height)  # from mm, y down, as in SVG
    for child in sheet:
        _draw(page, child)
    document = pydyf.PDF()
    font = pydyf.Dictionary(
        {
            "Type": "/Font",
            "Subtype": "/Type1",
            "BaseFont": "/Helvetica",
            "Encoding": "/WinAnsiEncoding",
        }
    )
    document.add_object(font)
    document.add_object(page)
    document.add_page(
        pydyf.Dictionary(
            {
                "Type": "/Page",
                "Parent": document.pages.reference,
                "MediaBox": pydyf.Array([0, 0, round(width, 3), round(height, 3)]),
                "Contents": page.reference,
                "Resources": pydyf.Dictionary({"Font": pydyf.Dictionary({FONT: font.reference})}),
            }
        )
    )
    document.info["Title"] = pydyf.String(sheet.findtext("title") or "")
    out = io.BytesIO()
    document.write(out)
    return out.getvalue()


def _draw(page: pydyf.Stream, element: Element) -> None:
    if element.tag == "title":
        return
    page.push_state()
    if element.tag == "g":
        if matrix := element.get("transform"):
            page.set_matrix(*map(float, matrix.removeprefix("matrix(")[:-1].split()))
        for child in element:
            _draw(page, child)
    else:
        _colour(page, element)
        _paint(page, element)
    page.pop_state()


def _colour(page: pydyf.Stream, element: Element) -> None:
    for name, is_stroke in (("fill", False), ("stroke", True)):
        if (colour := element.get(name, "none")) != "none":
            red, green, blue = (round(part / 255, 3) for part in bytes.fromhex(colour[1:]))
            page.set_color_rgb(red, green, blue, stroke=is_stroke)
    if width := element.get("stroke-width"):
        page.set_line_width(float(width))
    if dashes := element.get("stroke-dasharray"):
        page.set_dash([float(dash) for dash in dashes.split()], 0)


def _paint(page: pydyf.Stream, element: Element) -> None:
    if element.tag == "text":
        _write(page, element)
        return
    if element.tag == "circle":
        _circle(page, *_numbers(element, "cx", "cy", "r"))
    elif element.tag == "rect":
        page.rectangle(*_numbers(element, "x", "y", "width", "height"))
    else:
        _path(page, element.get("d") or "")
    is_filled = element.get("fill", "none") != "none"
    if element.get("stroke", "none") == "none":
        page.fill()
    elif is_filled:
        page.fill_and_stroke()
    else:
        page.stroke()


def _numbers(element: Element, *names: str) -> Iterator[float]:
    return (float(element.get(name, "0")) for name in names)


def _circle(page: pydyf.Stream, x: float, y: float, radius: float) -> None:
    page.move_to(x + radius, y)
    _half(page, (x + radius, y), (x - radius, y), 1)
    _half(page, (x - radius, y), (x + radius, y), 1)
    page.close()


def _half(page: pydyf.Stream, start: Point, end: Point, way: int) -> None:
    """Draw half a circle from its start, which is the present point, as two curves.

    `way` is 1 for clockwise as seen, -1 for the other way.
    """
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    u, v = start[0] - x, start[1] - y
    points = [(u, v), (-v * way, u * way), (-u, -v)]
    for (ax, ay), (bx, by) in pairwise(points):
        inner = [(ax + bx * ROUND, ay + by * ROUND), (bx + ax * ROUND, by + ay * ROUND), (bx, by)]
        page.curve_to(*(part for px, py in inner for part in (x + px, y + py)))


def _path(page: pydyf.Stream, steps: str) -> None:
    """Draw lines, and arcs that are half a circle."""
    here = (0.0, 0.0)
    for step, text in STEP.findall(steps):
        if step == "Z":
            page.close()
            continue
        *arc, x, y = map(float, text.split())
        if step == "M":
            page.move_to(x, y)
        elif step == "L":
            page.line_to(x, y)
        else:
            _half(page, here, (x, y), 1 if arc[-1] else -1)
        here = (x, y)


def _letters(text: str) -> bytes:
    try:
        return text.encode("cp1252")
    except UnicodeEncodeError as error:
        problem = f"{text!r}: a PDF can only show letters of Western European languages"
        raise ConfigurationError(f"{problem}; draw an SVG") from error


def _write(page: pydyf.Stream, element: Element) -> None:
    """Write a text whose middle is at its place, with its halo first."""
    text = element.text or ""
    x, y, size = _numbers(element, "x", "y", "font-size")
    page.begin_text()
    page.set_font_size(FONT, size)
    page.set_text_matrix(1, 0, 0, -1, x - text_width(text) * size / 2, y)
    letters = _letters(text)
    if element.get("stroke"):
        page.set_text_rendering(1)
        page.show_text_string(letters)
        page.set_text_rendering(0)
        page.set_text_matrix(1, 0, 0, -1, x - text_width(text) * size / 2, y)
    page.show_text_string(letters)
    page.end_text()
