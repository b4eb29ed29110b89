"""Tests wait in ways that no slow machine breaks."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.loops import IN_PROCESS
from tools import ROOT

WAITS: Final = frozenset({"eventually", "game", "until", "wait_for", "wait_until"})
GROWING: Final = frozenset(
    {"asked", "calls", "got", "of", "reads", "records", "searched", "told", "turns"}
)
"""Lists of what has happened, by the name of the variable, attribute or function."""
COUNTERS: Final = frozenset({"plies", "ply", "revision"})
EVENTS: Final = frozenset({"fold", "get", "heard", "next", "readany", "write"})
"""What a loop may await without a pause, because each call waits for, or does, something new."""
FREED: Final = frozenset({"_free_port", "free_port", "unused_tcp_port", "unused_tcp_port_factory"})
"""Ports that were free a moment ago; `held_port` of `tests/conftest.py` stays the test's own."""


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def sources() -> list[Path]:
    files = (ROOT / "tests").rglob("*.py")
    return sorted(path for path in files if path != Path(__file__))


def name_of(node: ast.expr) -> str:
    """The last name in a chain: `c` of `a.b.c` and of `a.b.c(...)`."""
    if isinstance(node, ast.Call):
        return name_of(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def grows(node: ast.expr) -> bool:
    is_length = isinstance(node, ast.Call) and name_of(node.func) == "len"
    if isinstance(node, ast.Call) and is_length:
        return name_of(node.args[0]) in GROWING
    return isinstance(node, ast.Attribute) and node.attr in COUNTERS


def equalities(tree: ast.AST) -> Iterator[ast.Compare]:
    """Conditions of waits that a growing value can pass over."""
    calls = (each for each in ast.walk(tree) if isinstance(each, ast.Call))
    for call in (each for each in calls if name_of(each.func) in WAITS):
        given = (*call.args, *(each.value for each in call.keywords))
        for condition in (each for each in given if isinstance(each, ast.Lambda)):
            for part in ast.walk(condition):
                is_equality = isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.Eq)
                if isinstance(part, ast.Compare) and is_equality and grows(part.left):
                    yield part


def busy_polls(tree: ast.AST) -> Iterator[ast.While]:
    """Loops that ask again at once: they starve what they wait for, or meet a limit of rate."""
    for loop in (each for each in ast.walk(tree) if isinstance(each, ast.While)):
        awaited = (each for each in ast.walk(loop.test) if isinstance(each, ast.Await))
        asks = any(name_of(each.value) not in EVENTS for each in awaited)
        is_empty = all(isinstance(each, ast.Pass) for each in loop.body)
        if asks and is_empty:
            yield loop


def real_sleeps(tree: ast.AST) -> Iterator[ast.Call]:
    imported = (each for each in ast.walk(tree) if isinstance(each, ast.Import))
    if any(name.name == "time" for each in imported for name in each.names):
        for call in (each for each in ast.walk(tree) if isinstance(each, ast.Call)):
            if ast.unparse(call.func) == "time.sleep":
                yield call


def places(path: Path, found: Iterator[ast.AST]) -> list[str]:
    where = path.relative_to(ROOT)
    return [f"{where}:{getattr(each, 'lineno', 0)}: {ast.unparse(each)}" for each in found]


def test_no_wait_names_one_value_of_what_grows() -> None:
    assert [each for path in sources() for each in places(path, equalities(parsed(path)))] == []


def test_every_poll_pauses() -> None:
    assert [each for path in sources() for each in places(path, busy_polls(parsed(path)))] == []


def test_no_port_is_freed_and_taken_again() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in sources()
        for each in ast.walk(parsed(path))
        if (isinstance(each, ast.arg) and each.arg in FREED)
        or (isinstance(each, ast.FunctionDef) and each.name in FREED)
    }
    assert not found


def test_no_test_in_simulated_time_sleeps_for_real() -> None:
    files = [path for path in sources() if str(path.relative_to(ROOT)).startswith(IN_PROCESS)]
    assert [each for path in files for each in places(path, real_sleeps(parsed(path)))] == []


@pytest.mark.parametrize(
    "source",
    [
        "eventually(lambda: len(state.turns) == 2)",
        "bot.wait_until(lambda: game.ply == 3 and ok)",
        "bot.game(game_id, condition=lambda s: s.revision == 3)",
    ],
)
def test_a_new_equality_is_found(source: str) -> None:
    assert list(equalities(ast.parse(source)))


def test_a_new_busy_poll_is_found() -> None:
    assert list(busy_polls(ast.parse("async def f():\n while (await g()).lines:\n  pass")))
