"""Answers to requests. Some are JSON already, so that the event loop need not encode them."""

from dataclasses import dataclass

from bot import wire


@dataclass(frozen=True)
class Encoded:
    """A message that is JSON already: another process or a thread has made it, or most of it was
    kept from an earlier answer.
    """

    text: str

    def model_dump_json(self) -> str:
        """The message as JSON."""
        return self.text


Answer = wire.Done | Encoded


def with_part(name: str, text: str) -> Encoded:
    """A `wire.Done` with one more field, whose JSON text is known."""
    return Encoded(f'{{"v":{wire.VERSION},"ok":true,"{name}":{text}}}')
