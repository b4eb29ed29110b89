"""Calls that a bot must refuse, of every kind: forged, stale, replayed, oversized, malformed.

A bad call names a game or a player that no valid call names, so its effect on the bot's store can
be seen. Replayed calls are copies, which are visible if they are stored twice.
"""

import gzip
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import orjson

from lab.webhooks.calls import Caller, Signed, challenge, notice, wire

LONGEST: Final = 65_536
FRESH_S: Final = 300
MARGIN_S: Final = 60
"""Seconds for which calls may wait before they are sent."""
BAD: Final = "bad-"
"""The prefix of names in bad calls."""
CLOSED: Final = 0
"""The status of a connection that is closed without an answer."""
SILENT: Final = -1
"""The status of a connection that gets no answer in time."""


@dataclass(frozen=True)
class BadCall:
    """The bytes to send, and the correct statuses. `ends`: nothing more will follow."""

    group: str
    wire: bytes
    right: frozenset[int]
    ends: bool = False


class Forger:
    """Has the platform's key, for calls that have another error, and a key of its own."""

    def __init__(
        self, platform: Caller, stranger: Caller, answered: Sequence[Signed], rng: random.Random
    ) -> None:
        """`answered` are valid calls that the bot has answered."""
        self.platform = platform
        self.stranger = stranger
        self.answered = answered
        self.rng = rng

    def draw(self) -> BadCall:
        """Return a bad call; each group is equally likely."""
        group = self.rng.choice(sorted(GROUPS))
        make, right = self.rng.choice(GROUPS[group])
        return BadCall(group, make(self), right, ends=CLOSED in right)

    def body(self) -> bytes:
        name = f"{BAD}{self.rng.getrandbits(64):x}"
        return challenge(name) if self.rng.random() < 0.5 else notice(name, self.rng.randrange(60))


Make = Callable[[Forger], bytes]


def _sent(signed: Signed) -> bytes:
    return wire(signed.headers, signed.body)


# ---- forged ----------------------------------------------------------------------------------


def _by_a_stranger(forger: Forger) -> bytes:
    return _sent(forger.stranger.signed(forger.body()))


def _unsigned(forger: Forger) -> bytes:
    return wire({}, forger.body())


def _lacking_a_header(forger: Forger) -> bytes:
    signed = forger.platform.signed(forger.body())
    headers = dict(signed.headers)
    del headers[forger.rng.choice(sorted(headers.keys() - {"Content-Type"}))]
    return wire(headers, signed.body)


def _with_another_body(forger: Forger) -> bytes:
    return _sent(replace(forger.platform.signed(b"{}"), body=forger.body()))


def _with_a_signature_bent(forger: Forger) -> bytes:
    signed = forger.platform.signed(forger.body())
    place = forger.rng.randrange(80)
    other = "A" if signed.signature[place] != "A" else "B"
    bent = signed.signature[:place] + other + signed.signature[place + 1 :]
    return _sent(replace(signed, signature=bent))


def _with_a_signature_that_is_none(forger: Forger) -> bytes:
    nothing = forger.rng.choice(["", "!", "AAAA", "A" * 88, "A" * 4000])
    return _sent(replace(forger.platform.signed(forger.body()), signature=nothing))


def _with_an_answered_head(forger: Forger) -> bytes:
    """Return a validly signed head with another body."""
    return _sent(replace(forger.rng.choice(forger.answered), body=forger.body()))


# ---- stale -----------------------------------------------------------------------------------


def _too_old(forger: Forger) -> bytes:
    off_s = -FRESH_S - forger.rng.choice([2, MARGIN_S, 3600, 10**9])
    return _sent(forger.platform.signed(forger.body(), off_s))


def _too_new(forger: Forger) -> bytes:
    off_s = FRESH_S + MARGIN_S + forger.rng.choice([0, 3600, 10**9])
    return _sent(forger.platform.signed(forger.body(), off_s))


def _at_no_time(forger: Forger) -> bytes:
    signed = forger.platform.signed(forger.body())
    timestamp = forger.rng.choice(["", "now", "1e9", f"-{signed.timestamp}", "9" * 4000])
    return _sent(replace(signed, timestamp=timestamp))


# ---- replayed --------------------------------------------------------------------------------


def _as_it_was(forger: Forger) -> bytes:
    return _sent(forger.rng.choice(forger.answered))


def _with_another_nonce(forger: Forger) -> bytes:
    nonce = f"{forger.rng.getrandbits(128):032x}"
    return _sent(replace(forger.rng.choice(forger.answered), nonce=nonce))


