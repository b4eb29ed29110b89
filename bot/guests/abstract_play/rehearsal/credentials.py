"""Client credentials, tokens and signatures of the stand-in, and forged calls."""

import base64
import random
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from bot.guests.abstract_play.rehearsal.answers import SiteAnswer, plain

BEARER: Final = "bearer "


@dataclass(frozen=True, slots=True)
class Credentials:
    """A bot's player id is its client id."""

    client_id: str
    client_secret: str
    scope: str


class Tokens:
    """Tokens of one bot. Each is valid for `lives_s` seconds unless it is dropped before."""

    def __init__(self, credentials: Credentials, lives_s: int, rng: random.Random) -> None:
        self._credentials = credentials
        self._lives_s = lives_s
        self._rng = rng
        self._ends: dict[str, int] = {}

    def issue(self, form: Mapping[str, str], now: int) -> SiteAnswer:
        """Return the token URL's answer to the form."""
        error = self._why_not(form)
        if error is not None:
            return plain({"error": error}, 400)
        token = f"eyJ{self._rng.getrandbits(256):064x}"
        self._ends[token] = now + self._lives_s * 1000
        return plain({"access_token": token, "expires_in": self._lives_s, "token_type": "Bearer"})

    def _why_not(self, form: Mapping[str, str]) -> str | None:
        known = self._credentials
        if form.get("grant_type") != "client_credentials":
            return "unauthorized_client"
        if (form.get("client_id"), form.get("client_secret")) != (
            known.client_id,
            known.client_secret,
        ):
            return "invalid_client"
        return None if form.get("scope") == known.scope else "invalid_scope"

    def owner(self, authorization: str, now: int) -> str | None:
        """Return the bot that the header authorizes; None if the token is unknown or expired."""
        ends = self._ends.get(_token(authorization))
        return None if ends is None or ends <= now else self._credentials.client_id

    def drop(self, authorization: str) -> None:
        self._ends.pop(_token(authorization), None)


def _token(authorization: str) -> str:
    return authorization[len(BEARER) :] if authorization.lower().startswith(BEARER) else ""


_KIND: Final = b"ssh-ed25519"
_LINE: Final = 70


class Signer:
    """A key of the stand-in, made from `rng` so that a rehearsal can be repeated."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.key = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32))

    @property
    def public(self) -> Ed25519PublicKey:
        return self.key.public_key()

    def headers(self, body: bytes, now: int, nonce: str | None = None) -> dict[str, str]:
        """Return the headers of a body that is sent at `now`."""
        timestamp = str(now // 1000)
        nonce = f"{self._rng.getrandbits(128):032x}" if nonce is None else nonce
        signature = self.key.sign(f"{timestamp}.{nonce}.".encode() + body)
        return {
            "Content-Type": "application/json",
            "X-Signature-Timestamp": timestamp,
            "X-Signature-Nonce": nonce,
            "X-Signature": base64.b64encode(signature).decode(),
        }

    @property
    def ssh2_block(self) -> str:
        """The public key in the platform's published format."""
        raw = self.public.public_bytes(Encoding.Raw, PublicFormat.Raw)
        blob = b"".join(len(part).to_bytes(4, "big") + part for part in (_KIND, raw))
        lines = textwrap.wrap(base64.b64encode(blob).decode(), _LINE)
        return "\n".join(
            (
                "---- BEGIN SSH2 PUBLIC KEY ----",
                'Comment: "Abstract Play stand-in"',
                *lines,
                "---- END SSH2 PUBLIC KEY ----",
                "",
            )
        )


OFF_MS: Final = 400_000
"""A timestamp outside of the 300 s for which a signature is valid, in either direction."""

Headers = dict[str, str]
Forged = tuple[Headers, bytes]


def forgery(signer: Signer, body: bytes, now: int, rng: random.Random) -> Forged:
    """Return a forged call with that body, which resembles a genuine one."""
    made: Callable[[Signer, bytes, int], Forged] = rng.choice(
        (_unsigned, _altered, _too_old, _too_early, _of_another, _no_number)
    )
    return made(signer, body, now)


def _unsigned(_signer: Signer, body: bytes, _now: int) -> Forged:
    return {"Content-Type": "application/json"}, body


def _altered(signer: Signer, body: bytes, now: int) -> Forged:
    return signer.headers(body, now), body.replace(b"{", b"{ ", 1)


def _too_old(signer: Signer, body: bytes, now: int) -> Forged:
    return signer.headers(body, now - OFF_MS), body


def _too_early(signer: Signer, body: bytes, now: int) -> Forged:
    return signer.headers(body, now + OFF_MS), body


def _of_another(signer: Signer, body: bytes, now: int) -> Forged:
    signature = base64.b64encode(bytes(64)).decode()
    return {**signer.headers(body, now), "X-Signature": signature}, body


def _no_number(signer: Signer, body: bytes, now: int) -> Forged:
    return {**signer.headers(body, now), "X-Signature-Timestamp": "now"}, body
