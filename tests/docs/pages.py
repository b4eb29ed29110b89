"""The documents, and the figures that the manifest promises."""

import re
from itertools import chain, count
from pathlib import Path

import engine
import tools
from bot.drawing.figures import Figure, read_manifest
from tools import site

ROOT = tools.ROOT
MANIFEST = ROOT / "docs" / "figures.toml"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
LINKED = site.PAGES
PAGES = [page for page in LINKED if page.name not in {"CHANGELOG.md", "SECURITY.md"}]

FIGURES = {figure.file: figure for figure in read_manifest(MANIFEST).figure}

_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


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


def images(page: Path) -> set[Path]:
    """The files in this repository that a page shows."""
    targets = [target for bang, target in _LINK.findall(_prose(page)) if bang]
    return {(page.parent / target).resolve() for target in targets if "://" not in target}


def broken_links(page: Path) -> list[str]:
    """The relative links and images of a page whose file or #anchor is missing."""
    targets = [target for _, target in _LINK.findall(_prose(page)) if "://" not in target]
    return [target for target in targets if not _exists(page, target)]


def _exists(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    file = page.parent / name if name else page
    return file.exists() and (not anchor or anchor in anchors(_prose(file)))


def anchors(text: str) -> set[str]:
    """The anchors of all headings as GitHub makes them; repeated ones get -1, -2 and so on."""
    found: set[str] = set()
    for heading in _HEADING.findall(text):
        words = _LINK.sub(lambda link: link[0][1 : link[0].index("]")], heading)
        plain = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        later = (f"{plain}-{number}" for number in count(1))
        found.add(next(each for each in chain([plain], later) if each not in found))
    return found


def _prose(page: Path) -> str:
    return _FENCED.sub("", page.read_text(encoding="utf-8"))
