"""`bluestone check --online`: what was tried, and what was not."""

import json
from pathlib import Path

import pytest

from tests.bot.cli.commands import Bluestone

NOWHERE = "http://127.0.0.1:9/"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BLUESTONE_TOKEN", "s3cret")
    keys = "".join(f'{key} = "{NOWHERE}"\n' for key in ("base", "token_url", "key_url"))
    file = tmp_path / "bot.toml"
    text = f'[[platforms]]\nkind = "abstract_play"\nclient_id = "abc"\nlisten_port = 0\n{keys}'
    file.write_text(text)
    return file


def test_a_check_that_was_not_made_is_marked(bluestone: Bluestone, config: Path) -> None:
    outcome = bluestone("check", "--online", config)
    marks = {
        line.split(": ")[2]: line.removeprefix(f"{config}: ")[:4].strip()
        for line in outcome.out.splitlines()[1:]
    }
    assert outcome.code == 1
    assert marks == {
        "token": "FAIL",
        "queries": "FAIL",
        "key": "ok",
        "listening": "ok",
        "reachable": "?",
    }


def test_a_swiss_that_may_end_early_is_a_warning_and_no_error(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    file = tmp_path / "event.toml"
    players = "".join(f'[[players]]\nname = "p{number}"\n' for number in range(6))
    text = f'{players}[[setups]]\nnodes = 10\n[format]\nkind = "swiss"\nrounds = '

    file.write_text(f"{text}4\n")
    outcome = bluestone("check", file)
    assert (outcome.code, outcome.out) == (0, f"{file}: no errors\n")
    assert outcome.err.startswith(f"{file}: warning: format.rounds: 4 rounds are more than half")

    file.write_text(f"{text}3\n")
    assert bluestone("check", file).err == ""


def test_the_json_has_the_same_facts(bluestone: Bluestone, config: Path) -> None:
    tries = json.loads(bluestone("check", "--online", "--json", config).out)["online"][str(config)]
    states = {each["step"]: each["state"] for each in tries}
    assert (states["token"], states["reachable"]) == ("failed", "not tried")
