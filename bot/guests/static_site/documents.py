"""The documents of a static site: one for each kind of address, in the language of the visitor.

Problem: a folder does not know its path on its site, and a file server neither knows the visitor's
language nor gives one document for all ids. Idea: addresses in a document are relative to it, and
`js/shared/site.js` finds the path; an id is in the query, as in `game/?ID`, so one document serves
all ids. Texts keep their keys in attributes, with which `js/shared/document_texts.js` translates
them. Rejected: a document for each language, because a visitor would have to choose before anything
is shown; documents that are found by a `404.html`, which not every server gives.
"""

import html
import re
from pathlib import Path
from typing import Final

import orjson

from bot.arena.http.security_headers import CONTENT_SECURITY_POLICY
from bot.arena.web.areas import Area, areas_of
from bot.arena.web.page_bundle import (
    LANGUAGES,
    FirstFiles,
    based,
    texts_in,
    whole_index,
    with_engine,
)

CORE: Final = ("", "game", "learn", "rules")
"""The folders of the core's pages that need no server; the first one is the front page."""
NOT_FOUND: Final = "404.html"
INDEX: Final = "index.html"
PLACE: Final = re.compile(r">\{(\w+\.[\w.]+)\}<")
ATTRIBUTE: Final = re.compile(r'(?<=\s)([\w-]+)="\{(\w+\.[\w.]+)\}"')
OF_SERVER: Final = re.compile(r"^.*\b(?:games-link|menu-games)\b.*\n", re.MULTILINE)
"""Links to the list of all finished games."""
NOT_IN_META: Final = re.compile(r"; frame-ancestors [^;]*")
"""What browsers ignore in a policy that the document itself has."""


def serverless_areas(folder: Path) -> list[Area]:
    """The capabilities of the page that need no server."""
    return [area for area in areas_of(folder) if not area.needs_server]


def site_documents(
    folder: Path, first: FirstFiles, engine: dict[str, Path], base: str | None
) -> dict[str, str]:
    """All documents by their paths. `base` is the path of the site; None if it is not known."""
    text = _document(folder, first, engine)
    found = {}
    for top in _tops(folder):
        relative = "." if top == "" else ".."
        path = f"{top}/{INDEX}".lstrip("/")
        found[path] = based(text, relative if base is None else base)
    if base is not None:  # it is given at any depth, so nothing in it can be relative
        found[NOT_FOUND] = based(text, base)
    return found


def _tops(folder: Path) -> list[str]:
    addresses = [address for area in serverless_areas(folder) for address in area.addresses]
    return sorted({*CORE, *(address.partition("/")[0] for address in addresses)})


def _document(folder: Path, first: FirstFiles, engine: dict[str, Path]) -> str:
    areas = serverless_areas(folder)
    text = OF_SERVER.sub("", with_engine(whole_index(folder, areas), engine))
    text = ATTRIBUTE.sub(lambda found: _attribute(folder, found[1], found[2]), text)
    text = PLACE.sub(lambda found: _content(folder, found[1]), text)
    policy = NOT_IN_META.sub("", CONTENT_SECURITY_POLICY)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}" />'
    text = text.replace('<meta charset="utf-8" />', f'<meta charset="utf-8" />\n    {meta}', 1)
    names = " ".join(area.name for area in areas)
    marks = f'<html data-static="{names}" data-languages="{" ".join(LANGUAGES)}" '
    return first.named_in(text).replace("<html ", marks, 1)


def _content(folder: Path, key: str) -> str:
    return f' data-text="{key}">{_text(folder, key)}<'


def _attribute(folder: Path, name: str, key: str) -> str:
    return f'{name}="{_text(folder, key)}" data-text-{name}="{key}"'


def _text(folder: Path, key: str) -> str:
    area, _, name = key.partition(".")
    texts = orjson.loads(texts_in(folder, LANGUAGES[0], area) or b"{}")
    return html.escape(texts.get(name, key))
