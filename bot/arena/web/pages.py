"""The web page over HTTP: its addresses, languages and files."""

import asyncio
import re
from http import HTTPStatus
from pathlib import Path
from typing import Final

import structlog
from aiohttp import web
from yarl import URL

from bot.arena.http.documents import NO_CACHE, Document, answer, document
from bot.arena.http.routes import FILE, Routes
from bot.arena.http.security_headers import FRAMED_HEADERS
from bot.arena.web import page_bundle
from bot.arena.web.areas import areas_of
from bot.arena.web.engine_files import ENGINE, content_type_of, engine_files, engine_stamp
from bot.arena.web.page_bundle import LANGUAGES, PageBundle
from bot.arena.web.previews import Previews
from bot.runtime.bounded import BoundedMemory

ID: Final = "[A-Za-z0-9_-]+"
NAME: Final = "[A-Za-z0-9][A-Za-z0-9 _.-]*"
PARTS: Final = {"{id}": ID, "{name}": NAME, "{word}": "[a-z]+"}
"""What stands for a part of an address in a capability's declaration."""
CORE_ADDRESSES: Final = (
    *("", f"game/{ID}", f"invite/{ID}"),
    *("learn", f"learn/{ID}", "rules", f"rules/{ID}"),
    *("games", f"embed/game/{ID}", "embed/position"),
)
"""The addresses of the page that `js/frame/routes.js` knows."""
SERVED: Final = frozenset(
    {".html", ".js", ".css", ".svg", ".png", ".ico", ".webmanifest", ".woff2"}
)
TAGGED_BYTES: Final = 8_000_000
"""Documents with the tags of an address that stay in memory."""
COOKIE: Final = "language"
QUALITY: Final = re.compile(r"q=([01](?:\.\d{0,3})?)")

EMBED: Final = "embed/"
"""The start of addresses that other sites may show in a frame."""
ASSETS: Final = "assets/"
IMMUTABLE: Final = "public, max-age=31536000, immutable"
BY_LANGUAGE: Final = "Accept-Encoding, Accept-Language, Cookie"

log = structlog.get_logger()


def addresses(folder: Path) -> tuple[str, ...]:
    """All addresses of the page in that folder, as patterns: those of its capabilities too."""
    found = [address for area in areas_of(folder) for address in area.addresses]
    return (*CORE_ADDRESSES, *(re.sub(r"\{\w+\}", lambda it: PARTS[it[0]], each) for each in found))


async def bundled_page(*, sources: bool = False, base: str = "") -> PageBundle | None:
    """The page as browsers get it; None with `sources`, or if the bundle does not match.

    `base` is the path before all addresses.

    A thread compresses it, which takes longer than anything may stop the event loop.
    """
    folder = page_bundle.FOLDER
    bundle = None if sources else await asyncio.to_thread(page_bundle.page_bundle, folder, base)
    if bundle is None:
        log.info("page_from_sources", asked_for=sources)
    return bundle


def add_pages(
    routes: Routes, previews: Previews, bundle: PageBundle | None, base: str = ""
) -> None:
    """Serve the page's files; every address of the page gives the same document.

    Unknown addresses give it too, with the status 404; the page shows that and links to the lobby.
    Not so below an address that has files or data: no answer there is a document. Without a bundle,
    browsers get the scripts. `base` is the path before all addresses.
    """
    pages = _Pages(page_bundle.FOLDER, bundle, previews, base)
    routes.get(r"/messages/{language}/{area:\w+}.json", pages.texts, FILE)
    routes.get(r"/lessons/{game:[a-z]+}.json", pages.lesson, FILE)
    routes.get(f"/{ENGINE}/{{name}}", pages.engine_file, FILE)
    routes.get("/{path:.*}", pages.page, FILE)


def language_of(request: web.Request) -> str:
    """The language for a browser: the one that its person chose, or the first that it prefers."""
    chosen = request.cookies.get(COOKIE)
    if chosen in LANGUAGES:
        return chosen
    best, most = LANGUAGES[0], 0.0
    for part in request.headers.get("Accept-Language", "").lower().split(","):
        name, _, rest = part.strip().partition(";")
        wish = QUALITY.fullmatch(rest.replace(" ", ""))
        quality = float(wish[1]) if wish else 1.0
        language = name.strip().partition("-")[0]
        if language in LANGUAGES and quality > most:
            best, most = language, quality
    return best


