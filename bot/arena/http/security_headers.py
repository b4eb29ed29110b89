"""Security headers, chosen by what an answer is and not by its address.

A browser runs what it shows as a document. So every answer gets the headers of a document, but for
the types in `PASSIVE`, which a browser never runs as one. The headers are added where aiohttp sends
an answer: errors, streams and files have them too. Requests that aiohttp cannot read never reach
the application; `HttpProtocol.handle_error` adds the headers to their answers.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from aiohttp import web

POLICY: Final = "Content-Security-Policy"
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
NO_SNIFFING: Final = {"X-Content-Type-Options": "nosniff"}
"""For scripts, styles and texts. What only a document needs would be a fifth of a first load."""
DOCUMENT_HEADERS: Final = {
    POLICY: CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    **NO_SNIFFING,
    "X-Frame-Options": "DENY",
}
FRAMED_HEADERS: Final = {
    **{name: value for name, value in DOCUMENT_HEADERS.items() if name != "X-Frame-Options"},
    POLICY: CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"),
}
"""For the documents that other sites may show in a frame."""
PASSIVE: Final = frozenset(
    {
        "text/javascript",
        "text/css",
        "application/json",
        "application/jsonl",
        "application/manifest+json",
        "application/pdf",
        "application/wasm",
        "font/woff2",
        "image/gif",
        "image/png",
        "image/vnd.microsoft.icon",
        "image/x-icon",
    }
)


def add_security_headers(app: web.Application) -> None:
    """Add the headers to every answer of the application."""
    app.on_response_prepare.append(_prepare)


async def _prepare(_request: web.Request, response: web.StreamResponse) -> None:
    secure(response)


def secure(response: web.StreamResponse) -> None:
    """Add the security headers to an answer that was not sent yet. One with a policy keeps it."""
    if response.status == HTTPStatus.SWITCHING_PROTOCOLS:
        return
    for name, value in _headers_for(response).items():
        response.headers.setdefault(name, value)


def _headers_for(response: web.StreamResponse) -> Mapping[str, str]:
    is_done = POLICY in response.headers or response.content_type in PASSIVE
    return NO_SNIFFING if is_done else DOCUMENT_HEADERS
