"""docs/sources.md names tests that exist, and every game."""

import ast
import re

import engine
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)


def functions_of(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_each_decision_names_a_test_that_exists() -> None:
    assert NAMED
    wrong = [
        (path, name)
        for path, name in NAMED
        if not (ROOT / path).is_file() or (name and name not in functions_of(path))
    ]
    assert not wrong


def test_each_game_has_its_text_and_its_rule_sets() -> None:
    for known in engine.games():
        assert f"[{known.title}]({known.name}.md)" in PAGE
        assert all(f"`{rule_set}`" in PAGE for rule_set in known.rule_sets)
