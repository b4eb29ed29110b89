"""How much a browser must fetch for the front page."""

from playwright.async_api import CDPSession, expect

from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.visitor import Visitor


class Traffic:
    """Counts answers from the network, without those from the browser's cache."""

    def __init__(self) -> None:
        self.urls: dict[str, str] = {}
        self.fetched: dict[str, int] = {}

    async def watch(self, person: Visitor) -> CDPSession:
        session = await person.page.context.new_cdp_session(person.page)
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.requestServedFromCache", self._cached)
        session.on("Network.loadingFinished", self._finished)
        session.on("Network.webSocketCreated", self._socket)
        await session.send("Network.enable")
        return session

    def _asked(self, event: dict[str, object]) -> None:
        request = event["request"]
        assert isinstance(request, dict)
        self.urls[str(event["requestId"])] = str(request["url"])

    def _cached(self, event: dict[str, object]) -> None:
        self.urls.pop(str(event["requestId"]), None)

    def _socket(self, event: dict[str, object]) -> None:
        self.fetched[str(event["url"])] = 0

    def _finished(self, event: dict[str, object]) -> None:
        size = event["encodedDataLength"]
        assert isinstance(size, int | float)
        url = self.urls.pop(str(event["requestId"]), None)
        if url is not None and size:  # the browser's disk needs no network
            self.fetched[url] = int(size)

    def clear(self) -> None:
        self.urls.clear()
        self.fetched.clear()


async def loaded(person: Visitor, traffic: Traffic) -> dict[str, int]:
    """What has been fetched when the front page is loaded and no request is open."""
    await expect(person.status).to_have_text("Connected")
    await person.page.wait_for_load_state("networkidle")
    return dict(traffic.fetched)


async def test_the_front_page_needs_few_requests_and_a_reload_hardly_any(
    open_page: OpenPage,
) -> None:
    person = await open_page()
    traffic = Traffic()
    session = await traffic.watch(person)
    await session.send("Network.clearBrowserCache")
    await person.visit(person.page.url)
    first = await loaded(person, traffic)
    assert len(first) <= 25, first
    assert sum(first.values()) <= 150_000, first
    assert not any("/js/" in url for url in first)
    traffic.clear()
    await person.reload()
    again = await loaded(person, traffic)
    assert len(again) <= 5, again
    assert sum(again.values()) <= 5_000, again
