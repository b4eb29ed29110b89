"""The documents, and the figures that the manifest promises."""

import re
from pathlib import Path

import engine
from bot.drawing.figures import Figure, read_manifest

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / "docs" / "figures.toml"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
PAGES = [ROOT / "README.md", CONTRIBUTING, *sorted((ROOT / "docs").glob("*.md"))]

FIGURES = {figure.file: figure for figure in read_manifest(MANIFEST).figure}

_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")


def figure(name: str) -> Figure:
    return FIGURES[f"{name}.svg"]


def position(name: str) -> engine.Position:
    """The position that a figure shows."""
    return figure(name).position()


def before(name: str) -> engine.Position:
    """The position before a figure's last turn."""
    shown = position(name)
    earlier = shown.game.start()
    for turn in shown.turns[:-1]:
        earlier = earlier.play(turn)
    return earlier


def links(page: Path, *, images: bool) -> list[Path]:
    """Where a page points to in this repository."""
    found = _LINK.findall(page.read_text(encoding="utf-8"))
    targets = [target.split("#")[0] for bang, target in found if bool(bang) == images]
    return [page.parent / target for target in targets if target and "://" not in target]
