"""Refusals: an exception that is sent to the client as a `wire.Refusal`."""

import math
from typing import Final

from bot import wire
from bot.errors import PeerError

RATE_LIMITED: Final = "rate_limited"
UNAVAILABLE: Final = "unavailable"
ASK_AGAIN_S: Final = 1.0
ANSWER_S: Final = 5.0
"""The longest time in which a request is answered; then the answer is `unavailable`."""


class Refused(PeerError):
    """A request that is refused; `code` is one of `wire.REFUSAL_CODES`.

    `rule` names the rule of the game that an illegal turn breaks, or the reason within a code:
    `account` of `not_rated`. `retry_after_s` says after how many seconds the same request can
    succeed, if that is known. `instead` is the name of a bot that can play the same game.
    """

    def __init__(
        self,
        code: str,
        message: str | None = None,
        rule: str | None = None,
        retry_after_s: float | None = None,
        instead: str | None = None,
    ) -> None:
        assert code in wire.REFUSAL_CODES, code
        super().__init__(code, message or sentence(wire.REFUSAL_CODES[code]))
        self.rule = rule
        self.retry_after_s = retry_after_s
        self.instead = instead

    def as_message(self) -> wire.Refusal:
        """The refusal as an acknowledgement; a long sentence is cut."""
        wait_s = self.retry_after_s
        return wire.Refusal(
            code=self.code,
            message=self.message[:300],
            rule=self.rule,
            retry_after_ms=None if wait_s is None else math.ceil(wait_s * 1000),
            instead=self.instead,
        )


class OwnerReplaced(Refused):
    """A write of a process that does not own `what` any more; nothing was written.

    Another process of the arena has taken `what` over, so that the same request succeeds there.
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            UNAVAILABLE,
            f"This process was replaced as the owner of {what}.",
            retry_after_s=ASK_AGAIN_S,
        )


def unavailable() -> Refused:
    """The refusal of requests that cannot be stored now."""
    return Refused(UNAVAILABLE, retry_after_s=ASK_AGAIN_S)


def sentence(phrase: str) -> str:
    """Add a full stop and a capital to a phrase.

    A phrase that starts with a cell gets no capital.
    """
    first = phrase.split(" ", 1)[0]
    begins = phrase[:1] if any(map(str.isdigit, first)) else phrase[:1].upper()
    return f"{begins}{phrase[1:].rstrip('.')}."
