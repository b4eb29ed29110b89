"""How the arena says no: an exception that becomes a `wire.Refusal`."""

from bot import wire
from bot.errors import PeerError


class Refused(PeerError):
    """A request that is not carried out; `code` is one of `wire.REFUSAL_CODES`.

    `rule` names the rule of the game that an illegal turn breaks.
    """

    def __init__(self, code: str, message: str | None = None, rule: str | None = None) -> None:
        assert code in wire.REFUSAL_CODES, code
        super().__init__(code, message or sentence(wire.REFUSAL_CODES[code]))
        self.rule = rule

    def as_message(self) -> wire.Refusal:
        """The acknowledgement that says so; a long sentence is cut."""
        return wire.Refusal(code=self.code, message=self.message[:300], rule=self.rule)


def sentence(phrase: str) -> str:
    """A phrase with a full stop, and a capital at its beginning unless it begins with a cell."""
    first = phrase.split(" ", 1)[0]
    begins = phrase[:1] if any(map(str.isdigit, first)) else phrase[:1].upper()
    return f"{begins}{phrase[1:].rstrip('.')}."
