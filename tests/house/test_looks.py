"""Browser tests wait for what they look at: a page that moves may not have arrived yet.

`expect` of Playwright and `tests/e2e/browser/looks.py` look again; these rules find tests that look
once, that wait for a state which may be passed over, or that wait for one observer and then ask
another.
"""

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

BROWSER = Path(__file__).parents[1] / "e2e" / "browser"
MOVING = frozenset(
    {
        *("count", "inner_text", "text_content", "all_inner_texts", "all_text_contents"),
        *("bounding_box", "is_visible", "is_hidden", "is_enabled", "is_disabled", "is_checked"),
    }
)
"""Methods of a locator that tell what the page shows now."""
WAITER = "wait_until"
ARRIVALS = ("open_page", ".visit(", ".goto(", "connected(")
"""A page that is opened after the wait gets the newest state from the server."""


def faults(source: str) -> Iterator[str]:
    """A sentence for each place that breaks a rule."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _looks_once(function)
            yield from _asks_another(function)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Lambda | ast.Compare) and _is_exact(node):
            yield f"{node.lineno}: waits for an exact number of turns: `at_least` sees more, too"


def _looks_once(function: ast.AST) -> Iterator[str]:
    seen = {
        name.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(map(_is_look, ast.walk(node.value)))
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            parts = list(ast.walk(node.test))
            if any(isinstance(part, ast.Await) for part in parts):
                yield f"{node.lineno}: asserts what it awaits: use `expect`, `shows` or `until`"
            elif any(isinstance(part, ast.Name) and part.id in seen for part in parts):
                yield f"{node.lineno}: asserts what it saw once: use `expect`, `shows` or `until`"


def _is_look(node: ast.AST) -> bool:
    return isinstance(node, ast.Await) and _called(node.value) in MOVING


def _called(node: ast.AST) -> str:
    """Return the name of the method that is called, or an empty text."""
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return node.func.attr if is_method else ""  # type: ignore[attr-defined]


def _is_exact(node: ast.Lambda | ast.Compare) -> bool:
    """Whether it is a lambda that compares the length of something with one number."""
    body = node.body if isinstance(node, ast.Lambda) else None
    return (
        isinstance(body, ast.Compare)
        and isinstance(body.ops[0], ast.Eq)
        and isinstance(body.left, ast.Call)
        and getattr(body.left.func, "id", "") == "len"
    )


def _asks_another(function: ast.AST) -> Iterator[str]:
    """Waits whose result nobody uses, before a statement that is about somebody else."""
    for node in ast.walk(function):
        block = getattr(node, "body", None)
        for first, second in pairwise(block) if isinstance(block, list) else ():
            if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Await)):
                continue
            call = first.value.value
            if _called(call) == WAITER:
                observer = ast.unparse(call.func.value)  # type: ignore[attr-defined]
                then = ast.unparse(second)
                if not any(each in then for each in (observer, *ARRIVALS)):
                    yield f"{first.lineno}: {observer} waits, and then somebody else acts"


@pytest.mark.parametrize("file", sorted(BROWSER.glob("*.py")), ids=lambda file: file.name)
def test_browser_tests_wait_for_what_they_look_at(file: Path) -> None:
    assert list(faults(file.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("assert await page.title() == ''", "asserts what it awaits"),
        ("box = await board.bounding_box()\n    assert box == 3", "asserts what it saw once"),
        ("await bot.wait_until(lambda new: len(new.turns) == 2)\n    bot.go()", "an exact number"),
        ("await bot.wait_until(done)\n    await page.click()", "somebody else acts"),
    ],
)
def test_the_rule_that_a_test_breaks_is_named(line: str, fault: str) -> None:
    [found] = faults(f"async def test():\n    {line}\n")
    assert fault in found
