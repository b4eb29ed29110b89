"""The page about the engine protocol: its engine passes the check, its dialogue is right."""

import json
import re
import subprocess
import sys
from pathlib import Path
from shlex import join

import engine
from bot.engines.check.script import SCRIPT
from engine.players.search import SearchEngine
from engine.ugi.text import declaration, host_options
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "engine-protocol.md").read_text(encoding="utf-8")


def test_the_minimal_engine_passes_the_check(tmp_path: Path) -> None:
    [source] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    program = tmp_path / "first.py"
    program.write_text(source, encoding="utf-8")
    assert len(source.splitlines()) < 55
    command = [sys.executable, "-m", "bot", "engine-check", join((sys.executable, str(program)))]
    done = subprocess.run(
        [*command, "--json"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    steps = json.loads(done.stdout)["steps"]
    verdicts = [step["verdict"] for step in steps]
    assert [step for step in steps if step["verdict"] == "fail"] == []
    assert done.returncode == 0
    # On a busy machine a step may be late, which is a warning.
    passed = verdicts.count("pass") + verdicts.count("warn")
    assert f"\n    {passed} pass, {verdicts.count('skipped')} skipped\n" in PAGE
    assert len(SCRIPT) == len(steps)


def test_the_hello_of_the_dialogue_is_that_of_the_built_in_engine() -> None:
    dialogue = PAGE.partition("## A dialogue")[2].partition("## ")[0]
    options = (*host_options(engine.game("bluestone")), *SearchEngine.options)
    shown = re.findall(r"^    < (option .*)$", dialogue, re.MULTILINE)
    assert shown == [declaration(option) for option in options]
    assert f"    < id name {SearchEngine.name}\n    < id author {SearchEngine.author}\n" in dialogue


def test_every_option_of_the_built_in_engine_is_explained() -> None:
    table = PAGE.partition("## Options")[2].partition("## ")[0]
    options = (*host_options(engine.game("bluestone")), *SearchEngine.options)
    assert [option.name for option in options if f"`{option.name}`" not in table] == []
