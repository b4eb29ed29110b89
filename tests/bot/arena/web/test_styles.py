"""The style sheets of the page, which are all loaded at once."""

import re
from collections import defaultdict

from bot.arena.web.page_bundle import FOLDER

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BRACE = re.compile(r"([^{}]*)\{|\}")
CLASS = re.compile(r"\.[\w-]+")


def bare_classes(style: str) -> set[str]:
    """The classes that have a rule of their own, outside of conditions."""
    found, depth = set(), 0
    for brace in BRACE.finditer(COMMENT.sub("", style)):
        if brace[0] == "}":
            depth -= 1
            continue
        if depth == 0:
            found |= {name for each in brace[1].split(",") if CLASS.fullmatch(name := each.strip())}
        depth += 1
    return found


def test_one_style_sheet_says_how_a_class_looks() -> None:
    # Two parts of the page that use one word for different things would change each other.
    sheets = defaultdict(list)
    for file in sorted((FOLDER / "css").glob("*.css")):
        for name in bare_classes(file.read_text(encoding="utf-8")):
            sheets[name].append(file.name)
    assert {name: files for name, files in sheets.items() if len(files) > 1} == {}
