"""The page as one script and one style sheet, under names that change with their content.

`make bundle` writes `bundle.js`; its first line has the digest of the scripts that are in it.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import brotli

from bot.arena.net.documents import IDENTITY, TAG_LENGTH, Document

FILE: Final = "bundle.js"
HEAD: Final = "// Made by `make bundle` of scripts with the digest "
BROTLI_QUALITY: Final = 9
"""The highest one takes eight times as long at each start, for 7 % less."""
GZIP_LEVEL: Final = 9
NAMED: Final = 12
"""Characters of a digest that are in a name."""
STYLES: Final = re.compile(r' *<link rel="stylesheet" href="/(css/\w+\.css)" />\n')
SCRIPT: Final = "/js/main.js"
ICON: Final = "/icon.svg"


@dataclass(frozen=True)
class PageBundle:
    """`assets` are served by their names under /assets/, for ever the same."""

    index: Document
    assets: Mapping[str, Document]


def sources_digest(folder: Path) -> str:
    """Of all scripts of the page, wherever git has checked them out."""
    found = hashlib.sha256()
    for file in sorted([*folder.glob("js/**/*.js"), *folder.glob("vendor/*.js")]):
        text = file.read_bytes().replace(b"\r\n", b"\n")
        found.update(f"{file.relative_to(folder).as_posix()} {len(text)}\n".encode())
        found.update(text)
    return found.hexdigest()


def is_current(folder: Path) -> bool:
    """Whether `bundle.js` was made of the scripts that are there."""
    try:
        with (folder / FILE).open(encoding="utf-8") as file:
            return file.readline().rstrip() == HEAD + sources_digest(folder)
    except OSError:
        return False


@cache
def page_bundle(folder: Path) -> PageBundle | None:
    """The page in this folder; None if its bundle is older than its scripts."""
    if not is_current(folder):
        return None
    index = (folder / "index.html").read_text(encoding="utf-8")
    styles = b"".join((folder / name).read_bytes() for name in STYLES.findall(index))
    script = _compressed((folder / FILE).read_bytes(), "text/javascript")
    style = _compressed(styles, "text/css")
    icon = _compressed((folder / ICON[1:]).read_bytes(), "image/svg+xml")
    names = {_named("main.js", script): script, _named("main.css", style): style}
    names[_named("icon.svg", icon)] = icon
    script_name, style_name, icon_name = (f"/assets/{name}" for name in names)
    text = STYLES.sub("", index)
    text = text.replace("</head>", f'  <link rel="stylesheet" href="{style_name}" />\n  </head>')
    text = text.replace(SCRIPT, script_name).replace(ICON, icon_name)
    text = text.replace("<html ", f'<html data-build="{script.tag[:NAMED]}" ')
    return PageBundle(_compressed(text.encode(), "text/html"), names)


def _named(name: str, asset: Document) -> str:
    stem, _, ending = name.partition(".")
    return f"{stem}.{asset.tag[:NAMED]}.{ending}"


def _compressed(body: bytes, content_type: str) -> Document:
    bodies = {
        "br": brotli.compress(body, quality=BROTLI_QUALITY),
        "gzip": gzip.compress(body, GZIP_LEVEL, mtime=0),
        IDENTITY: body,
    }
    return Document(bodies, hashlib.sha256(body).hexdigest()[:TAG_LENGTH], content_type)
