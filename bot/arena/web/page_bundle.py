"""The page as browsers get it: one document for each language, scripts in few files, texts.

`make bundle` writes `bundle/`: the scripts that every visit needs in `main.js`, and those of some
pages in files that are loaded on demand, whose names change with their content.
"""

import gzip
import hashlib
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import brotli
import orjson

from bot.arena.http.documents import IDENTITY, TAG_LENGTH, Document, document
from bot.arena.web.areas import Area, areas_of
from bot.arena.web.engine_files import content_type_of, engine_files, games_in

FOLDER: Final = Path(__file__).parents[1] / "web"
INDEX: Final = "index.html"
STYLES_PLACE: Final = "    <!-- The styles of areas -->\n"
MENUS_PLACE: Final = "            <!-- The menus of areas -->\n"
STYLE_OF: Final = '    <link rel="stylesheet" href="/css/{}.css" />\n'
MENU_OF: Final = '            <li><a href="{}" data-link>{{outside.{}.menu}}</a></li>\n'
PLACE: Final = re.compile(r"\{(\w+)\.([\w.]+)\}")
"""The place of a text in the document: its area and its name."""
BUNDLE: Final = "bundle"
MAIN: Final = "main.js"
OFFLINE: Final = "offline.json"
"""The list of what a browser keeps for times without a connection."""
DIGEST: Final = "DIGEST"
"""The file in the bundle with the digest of the scripts in it."""
LANGUAGES: Final = ("en", "de", "fr", "it", "es")
"""The first one is the language of texts that are not translated."""
OUTSIDE: Final = "outside"
"""The texts of all capabilities that begin with this word: other parts of the page show them."""
FIRST_TEXTS: Final = ("common", "lobby", "game", "rules", OUTSIDE)
"""The areas of texts that every visit needs, as `js/main.js` names them."""

BROTLI_QUALITY: Final = 7
"""Quality 9 takes twelve times as long at each start, for 0.2 % less."""
QUICK: Final = 4
"""The quality for a document that is made for a request."""
GZIP_LEVEL: Final = 9
NAMED: Final = 12
"""How many characters of a digest are in a file's name."""
STYLES: Final = re.compile(r' *<link rel="stylesheet" href="/(css/\w+\.css)" />\n')
IMPORTED: Final = re.compile(r'(?:import|from)"\./([\w-]+\.js)"')
"""The scripts that a minified script imports, without those that it loads on demand."""
LOADED: Final = re.compile(r'import\("\./(app-[\w-]+\.js)"\)')
"""The script that `main.js` loads when the texts are there."""
OWN_ADDRESS: Final = re.compile(r'\b(href|src)="/')
MANIFEST: Final = "manifest.webmanifest"
SCRIPT: Final = "/js/main.js"
ICON: Final = "/icon.svg"


@dataclass(frozen=True)
class FirstFiles:
    """What the document names: the version of the page, and the files that every visit needs."""

    build: str
    script: str
    style: str
    icon: str
    modules: tuple[str, ...]
    """The scripts that the first one imports, by name."""

    def named_in(self, text: str, preloads: Sequence[str] = ()) -> str:
        """The document that lets the browser fetch these files at once, and `preloads`."""
        links = [f'<link rel="stylesheet" href="{self.style}" />']
        links += [f'<link rel="modulepreload" href="/assets/{name}" />' for name in self.modules]
        links += [
            f'<link rel="preload" as="fetch" crossorigin="anonymous" href="{address}" />'
            for address in preloads
        ]
        head = "".join(f"  {link}\n  " for link in links)
        text = STYLES.sub("", text).replace("</head>", f"{head}</head>")
        text = text.replace(SCRIPT, self.script).replace(ICON, self.icon)
        return text.replace("<html ", f'<html data-build="{self.build}" ', 1)


@dataclass(frozen=True)
class PageBundle:
    """The page, ready to be sent.

    `index` has the document by language. `assets` are served under /assets/, by names that change
    with their content; `texts` under /messages/, by language and area; `lessons` under /lessons/,
    by game; `engine` under /engine/, by name.
    """

    first: FirstFiles
    index: Mapping[str, Document]
    assets: Mapping[str, Document]
    texts: Mapping[tuple[str, str], Document]
    lessons: Mapping[str, Document]
    engine: Mapping[str, Document]


