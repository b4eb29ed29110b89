"""Which pages may connect."""

import pytest

from bot.arena.net.addresses import Caller
from bot.arena.net.origins import Origins

ORIGINS = Origins(["https://friend.example"], ["Play.Example.org", "box"])


def asked(host: str, scheme: str = "http", is_forwarded_by_stranger: bool = False) -> Caller:
    return Caller("127.0.0.1", scheme, host, is_forwarded_by_stranger)


@pytest.mark.parametrize(
    ("origin", "caller"),
    [
        (None, asked("anything")),
        ("https://friend.example", asked("127.0.0.1:8765")),
        ("http://127.0.0.1:8765", asked("127.0.0.1:8765")),
        ("http://192.168.1.5:8765", asked("192.168.1.5:8765")),
        ("http://[::1]:8765", asked("[::1]:8765")),
        ("http://localhost:8765", asked("LOCALHOST:8765")),
        ("http://box:8765", asked("box:8765")),
        ("https://play.example.org", asked("play.example.org", "https")),
        ("https://play.example.org", asked("play.example.org.:443", "https")),
    ],
)
def test_pages_that_may_connect(origin: str | None, caller: Caller) -> None:
    assert ORIGINS.setting_against(origin, caller) is None


@pytest.mark.parametrize(
    ("origin", "caller", "setting"),
    [
        ("http://rebound.example:8765", asked("rebound.example:8765"), "hosts"),
        ("http://rebound.example", asked("rebound.example"), "hosts"),
        ("https://evil.example", asked("127.0.0.1:8765"), "allowed_origins"),
        ("http://localhost:3000", asked("localhost:8765"), "allowed_origins"),
        ("null", asked("127.0.0.1:8765"), "allowed_origins"),
        ("http://[::1", asked("127.0.0.1:8765"), "allowed_origins"),
        ("http://localhost:99999", asked("localhost:99999"), "allowed_origins"),
        ("file://", asked(""), "allowed_origins"),
        ("https://play.example.org", asked("play.example.org"), "trusted_proxies"),
        (
            "https://play.example.org",
            asked("127.0.0.1:8765", is_forwarded_by_stranger=True),
            "trusted_proxies",
        ),
    ],
)
def test_pages_that_may_not_and_the_setting_that_says_so(
    origin: str, caller: Caller, setting: str
) -> None:
    assert ORIGINS.setting_against(origin, caller) == setting
