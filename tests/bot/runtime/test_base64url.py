"""Base64 as browsers write it."""

import pytest

from bot.runtime.base64url import from_base64, in_base64


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"", ""), (b"\xfb", "-w"), (b"\xff\xef", "_-8"), (b"abc", "YWJj")],
)
def test_bytes_are_written_without_padding_and_read_again(data: bytes, text: str) -> None:
    assert in_base64(data) == text
    assert from_base64(text) == data
