"""Documents that are made once and kept as bytes."""

import asyncio
import gzip

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from bot.arena.http.documents import DocumentCache, answer, document
from bot.arena.refusals import Refused
from bot.runtime.workers import working_for

BODY = b"A rather long text. " * 100


def answered(**headers: str) -> web.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(make_mocked_request("GET", "/", headers=named), document(BODY))


@pytest.mark.parametrize("accepted", ["gzip", "deflate, GZIP;q=0.5, br", "gzip ; q=1.0"])
def test_a_client_that_reads_gzip_gets_it(accepted: str) -> None:
    response = answered(Accept_Encoding=accepted)
    assert response.headers["Content-Encoding"] == "gzip"
    assert isinstance(response.body, bytes)
    assert len(response.body) < len(BODY) / 10
    assert gzip.decompress(response.body) == BODY


@pytest.mark.parametrize("accepted", ["", "identity", "gzip;q=0", "gzip; q=0.0", "xgzip"])
def test_a_client_without_compression_gets_the_plain_body(accepted: str) -> None:
    response = answered(Accept_Encoding=accepted)
    assert response.body == BODY
    assert "Content-Encoding" not in response.headers


def test_a_client_that_has_it_gets_no_body() -> None:
    tag = answered().headers["ETag"]
    again = answered(If_None_Match=tag)
    assert (again.status, again.body) == (304, None)
    assert again.headers["ETag"] == tag
    assert answered(If_None_Match='W/"another"').status == 200


class Maker:
    """Makes bodies, and counts them."""

    def __init__(self) -> None:
        self.made = 0

    async def __call__(self) -> bytes:
        self.made += 1
        await asyncio.sleep(0)
        return b"%d" % self.made


async def test_a_version_is_made_once_however_many_ask_at_the_same_time() -> None:
    cache, make = DocumentCache(), Maker()
    found = await asyncio.gather(*(cache.get("a", 1, make) for _ in range(9)))
    assert {each.bodies["identity"] for each in found} == {b"1"}
    assert (await cache.get("a", 2, make)).bodies["identity"] == b"2"
    assert (await cache.get("b", 2, make)).bodies["identity"] == b"3"


async def test_the_documents_that_were_not_used_for_longest_make_room() -> None:
    measured, make = DocumentCache(), Maker()
    await measured.get("a", 1, make)
    cache, make = DocumentCache(most_bytes=2 * measured._kept.bytes), Maker()
    for key in "abcab":  # two of them have room
        await cache.get(key, 1, make)
    assert make.made == 5
    await cache.get("b", 1, make)
    assert make.made == 5


async def test_a_document_that_failed_is_made_again() -> None:
    cache = DocumentCache()

    async def fail() -> bytes:
        raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        await cache.get("a", 1, fail)
    assert (await cache.get("a", 1, Maker())).bodies["identity"] == b"1"


async def test_only_some_requests_may_wait() -> None:
    cache, make = DocumentCache(most_waiting=2), Maker()
    found = await asyncio.gather(
        *(cache.get(key, 1, make) for key in "abc"), return_exceptions=True
    )
    assert [isinstance(each, Refused) for each in found] == [False, False, True]
    assert (await cache.get("c", 1, make)).bodies["identity"] == b"3"


async def test_addresses_that_wait_for_documents_take_turns() -> None:
    cache, made = DocumentCache(), list[str]()

    async def ask(address: str, key: str) -> None:
        async def make() -> bytes:
            made.append(key)
            await asyncio.sleep(0)
            return b""

        with working_for(address):
            await cache.get(key, 1, make)

    asked = [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1")]
    await asyncio.gather(*(ask(address, key) for address, key in asked))
    assert made == ["a1", "a2", "b1", "a3"]
