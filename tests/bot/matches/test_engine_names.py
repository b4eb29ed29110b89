"""Engines are named on a command line by name, options or command."""

import re
from pathlib import Path

import pytest

from bot.errors import ConfigurationError
from bot.matches.engine_names import engines_in, player_tables


def test_a_built_in_engine_may_have_options() -> None:
    (table,) = player_tables(["search:Level=3,Threads=1"], {})

    assert table == {
        "name": "search:Level=3,Threads=1",
        "builtin": "search",
        "options": {"Level": "3", "Threads": "1"},
    }


def test_a_command_is_split_as_a_shell_would() -> None:
    (table,) = player_tables(["sh -c 'exec my engine'"], {})

    assert table["command"] == ["sh", "-c", "exec my engine"]


def test_an_engine_may_speak_another_protocol() -> None:
    six, htttx = player_tables(["six:sh -c 'exec it'", "htttx:http://127.0.0.1:8799/"], {})

    assert (six["protocol"], six["command"]) == ("six", ["sh", "-c", "exec it"])
    assert (htttx["protocol"], htttx["url"]) == ("htttx", "http://127.0.0.1:8799/")
    with pytest.raises(ConfigurationError, match="not a command that can be run"):
        player_tables(["six:no-such-program"], {})


def test_options_on_the_command_line_override_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "engines.toml"
    path.write_text(
        '[engines.mine]\nbuiltin = "search"\nprocesses = 2\noptions = { Level = 2, Hash = 8 }\n'
    )
    (table,) = player_tables(["mine:Level=5"], engines_in(path))

    assert table == {
        "name": "mine:Level=5",
        "builtin": "search",
        "options": {"Level": "5", "Hash": 8},
    }


def test_the_same_engine_several_times_gives_players_with_numbers() -> None:
    assert [each["name"] for each in player_tables(["random"] * 3, {})] == [
        "random",
        "random (2)",
        "random (3)",
    ]


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("serch", "'serch' is not an engine; did you mean 'search'?"),
        ("", "'' is not an engine"),
        ("search:Level", "write options as NAME:OPTION=VALUE"),
        ("sh 'unclosed", "No closing quotation"),
    ],
)
def test_an_unknown_engine_is_refused(word: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(problem)):
        player_tables([word], {})
