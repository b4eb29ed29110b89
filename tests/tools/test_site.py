"""The documentation site is complete, and needs nothing from the Internet."""

import re

import pytest

from tools.site import SITE, build

_FETCHED = re.compile(
    r'(?:<script[^>]* src|<img[^>]* src|<link rel="(?:stylesheet|icon)" href)="([^"]+)"'
)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    done = build()
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_text(encoding="utf-8") for path in SITE.glob("*.html")}


@pytest.mark.xdist_group("site")
def test_every_link_leads_somewhere_and_every_page_is_in_the_navigation(
    pages: dict[str, str],
) -> None:
    assert {"index.html", "playing.html", "CONTRIBUTING.html", "CHANGELOG.html"} <= set(pages)


@pytest.mark.xdist_group("site")
def test_the_pages_fetch_nothing_from_elsewhere(pages: dict[str, str]) -> None:
    for name, text in pages.items():
        fetched = _FETCHED.findall(text)
        assert fetched
        for address in fetched:
            assert "//" not in address, (name, address)
            assert (SITE / address.partition("?")[0].lstrip("/")).is_file(), (name, address)
