"""Web push: encryption for one browser (RFC 8291) and the arena's signature (VAPID, RFC 8292).

The usual libraries for this exist as source only, and bring an HTTP client that the arena does not
use. Everything difficult is in `cryptography`: these are the formats around it.
"""

import os
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import orjson
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from bot.runtime.base64url import from_base64, in_base64

CURVE: Final = ec.SECP256R1()
NUMBER_BYTES: Final = 32
"""The size of a private key, and of each half of a signature."""
SALT_BYTES: Final = 16
RECORD_BYTES: Final = 4096
"""The size that push services accept; a message is one record (RFC 8291, section 4)."""
MESSAGE_BYTES: Final = 3000
LAST_RECORD: Final = b"\x02"


def encrypted(
    message: bytes,
    p256dh: str,
    auth: str,
    *,
    key: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes | None = None,
) -> bytes:
    """Return the body of a push message, in the content encoding `aes128gcm`.

    A message has at most 3,000 bytes. `p256dh` and `auth` are the browser's keys in base64url.
    `key` and `salt` are random unless a test chooses them. Raises ValueError if a browser's key is
    invalid.
    """
    assert len(message) <= MESSAGE_BYTES
    key = key or ec.generate_private_key(CURVE)
    salt = salt or os.urandom(SALT_BYTES)
    browser = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, from_base64(p256dh))
    sender, receiver = _point(key.public_key()), _point(browser)
    shared = key.exchange(ec.ECDH(), browser)
    secret = _derived(
        shared, from_base64(auth), b"WebPush: info\0" + receiver + sender, NUMBER_BYTES
    )
    content_key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    header = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(sender)]) + sender
    return header + AESGCM(content_key).encrypt(nonce, message + LAST_RECORD, None)


class VapidKey:
    """The key with which an arena signs its requests to push services."""

    def __init__(self, private: str) -> None:
        """`private` is the number of the key: 32 bytes in base64url."""
        number = int.from_bytes(from_base64(private), "big")
        self._key = ec.derive_private_key(number, CURVE)
        self.public: Final = in_base64(_point(self._key.public_key()))
        """The public key as browsers expect it: 65 bytes in base64url."""

    def authorization(self, endpoint: str, subject: str, expires: int) -> str:
        """Return the header `Authorization` of a request to the push service of `endpoint`.

        `subject` is an address of the operator (`mailto:` or `https:`). `expires` is a Unix time in
        seconds; services accept at most 24 hours from now.
        """
        address = urlsplit(endpoint)
        claims = {
            "aud": f"{address.scheme}://{address.netloc}",
            "exp": expires,
            "sub": subject,
        }
        signed = f"{_part({'typ': 'JWT', 'alg': 'ES256'})}.{_part(claims)}"
        pair = decode_dss_signature(self._key.sign(signed.encode(), ec.ECDSA(SHA256())))
        signature = b"".join(number.to_bytes(NUMBER_BYTES, "big") for number in pair)
        return f"vapid t={signed}.{in_base64(signature)},k={self.public}"


def _part(table: Mapping[str, object]) -> str:
    return in_base64(orjson.dumps(table))


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)
