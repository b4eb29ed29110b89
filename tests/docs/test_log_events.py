"""The page of log events: every event that the programs log, with its levels, and no other."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "log-events.md").read_text(encoding="utf-8")
LEVELS = {"debug", "info", "warning", "error", "critical"}
METHODS = {**{level: level for level in LEVELS}, "exception": "error"}
THROTTLED = "note"
"""The method of `ThrottledLog`, which logs at level info."""


def test_every_event_is_explained_with_its_levels() -> None:
    logged: defaultdict[str, set[str]] = defaultdict(set)
    for event, level in events_of_the_programs():
        logged[event].add(level)
    explained: defaultdict[str, set[str]] = defaultdict(set)
    for events, levels in rows_of_the_page():
        for event in events:
            explained[event] |= levels
    assert set(explained) == set(logged)
    unlike = {event for event in logged if not logged[event] <= explained[event]}
    assert unlike == set()


def rows_of_the_page() -> Iterator[tuple[list[str], set[str]]]:
    for events, levels in re.findall(
        r"^\| (`\w+`(?:, `\w+`)*) \| ([a-z, ]+) \|", PAGE, re.MULTILINE
    ):
        yield re.findall(r"`(\w+)`", events), set(levels.split(", "))


def events_of_the_programs() -> Iterator[tuple[str, str]]:
    for file in sorted((ROOT / "bot").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Attribute(owner, method), [ast.Constant(str(event)), *_]):
                    if "log" not in ast.unparse(owner).lower() or " " in event:
                        continue
                    if method in METHODS:
                        yield event, METHODS[method]
                    elif method == THROTTLED:
                        yield event, "info"
                case ast.Call(ast.Name("OwnedTasks"), [ast.Constant(str(event)), *_]):
                    yield event, "error"  # what a task logs that fails
                case _:
                    pass
