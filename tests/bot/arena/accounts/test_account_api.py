"""Accounts over HTTP: passkeys, recovery links, devices, export, deletion, and attacks on them."""

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web

from bot import wire
from bot.arena.accounts.account_api import AccountApi
from bot.arena.accounts.passkeys import LASTS, begin
from bot.arena.accounts.sign_in import SignInStore
from bot.arena.http.routes import Routes
from bot.arena.players.accounts import Accounts
from bot.arena.server import running_arena
from bot.arena.store.opening import open_database
from bot.time_source import SystemTime, TimeSource
from tests.bot.arena.table import begin as begin_game
from tests.bot.arena.table import refusal, settings
from tests.docs.pages import ROOT
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.authenticator import Authenticator, b64
from tests.fakes.time import FakeTime


@dataclass
class Arena:
    """An arena, reached under `localhost`, because passkeys need a name."""

    url: str
    http: aiohttp.ClientSession
    folder: Path
    stack: AsyncExitStack
    headers: dict[str, str] = field(default_factory=dict)

    async def post(self, path: str, key: str | None = None, **body: Any) -> tuple[int, Any]:
        """The status and the answer to a request of the arena's page."""
        headers = {"Origin": self.url, "User-Agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        async with self.http.post(
            f"/api/account{path}", json=body, headers={**headers, **self.headers}
        ) as response:
            return response.status, await response.json()

    async def ok(self, path: str, key: str | None = None, **body: Any) -> Any:
        status, answer = await self.post(path, key, **body)
        assert status == 200, answer
        return answer

    async def no(self, path: str, key: str | None = None, **body: Any) -> tuple[int, str]:
        """The status and the code of a refusal."""
        status, answer = await self.post(path, key, **body)
        assert status != 200, answer
        assert answer["message"]
        return status, answer["code"]

    async def person(self, name: str | None) -> tuple[str, ArenaClient]:
        """A new person: the guest key, and an open connection."""
        form = {} if name is None else {"name": name}
        client = await self.stack.enter_async_context(connected(self.url, **form))
        return str(client.all_of(wire.Welcome)[0].guest_key), client

    async def passkey(self, key: str) -> Authenticator:
        """Add a passkey to the account of that key."""
        made = Authenticator(self.url)
        options = (await self.ok("/passkeys/options", key))["options"]
        await self.ok("/passkeys/add", key, credential=made.create(options))
        return made

    async def sign_in(self, passkey: Authenticator) -> tuple[int, Any]:
        options = (await self.ok("/sign-in/options"))["options"]
        return await self.post("/sign-in", credential=passkey.get(options))

    async def another_device(self, key: str) -> str:
        """The key of a device that a link has signed in."""
        secret = (await self.ok("/devices/add", key))["secret"]
        return str((await self.ok("/devices/use", secret=secret))["guest_key"])

    async def prove(self, key: str, passkey: Authenticator) -> tuple[int, Any]:
        options = (await self.ok("/proof/options", key))["options"]
        return await self.post("/proof", key, credential=passkey.get(options))


@asynccontextmanager
async def arena_in(
    folder: Path, time: TimeSource | None = None, **changes: Any
) -> AsyncIterator[Arena]:
    async with AsyncExitStack() as stack:
        at = await stack.enter_async_context(running_arena(settings(folder, **changes), time))
        url = at.replace("127.0.0.1", "localhost")
        http = await stack.enter_async_context(aiohttp.ClientSession(url))
        yield Arena(url, http, folder, stack)


@pytest.fixture
async def arena(tmp_path: Path) -> AsyncIterator[Arena]:
    async with arena_in(tmp_path) as made:
        yield made


# ---- passkeys ------------------------------------------------------------------------------------


async def test_a_person_signs_in_on_another_device_by_passkey(arena: Arena) -> None:
    key, anna = await arena.person("Anna")
    assert not (await arena.ok("", key))["you"]["registered"]
    passkey = await arena.passkey(key)
    shown = await anna.wait_for(wire.Welcome, lambda welcome: welcome.you.registered)
    assert shown.you.name == "Anna"
    status, answer = await arena.sign_in(passkey)
    assert (status, answer["you"]["name"], answer["you"]["registered"]) == (200, "Anna", True)
    assert answer["guest_key"] != key
    async with connected(arena.url, guest_key=answer["guest_key"]) as other:
        assert other.all_of(wire.Welcome)[0].you == shown.you
    account = await arena.ok("", key)
    assert [each["label"] for each in account["passkeys"]] == ["Firefox on Linux"]
    assert [each["is_this"] for each in account["devices"]].count(True) == 1
    assert len(account["devices"]) == 2


