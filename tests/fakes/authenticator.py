"""A software authenticator: what a browser and its passkeys answer, made with `cryptography`."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from cbor2 import dumps
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, WITH_KEY = 0x01, 0x04, 0x40


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Authenticator:
    """One passkey in a browser whose page has this origin; the fields may be changed to cheat."""

    origin: str
    domain: str = "localhost"
    count: int = 1
    user: str = ""
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer to `navigator.credentials.create`, with the attestation `none`."""
        self.user = options["user"]["id"]
        point = self.key.public_key().public_numbers()
        cose = {
            1: 2,
            3: -7,
            -1: 1,
            -2: point.x.to_bytes(32, "big"),
            -3: point.y.to_bytes(32, "big"),
        }
        key = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + dumps(cose)
        data = self._data(PRESENT | VERIFIED | WITH_KEY) + key
        attestation = dumps({"fmt": "none", "attStmt": {}, "authData": data})
        response = {
            "clientDataJSON": b64(self._client("webauthn.create", options)),
            "attestationObject": b64(attestation),
            "transports": ["internal"],
        }
        return self._credential(response)

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer to `navigator.credentials.get`."""
        self.count += 1
        client, data = self._client("webauthn.get", options), self._data(PRESENT | VERIFIED)
        signed = data + hashlib.sha256(client).digest()
        response = {
            "clientDataJSON": b64(client),
            "authenticatorData": b64(data),
            "signature": b64(self.key.sign(signed, ec.ECDSA(SHA256()))),
            "userHandle": self.user,
        }
        return self._credential(response)

    def _client(self, kind: str, options: dict[str, Any]) -> bytes:
        facts = {"type": kind, "challenge": options["challenge"], "origin": self.origin}
        return json.dumps(facts).encode()

    def _data(self, flags: int) -> bytes:
        domain = hashlib.sha256(self.domain.encode()).digest()
        return domain + bytes([flags]) + self.count.to_bytes(4, "big")

    def _credential(self, response: dict[str, Any]) -> dict[str, Any]:
        own = b64(self.id)
        return {"id": own, "rawId": own, "type": "public-key", "response": response}
