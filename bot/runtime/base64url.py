"""Base64 for addresses (RFC 4648, section 5) without padding, as WebAuthn and web push write it."""

import base64


def in_base64(data: bytes) -> str:
    """The bytes in base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64(text: str) -> bytes:
    """The bytes of a text in base64url. Raises ValueError."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
