"""What the bot declares, also to a server that knows fewer keys."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from bot.errors import PeerError
from bot.guests.hexo_arena.api import Api
from bot.guests.hexo_arena.declaration import Declaration, declare, declare_patiently
from bot.guests.hexo_arena.messages import Accepts, Account
from bot.platforms.base import NoAnswer, NotNow
from tests.bot.guests.hexo_arena.fake_server import ACCEPTS, ACCOUNT
from tests.fakes.time import FakeTime

PLAIN = Declaration(Accepts(turn_ms=(5_000, 600_000), match=True))
FULL = Declaration(PLAIN.accepts, about="plays", version="1", repo_url="https://example.org")


class FakeApi(Api):
    """A server that knows some keys, and refuses a body with any other."""

    def __init__(self, knows: str = "about version repoUrl accepts levels analyzer") -> None:
        self.knows = set(knows.split())
        self.stored: dict[str, Any] = {"name": "Granite", "rating": 1500}
        self.bodies: list[Mapping[str, object]] = []
        self.failure: PeerError | None = None

    async def account(self) -> Account:
        return Account.model_validate(self.stored)

    async def declare(self, fields: Mapping[str, object]) -> Account:
        self.bodies.append(dict(fields))
        if self.failure is not None:
            raise self.failure
        if fields.keys() - self.knows:
            raise PeerError("bad_request", "the declaration fails validation")
        self.stored |= fields
        return await self.account()


async def declared(api: FakeApi, declaration: Declaration) -> Account:
    return await declare(api, declaration, await api.account())


async def test_everything_is_declared_and_the_rest_is_cleared() -> None:
    api = FakeApi()
    await declared(api, FULL)
    assert api.bodies == [
        {
            "about": "plays",
            "version": "1",
            "repoUrl": "https://example.org",
            "accepts": ACCEPTS,
            "levels": None,
            "analyzer": None,
        }
    ]


async def test_texts_of_an_earlier_program_are_cleared() -> None:
    """A bot that plays with another engine now must not show the old one."""
    api = FakeApi()
    await declared(api, FULL)
    account = await declared(api, PLAIN)
    assert (account.about, account.version, account.repo_url) == ("", "", "")


async def test_what_the_server_has_already_is_not_declared_again() -> None:
    api = FakeApi()
    api.stored = dict(ACCOUNT)
    await declared(api, PLAIN)
    assert api.bodies == []
    await declared(api, FULL)
    await declared(api, FULL)
    assert len(api.bodies) == 1


@pytest.mark.parametrize(
    ("knows", "bodies"),
    [("about version repoUrl accepts analyzer", 2), ("about version repoUrl accepts", 3)],
)
async def test_an_older_server_gets_the_keys_that_it_knows(knows: str, bodies: int) -> None:
    api = FakeApi(knows)
    account = await declared(api, FULL)
    assert len(api.bodies) == bodies
    assert (account.about, account.accepts) == ("plays", FULL.accepts)


async def test_a_server_that_refuses_everything_is_played_on_all_the_same() -> None:
    account = await declared(FakeApi(""), FULL)
    assert account.accepts is None


@pytest.mark.parametrize("failure", [NoAnswer("cut"), NotNow("rate_limited", "later", 45)])
async def test_a_declaration_without_an_answer_is_tried_again(failure: PeerError) -> None:
    """A bot that never declared its clocks gets no game."""
    api, time = FakeApi(), FakeTime()
    api.failure = failure
    declaring = asyncio.create_task(declare_patiently(api, FULL, await api.account(), time))
    await time.advance(20)
    assert (len(api.bodies), declaring.done()) == (1, False)
    api.failure = None
    await time.advance(30)
    assert declaring.done()
    assert api.stored["accepts"] == ACCEPTS