def sources_digest(folder: Path) -> str:
    """A digest of all scripts of the page, independent of their line ends."""
    found = hashlib.sha256()
    for file in sorted([*folder.glob("js/**/*.js"), *folder.glob("vendor/*.js")]):
        text = file.read_bytes().replace(b"\r\n", b"\n")
        found.update(f"{file.relative_to(folder).as_posix()} {len(text)}\n".encode())
        found.update(text)
    return found.hexdigest()


def is_current(folder: Path) -> bool:
    """Return whether the bundle was made from the present scripts."""
    try:
        text = (folder / BUNDLE / DIGEST).read_text(encoding="utf-8")
    except OSError:
        return False
    return text.strip() == sources_digest(folder)


@cache
def page_bundle(folder: Path, base: str = "") -> PageBundle | None:
    """The page in this folder; None if its bundle does not match its scripts.

    `base` is the path before all addresses.
    """
    if not is_current(folder):
        return None
    scripts = {file.name: file.read_bytes() for file in (folder / BUNDLE).glob("*.js")}
    texts = dict(_all_texts(folder))
    lessons = {file.stem: file.read_bytes() for file in sorted(folder.glob("lessons/*.json"))}
    main, style = scripts.pop(MAIN), _styles(folder)
    icon = (folder / ICON[1:]).read_bytes()
    first = [name for name in _first(main, scripts) if name in scripts]
    assets = {
        _named(MAIN, main): _compressed(main, "text/javascript"),
        _named("main.css", style): _compressed(style, "text/css"),
        _named("icon.svg", icon): _compressed(icon, "image/svg+xml"),
    }
    script, sheet, image = (f"/assets/{name}" for name in assets)
    assets |= {name: _compressed(body, "text/javascript") for name, body in scripts.items()}
    files = engine_files(folder)
    engine = {name: file.read_bytes() for name, file in files.items()}
    parts = [main, style, *texts.values(), *lessons.values(), *engine.values()]
    build = _digest(b"".join(parts))[:NAMED]
    offline = {
        "files": [*(f"/assets/{name}" for name in assets), *(f"/engine/{name}" for name in engine)],
        "texts": sorted({area for _, area in texts}),
    }
    assets[OFFLINE] = _compressed(orjson.dumps(offline), "application/json")
    named = FirstFiles(build, script, sheet, image, tuple(first))
    return PageBundle(
        named,
        {
            each: _index(with_engine(localized(folder, each), files), each, named, base)
            for each in LANGUAGES
        },
        assets,
        {key: _compressed(body, "application/json") for key, body in texts.items()},
        {game: _compressed(body, "application/json") for game, body in lessons.items()},
        {name: _compressed(body, content_type_of(files[name])) for name, body in engine.items()},
    )


def texts_in(folder: Path, language: str, area: str) -> bytes | None:
    """The texts of an area as JSON, in English where they are not translated; None if there are
    none.
    """
    if area == OUTSIDE:
        return orjson.dumps(_outside(folder, language))
    files = [folder / "messages" / each / f"{area}.json" for each in (LANGUAGES[0], language)]
    if not files[0].is_file():
        return None
    found: dict[str, Any] = {}
    for file in files:
        if file.is_file():
            found |= orjson.loads(file.read_bytes())
    return orjson.dumps(found)


def _outside(folder: Path, language: str) -> dict[str, Any]:
    """The texts of capabilities for other parts of the page, by the capability and their names."""
    found: dict[str, Any] = {}
    for area in areas_of(folder):
        texts = orjson.loads(texts_in(folder, language, area.name) or b"{}")
        found |= {
            f"{area.name}.{name.removeprefix(f'{OUTSIDE}.')}": text
            for name, text in texts.items()
            if name.startswith(f"{OUTSIDE}.")
        }
    return found


