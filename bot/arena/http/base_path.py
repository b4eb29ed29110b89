"""An arena below a path of its site, such as https://example.org/games/bluestone.

Problem. A proxy may pass on the whole path, or without the part that leads to the arena. Routes,
limits and everything else compare paths, and each place could forget the difference.

Idea. The path is removed where a request is made out of what was read, before anything sees it.
Requests without it are served as well: those of a proxy that has removed it, and those of probes
on this machine. The answers have it in their addresses (`page_bundle.based`, `Previews`), and the
page's scripts add it to theirs (`web/js/shared/site.js`).

Rejected: an application in an application. The inner one still sees the whole path.
"""

from typing import Any, Protocol

from aiohttp import web


class RequestFactory(Protocol):
    """aiohttp's way to make a request; the first argument is the message that was read."""

    def __call__(self, message: Any, /, *rest: Any) -> web.BaseRequest: ...  # noqa: ANN401


def below(base: str, make: Any) -> RequestFactory:  # noqa: ANN401 - aiohttp's types are private
    """Return a factory whose requests have the path without `base`; `make` if that is empty."""
    factory: RequestFactory = make
    return _without(base, factory) if base else factory


def _without(base: str, make: RequestFactory) -> RequestFactory:
    def made(message: Any, /, *rest: Any) -> web.BaseRequest:  # noqa: ANN401
        path = message.url.raw_path
        if path.startswith(f"{base}/"):
            url = message.url.with_path(path[len(base) :], encoded=True, keep_query=True)
            message = message._replace(url=url, path=str(url))
        return make(message, *rest)

    return made
