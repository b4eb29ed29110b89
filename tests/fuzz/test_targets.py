"""No parser fails with anything but its documented errors, whatever it is given."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.target import CORPORA, Target
from tests.fuzz.targets import TARGETS

EXAMPLES = 60
ANYWHERE: Sequence[bytes] = (
    *(b"\0", b"\n", b"\r\n", b"\x1b[2J", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80"),
    *("\u202e".encode(), "\u2028".encode(), "٣".encode(), b'"', b"\\", b"]", b"}", b"=", b" "),
    *(b"[" * 2000, b'{"a":' * 2000, b"9" * 5000, b"1e400", b"-0", b"0x10", b"\\u0000", b"../"),
)
"""Text that often breaks parsers."""
EVERY_TARGET = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
PROFILE = settings(
    max_examples=EXAMPLES,
    derandomize=True,  # the same examples everywhere; `make lab ARGS=fuzz` tries others
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def mutated(target: Target, examples: Sequence[bytes], seed: int) -> bytes:
    """One of the target's examples with some edits."""
    chance = random.Random(f"{target.name} {seed}")
    words = [*ANYWHERE, *(word.encode() for word in target.words)]
    data = bytearray(chance.choice(examples))
    for _ in range(chance.randrange(1, 6)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((0, 1, 2, 5, 20, 100)))
        other = chance.choice(examples)
        cut = chance.randrange(len(other) + 1)
        data[start:end] = chance.choice(
            (b"", chance.choice(words), bytes(data[start:end]) * 2, other[cut : cut + 30])
        )
    return bytes(data)


@EVERY_TARGET
def test_stored_examples_are_read_or_refused(target: Target) -> None:
    for data in target.seeds():
        target.attempt(data)


@EVERY_TARGET
def test_edited_examples_are_read_or_refused(target: Target) -> None:
    examples = target.seeds()
    for seed in range(EXAMPLES):
        target.attempt(mutated(target, examples, seed))


@EVERY_TARGET
def test_any_bytes_are_read_or_refused(target: Target) -> None:
    @PROFILE
    @given(st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
    def attempt(data: bytes) -> None:
        target.attempt(data)

    attempt()


def test_every_corpus_belongs_to_a_target() -> None:
    assert {folder.name for folder in CORPORA.iterdir()} == {each.name for each in TARGETS}
