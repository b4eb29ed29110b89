"""The web page: plain files beside this module, and the headers that keep browsers careful."""

import re
from http import HTTPStatus
from pathlib import Path
from typing import Final

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from bot.arena.net.documents import NO_CACHE, answer
from bot.arena.net.page_bundle import PageBundle, page_bundle

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
    """Serve the page's files; every address of the page itself gives its one document.

    Any other address gives it too, with the status 404: the page says so, and leads home. Browsers
    get the bundle, or the scripts as they are with `sources` and where these are newer.
    """
    bundle = None if sources else page_bundle(FOLDER)
    if bundle is None:
        log.info("page_from_sources", asked_for=sources)
    app.router.add_get("/{path:.*}", _Pages(bundle).page)


@web.middleware
async def careful_headers(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Security headers on every answer, errors included; sockets have sent theirs already."""
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
        # Sources keep their names between versions: a browser has to ask whether its copy is good.
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
    """The file of the page at that path; None if there is none, or outside its folder."""
    if "\0" in path:
        return None
    file = (FOLDER / path).resolve()
    is_ours = file.is_relative_to(FOLDER.resolve()) and file.suffix in SERVED
    try:
        return file if is_ours and file.is_file() else None
    except OSError:  # such as a name that is too long
        return None
