"""Figures are what the program draws, and pages show them."""

from pathlib import Path

import pytest

import engine
from bot.drawing.figures import read_manifest
from tests.docs.pages import MANIFEST, PAGES, ROOT, images

DRAWINGS = {path.resolve(): svg for path, svg in read_manifest(MANIFEST).drawings(beside=MANIFEST)}


@pytest.mark.parametrize("path", DRAWINGS, ids=lambda path: path.name)
def test_a_figure_is_what_the_manifest_says(path: Path) -> None:
    hint = "run: bluestone draw --manifest docs/figures.toml"
    assert path.read_text(encoding="utf-8") == DRAWINGS[path], hint


def test_every_figure_is_listed_once_and_shown_on_a_page() -> None:
    listed = [figure.file for figure in read_manifest(MANIFEST).figure]
    present = {path.resolve() for path in (MANIFEST.parent / "figures").iterdir()}
    shown = set().union(*map(images, PAGES))
    assert len(listed) == len(set(listed))
    assert present == set(DRAWINGS)
    assert present <= shown


def test_the_front_page_shows_every_game() -> None:
    manifest = read_manifest(MANIFEST)
    files = {MANIFEST.parent / "figures" / each.file: each.game for each in manifest.figure}
    shown = {files[path] for path in images(ROOT / "README.md") if path in files}
    assert shown == {info.name for info in engine.games()}
