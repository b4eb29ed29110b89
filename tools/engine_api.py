"""The reference of `engine` and `engine.contract`, written from their docstrings.

`python -m tools.engine_api` (or `make api`) writes docs/engine-api.md.
"""

import inspect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import fill
from types import ModuleType

import engine
from engine import contract
from tools import ROOT
from tools.docstrings import Class, Doc, Field, Function, alias, function

PAGE = ROOT / "docs" / "engine-api.md"
WIDTH = 118
SIGNATURE_WIDTH = 100

HEAD = """
# The Python API of `engine`

For people who write programs, tools or engines in Python. With this page you can replay and check
games with the rules of all games, and write an engine as a Python class. `make install`
installs the package into `.venv`.
"""

CONVENTIONS = """
**Conventions**

- Players are 1 and 2. Player 1 plays the first turn.
- A cell is a string, such as `5-3` or `d4`. The rules page of each game explains the names:
  [Bluestone](bluestone.md#boards), [Blooms](blooms.md), [Stargazers](stargazers.md).
- A turn is a string: one step, two steps with a comma between them (`0-0,5-9`), or `pass`. A step
  is a cell; in Blooms the digit of the kind comes first (`2d4`).
- All times are seconds, as `float`.
- Each exception is an `EngineError`, and each that is about an argument also a `ValueError`.

**Contents**
"""

FOOT = "This page is generated from docstrings. To change it, edit them and run `make api`."


@dataclass(frozen=True)
class Chapter:
    """Objects of one module under one heading."""

    title: str
    about: str
    module: ModuleType
    names: tuple[str, ...]


CHAPTERS = (
    Chapter(
        "Games and positions",
        "Start here: `game` returns a game, and its positions do the rest.",
        engine,
        ("game", "game_of", "play_out", "Game", "Position", "Stone"),
    ),
    Chapter(
        "Turns",
        "What a turn string means, which steps a turn may have, and why a turn is refused.",
        engine,
        ("stones_of", "Placement", "Choices", "Refusal", "EarlyEnd"),
    ),
    Chapter(
        "Exceptions",
        "What the functions raise. Messages are sentences for people, attributes are for programs.",
        engine,
        ("EngineError", "IllegalTurn", "UnknownGame", "InvalidOption", "KernelsMissing"),
    ),
    Chapter(
        "The catalogue of games",
        "What can be played, for menus and programs. Nothing here loads a compiled kernel.",
        engine,
        ("games", "game_info", "boards_of", "GameInfo", "OptionInfo", "OptionPreset"),
    ),
    Chapter(
        "Boards",
        "The graph of cells, and where to draw them.",
        engine,
        ("Board", "BlueStone"),
    ),
    Chapter("Measuring", "How fast a machine is.", engine, ("benchmark",)),
    Chapter(
        "engine.contract: engines in Python",
        "Derive a class from `Engine` to write an engine. The "
        "[engine protocol](engine-protocol.md#plugging-an-engine-in) explains how to register it.",
        contract,
        (
            "Engine",
            "Limits",
            "Signal",
            "Signals",
            "Choice",
            "Candidate",
            "Info",
            "InfoListener",
            "Option",
            "OptionValue",
        ),
    ),
)


def written() -> str:
    """The whole page."""
    lines = [
        HEAD.strip(),
        "",
        "```pycon",
        _example(engine.__doc__ or ""),
        "```",
        "",
        CONVENTIONS.strip(),
        "",
    ]
    lines += [*_contents(), ""]
    for chapter in CHAPTERS:
        lines += [f"## {chapter.title}", "", _wrapped(chapter.about), ""]
        for name in chapter.names:
            lines += _entry(chapter.module, name)
    return "\n".join([*lines, FOOT, ""])


def _example(docstring: str) -> str:
    """The indented lines of a docstring."""
    lines = inspect.cleandoc(docstring).splitlines()
    return "\n".join(line.removeprefix("    ") for line in lines if line.startswith("    "))


def _contents() -> Iterator[str]:
    for chapter in CHAPTERS:
        links = [f"[{name}](#{_anchor(_heading(chapter.module, name))})" for name in chapter.names]
        yield f"- [{chapter.title}](#{_anchor(chapter.title)}):"
        yield _wrapped(", ".join(links), "  ")


