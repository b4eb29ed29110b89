"""The platform's key in all its forms, and which one counts."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from structlog.testing import capture_logs

from bot.errors import ConfigurationError
from bot.guests.abstract_play.keys import (
    LONGEST_TEXT,
    RENEW_S,
    KeySource,
    openssh_line,
    public_key_of,
    text_at,
)
from bot.platforms.base import NoAnswer
from tests.bot.guests.abstract_play.signing import new_signer
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

BLOB = "AAAAC3NzaC1lZDI1NTE5AAAAIAQw6QGQqOa0rDaPLdq+wGPkrzMCQzJRlMxwzjKNkILE"
LINE = f"ssh-ed25519 {BLOB}"
RAW = "0430e90190a8e6b4ac368f2ddabec063e4af330243325194cc70ce328d9082c4"
SSH2 = f"""---- BEGIN SSH2 PUBLIC KEY ----
Comment: "a key: of the platform, \\
in two lines"
{BLOB[:40]}
{BLOB[40:]}
---- END SSH2 PUBLIC KEY ----
"""
PEM = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEABDDpAZCo5rSsNo8t2r7AY+SvMwJDMlGUzHDOMo2QgsQ=
-----END PUBLIC KEY-----
"""
FORMS = {"SSH2": SSH2, "line": LINE, "line with comment": f"{LINE} ap@example\n", "PEM": PEM}
FORMS |= {"CRLF": SSH2.replace("\n", "\r\n"), "bare": BLOB}
ALL = {
    **FORMS,
    **{
        f"base64 of {name}": base64.b64encode(form.encode()).decode()
        for name, form in FORMS.items()
    },
    **{
        f"lines of {name}": base64.encodebytes(form.encode()).decode()
        for name, form in FORMS.items()
    },
}
OTHER = openssh_line(new_signer().public)


