"""Who asks, whatever proxies stand between, and what counts as one address."""

import pytest
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from bot.arena.http.addresses import HttpCaller, Proxies, counted_as


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:4711", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_addresses_are_grouped_for_limits(text: str, counted: str) -> None:
    assert counted_as(text) == counted


def caller(peer: str, trusted: list[str], *headers: tuple[str, str]) -> HttpCaller:
    request = make_mocked_request("GET", "/", CIMultiDict([("Host", "inside:8765"), *headers]))
    return Proxies(trusted).caller(request.clone(remote=peer))


def forwarded(*lines: str) -> list[tuple[str, str]]:
    return [("X-Forwarded-For", line) for line in lines]


@pytest.mark.parametrize(
    ("peer", "trusted", "lines", "address"),
    [
        ("203.0.113.7", [], [], "203.0.113.7"),
        ("203.0.113.7", [], ["1.1.1.1"], "203.0.113.7"),
        ("203.0.113.7", ["127.0.0.1"], ["1.1.1.1"], "203.0.113.7"),
        ("127.0.0.1", ["127.0.0.1"], ["203.0.113.7"], "203.0.113.7"),
        ("127.0.0.1", ["127.0.0.1"], ["1.1.1.1, 203.0.113.7"], "203.0.113.7"),
        ("127.0.0.1", ["127.0.0.1"], ["1.1.1.1", "203.0.113.7"], "203.0.113.7"),
        (
            "127.0.0.1",
            ["127.0.0.1", "10.0.0.0/8"],
            ["1.1.1.1, 203.0.113.7, 10.1.2.3"],
            "203.0.113.7",
        ),
        ("127.0.0.1", ["127.0.0.1", "10.0.0.0/8"], ["10.9.9.9, 10.1.2.3"], "10.9.9.9"),
        ("127.0.0.1", ["127.0.0.1"], ["203.0.113.7:50123"], "203.0.113.7"),
        ("::1", ["::1"], ["2001:db8:1:2::9"], "2001:db8:1:2::/64"),
        ("::ffff:127.0.0.1", ["127.0.0.1"], ["203.0.113.7"], "203.0.113.7"),
        ("127.0.0.1", ["127.0.0.1"], ["203.0.113.7, unknown"], "127.0.0.1"),
        ("127.0.0.1", ["127.0.0.1"], [], "127.0.0.1"),
        ("127.0.0.1", ["127.0.0.1"], [""], "127.0.0.1"),
    ],
)
def test_the_nearest_address_that_no_trusted_proxy_has_is_the_callers(
    peer: str, trusted: list[str], lines: list[str], address: str
) -> None:
    assert caller(peer, trusted, *forwarded(*lines)).address == address


SAID = [("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "play.example.org")]


def test_a_trusted_proxy_forwards_the_host_of_the_request() -> None:
    heard = caller("127.0.0.1", ["127.0.0.1"], *forwarded("203.0.113.7"), *SAID)
    assert heard == HttpCaller("203.0.113.7", "https", "play.example.org")


def test_headers_of_untrusted_proxies_are_ignored_and_reported() -> None:
    heard = caller("203.0.113.7", [], *forwarded("1.1.1.1"), *SAID)
    assert heard == HttpCaller("203.0.113.7", "http", "inside:8765", is_forwarded_by_stranger=True)


@pytest.mark.parametrize(
    ("proto", "scheme"),
    [("https", "https"), ("HTTPS, http", "https"), ("wss", "https"), ("ws", "http"), ("x", "http")],
)
def test_the_scheme_that_browsers_see(proto: str, scheme: str) -> None:
    heard = caller("127.0.0.1", ["127.0.0.1"], ("X-Forwarded-Proto", proto))
    assert (heard.scheme, heard.host) == (scheme, "inside:8765")
