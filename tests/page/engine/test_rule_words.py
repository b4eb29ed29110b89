"""The page has words for each rule that a stone may break: its own rules give only the code."""

import json
import re
from pathlib import Path

import engine
from bot.arena.web.page_bundle import FOLDER

GAMES = Path(engine.__file__).parent / "games"
NOT_BY_A_CLICK = {"malformed"}
CODE = re.compile(r'Refusal\(\s*"([a-z-]+)"')


def codes_in(file: Path) -> set[str]:
    return set(CODE.findall(file.read_text(encoding="utf-8")))


def test_each_rule_has_words() -> None:
    codes = set[str]().union(*map(codes_in, GAMES.glob("**/*.py")))
    assert {"occupied", "same-group", "uninspired-cell", "out-of-range"} <= codes
    words = json.loads((FOLDER / "messages" / "en" / "game.json").read_text(encoding="utf-8"))
    assert {f"illegal.{code}" for code in codes - NOT_BY_A_CLICK} <= set(words)