async def test_a_guest_without_a_name_cannot_register(arena: Arena) -> None:
    key, _ = await arena.person(None)
    assert await arena.no("/passkeys/options", key) == (409, "name_needed")
    assert await arena.no("/recovery/create", key) == (409, "name_needed")


async def test_a_page_at_an_address_is_told_why_it_has_no_passkeys(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    port = arena.url.rpartition(":")[2]
    arena.headers = {"Host": f"127.0.0.1:{port}", "Origin": f"http://127.0.0.1:{port}"}
    assert (await arena.ok("", key))["why_no_passkeys"]["code"] == "address"
    assert await arena.no("/passkeys/options", key) == (403, "bad_passkey")
    assert (await arena.ok("/recovery/create", key))["secret"]


@pytest.mark.parametrize(
    "cheat",
    [
        lambda passkey: setattr(passkey, "origin", "https://evil.example"),
        lambda passkey: setattr(passkey, "domain", "evil.example"),
    ],
    ids=["origin", "domain"],
)
async def test_an_answer_of_another_site_is_refused(
    arena: Arena, cheat: Callable[[Authenticator], None]
) -> None:
    key, _ = await arena.person("Anna")
    passkey = await arena.passkey(key)
    cheat(passkey)
    status, answer = await arena.sign_in(passkey)
    assert (status, answer["code"]) == (403, "bad_passkey")
    options = (await arena.ok("/passkeys/options", key))["options"]
    credential = passkey.create(options)
    assert await arena.no("/passkeys/add", key, credential=credential) == (403, "bad_passkey")


async def test_a_challenge_is_answered_once_and_for_its_purpose(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    passkey = await arena.passkey(key)
    options = (await arena.ok("/sign-in/options"))["options"]
    passkey.count = 10
    answer = passkey.get(options)
    await arena.ok("/sign-in", credential=answer)
    assert await arena.no("/sign-in", credential=answer) == (403, "bad_passkey")
    again = passkey.get(options)
    assert await arena.no("/sign-in", credential=again) == (403, "bad_passkey")
    registering = (await arena.ok("/passkeys/options", key))["options"]
    wrong = passkey.get(registering)
    assert await arena.no("/sign-in", credential=wrong) == (403, "bad_passkey")
    invented = passkey.get({"challenge": "A" * 86})
    assert await arena.no("/sign-in", credential=invented) == (403, "bad_passkey")


async def test_a_challenge_of_one_account_adds_no_passkey_to_another(arena: Arena) -> None:
    anna, _ = await arena.person("Anna")
    ben, _ = await arena.person("Ben")
    options = (await arena.ok("/passkeys/options", anna))["options"]
    credential = Authenticator(arena.url).create(options)
    assert await arena.no("/passkeys/add", ben, credential=credential) == (403, "bad_passkey")


async def test_a_passkey_of_another_account_cannot_be_taken_over(arena: Arena) -> None:
    anna, _ = await arena.person("Anna")
    ben, _ = await arena.person("Ben")
    passkey = await arena.passkey(anna)
    options = (await arena.ok("/passkeys/options", ben))["options"]
    stolen = Authenticator(arena.url, id=passkey.id)  # its public id, with a key of their own
    code = await arena.no("/passkeys/add", ben, credential=stolen.create(options))
    assert code == (403, "bad_passkey")
    forged = Authenticator(arena.url, id=passkey.id, user=passkey.user, count=99)
    assert (await arena.sign_in(forged))[0] == 403
    for path, body in (("rename", {"label": "mine"}), ("remove", {})):
        own = (await arena.ok("", anna))["passkeys"][0]["id"]
        status, _ = await arena.post(f"/passkeys/{path}", ben, id=own, **body)
        assert status != 200
    assert (await arena.ok("", anna))["passkeys"][0]["label"] == "Firefox on Linux"


async def test_a_count_that_goes_back_is_refused_and_logged(
    arena: Arena, capsys: pytest.CaptureFixture[str]
) -> None:
    key, _ = await arena.person("Anna")
    passkey = await arena.passkey(key)
    assert (await arena.sign_in(passkey))[0] == 200
    passkey.count -= 1  # a copy of the passkey, which has answered less often
    status, answer = await arena.sign_in(passkey)
    assert (status, answer["code"]) == (403, "copied_passkey")
    assert "recovery link" in answer["message"]
    assert "passkey_count_went_back" in capsys.readouterr().out
    passkey.count -= 1
    status, answer = await arena.prove(key, passkey)
    assert (status, answer["code"]) == (403, "copied_passkey")
    passkey.count = 50
    assert (await arena.sign_in(passkey))[0] == 200


async def test_the_owner_of_a_copied_passkey_replaces_it(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    passkey = await arena.passkey(key)
    assert (await arena.sign_in(passkey))[0] == 200
    secret = (await arena.ok("/recovery/create", key))["secret"]
    passkey.count = 0
    assert (await arena.sign_in(passkey))[1]["code"] == "copied_passkey"
    signed_in = (await arena.ok("/recovery/use", secret=secret))["guest_key"]
    [old] = (await arena.ok("", signed_in))["passkeys"]
    new = await arena.passkey(signed_in)
    await arena.ok("/passkeys/remove", signed_in, id=old["id"])
    assert (await arena.sign_in(new))[0] == 200


async def test_a_forged_answer_with_a_low_count_learns_nothing(
    arena: Arena, capsys: pytest.CaptureFixture[str]
) -> None:
    key, _ = await arena.person("Anna")
    passkey = await arena.passkey(key)
    assert (await arena.sign_in(passkey))[0] == 200
    forged = Authenticator(arena.url, id=passkey.id, user=passkey.user)
    status, answer = await arena.sign_in(forged)
    assert (status, answer["code"]) == (403, "bad_passkey")
    assert "passkey_count_went_back" not in capsys.readouterr().out


async def test_an_expired_challenge_is_refused(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    passkey = await arena.passkey(key)
    challenge = "B" * 86
    async with open_database(arena.folder, 5) as database:
        long_ago = datetime.now(UTC) - LASTS - timedelta(seconds=1)
        await database.write(lambda c: begin(c, challenge, "sign-in", None, long_ago))
    answer = passkey.get({"challenge": challenge})
    assert await arena.no("/sign-in", credential=answer) == (403, "bad_passkey")


async def test_the_last_way_in_cannot_be_removed(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    await arena.passkey(key)
    own = (await arena.ok("", key))["passkeys"][0]["id"]
    await arena.ok("/passkeys/rename", key, id=own, label="My phone")
    assert (await arena.ok("", key))["passkeys"][0]["label"] == "My phone"
    assert await arena.no("/passkeys/remove", key, id=own) == (409, "not_now")
    await arena.ok("/recovery/create", key)
    await arena.ok("/passkeys/remove", key, id=own)
    assert (await arena.ok("", key))["passkeys"] == []


# ---- the recovery link ---------------------------------------------------------------------------


async def test_a_recovery_link_signs_in_once_and_a_new_one_replaces_it(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    first = (await arena.ok("/recovery/create", key))["secret"]
    second = (await arena.ok("/recovery/create", key))["secret"]
    assert (await arena.ok("", key))["recovery_since"]
    assert await arena.no("/recovery/use", secret=first) == (403, "bad_recovery_link")
    answer = await arena.ok("/recovery/use", secret=second)
    assert (answer["you"]["name"], answer["you"]["registered"]) == ("Anna", True)
    assert (await arena.ok("", answer["guest_key"]))["recovery_since"] is None
    assert await arena.no("/recovery/use", secret=second) == (403, "bad_recovery_link")


async def test_no_secret_is_stored_in_clear(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    secret = (await arena.ok("/recovery/create", key))["secret"]
    stored = b"".join(file.read_bytes() for file in arena.folder.glob("arena.db*"))
    assert b"Anna" in stored
    assert key.encode() not in stored
    assert secret.encode() not in stored


# ---- devices -------------------------------------------------------------------------------------


async def test_a_device_that_is_signed_out_loses_its_connection_and_its_key(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    other = await arena.another_device(key)
    async with connected(arena.url, guest_key=other) as device:
        assert device.all_of(wire.Welcome)[0].you.name == "Anna"
        devices = (await arena.ok("", key))["devices"]
        [theirs] = [each["id"] for each in devices if not each["is_this"]]
        await arena.ok("/devices/sign-out", key, id=theirs)
        await device.wait_until_disconnected()
    assert (await refusal(arena.url, {"v": 1, "guest_key": other})).code == "bad_guest_key"
    assert await arena.no("", other) == (401, "bad_guest_key")
    assert (await arena.ok("", key))["you"]["name"] == "Anna"


async def test_all_other_devices_are_signed_out_at_once(arena: Arena) -> None:
    key, anna = await arena.person("Anna")
    passkey = await arena.passkey(key)
    keys = [(await arena.sign_in(passkey))[1]["guest_key"] for _ in range(2)]
    assert await arena.ok("/devices/sign-out-others", keys[1]) == {"ended": 2}
    await anna.wait_until_disconnected()
    assert [(await arena.post("", each))[0] for each in (key, *keys)] == [401, 401, 200]


async def test_nobody_signs_out_a_device_of_somebody_else(arena: Arena) -> None:
    anna, _ = await arena.person("Anna")
    ben, _ = await arena.person("Ben")
    [theirs] = (await arena.ok("", anna))["devices"]
    assert await arena.no("/devices/sign-out", ben, id=theirs["id"]) == (404, "unknown_device")
    await arena.ok("", anna)


async def test_a_link_for_another_device_works_once_and_is_no_key(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    secret = (await arena.ok("/devices/add", key))["secret"]
    assert await arena.no("", secret) == (401, "bad_guest_key")
    assert (await refusal(arena.url, {"v": 1, "guest_key": secret})).code == "bad_guest_key"
    answer = await arena.ok("/devices/use", secret=secret)
    assert answer["you"]["name"] == "Anna"
    assert (await arena.ok("", answer["guest_key"]))["you"]["name"] == "Anna"
    assert await arena.no("/devices/use", secret=secret) == (403, "bad_device_link")
    devices = (await arena.ok("", key))["devices"]
    assert [each["label"] for each in devices].count("Firefox on Linux") == 2
    ended = await asyncio.gather(*(arena.post("/devices/use", secret=secret) for _ in range(5)))
    assert {status for status, _ in ended} == {403}


async def test_a_link_for_another_device_replaces_one_that_was_not_used(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    first = (await arena.ok("/devices/add", key))["secret"]
    second = (await arena.ok("/devices/add", key))["secret"]
    assert await arena.no("/devices/use", secret=first) == (403, "bad_device_link")
    at_once = await asyncio.gather(*(arena.post("/devices/use", secret=second) for _ in range(8)))
    assert sorted(status for status, _ in at_once) == [200] + [403] * 7


async def test_a_link_for_another_device_ends_after_ten_minutes(tmp_path: Path) -> None:
    time = FakeTime()
    async with arena_in(tmp_path, time=time) as arena:
        key, _ = await arena.person("Anna")
        made = await arena.ok("/devices/add", key)
        assert datetime.fromisoformat(made["ends_at"]) - time.wall() == timedelta(minutes=10)
        await time.advance(601)
        assert await arena.no("/devices/use", secret=made["secret"]) == (403, "bad_device_link")


# ---- proofs --------------------------------------------------------------------------------------

TAKING_OVER: list[tuple[str, dict[str, Any]]] = [
    ("/recovery/create", {}),
    ("/passkeys/options", {}),
    ("/passkeys/add", {"credential": {}}),
    ("/passkeys/remove", {"id": "x"}),
    ("/devices/sign-out-others", {}),
    ("/delete", {"name": "Anna"}),
]
"""The requests that would give the thief of a key the account, or would end it."""


@pytest.mark.parametrize("way", ["passkey", "link"])
async def test_the_key_of_a_browser_alone_takes_over_no_account(arena: Arena, way: str) -> None:
    owner, _ = await arena.person("Anna")
    stolen = await arena.another_device(owner)  # before Anna has another way to sign in
    if way == "passkey":
        await arena.passkey(owner)
    else:
        await arena.ok("/recovery/create", owner)
    [theirs] = [each["id"] for each in (await arena.ok("", owner))["devices"] if each["is_this"]]
    attacks = [*TAKING_OVER, ("/devices/sign-out", {"id": theirs})]
    for path, body in attacks:
        assert await arena.no(path, stolen, **body) == (403, "proof_needed"), path
    account = await arena.ok("", owner)
    assert (len(account["passkeys"]), account["recovery_since"] is None) == (
        int(way == "passkey"),
        way == "passkey",
    )
    [own] = [each["id"] for each in (await arena.ok("", stolen))["devices"] if each["is_this"]]
    await arena.ok("/devices/sign-out", stolen, id=own)  # one's own device needs no proof


def test_each_request_about_an_account_is_known_to_take_it_over_or_not() -> None:
    """A new one falls into this list, and is either an attack above or harmless."""
    harmless = {
        *("", "/proof/options", "/proof", "/passkeys/rename", "/devices/add", "/export"),
        *("/sign-in/options", "/sign-in", "/recovery/use", "/devices/use", "/devices/sign-out"),
    }
    page = (ROOT / "docs" / "arena-protocol.md").read_text().partition("### Accounts")[2]
    rows = re.findall(r"^\| (?:`(/[\w/-]+)`|\(none\)) \| (.*?) \|", page, re.MULTILINE)
    assert {path for path, key in rows if key == "key, proof"} == {each for each, _ in TAKING_OVER}
    assert {path for path, key in rows if key != "key, proof"} == harmless
    routes = Routes()
    AccountApi.add_to(cast("AccountApi", _Anything()), routes)
    assert {path.removeprefix("/api/account") for path in routes} == harmless | {
        path for path, _ in TAKING_OVER
    }


class _Anything:
    """Stands for the handlers, which are not called."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: _handle


async def _handle(_request: web.Request) -> web.Response:
    raise NotImplementedError


def _paths(app: web.Application) -> list[Any]:
    return [resource.get_info() for resource in app.router.resources()]


async def test_a_passkey_or_the_recovery_link_proves_who_asks(tmp_path: Path) -> None:
    time = FakeTime()
    async with arena_in(tmp_path, time=time) as arena:
        key, _ = await arena.person("Anna")
        passkey = await arena.passkey(key)
        link = (await arena.ok("/recovery/create", key))["secret"]  # the new passkey was a proof
        await time.advance(301)
        assert await arena.no("/recovery/create", key) == (403, "proof_needed")
        assert (await arena.prove(key, passkey))[0] == 200
        await arena.ok("/devices/sign-out-others", key)
        await time.advance(301)
        assert await arena.no("/devices/sign-out-others", key) == (403, "proof_needed")
        assert await arena.ok("/proof", key, secret=link) == {}
        second = (await arena.ok("/recovery/create", key))["secret"]
        await time.advance(301)
        assert await arena.no("/proof", key, secret=link) == (403, "bad_recovery_link")
        signed_in = await arena.ok("/recovery/use", secret=second)  # for a lost phone
        await arena.ok("/devices/sign-out-others", signed_in["guest_key"])


async def test_only_ones_own_passkey_and_link_prove_who_asks(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    stolen = await arena.another_device(key)
    own = await arena.passkey(key)
    thief, _ = await arena.person("Mallory")
    theirs = await arena.passkey(thief)
    link = (await arena.ok("/recovery/create", thief))["secret"]
    assert (await arena.prove(stolen, theirs))[0] == 403
    assert await arena.no("/proof", stolen, secret=link) == (403, "bad_recovery_link")
    # An answer for another purpose, and one that was given before.
    for_sign_in = (await arena.ok("/sign-in/options"))["options"]
    answer = own.get(for_sign_in)
    assert await arena.no("/proof", stolen, credential=answer) == (403, "bad_passkey")
    options = (await arena.ok("/proof/options", key))["options"]
    assert [each["id"] for each in options["allowCredentials"]] == [b64(own.id)]
    answer = own.get(options)
    await arena.ok("/proof", key, credential=answer)
    assert await arena.no("/proof", stolen, credential=answer) == (403, "bad_passkey")
    assert await arena.no("/recovery/create", stolen) == (403, "proof_needed")
    senseless: list[dict[str, Any]] = [{}, {"credential": {}}, {"secret": "x"}]
    for body in [*senseless, {"credential": {}, "secret": "s" * 43}]:
        assert (await arena.no("/proof", stolen, **body))[0] in {400, 403}


async def test_an_account_without_another_way_in_needs_no_proof(arena: Arena) -> None:
    """Its key is all that it has; a proof would lock it."""
    key, _ = await arena.person("Anna")
    other = await arena.another_device(key)
    assert await arena.ok("/devices/sign-out-others", key) == {"ended": 1}
    assert await arena.no("", other) == (401, "bad_guest_key")
    await arena.ok("/delete", key, name="Anna")


# ---- export and deletion -------------------------------------------------------------------------


async def export(arena: Arena, key: str) -> list[Any]:
    headers = {"Origin": arena.url, "Authorization": f"Bearer {key}"}
    async with arena.http.post("/api/account/export", json={}, headers=headers) as response:
        assert response.status == 200
        return [json.loads(line) for line in (await response.text()).splitlines()]


async def test_everything_is_exported_with_the_games(arena: Arena) -> None:
    key, anna = await arena.person("Anna")
    _, ben = await arena.person("Ben")
    await arena.passkey(key)
    game = await begin_game(anna, ben)
    await anna.do("game.chat", game_id=game, preset="hello")
    await ben.do("game.chat", game_id=game, preset="thanks")
    await anna.do("game.action", game_id=game, action="resign")
    account, *games = await export(arena, key)
    assert account["account"][0]["name"] == "Anna"
    assert (len(account["devices"]), len(account["passkeys"])) == (1, 1)
    assert [line["body"] for line in account["chat"]] == ["hello"]
    assert "secret_hash" not in json.dumps(account)
    assert [each["game"]["id"] for each in games] == [game]


async def test_a_deleted_account_leaves_its_games_under_a_neutral_name(arena: Arena) -> None:
    key, anna = await arena.person("Anna")
    _, ben = await arena.person("Ben")
    passkey = await arena.passkey(key)
    game = await begin_game(anna, ben)
    assert await arena.no("/delete", key, name="Anna") == (409, "not_now")
    await anna.do("game.chat", game_id=game, preset="hello")
    await ben.do("game.chat", game_id=game, preset="thanks")
    await anna.do("game.action", game_id=game, action="resign")
    await ben.game(game, lambda state: state.result is not None)
    assert await arena.no("/delete", key, name="anna") == (400, "invalid")
    await arena.ok("/delete", key, name="Anna")
    await anna.wait_until_disconnected()
    assert await arena.no("", key) == (401, "bad_guest_key")
    assert (await arena.sign_in(passkey))[0] == 403
    async with arena.http.get(f"/api/records/{game}") as response:
        record = await response.json()
    one, two = record["players"]
    assert (one["name"][:8], one["kind"], two["name"]) == ("Deleted-", "guest", "Ben")
    assert "Anna" not in json.dumps(record)
    state = (await ben.do("game.state", game_id=game)).game
    assert (state.players[0].name, "Anna" in state.result.message) == (one["name"], False)
    async with arena.http.get("/api/records") as response:
        assert "Anna" not in await response.text()
    lines = (await ben.do("game.chats", game_id=game)).lines
    assert [line.body for line in lines] == ["thanks"]
    again, _ = await arena.person("Anna")  # the name is free
    assert again != key
    stored = arena.folder / "records.jsonl"
    assert "Anna" not in stored.read_text()


# ---- attacks on all of it ------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost:1", "null", ""])
async def test_only_the_arenas_own_page_may_ask(arena: Arena, origin: str) -> None:
    key, _ = await arena.person("Anna")
    arena.headers = {"Origin": origin}
    for path in ("", "/sign-in/options", "/delete", "/recovery/use"):
        assert await arena.no(path, key) == (403, "origin")


async def test_the_name_of_a_stranger_is_not_the_arenas(arena: Arena) -> None:
    """A domain that points to this machine (DNS rebinding)."""
    arena.headers = {"Host": "evil.example:80", "Origin": "http://evil.example:80"}
    assert await arena.no("/sign-in/options") == (403, "origin")


@pytest.mark.parametrize("key", [None, "wrong", "x" * 200, "ÿþ"])
async def test_a_request_needs_a_key_that_is_known(arena: Arena, key: str | None) -> None:
    for path in ("", "/export", "/devices/sign-out-others"):
        assert await arena.no(path, key) == (401, "bad_guest_key")


async def test_too_many_wrong_keys_are_throttled(tmp_path: Path) -> None:
    limits = {"failed_logins_burst": 5, "failed_logins_per_s": 0.001}
    async with arena_in(tmp_path, connections=limits) as arena:
        codes = [(await arena.no("", f"wrong-{number}"))[0] for number in range(7)]
        links = await arena.no("/recovery/use", secret="w" * 43)
    assert codes == [401] * 5 + [429] * 2
    assert links == (429, "rate_limited")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", (400, "not_json")),
        (b"[" * 9000, (400, "not_json")),
        (b"[]", (400, "invalid")),
        (b'{"secret": "short"}', (400, "invalid")),
        (b'{"secret": "%b"}' % (b"s" * 20_000), (413, "too_long")),
    ],
)
async def test_bodies_that_make_no_sense_are_refused(
    arena: Arena, body: bytes, expected: tuple[int, str]
) -> None:
    headers = {"Origin": arena.url}
    for data in (body, _chunked(body)):
        async with arena.http.post(
            "/api/account/recovery/use", data=data, headers=headers
        ) as response:
            assert (response.status, (await response.json())["code"]) == expected


async def test_an_encoded_body_is_refused(arena: Arena) -> None:
    headers = {"Origin": arena.url, "Content-Encoding": "gzip"}
    async with arena.http.post(
        "/api/account/recovery/use", data=gzip.compress(bytes(10_000_000)), headers=headers
    ) as response:
        assert (response.status, (await response.json())["code"]) == (400, "invalid")


async def test_a_body_that_does_not_come_is_refused(tmp_path: Path) -> None:
    time = FakeTime()
    never = asyncio.Event()

    async def dripping() -> AsyncIterator[bytes]:
        yield b"{"
        await never.wait()

    async with running_arena(settings(tmp_path), time) as url, aiohttp.ClientSession() as http:
        headers = {"Origin": url}
        asked = asyncio.ensure_future(
            http.post(f"{url}/api/account", data=dripping(), headers=headers)
        )
        while not asked.done():
            await time.advance(1)
            await asyncio.sleep(0.01)
        response = await asked
        assert response.status == 400
        assert "in time" in (await response.json())["message"]
        never.set()


async def _chunked(body: bytes) -> AsyncIterator[bytes]:
    yield body[:10]
    yield body[10:]


@pytest.mark.parametrize(
    "credential",
    [
        {},
        {"response": None},
        {"id": 1, "response": {"clientDataJSON": "eyJ9"}},
        {"response": {"clientDataJSON": "bnVsbA"}},
        {"id": "x", "response": {"clientDataJSON": "eyJjaGFsbGVuZ2UiOiAxfQ"}},
        {"id": "x", "response": {"clientDataJSON": "eyJjaGFsbGVuZ2UiOiAiQUFBQSJ9"}},
    ],
)
async def test_credentials_that_make_no_sense_are_refused(
    arena: Arena, credential: dict[str, Any]
) -> None:
    key, _ = await arena.person("Anna")
    assert await arena.no("/sign-in", credential=credential) == (403, "bad_passkey")
    assert await arena.no("/passkeys/add", key, credential=credential) == (403, "bad_passkey")


async def test_requests_of_one_account_are_limited(arena: Arena) -> None:
    key, _ = await arena.person("Anna")
    statuses = [(await arena.post("/devices/add", key))[0] for _ in range(70)]
    assert statuses[:50] == [200] * 50
    assert statuses[-1] == 429


async def test_an_account_has_a_limited_number_of_devices(
    tmp_path: Path,
) -> None:
    async with open_database(tmp_path) as database:
        store = SignInStore(database, SystemTime())
        login = await Accounts(database, SystemTime()).log_in(wire.Credentials(v=1, name="Anna"))
        for _ in range(60):
            secret = await store.new_recovery(str(login.player.id), "a session")
            await store.recover(secret, "Chrome on Mac")
        ways = await store.ways_in(str(login.player.id))
    assert len(ways.sessions) == 50
