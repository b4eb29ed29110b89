"""Ports of one settings file on which two things would listen."""

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.daemon.settings import HealthSettings
from bot.platforms.abstract_play.settings import AbstractPlayConnection
from bot.runtime.toml_settings import Place, Problem, spell


@dataclass(frozen=True, slots=True)
class _Listener:
    place: Place
    host: str
    port: int

    def is_in_the_way_of(self, other: "_Listener") -> bool:
        """0 is any free port; an address for all takes the port on each."""
        if self.port != other.port or self.port == 0:
            return False
        return _one_spelling(self.host) == _one_spelling(other.host) or any(
            _is_everywhere(each.host) for each in (self, other)
        )


def check_ports(raw: Mapping[str, Any]) -> Iterator[Problem]:
    """The later of two is told of the earlier."""
    before: list[_Listener] = []
    for listener in _listeners(raw):
        for other in before:
            if listener.is_in_the_way_of(other):
                taken = spell(other.place).removesuffix(": ")
                yield listener.place, f"port {listener.port} is that of {taken} already"
                break
        before.append(listener)


def _listeners(raw: Mapping[str, Any]) -> Iterator[_Listener]:
    """Those whose tables are right so far."""
    health = raw.get("health")
    if isinstance(health, dict):
        host = health.get("host", HealthSettings.model_fields["host"].default)
        yield from _listener(("health", "port"), host, health.get("port"))
    fields = AbstractPlayConnection.model_fields
    platforms = raw.get("platforms")
    for index, table in enumerate(platforms if isinstance(platforms, list) else ()):
        if isinstance(table, dict) and table.get("kind") == fields["kind"].default:
            host, port = (
                table.get(key, fields[key].default) for key in ("listen_host", "listen_port")
            )
            yield from _listener(("platforms", index, "listen_port"), host, port)


def _listener(place: Place, host: object, port: object) -> Iterator[_Listener]:
    if isinstance(host, str) and isinstance(port, int):
        yield _Listener(place, host, port)


def _one_spelling(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return "127.0.0.1" if host == "localhost" else host.lower()


def _is_everywhere(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