@pytest.mark.parametrize("form", ALL.values(), ids=ALL)
def test_every_form_is_read(form: str) -> None:
    assert public_key_of(form).public_bytes_raw().hex() == RAW


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not a public key"),
        ("hello", "not a public key"),
        ("é" * 20, "not a public key"),
        ("A" * 20_000, "too long"),
        ("<html><body>404</body></html>", "not a public key"),
        (SSH2.replace("---- END", "---- NO"), "truncated"),
        (SSH2.replace(BLOB[40:], BLOB[40:60]), "damaged"),
        (SSH2.replace(BLOB[:40], "!" * 40), "damaged"),
        (LINE[:-8], "damaged"),
        (PEM.replace("MCow", "MCox"), "damaged"),
        (base64.b64encode(LINE[:-8].encode()).decode(), "damaged"),
    ],
)
def test_an_invalid_key_is_refused_with_a_sentence(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        public_key_of(text)


@pytest.mark.parametrize(
    ("encoding", "form"),
    [
        (Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        (Encoding.OpenSSH, PublicFormat.OpenSSH),
    ],
)
def test_keys_of_another_kind_are_refused(encoding: Encoding, form: PublicFormat) -> None:
    other = generate_private_key(SECP256R1()).public_key().public_bytes(encoding, form).decode()
    with pytest.raises(ValueError, match="another kind"):
        public_key_of(other)


# ---- the address ---------------------------------------------------------------------------------


@asynccontextmanager
async def answering(status: int, text: str) -> AsyncIterator[str]:
    async def answer(_: web.BaseRequest) -> web.Response:
        return web.Response(status=status, text=text, headers={"Location": "/elsewhere"})

    async with RawTestServer(answer) as server:
        yield str(server.make_url("/ap-public-key.txt"))


async def fetched(url: str) -> str:
    async with aiohttp.ClientSession() as session:
        return await text_at(session, url)


async def test_the_text_at_the_address_is_fetched() -> None:
    async with answering(200, SSH2) as url:
        assert public_key_of(await fetched(url)).public_bytes_raw().hex() == RAW


@pytest.mark.parametrize("status", [301, 307, 404, 500])
async def test_nothing_else_than_the_text_there_counts(status: int) -> None:
    async with answering(status, SSH2) as url:
        with pytest.raises(NoAnswer, match=f"HTTP {status}"):
            await fetched(url)


async def test_no_more_is_read_than_a_key_can_be() -> None:
    async with answering(200, "A" * 3_000_000) as url:
        with pytest.raises(NoAnswer, match=f"longer than {LONGEST_TEXT} bytes"):
            await fetched(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "nonsense", "http://"])
async def test_an_unreachable_address_is_no_answer(url: str) -> None:
    with pytest.raises(NoAnswer):
        await fetched(url)


# ---- which one counts --------------------------------------------------------------------------


@dataclass
class Address:
    """What stands at the key's address; None if nobody answers there."""

    text: str | None = None
    asked: int = 0

    async def fetch(self) -> str:
        self.asked += 1
        if self.text is None:
            raise NoAnswer("nobody answers")
        return self.text


@pytest.fixture
def address() -> Address:
    return Address()


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


Make = Callable[[str | None], KeySource]


@pytest.fixture
def source(address: Address, time: FakeTime, tmp_path: Path) -> Make:
    def make(configured: str | None = None) -> KeySource:
        kept = tmp_path / "new" / "key.pub"
        return KeySource(configured, PUBLISHED, address.fetch, kept, time)

    return make


PUBLISHED = LINE


def which(source: KeySource) -> tuple[str, str]:
    return source.origin, openssh_line(source.current)


async def test_the_key_in_the_settings_counts_alone(source: Make, address: Address) -> None:
    address.text = LINE
    keys = source(OTHER)
    await keys.start()
    keys.doubt()
    assert which(keys) == ("configured", OTHER)
    assert address.asked == 0


def test_an_invalid_key_in_the_settings_is_an_error_there(source: Make) -> None:
    with pytest.raises(ConfigurationError, match=r"^key: this is not a public key"):
        source("nonsense")


async def test_the_address_comes_next_and_is_kept(source: Make, address: Address) -> None:
    address.text = OTHER
    first = source(None)
    await first.start()
    assert which(first) == ("address", OTHER)
    address.text = None
    second = source(None)
    await second.start()
    assert which(second) == ("kept", OTHER)


@pytest.mark.parametrize("text", [None, "<html>not found</html>"])
async def test_else_the_published_one_counts(
    source: Make, address: Address, text: str | None
) -> None:
    address.text = text
    keys = source(None)
    await keys.start()
    assert which(keys) == ("published", LINE)


async def test_a_damaged_kept_key_does_not_count(
    source: Make, address: Address, tmp_path: Path
) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "key.pub").write_text("ssh-ed25519 AAAA")
    keys = source(None)
    with capture_logs() as log:
        await keys.start()
    assert which(keys) == ("published", LINE)
    assert "kept_signing_key_unreadable" in [line["event"] for line in log]
    assert address.asked == 1


async def test_a_key_that_cannot_be_saved_counts_too(
    source: Make, address: Address, tmp_path: Path
) -> None:
    (tmp_path / "new").write_text("no folder")
    address.text = OTHER
    keys = source(None)
    await keys.start()
    assert which(keys) == ("address", OTHER)


async def test_a_doubted_key_is_fetched_again_but_not_at_every_doubt(
    source: Make, address: Address, time: FakeTime
) -> None:
    address.text = LINE
    keys = source(None)
    await keys.start()
    renewing = asyncio.create_task(keys.renew())
    address.text = OTHER
    keys.doubt()
    await eventually(lambda: which(keys) == ("address", OTHER))
    for _ in range(100):
        keys.doubt()
        await time.settle()
    assert address.asked == 2
    await eventually(lambda: time.sleepers == 1)
    await time.advance(RENEW_S - 1)
    assert address.asked == 2
    await time.advance(1)
    await eventually(lambda: address.asked == 3)
    renewing.cancel()
    await asyncio.wait({renewing})
