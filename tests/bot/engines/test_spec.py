"""What an operator may write about an engine."""

import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.engines.process import EngineProcess
from bot.engines.spec import EngineSpec, fields_of
from bot.time_source import SystemTime


def test_a_command_may_be_a_line() -> None:
    spec = EngineSpec.model_validate({"name": "x", "command": "./plain --rave 'two words'"})
    assert spec.argv == ["./plain", "--rave", "two words"]


def test_without_a_command_the_builtin_engine_runs_on_this_python() -> None:
    assert EngineSpec(name="r", builtin="random").argv == [
        sys.executable,
        "-P",
        "-m",
        "engine.ugi",
        "--engine",
        "random",
    ]


async def test_a_module_in_the_working_directory_is_not_taken_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("random", "re", "engine"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken from the wrong place')\n")
    monkeypatch.chdir(tmp_path)
    process = await EngineProcess.start(EngineSpec(name="r", builtin="random"), SystemTime())
    assert process.alive
    await process.kill()


def test_options_may_be_numbers_and_switches() -> None:
    spec = EngineSpec.model_validate({"name": "x", "options": {"Threads": 2, "Reuse": True}})
    assert spec.options == {"Threads": "2", "Reuse": "true"}


def test_an_engine_spec_can_be_read_again_and_omits_defaults() -> None:
    quiet, ponders = EngineSpec(name="x"), EngineSpec(name="x", ponder=True)
    assert "ponder" not in quiet.model_dump()
    for spec in (quiet, ponders):
        assert EngineSpec.model_validate(spec.model_dump()) == spec


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("./mine --fast", ("ugi", ["./mine", "--fast"], None)),
        ("six:./mine 'two words'", ("six", ["./mine", "two words"], None)),
        ("htttx:http://127.0.0.1:8799/", ("htttx", None, "http://127.0.0.1:8799/")),
    ],
)
def test_a_command_may_begin_with_its_protocol(
    command: str, expected: tuple[str, list[str] | None, str | None]
) -> None:
    spec = EngineSpec.model_validate({"name": "x", "command": command})
    assert (spec.protocol, spec.command, spec.url) == expected
    assert EngineSpec.model_validate({"name": "x", **fields_of(command)}) == spec
    assert EngineSpec.model_validate(spec.model_dump()) == spec
    assert not spec.is_builtin


def test_settings_from_before_other_protocols_are_written_as_before() -> None:
    known = {"name", "command", "options", "start_timeout_s", "directory", "env"}
    assert EngineSpec(name="x", command=["./mine"]).model_dump().keys() == known


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"command": "six:"}, "at least 1 item"),
        ({"protocol": "six"}, "needs a `command`"),
        ({"protocol": "htttx"}, "has a `url`"),
        ({"protocol": "six", "url": "http://a/"}, "has a `url`"),
        ({"command": "htttx:ftp://a/"}, "an address such as"),
        ({"command": "htttx:ws://a/"}, "an address such as http://127.0.0.1:8799/"),
        ({"command": "htttx:http://a/?b=c"}, "an address such as http://127.0.0.1:8799/"),
        ({"command": "x", "url": "http://a/"}, "not both"),
        ({"command": "six:x", "ponder": True}, "cannot ponder"),
        ({"command": "x", "token_env": "A"}, "needs a `url`"),
        ({"turn_nodes": 0}, "greater than or equal to 1"),
    ],
)
def test_other_protocols_are_checked(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        EngineSpec.model_validate({"name": "x", **fields})


@pytest.mark.parametrize(
    "fields",
    [
        {"command": ""},
        {"command": []},
        {"command": "'unclosed"},
        {"command": "x", "builtin": "search"},
        {"builtin": "../x"},
        {"comand": "x"},
        {"start_timeout_s": 0},
        {"ponder": "often"},
        {"env": {"A=B": "c"}},
        {"options": {"X": [1]}},
    ],
)
def test_invalid_specs_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        EngineSpec.model_validate({"name": "x", **fields})


def test_an_engine_does_not_see_the_secrets_of_the_bot() -> None:
    ours = {"PATH": "/bin", "LC_ALL": "C", "BLUESTONE_TOKEN": "secret", "AWS_KEY": "secret"}
    spec = EngineSpec(name="x", env={"EXTRA": "1"})
    assert spec.environment(ours) == {"PATH": "/bin", "LC_ALL": "C", "EXTRA": "1"}