def _anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _heading(module: ModuleType, name: str) -> str:
    known = getattr(module, name)
    if inspect.isclass(known):
        return f"exception {name}" if issubclass(known, Exception) else f"class {name}"
    return f"{name}()" if inspect.isfunction(known) else f"type {name}"


# ---- objects -----------------------------------------------------------------------------------


def _entry(module: ModuleType, name: str) -> Iterator[str]:
    known = getattr(module, name)
    yield from (f"### {_heading(module, name)}", "")
    if inspect.isclass(known):
        yield from _class(Class(known))
    elif inspect.isfunction(known):
        yield from _function(function(known))
    else:
        value, doc = alias(module, name)
        yield from ("```python", f"{name} = {value}", "```", "")
        yield from _doc(doc)


def _class(known: Class) -> Iterator[str]:
    yield from _text(known.doc)
    yield from _list("Attributes", _bullets(known.doc.entries("Attributes")))
    yield from _list("Attributes", map(_field, known.fields))
    yield from _code(known.doc)
    for method in known.methods:
        yield from (f"#### {method.name}()", "")
        yield from _function(method)


def _function(known: Function) -> Iterator[str]:
    yield from ("```python", _signature(known), "```", "")
    yield from _doc(known.doc)


def _signature(known: Function) -> str:
    line = f"{known.name}({', '.join(known.parameters)}) -> {known.returns}"
    if len(line) <= SIGNATURE_WIDTH:
        return line
    parameters = "".join(f"    {each},\n" for each in known.parameters)
    return f"{known.name}(\n{parameters}) -> {known.returns}"


def _field(field: Field) -> str:
    default = "" if field.default is None else f", default `{field.default}`"
    return f"`{field.name}` (`{field.annotation}`{default}): {_one_line(field.doc)}"


def _one_line(doc: Doc) -> str:
    """A field's text as the item of a list; its own list is kept below it."""
    first, *rest = _paragraphs(doc.text)
    plain = [each for each in rest if not each.startswith("- ")]
    nested = [each for each in rest if each.startswith("- ")]
    items = [item for each in nested for item in _items(each)]
    return " ".join([first, *plain]) + "".join(f"\n{item}" for item in items)


# ---- docstrings --------------------------------------------------------------------------------


def _doc(doc: Doc) -> Iterator[str]:
    yield from _text(doc)
    yield from _list("Arguments", _bullets(doc.entries("Args")))
    if returned := doc.sections.get("Returns"):
        yield from (_wrapped(f"**Returns:** {' '.join(returned.split())}"), "")
    yield from _list("Raises", _bullets(doc.entries("Raises")))
    yield from _code(doc)


def _text(doc: Doc) -> Iterator[str]:
    for paragraph in _paragraphs(doc.text):
        items = _items(paragraph) if paragraph.startswith("- ") else [paragraph]
        yield from map(_wrapped, items)
        yield ""


def _code(doc: Doc) -> Iterator[str]:
    if example := doc.sections.get("Example"):
        yield from ("```pycon", example, "```", "")


def _list(title: str, items: Iterable[str]) -> Iterator[str]:
    bullets = [_bullet(item) for item in items]
    if bullets:
        yield from (f"**{title}:**", "", *bullets, "")


def _bullets(entries: dict[str, str]) -> Iterator[str]:
    return (f"`{name}`: {text}" for name, text in entries.items())


def _bullet(item: str) -> str:
    """An item of a list; lines after the first are items of a list below it."""
    first, *below = item.split("\n")
    nested = [_wrapped(each, "  ") for each in below]
    return "\n".join([_wrapped(f"- {first}"), *nested])


def _paragraphs(text: str) -> list[str]:
    return [
        each if each.startswith("- ") else " ".join(each.split()) for each in text.split("\n\n")
    ]


def _items(paragraph: str) -> list[str]:
    parts = re.split(r"^- ", paragraph, flags=re.MULTILINE)[1:]
    return [f"- {' '.join(part.split())}" for part in parts]


def _wrapped(text: str, indent: str = "") -> str:
    return fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + ("  " if text.startswith("- ") else ""),
        break_long_words=False,
        break_on_hyphens=False,
    )


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
