"""Texts from outside, for a terminal: they can neither steer it nor feign lines, nor stop a command
because the terminal's encoding lacks a character.
"""

import io
import sys
from typing import Final

STEERS_TERMINALS: Final = {
    code: f"\\u{code:04x}"
    for code in (
        *(*range(0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F),
        *(*range(0x2028, 0x202F), *range(0x2066, 0x206A)),
    )
}
"""Control characters, and those that turn the direction of text, with their escapes in JSON."""
LINES: Final = {code: text for code, text in STEERS_TERMINALS.items() if chr(code) not in "\t\n"}


def shown(text: str) -> str:
    """Return a text from outside for one line of a terminal: it cannot steer it, or feign lines."""
    return text.translate(STEERS_TERMINALS)


def shown_lines(text: str) -> str:
    """As `shown`, for a text of several lines."""
    return text.translate(LINES)


def replace_unknown_characters() -> None:
    """Let stdout print a question mark for a character that its encoding does not have."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
