"""`bluestone draw`: draw positions as SVG pictures, and as sheets of paper."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.games import Board, GameName, GameOptions, Rules, chosen_game, typed_position
from bot.errors import ConfigurationError
from bot.runtime.output import note, output_file

if TYPE_CHECKING:
    from bot.drawing import Annotations
    from engine import Position

Cells = Annotated[tuple[str, ...], Parameter(negative="")]


def draw(
    *,
    game: GameName = "bluestone",
    board: Board = None,
    rules: Rules = None,
    options: GameOptions = (),
    turns: Annotated[
        str, Parameter(help="the turns that lead to the position, such as '0-0 1-1,3-2'")
    ] = "",
    mark: Annotated[
        tuple[str, ...], Parameter(negative="", help="write a text into a cell, as CELL=TEXT")
    ] = (),
    highlight: Annotated[Cells, Parameter(help="colour a cell")] = (),
    connect: Annotated[
        Cells, Parameter(help="draw the group, bloom or lines of sight of a cell")
    ] = (),
    last_turn: Annotated[
        bool, Parameter(negative="", help="mark the last turn and what it captured")
    ] = False,
    coordinates: Annotated[bool, Parameter(negative="", help="write the names of cells")] = False,
    track: Annotated[
        bool | None,
        Parameter(help="draw the scoring track; by default in games that count captured stones"),
    ] = None,
    paper: Annotated[
        str | None,
        Parameter(help="draw a sheet to print, in its true size: A4, A3 or Letter"),
    ] = None,
    title: Annotated[str | None, Parameter(help="the text for screen readers")] = None,
    out: Annotated[
        Path | None,
        Parameter(help="write to this file instead of stdout; a sheet in board.pdf is a PDF"),
    ] = None,
    manifest: Annotated[
        Path | None,
        Parameter(help="draw the figures that this TOML file lists, and ignore other options"),
    ] = None,
) -> None:
    """Draw a position as SVG, a sheet to print as SVG or PDF, or every figure of a document."""
    if manifest is not None:
        _draw_figures(manifest)
        return
    if out is not None and out.suffix.lower() not in ("", ".svg", ".pdf"):
        raise ConfigurationError(f"--out {out}: a drawing is an SVG or a PDF")
    from bot.drawing import Annotations, board_svg
    from bot.drawing.track import goal_of

    position = typed_position(chosen_game(game, board, rules, options), turns)
    is_counted = goal_of(position.game) is not None
    notes = Annotations(
        texts=dict(map(_mark, mark)),
        highlighted=highlight,
        connected=connect,
        last_turn=last_turn,
        coordinates=coordinates,
        track=is_counted if track is None else track,
    )
    if paper is not None:
        _draw_sheet(position, paper, notes, title, out)
        return
    if _is_pdf(out):
        raise ConfigurationError(f"--out {out}: a PDF needs --paper A4, A3 or Letter")
    svg = board_svg(position, notes, title)
    with output_file(out) as target:
        target.write(svg)


def _is_pdf(out: Path | None) -> bool:
    return out is not None and out.suffix.lower() == ".pdf"


def _draw_sheet(
    position: "Position", paper: str, notes: "Annotations", title: str | None, out: Path | None
) -> None:
    from bot.drawing.paper import paper_named
    from bot.drawing.pdf import as_pdf
    from bot.drawing.sheet import as_svg, board_sheet

    sheet = board_sheet(position, paper_named(paper), notes, title)
    with output_file(out) as target:
        if _is_pdf(out):
            target.buffer.write(as_pdf(sheet))
        else:
            target.write(as_svg(sheet))


def _draw_figures(manifest: Path) -> None:
    from bot.drawing.figures import read_manifest

    drawings = list(read_manifest(manifest).drawings(beside=manifest))
    for path, svg in drawings:
        with output_file(path) as target:
            target.write(svg)
    note(f"{len(drawings)} figures drawn")


def _mark(text: str) -> tuple[str, str]:
    cell, equals, letters = text.partition("=")
    if not (cell and equals):
        raise ConfigurationError(f"--mark {text!r}: write it as CELL=TEXT")
    return cell, letters
