"""The web page: plain files beside this module, and the headers that keep browsers careful."""

import re
from pathlib import Path
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

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


def add_pages(app: web.Application) -> None:
    """Serve the page's files; every address of the page itself gives its one document.

    Any other address gives it too, with the status 404: the page says so, and leads home.
    """
    app.router.add_get("/{path:.*}", _page)


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


async def _page(request: web.Request) -> web.StreamResponse:
    path = request.match_info["path"]
    is_file = "." in path.rsplit("/", 1)[-1]
    file = _file(path) if is_file else FOLDER / INDEX
    if file is None:
        raise web.HTTPNotFound(text="There is no such page.")
    # Files keep their names between versions, so a browser has to ask whether its copy is good.
    headers = {"Cache-Control": "no-cache"}
    if is_file or OWN_ADDRESS.fullmatch(path):
        return web.FileResponse(file, headers=headers)
    return web.Response(
        body=file.read_bytes(), status=404, content_type="text/html", headers=headers
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