class _Pages:
    def __init__(
        self, folder: Path, bundle: PageBundle | None, previews: Previews, base: str
    ) -> None:
        self._previews = previews
        self._base = base
        self._with_tags: BoundedMemory[tuple[str, str], Document] = BoundedMemory(TAGGED_BYTES)
        self._folder = folder
        self._own = re.compile(f"(?:{'|'.join(addresses(folder))})/?")
        self._bundle = bundle
        self._engine = engine_files(folder) if bundle is None else {}
        self._engine_stamp = engine_stamp(folder)
        folders = {each.name for each in folder.iterdir() if each.is_dir() and each.name[0] != "_"}
        self._tops = folders | {ASSETS.rstrip("/"), EMBED.rstrip("/")}

    async def page(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        if self._base and path == self._base[1:]:  # links are relative to what follows the slash
            raise web.HTTPPermanentRedirect(URL(f"{self._base}/").with_query(request.query))
        is_known = self._own.fullmatch(path) is not None
        is_of_file = path.partition("/")[0] in self._tops or "." in path.rsplit("/", 1)[-1]
        if is_known or not is_of_file:  # a player's name may have a dot
            tags = await self._previews.tags(request, path) if is_known else ""
            await self._notice_engine()
            return self._index(request, tags, is_known=is_known)
        if self._bundle is not None and path.startswith(ASSETS):
            asset = self._bundle.assets.get(path.removeprefix(ASSETS))
            if asset is not None:
                is_list = path == ASSETS + page_bundle.OFFLINE
                return answer(request, asset, self._caching(request) if is_list else IMMUTABLE)
        if self._base and path == page_bundle.MANIFEST:
            text = page_bundle.manifest(self._folder, self._base)
            return answer(request, document(text, "application/manifest+json"))
        file = self._file(path)
        if file is None:
            raise web.HTTPNotFound(text="There is no such page.")
        # Sources keep their names between versions: browsers must ask whether a copy is current.
        return web.FileResponse(file, headers={"Cache-Control": NO_CACHE})

    async def _notice_engine(self) -> None:
        """Serve the engine that was built since the last look: `make run` builds it meanwhile."""
        stamp = engine_stamp(self._folder)
        if stamp == self._engine_stamp:
            return
        self._engine_stamp = stamp
        if self._bundle is None:
            self._engine = await asyncio.to_thread(engine_files, self._folder)
            return
        page_bundle.page_bundle.cache_clear()
        made = await asyncio.to_thread(page_bundle.page_bundle, self._folder, self._base)
        self._bundle = made or self._bundle

    async def texts(self, request: web.Request) -> web.StreamResponse:
        language, area = request.match_info["language"], request.match_info["area"]
        if language in LANGUAGES and self._bundle is not None:
            found = self._bundle.texts.get((language, area))
            if found is not None:
                return answer(request, found, self._caching(request))
        elif language in LANGUAGES:
            texts = page_bundle.texts_in(self._folder, language, area)
            if texts is not None:
                headers = {"Cache-Control": NO_CACHE}
                return web.Response(body=texts, content_type="application/json", headers=headers)
        raise web.HTTPNotFound(text="There are no such texts.")

    async def lesson(self, request: web.Request) -> web.StreamResponse:
        game = request.match_info["game"]
        if self._bundle is not None and game in self._bundle.lessons:
            return answer(request, self._bundle.lessons[game], self._caching(request))
        file = self._folder / "lessons" / f"{game}.json"
        if self._bundle is not None or not file.is_file():
            raise web.HTTPNotFound(text="There is no lesson about that game.")
        return web.FileResponse(file, headers={"Cache-Control": NO_CACHE})

    async def engine_file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if self._bundle is not None and name in self._bundle.engine:
            # A page that has some files of another version must not mix them with these.
            if "v" in request.query and not self._is_for_this_version(request):
                raise web.HTTPNotFound(text="The page has another version now.")
            return answer(request, self._bundle.engine[name], self._caching(request))
        file = self._engine.get(name)
        if file is None:
            raise web.HTTPNotFound(text="There is no such file of the engine.")
        headers = {"Cache-Control": NO_CACHE, "Content-Type": content_type_of(file)}
        return web.FileResponse(file, headers=headers)

    def _is_for_this_version(self, request: web.Request) -> bool:
        return self._bundle is not None and request.query.get("v") == self._bundle.first.build

    def _caching(self, request: web.Request) -> str:
        """For ever if the address names this version: an open page may be of another one."""
        return IMMUTABLE if self._is_for_this_version(request) else NO_CACHE

    def _index(self, request: web.Request, tags: str, *, is_known: bool) -> web.StreamResponse:
        language = language_of(request)
        if self._bundle is None:
            text = page_bundle.with_engine(
                page_bundle.localized(self._folder, language), self._engine
            )
            index = document(page_bundle.based(text, self._base).encode(), "text/html")
        else:
            index = self._bundle.index[language]
        is_framed = request.path.startswith(f"/{EMBED}")
        if is_framed:
            index = page_bundle.embedded(index)
        response = answer(request, self._tagged(index, tags) if tags else index)
        if is_framed:
            response.headers.update(FRAMED_HEADERS)
        response.headers["Vary"] = BY_LANGUAGE
        if not is_known and response.status == HTTPStatus.OK:
            response.set_status(HTTPStatus.NOT_FOUND)
        return response

    def _tagged(self, index: Document, tags: str) -> Document:
        known = self._with_tags.get((index.tag, tags))
        if known is None:
            known = page_bundle.with_head(index, tags)
            self._with_tags.put((index.tag, tags), known)
        return known

    def _file(self, path: str) -> Path | None:
        """The page's file at that path; None if it does not exist or is outside the folder."""
        if "\0" in path:
            return None
        file = (self._folder / path).resolve()
        is_ours = file.is_relative_to(self._folder.resolve()) and file.suffix in SERVED
        try:
            return file if is_ours and file.is_file() else None
        except OSError:  # for example a name that is too long
            return None