def localized(folder: Path, language: str) -> str:
    """The page's document in a language: `{AREA.NAME}` in it is the place of a text."""
    index = whole_index(folder, areas_of(folder))

    def text_at(place: re.Match[str]) -> str:
        texts = orjson.loads(texts_in(folder, language, place[1]) or b"{}")
        return html.escape(texts.get(place[2], place[0]))

    return PLACE.sub(text_at, index.replace('<html lang="en"', f'<html lang="{language}"'))


def with_engine(text: str, files: Mapping[str, Path]) -> str:
    """The document that names the games which a browser can play with these files."""
    games = " ".join(games_in(files))
    return text.replace("<html ", f'<html data-engine="{games}" ', 1) if games else text


def based(text: str, base: str) -> str:
    """The document for an arena below a path; `js/shared/site.js` reads the path."""
    if not base:
        return text
    text = OWN_ADDRESS.sub(rf'\1="{base}/', text)
    return text.replace("<html ", f'<html data-base="{base}" ', 1)


def manifest(folder: Path, base: str) -> bytes:
    """The manifest of the installed page, for an arena below a path."""
    text = (folder / MANIFEST).read_text(encoding="utf-8")
    return text.replace('"/', f'"{base}/').encode()


def with_head(index: Document, tags: str) -> Document:
    """The document with more tags in its head, for one answer."""
    text = index.bodies[IDENTITY].decode().replace("</head>", f"{tags}  </head>", 1)
    return _compressed(text.encode(), index.content_type, QUICK)


def embedded(index: Document) -> Document:
    """The document for a frame on another site: `js/main.js` shows a board without the site."""
    text = index.bodies[IDENTITY].decode().replace("<html ", "<html data-embed ", 1)
    return document(text.encode(), index.content_type)


def _all_texts(folder: Path) -> Iterator[tuple[tuple[str, str], bytes]]:
    areas = sorted(file.stem for file in (folder / "messages" / LANGUAGES[0]).glob("*.json"))
    areas.append(OUTSIDE)
    for language in LANGUAGES:
        for area in areas:
            if (texts := texts_in(folder, language, area)) is not None:
                yield (language, area), texts


def whole_index(folder: Path, areas: Sequence[Area]) -> str:
    """The document with the style sheets and the menus of these capabilities, without texts."""
    styles = [STYLE_OF.format(area.name) for area in areas if (folder / area.style).is_file()]
    menus = [
        MENU_OF.format(area.menu.address, area.name)
        for area in sorted(areas, key=lambda each: each.menu.place if each.menu else 0)
        if area.menu is not None
    ]
    index = (folder / INDEX).read_text(encoding="utf-8")
    for place, lines in ((STYLES_PLACE, styles), (MENUS_PLACE, menus)):
        index = index.replace(place, "".join(lines))
    return index


def _styles(folder: Path) -> bytes:
    index = whole_index(folder, areas_of(folder))
    return b"".join((folder / name).read_bytes() for name in STYLES.findall(index))


def _first(main: bytes, scripts: Mapping[str, bytes]) -> list[str]:
    """The scripts that every visit needs besides `main.js`."""
    text = main.decode()
    waiting, found = [*IMPORTED.findall(text), *LOADED.findall(text)], list[str]()
    while waiting:
        name = waiting.pop(0)
        if name not in found and name in scripts:
            found.append(name)
            waiting += IMPORTED.findall(scripts[name].decode())
    return found


def _index(text: str, language: str, first: FirstFiles, base: str) -> Document:
    """The document; the browser fetches all that the first page needs at once."""
    texts = [f"/messages/{language}/{area}.json?v={first.build}" for area in FIRST_TEXTS]
    return _compressed(based(first.named_in(text, texts), base).encode(), "text/html")


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _named(name: str, body: bytes) -> str:
    stem, _, ending = name.partition(".")
    return f"{stem}.{_digest(body)[:NAMED]}.{ending}"


def _compressed(body: bytes, content_type: str, quality: int = BROTLI_QUALITY) -> Document:
    bodies: dict[str, bytes] = {
        "br": brotli.compress(body, quality=quality),
        "gzip": gzip.compress(body, GZIP_LEVEL, mtime=0),
        IDENTITY: body,
    }
    return Document(bodies, _digest(body)[:TAG_LENGTH], content_type)
