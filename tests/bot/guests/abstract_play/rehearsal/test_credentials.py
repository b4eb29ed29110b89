"""Signatures and the published key, checked with the library alone."""

import base64
import random

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

from bot.guests.abstract_play.rehearsal.credentials import Signer, forgery

NOW = 1_787_250_000_123
BODY = b'{"verb":"move"}'


def key_of(signer: Signer) -> Ed25519PublicKey:
    lines = signer.ssh2_block.splitlines()
    assert lines[0] == "---- BEGIN SSH2 PUBLIC KEY ----"
    assert lines[-1] == "---- END SSH2 PUBLIC KEY ----"
    key = load_ssh_public_key(b"ssh-ed25519 " + "".join(lines[2:-1]).encode())
    assert isinstance(key, Ed25519PublicKey)
    return key


def is_good(headers: dict[str, str], body: bytes, key: Ed25519PublicKey) -> bool:
    try:
        timestamp, nonce = headers["X-Signature-Timestamp"], headers["X-Signature-Nonce"]
        signed = f"{timestamp}.{nonce}.".encode() + body
        key.verify(base64.b64decode(headers["X-Signature"]), signed)
        return abs(int(timestamp) - NOW // 1000) <= 300
    except (InvalidSignature, KeyError, ValueError):
        return False


def test_a_call_is_signed_over_timestamp_nonce_and_body() -> None:
    signer = Signer(random.Random(1))
    headers = signer.headers(BODY, NOW)
    assert headers["X-Signature-Timestamp"] == "1787250000"
    assert len(headers["X-Signature-Nonce"]) == 32
    assert is_good(headers, BODY, key_of(signer))


def test_no_two_calls_have_the_same_nonce() -> None:
    signer = Signer(random.Random(1))
    nonces = {signer.headers(BODY, NOW)["X-Signature-Nonce"] for _ in range(100)}
    assert len(nonces) == 100


@pytest.mark.parametrize("seed", range(30))
def test_no_forgery_is_a_good_call(seed: int) -> None:
    signer = Signer(random.Random(1))
    headers, body = forgery(signer, BODY, NOW, random.Random(seed))
    assert not is_good(headers, body, key_of(signer))
