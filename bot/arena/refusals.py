"""How the arena says no: an exception that becomes a `wire.Refusal`."""

from bot import wire
from bot.errors import PeerError


class Refused(PeerError):
    """A request that is not carried out; `code` is one of `wire.REFUSAL_CODES`.

    `rule` names the rule of the game that an illegal turn breaks.
    """

    def __init__(self, code: str, message: str | None = None, rule: str | None = None) -> None:
        assert code in wire.REFUSAL_CODES, code
        super().__init__(code, message or _sentence(wire.REFUSAL_CODES[code]))
        self.rule = rule

    def as_message(self) -> wire.Refusal:
        """The acknowledgement that says so; a long sentence is cut."""
        return wire.Refusal(code=self.code, message=self.message[:300], rule=self.rule)


def _sentence(phrase: str) -> str:
    return f"{phrase[:1].upper()}{phrase[1:]}."
