"""`bluestone draw`."""

from pathlib import Path

import pytest

import engine
from bot.drawing import Annotations, board_svg
from bot.drawing.paper import paper_named
from bot.drawing.pdf import as_pdf
from bot.drawing.sheet import as_svg, board_sheet
from tests.bot.cli.commands import Bluestone
from tests.bot.drawing.pictures import position


def test_a_position_goes_to_stdout(bluestone: Bluestone) -> None:
    outcome = bluestone("draw", "--turns", "0-0 1-1,3-2", "--mark", "0-0=A", "--coordinates")
    meant = Annotations(texts={"0-0": "A"}, coordinates=True)
    assert outcome.code == 0
    assert outcome.out == board_svg(position("bluestone", "0-0 1-1,3-2"), meant)


def test_every_annotation_reaches_the_drawing(bluestone: Bluestone, tmp_path: Path) -> None:
    out = tmp_path / "blooms.svg"
    outcome = bluestone(
        *("draw", "--game", "blooms", "--board", "hexhex-4", "--rules", "abstractplay"),
        *("--set", "captures=9", "--turns", "1d4 1d3,2e5", "--mark", "a1=A", "--mark", "a2=="),
        *("--highlight", "b1", "--connect", "d4", "--last-turn", "--title", "A & B"),
        *("--no-track", "--out", out),
    )
    notes = Annotations({"a1": "A", "a2": "="}, ("b1",), ("d4",), last_turn=True)
    assert (outcome.code, outcome.out) == (0, "")
    drawn = position("blooms", "1d4 1d3,2e5", "hexhex-4")
    assert out.read_text(encoding="utf-8") == board_svg(drawn, notes, "A & B")


def test_blooms_is_drawn_with_its_track(bluestone: Bluestone) -> None:
    with_track = board_svg(position("blooms", "1d4"), Annotations(track=True))
    assert bluestone("draw", "--game", "blooms", "--turns", "1d4").out == with_track
    plain = bluestone("draw", "--game", "blooms", "--turns", "1d4", "--no-track").out
    assert plain == board_svg(position("blooms", "1d4"))


def test_a_sheet_goes_to_a_file_by_its_suffix(bluestone: Bluestone, tmp_path: Path) -> None:
    pdf, svg = tmp_path / "board.pdf", tmp_path / "board.svg"
    words = ("draw", "--game", "blooms", "--turns", "1d4", "--paper", "letter", "--coordinates")
    for out in (pdf, svg):
        assert bluestone(*words, "--out", out).code == 0
    notes = Annotations(coordinates=True, track=True)
    sheet = board_sheet(position("blooms", "1d4"), paper_named("Letter"), notes)
    assert pdf.read_bytes() == as_pdf(sheet)
    assert svg.read_text(encoding="utf-8") == as_svg(sheet)
    assert bluestone(*words).out == as_svg(sheet)


def test_a_pdf_has_no_mark_that_its_font_cannot_show(bluestone: Bluestone, tmp_path: Path) -> None:
    pdf, svg = tmp_path / "board.pdf", tmp_path / "board.svg"
    words = ("draw", "--game", "freego", "--paper", "A4")
    refused = bluestone(*words, "--mark", "e5=日本", "--out", pdf)
    assert (refused.code, pdf.exists()) == (78, False)
    assert "'日本': a PDF can only show letters of Western European languages" in refused.err
    assert bluestone(*words, "--mark", "e5=日本", "--out", svg).code == 0
    assert "日本" in svg.read_text(encoding="utf-8")
    assert bluestone(*words, "--mark", "e5=é", "--title", "日本", "--out", pdf).code == 0
    assert "(é) Tj".encode("cp1252") in pdf.read_bytes()
    assert "日本".encode("utf-16-be").hex().encode() in pdf.read_bytes().lower()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--paper", "B5"], "paper 'B5' is not known; known: A4, A3, Letter"),
        (["--out", "board.pdf"], "a PDF needs --paper A4, A3 or Letter"),
        (["--track"], "Bluestone has no track"),
        (["--mark", "9-9=A"], "pent-6 has no cell '9-9'"),
        (["--mark", "A"], "--mark 'A': write it as CELL=TEXT"),
        (["--turns", "0-0,1-1"], "turn 1"),
        (["--game", "chess"], "unknown game 'chess'"),
        (["--game", "blooms", "--set", "captures=0"], "captures takes a whole number"),
    ],
)
def test_an_impossible_drawing_is_a_message(
    bluestone: Bluestone, words: list[str], reason: str
) -> None:
    outcome = bluestone("draw", *words)
    assert (outcome.code, outcome.out) == (78, "")
    assert reason in outcome.err


def test_a_file_that_cannot_be_written_is_a_message(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone("draw", "--out", tmp_path / "nowhere" / "a.svg")
    assert outcome.code == 71
    assert "cannot be written" in outcome.err


MANIFEST = """
[[figure]]
file = "one.svg"
title = "One"
game = "blooms"
board = "hexhex-4"
options = { captures = 3 }
turns = "1a1"
marks = { a1 = "A" }
coordinates = true
track = true

[[figure]]
file = "two.svg"
title = "Two"
game = "stargazers"
"""


def test_a_manifest_draws_every_figure_beside_itself(bluestone: Bluestone, tmp_path: Path) -> None:
    manifest = tmp_path / "figures.toml"
    manifest.write_text(MANIFEST)
    assert bluestone("draw", "--manifest", manifest).err == "bluestone: 2 figures drawn\n"
    notes = Annotations({"a1": "A"}, coordinates=True, track=True)
    first = engine.game("blooms", board="hexhex-4", captures=3).replay(["1a1"])
    one = board_svg(first, notes, "One")
    assert (tmp_path / "one.svg").read_text() == one
    assert (tmp_path / "two.svg").read_text() == board_svg(position("stargazers"), title="Two")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"one.svg"', '"../one.svg"', "figure.0.file"),
        ("coordinates", "coordinate", "figure.0.coordinate"),
        ('turns = "1a1"', 'turns = "1z9"', "one.svg: illegal turn '1z9'"),
        ("captures = 3", "captures = 0", "one.svg: captures takes"),
        ('a1 = "A"', 'z9 = "A"', "one.svg: hexhex-4 has no cell 'z9'"),
        ("[[figure]]", "[[figure", "not TOML"),
    ],
)
def test_a_wrong_manifest_draws_nothing(
    bluestone: Bluestone, tmp_path: Path, old: str, new: str, reason: str
) -> None:
    manifest = tmp_path / "figures.toml"
    manifest.write_text(MANIFEST.replace(old, new, 1))
    outcome = bluestone("draw", "--manifest", manifest)
    assert outcome.code == 78
    assert reason in outcome.err
    assert list(tmp_path.iterdir()) == [manifest]


def test_a_missing_manifest_is_a_message(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone("draw", "--manifest", tmp_path / "none.toml")
    assert outcome.code == 78
    assert "cannot be read" in outcome.err


def test_a_drawing_has_no_other_format(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone("draw", "--out", str(tmp_path / "board.png"))
    assert outcome.code == 78
    assert "an SVG or a PDF" in outcome.err
