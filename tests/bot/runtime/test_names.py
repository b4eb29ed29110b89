"""Names from outside: what is refused, what is left out of those that cannot be refused."""

import pytest

from bot.runtime.names import cleaned, tidy

HARMFUL = {
    "NUL": "\0",
    "a line break": "\n",
    "an escape": "\x1b",
    "another line break": "\u2028",
    "a turn of the direction": "\u202e",
    "an isolate": "\u2066",
    "a mark of direction": "\u200f",
    "no width": "\u200b",
    "a joiner": "\u200d",
    "a soft hyphen": "\u00ad",
    "a byte order mark": "\ufeff",
    "a filler": "\u3164",
    "another filler": "\u115f",
    "a selector": "\ufe0f",
    "a grapheme joiner": "\u034f",
    "empty Braille": "\u2800",
    "a tag": "\U000e0041",
    "a surrogate": "\ud800",
    "a private character": "\ue000",
}
each_harmful = pytest.mark.parametrize("character", HARMFUL.values(), ids=HARMFUL)


@each_harmful
def test_an_invisible_character_is_refused(character: str) -> None:
    with pytest.raises(ValueError, match="invisible"):
        tidy(f"Al{character}pha")


@each_harmful
def test_an_invisible_character_is_left_out_where_nothing_can_be_refused(character: str) -> None:
    kept = cleaned(f"Al{character}pha")
    assert kept in {"Alpha", "Al pha"}
    assert tidy(kept) == kept
    assert cleaned(character * 3) == ""


@pytest.mark.parametrize("name", ["Alpha 1.0", "שלום", "مرحبا", "深い", "Zoë", "🏆 Cup", "x² – y"])
def test_names_of_all_scripts_stay_as_they_are(name: str) -> None:
    assert tidy(name) == cleaned(name) == name


def test_a_name_is_composed_and_has_single_blanks() -> None:
    assert tidy(" Zoe\u0308 ") == "Zoë"
    assert cleaned(" Zoe\u0308  \t the\nfirst ") == "Zoë the first"


def test_a_name_that_is_too_long_is_cut() -> None:
    assert cleaned("Alpha Beta", 6) == "Alpha"


@pytest.mark.parametrize("name", ["", "   ", "\u0301"])
def test_invisible_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="visible name"):
        tidy(name)
    assert cleaned(name) == ""