def _with_a_later_time(forger: Forger) -> bytes:
    signed = forger.rng.choice(forger.answered)
    return _sent(replace(signed, timestamp=str(int(signed.timestamp) + 5)))


def _in_chunks(forger: Forger) -> bytes:
    signed = forger.rng.choice(forger.answered)
    return wire(signed.headers, signed.body, chunked=True) + b"0\r\n\r\n"


# ---- oversized -------------------------------------------------------------------------------


def _long(forger: Forger) -> bytes:
    body = forger.body()
    return body + b" " * (LONGEST + 1 - len(body) + forger.rng.randrange(100_000))


def _too_long(forger: Forger) -> bytes:
    return _sent(forger.platform.signed(_long(forger)))


def _too_long_and_unsigned(forger: Forger) -> bytes:
    return wire({}, _long(forger))


def _said_to_be_too_long(forger: Forger) -> bytes:
    """Announce a body that never comes."""
    length = LONGEST + 1 + forger.rng.randrange(10**12)
    return wire(forger.platform.signed(forger.body()).headers, b"", length=length)


def _endless(forger: Forger) -> bytes:
    """Send a chunked body whose last chunk never comes."""
    signed = forger.platform.signed(_long(forger))
    return wire(signed.headers, signed.body, chunked=True)


# ---- malformed -------------------------------------------------------------------------------


def _no_json(forger: Forger) -> bytes:
    body = forger.body()
    texts = [b"", b"{", b"[" * 30_000, b"\xff\xfe\x00", body[:-1], body + body, gzip.compress(body)]
    return _sent(forger.platform.signed(forger.rng.choice(texts)))


def _no_call(forger: Forger) -> bytes:
    whole = orjson.loads(forger.body())
    name = forger.rng.choice(["verb", "metaGame"])
    values: list[object] = [None, 7, "", [], {}, "x" * 30_000]
    whole[name] = forger.rng.choice(values)
    return _sent(forger.platform.signed(orjson.dumps(whole)))


def _another_verb(forger: Forger) -> bytes:
    whole = orjson.loads(forger.body())
    whole["verb"] = forger.rng.choice(["resign", "Move", "challenge ", "timeout"])
    return _sent(forger.platform.signed(orjson.dumps(whole)))


def _no_http(forger: Forger) -> bytes:
    texts = [b"\x16\x03\x01\x02\x00\x01\x00", forger.rng.randbytes(300)]
    return forger.rng.choice(texts) + b"\r\n\r\n"


def _no_length(forger: Forger) -> bytes:
    said = forger.rng.choice(["-1", "x", "0x10", "1, 2"])
    return wire(forger.platform.signed(forger.body()).headers, b"", length=said)


def _cut_off(forger: Forger) -> bytes:
    signed = forger.platform.signed(forger.body())
    whole = _sent(signed)
    return whole[: -forger.rng.randrange(1, len(signed.body))]


def _cut_off_in_the_head(forger: Forger) -> bytes:
    whole = _sent(forger.platform.signed(forger.body()))
    return whole[: forger.rng.randrange(1, whole.index(b"\r\n\r\n"))]


def _another_method(forger: Forger) -> bytes:
    signed = forger.platform.signed(forger.body())
    method = forger.rng.choice(["PUT", "DELETE", "PATCH", "OPTIONS"])
    return wire(signed.headers, signed.body, method=method)


_UNSIGNED: Final = frozenset({401})
_TOO_LONG: Final = frozenset({413})
_BAD: Final = frozenset({400})
_NO_HTTP: Final = frozenset({400, CLOSED})

GROUPS: Final[Mapping[str, Sequence[tuple[Make, frozenset[int]]]]] = {
    "forged": [
        (make, _UNSIGNED)
        for make in (
            _by_a_stranger,
            _unsigned,
            _lacking_a_header,
            _with_another_body,
            _with_a_signature_bent,
            _with_a_signature_that_is_none,
            _with_an_answered_head,
        )
    ],
    "stale": [(make, _UNSIGNED) for make in (_too_old, _too_new, _at_no_time)],
    "replayed": [
        (make, _UNSIGNED)
        for make in (_as_it_was, _with_another_nonce, _with_a_later_time, _in_chunks)
    ],
    "oversized": [
        (make, _TOO_LONG)
        for make in (_too_long, _too_long_and_unsigned, _said_to_be_too_long, _endless)
    ],
    "malformed": [
        *((make, _BAD) for make in (_no_json, _no_call, _another_verb)),
        *((make, _NO_HTTP) for make in (_no_http, _no_length, _cut_off, _cut_off_in_the_head)),
        (_another_method, frozenset({405})),
    ],
}
