"""The texts of the page: each key that the scripts use exists in each language, and is used."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from inspect import getsource
from typing import get_args

import pytest

from bot import wire
from bot.arena.web.areas import areas_of
from bot.arena.web.page_bundle import FIRST_TEXTS, FOLDER, INDEX, LANGUAGES, OUTSIDE
from bot.arena.web.page_bundle import PLACE as PLACE_IN_DOCUMENT
from bot.daemon import policy
from bot.platforms.base import PlayerKind

PLACE = re.compile(r"\{(\w+)\}")
KEY = re.compile(r"""\b(?:t|nodes|hasMessage)\(\s*(["'`])(.+?)\1""")
"""The key is the first argument, as it is written; `${...}` in it stands for any part."""
MESSAGES = FOLDER / "messages"

Texts = Mapping[str, str | dict[str, str]]


def areas() -> list[str]:
    return sorted(file.stem for file in (MESSAGES / LANGUAGES[0]).glob("*.json"))


def key_of(area: str, name: str) -> str:
    """The key of a text in a script; other parts of the page show those in OUTSIDE."""
    outside, _, rest = name.partition(".")
    return f"{OUTSIDE}.{area}.{rest}" if outside == OUTSIDE else f"{area}.{name}"


def texts(language: str) -> Texts:
    return {
        key_of(area, name): message
        for area in areas()
        for name, message in json.loads(
            (MESSAGES / language / f"{area}.json").read_text(encoding="utf-8")
        ).items()
    }


def used() -> Iterator[tuple[str, str]]:
    """The keys in the scripts and the document, with their file; `$` is a part that is computed."""
    for file in sorted((FOLDER / "js").glob("**/*.js")):
        for found in KEY.finditer(file.read_text(encoding="utf-8")):
            yield re.sub(r"\$\{[^}]*\}", "$", found[2]), file.name
    worker = FOLDER / "service_worker.js"
    for name in re.findall(r"\btexts\.(\w+)", worker.read_text(encoding="utf-8")):
        yield f"push.{name}", worker.name
    for area in areas_of(FOLDER):
        if area.menu is not None:
            yield f"{OUTSIDE}.{area.name}.menu", area.name
    for place in PLACE_IN_DOCUMENT.finditer((FOLDER / INDEX).read_text(encoding="utf-8")):
        yield place[0].strip("{}"), INDEX


def forms(message: str | dict[str, str]) -> list[str]:
    """The text, or the text for each plural category."""
    return [message] if isinstance(message, str) else list(message.values())


def mentioned() -> set[str]:
    """All strings in the scripts that look like keys, such as one of two in a condition."""
    scripts = (file.read_text(encoding="utf-8") for file in (FOLDER / "js").glob("**/*.js"))
    found = {key for text in scripts for key in re.findall(r"""["'`]([a-z_]+\.[^"'` ]+)""", text)}
    return {re.sub(r"\$\{[^}]*\}", "$", key) for key in found}


def places(message: str | dict[str, str]) -> set[str]:
    return {name for form in forms(message) for name in PLACE.findall(form)} - {"n"}


def matches(key: str, name: str) -> bool:
    return re.fullmatch(re.escape(key).replace(r"\$", ".+"), name) is not None


def test_each_key_in_the_scripts_has_a_text() -> None:
    names = texts("en")
    missing = [(key, file) for key, file in used() if not any(matches(key, n) for n in names)]
    assert missing == []


def test_a_capability_shows_no_texts_of_another_one() -> None:
    """Only its own texts, and those of every visit, are loaded before its pages."""
    strange = [
        (area.name, file.name, key[2])
        for area in areas_of(FOLDER)
        for file in sorted((FOLDER / "js" / area.name).glob("*.js"))
        for key in KEY.finditer(file.read_text(encoding="utf-8"))
        if key[2].partition(".")[0] not in {area.name, *FIRST_TEXTS}
    ]
    assert strange == []


def test_each_text_is_used() -> None:
    keys = {key for key, _ in used()} | mentioned()
    computed = "|".join(re.escape(key).replace(r"\$", ".+") for key in keys if "$" in key)
    unused = texts("en").keys() - keys
    assert [name for name in sorted(unused) if not re.fullmatch(computed, name)] == []


def test_the_areas_of_the_first_page_are_those_that_the_page_loads() -> None:
    main = (FOLDER / "js" / "main.js").read_text(encoding="utf-8")
    call = ", ".join(f'"{area}"' for area in FIRST_TEXTS)
    assert f"loadMessages({call})" in main


def test_the_settings_offer_the_languages_that_the_server_has() -> None:
    choice = (FOLDER / "js" / "frame" / "language_choice.js").read_text(encoding="utf-8")
    assert re.findall(r"^  (\w\w): ", choice, re.MULTILINE) == list(LANGUAGES)
    assert sorted(each.name for each in MESSAGES.iterdir()) == sorted(LANGUAGES)


def test_every_refusal_of_the_server_has_a_text() -> None:
    codes = {name.removeprefix("common.refusal.") for name in texts("en") if ".refusal." in name}
    assert {code for code in codes if "." not in code} == wire.REFUSAL_CODES.keys()
    assert {code.split(".")[0] for code in codes} == wire.REFUSAL_CODES.keys()


def test_every_reason_with_which_a_bot_declines_has_a_text() -> None:
    names = {name.removeprefix("common.declined.") for name in texts("en")}
    kinds, rated = get_args(PlayerKind), ("rated", "unrated")
    known = {*(f"no_{kind}s" for kind in kinds), *(f"{each}_only" for each in rated)}
    given = set[str]()
    for node in ast.walk(ast.parse(getsource(policy))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Declined":
            code = node.args[0]
            given |= {str(code.value)} if isinstance(code, ast.Constant) else known
    assert len(given) > len(known)
    assert given - names == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_texts_with_the_same_places(language: str) -> None:
    english, translated = texts("en"), texts(language)
    assert translated.keys() == english.keys()
    for key, message in translated.items():
        assert places(message) == places(english[key]), key
        assert isinstance(message, str) == isinstance(english[key], str), key
        assert isinstance(message, str) or "other" in message, key
