"""Which web pages may connect: a browser says where a page comes from, other clients do not."""

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from bot.arena.net.addresses import Caller, parsed_address

DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Origins:
    """Pages of our own, under names that are ours, and those of sites that are listed.

    That the request's Host is the page's own is not enough: whoever owns a name can let it point
    to this machine, and then a page of theirs under that name would be taken for one of ours.
    """

    def __init__(self, allowed: Iterable[str], hosts: Iterable[str]) -> None:
        self._allowed = {origin.lower() for origin in allowed}
        self._hosts = {_plain(host) for host in hosts} | {"localhost"}

    def setting_against(self, origin: str | None, caller: Caller) -> str | None:
        """The setting that keeps a page of that origin out; None if it may connect."""
        if origin is None or origin.lower() in self._allowed:
            return None
        theirs = _place(origin)
        ours = _place(f"{caller.scheme}://{caller.host}")
        if theirs is None or ours is None:
            return "allowed_origins"
        if theirs == ours:
            return None if self._is_ours(ours[1]) else "hosts"
        is_behind_tls = theirs[1] == ours[1] and theirs[0] != ours[0]
        if is_behind_tls or caller.is_forwarded_by_stranger:
            return "trusted_proxies"
        return "allowed_origins"

    def _is_ours(self, name: str) -> bool:
        return name in self._hosts or parsed_address(name) is not None


def _place(origin: str) -> tuple[str, str, int] | None:
    """Scheme, name and port; None for what is no address of a page."""
    try:
        parts = urlsplit(origin)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return parts.scheme, _plain(parts.hostname or ""), port


def _plain(name: str) -> str:
    return name.lower().rstrip(".")
