"""Web push: where a browser that is not open gets its notifications."""

from typing import Annotated

from pydantic import Field

from bot.wire.base import FromClient

PushKey = Annotated[str, Field(min_length=16, max_length=120, pattern=r"^[A-Za-z0-9_-]+=*$")]
Endpoint = Annotated[str, Field(max_length=1_000, pattern=r"^https?://[!-~]+$")]


class Subscribe(FromClient):
    """Notify this browser when it is the player's turn and the player is away.

    The fields are those of the browser's `PushSubscription` (W3C Push API).
    """

    endpoint: Endpoint = Field(description="the address at the browser's push service")
    p256dh: PushKey = Field(description="the browser's public key, in base64url")
    auth: PushKey = Field(description="the secret that is shared with the browser, in base64url")
    language: Annotated[str, Field(pattern=r"^[a-z]{2}$")] = Field(
        "en", description="the language of the notifications"
    )


class Unsubscribe(FromClient):
    """Send no more notifications to this browser."""

    endpoint: Endpoint
