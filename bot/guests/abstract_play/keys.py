"""The key with which Abstract Play signs its calls: its formats, and which key is valid."""

import asyncio
import base64
import binascii
import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import Final, Literal

import aiohttp
import structlog
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_public_key,
    load_ssh_public_key,
)

from bot.errors import ConfigurationError, PeerError
from bot.platforms.base import NoAnswer
from bot.runtime.files import make_file, make_folder
from bot.runtime.http_client import NoResponse, fetch
from bot.time_source import TimeSource

LONGEST_TEXT: Final = 16_384
FETCH_S: Final = 10.0
ALGORITHM: Final = "ssh-ed25519"
SSH2_BEGIN: Final = "---- BEGIN SSH2 PUBLIC KEY ----"
SSH2_END: Final = "---- END SSH2 PUBLIC KEY ----"
PEM_BEGIN: Final = "-----BEGIN PUBLIC KEY-----"
SSH_BLOB: Final = b"\x00\x00\x00\x0bssh-ed25519"
"""How the bytes inside both SSH forms begin (RFC 4253, section 6.6)."""
RENEW_S: Final = 600.0
"""The shortest time between two fetches of the key, for any number of forged calls."""

log = structlog.get_logger()

Origin = Literal["configured", "address", "kept", "published"]


def public_key_of(text: str) -> Ed25519PublicKey:
    """Parse a key: an SSH2 block, an OpenSSH line, its base64 alone, PEM, or base64 of any of
    these.

    Raises ValueError with a sentence.
    """
    if len(text) > LONGEST_TEXT:
        raise ValueError("this is too long for a public key")
    key = _plain(text)
    if key is None and (inside := _from_base64(text)) is not None:
        key = _plain(inside.decode("utf-8", errors="replace"))
    if key is None:
        raise ValueError(
            "this is not a public key: neither SSH2, OpenSSH nor PEM, nor base64 of one"
        )
    return key


def _plain(text: str) -> Ed25519PublicKey | None:
    """Return the key; None if the text has none of the forms.

    Raises ValueError for a damaged key.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines:
        return None
    if lines[0] == SSH2_BEGIN:
        return _from_ssh(_body_of_ssh2(lines))
    if lines[0] == PEM_BEGIN:
        return _checked(lambda: load_pem_public_key("\n".join(lines).encode()))
    if len(lines) == 1 and re.match(r"(ssh|ecdsa|sk)-\S+\s", lines[0]):
        return _checked(lambda: load_ssh_public_key(lines[0].encode()))
    blob = _from_base64(text)
    return _from_ssh(text) if blob is not None and blob.startswith(SSH_BLOB) else None


def _body_of_ssh2(lines: list[str]) -> str:
    """Return the base64 of an SSH2 block, without its headers, which may span several lines."""
    if lines[-1] != SSH2_END:
        raise ValueError(f"the key is truncated: there is no line {SSH2_END}")
    body, in_header = "", False
    for line in lines[1:-1]:
        is_header = in_header or ":" in line
        in_header = is_header and line.endswith("\\")
        body += "" if is_header else line
    return body


def _from_ssh(body: str) -> Ed25519PublicKey:
    line = f"{ALGORITHM} {''.join(body.split())}"
    return _checked(lambda: load_ssh_public_key(line.encode()))


def _checked(load: Callable[[], object]) -> Ed25519PublicKey:
    try:
        key = load()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ValueError(f"the public key is damaged: {error}") from error
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("this is a key of another kind; an Ed25519 key is required")  # noqa: TRY004 (bad input, no bug)
    return key


def _from_base64(text: str) -> bytes | None:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def openssh_line(key: Ed25519PublicKey) -> str:
    return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


async def text_at(session: aiohttp.ClientSession, url: str) -> str:
    """The text at the key's address. Raises NoAnswer."""
    try:
        response = await fetch(session, "GET", url, deadline_s=FETCH_S, limit=LONGEST_TEXT)
    except NoResponse as error:
        raise NoAnswer(f"{url}: {error.message}") from error
    if response.status != HTTPStatus.OK:
        raise NoAnswer(f"{url}: HTTP {response.status}")
    return response.body.decode("utf-8", errors="replace")


class KeySource:
    """The valid key: from the settings, else from the address, else the saved or the published one.

    `fetch` returns the text at the address, or raises PeerError. A key from the address is saved in
    the file `kept`, for starts at which the address does not answer.
    """

    def __init__(
        self,
        configured: str | None,
        published: str,
        fetch: Callable[[], Awaitable[str]],
        kept: Path,
        time_source: TimeSource,
    ) -> None:
        """Raises ConfigurationError if the text in the settings is not a key."""
        self._fetch = fetch
        self._kept = kept
        self._time = time_source
        self._doubted = asyncio.Event()
        self.origin: Origin
        self.current: Ed25519PublicKey
        if configured is not None:
            self.origin, self.current = "configured", _configured(configured)
        else:
            self.origin, self.current = "published", public_key_of(published)

    async def start(self) -> None:
        """Determine which key is valid. Raises nothing."""
        if self.origin == "configured" or await self._from_address():
            return
        kept = await asyncio.to_thread(self._read)
        if kept is not None:
            self.origin, self.current = "kept", kept
        log.warning("signing_key_not_fetched", used=self.origin)

    def doubt(self) -> None:
        """Record a wrong signature, because the platform may have a new key."""
        if self.origin != "configured":
            self._doubted.set()

    async def renew(self) -> None:
        """Fetch the key again whenever it is in doubt; never returns."""
        while True:
            await self._doubted.wait()
            self._doubted.clear()
            await self._from_address()
            await self._time.sleep(RENEW_S)

    async def _from_address(self) -> bool:
        try:
            key = public_key_of(await self._fetch())
        except (PeerError, ValueError) as error:
            log.warning("signing_key_unreadable", why=str(error))
            return False
        if key != self.current:
            log.warning("signing_key_changed", key=openssh_line(key), before=self.origin)
        self.origin, self.current = "address", key
        await asyncio.to_thread(self._keep, openssh_line(key))
        return True

    # ---- in a thread -------------------------------------------------------------------------

    def _keep(self, line: str) -> None:
        """Save the key. After a failure the next start fetches it again."""
        unfinished = self._kept.with_name(self._kept.name + ".part")
        try:
            make_folder(self._kept.parent)
            make_file(unfinished)
            unfinished.write_text(line + "\n", encoding="utf-8")
            unfinished.replace(self._kept)
        except OSError as error:
            log.warning("signing_key_not_kept", file=str(self._kept), why=str(error))

    def _read(self) -> Ed25519PublicKey | None:
        try:
            return public_key_of(self._kept.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            log.warning("kept_signing_key_unreadable", file=str(self._kept), why=str(error))
            return None


def _configured(text: str) -> Ed25519PublicKey:
    try:
        return public_key_of(text)
    except ValueError as error:
        raise ConfigurationError(f"key: {error}") from error
