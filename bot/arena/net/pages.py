"""The web page: its files, the bundle under hashed names, and security headers."""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Final

import brotli
import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from bot.arena.net.documents import IDENTITY, NO_CACHE, TAG_LENGTH, Document, answer

# `make bundle` writes `bundle.js`; its first line has the digest of the scripts in it.

FILE: Final = "bundle.js"
HEAD: Final = "// Made by `make bundle` of scripts with the digest "
BROTLI_QUALITY: Final = 9
"""The highest quality takes eight times as long at each start, for 7 % less."""
GZIP_LEVEL: Final = 9
NAMED: Final = 12
"""How many characters of a digest are in a file's name."""
STYLES: Final = re.compile(r' *<link rel="stylesheet" href="/(css/\w+\.css)" />\n')
SCRIPT: Final = "/js/main.js"
ICON: Final = "/icon.svg"


@dataclass(frozen=True)
class PageBundle:
    """The page as one script and one style sheet.

    `assets` are served under /assets/ by names that change with their content.
    """

    index: Document
    assets: Mapping[str, Document]


def sources_digest(folder: Path) -> str:
    """A digest of all scripts of the page, independent of their line ends."""
    found = hashlib.sha256()
    for file in sorted([*folder.glob("js/**/*.js"), *folder.glob("vendor/*.js")]):
        text = file.read_bytes().replace(b"\r\n", b"\n")
        found.update(f"{file.relative_to(folder).as_posix()} {len(text)}\n".encode())
        found.update(text)
    return found.hexdigest()


def is_current(folder: Path) -> bool:
    """Return whether `bundle.js` was made from the present scripts."""
    try:
        with (folder / FILE).open(encoding="utf-8") as file:
            return file.readline().rstrip() == HEAD + sources_digest(folder)
    except OSError:
        return False


@cache
def page_bundle(folder: Path) -> PageBundle | None:
    """The page in this folder; None if its bundle does not match its scripts."""
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


FOLDER: Final = Path(__file__).parents[1] / "web"
INDEX: Final = "index.html"
OWN_ADDRESS: Final = re.compile(r"(?:(?:game|tournament)/[A-Za-z0-9_-]+/?|tournaments(?:/new)?)?")
"""The lobby, the games and the tournaments, as `frame/routes.js` knows them."""
SERVED: Final = frozenset(
    {".html", ".js", ".css", ".svg", ".png", ".ico", ".webmanifest", ".woff2"}
)

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

ASSETS: Final = "assets/"
IMMUTABLE: Final = "public, max-age=31536000, immutable"

log = structlog.get_logger()


def add_pages(app: web.Application, *, sources: bool = False) -> None:
    """Serve the page's files; every address of the page gives the same document.

    Unknown addresses give it too, with the status 404; the page shows that and links to the lobby.
    Browsers get the bundle; they get the scripts with `sources`, or if the bundle does not match.
    """
    bundle = None if sources else page_bundle(FOLDER)
    if bundle is None:
        log.info("page_from_sources", asked_for=sources)
    app.router.add_get("/{path:.*}", _Pages(bundle).page)


@web.middleware
async def careful_headers(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Add the security headers to every answer, errors included, but not to WebSockets."""
    try:
        response = await handler(request)
    except web.HTTPException as error:
        error.headers.update(SECURITY_HEADERS)
        raise
    if not response.prepared:
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
    return response


class _Pages:
    def __init__(self, bundle: PageBundle | None) -> None:
        self._bundle = bundle

    async def page(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        if "." not in path.rsplit("/", 1)[-1]:
            return self._index(request, is_known=OWN_ADDRESS.fullmatch(path) is not None)
        if self._bundle is not None and path.startswith(ASSETS):
            asset = self._bundle.assets.get(path.removeprefix(ASSETS))
            if asset is not None:
                return answer(request, asset, IMMUTABLE)
        file = _file(path)
        if file is None:
            raise web.HTTPNotFound(text="There is no such page.")
        # Sources keep their names between versions: browsers must ask whether a copy is current.
        return web.FileResponse(file, headers={"Cache-Control": NO_CACHE})

    def _index(self, request: web.Request, *, is_known: bool) -> web.StreamResponse:
        if self._bundle is not None:
            response = answer(request, self._bundle.index)
            if not is_known and response.status == HTTPStatus.OK:
                response.set_status(HTTPStatus.NOT_FOUND)
            return response
        headers = {"Cache-Control": NO_CACHE}
        if is_known:
            return web.FileResponse(FOLDER / INDEX, headers=headers)
        body = (FOLDER / INDEX).read_bytes()
        return web.Response(
            body=body, status=HTTPStatus.NOT_FOUND, content_type="text/html", headers=headers
        )


def _file(path: str) -> Path | None:
    """The page's file at that path; None if there is none, or if it is outside the folder."""
    if "\0" in path:
        return None
    file = (FOLDER / path).resolve()
    is_ours = file.is_relative_to(FOLDER.resolve()) and file.suffix in SERVED
    try:
        return file if is_ours and file.is_file() else None
    except OSError:  # for example a name that is too long
        return None
