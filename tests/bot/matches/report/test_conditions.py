"""The section of conditions: engines, limits, machine and conduct."""

from typing import Any

import pytest

from bot.matches.report.conditions import command_words, conditions_section
from bot.matches.report.page import report_page
from bot.matches.run import LocalEvent
from bot.matches.settings import settings_of
from bot.records.model import EngineSettings
from bot.tournaments.events import Event, Finished
from tests.bot.matches.made_up import chronicle, tournament
from tests.bot.matches.report.html_reader import read_html
from tests.fakes.time import EPOCH

PLAYERS: list[dict[str, Any]] = [
    {
        "name": "Foreign",
        "command": ["/opt/foreign engine", "--level", "3", "--token", "private-1"],
        "env": {"API": "private-2"},
        "options": {"Hash": 64, "Password": "private-3"},
        "nodes": 400,
        "directory": "/",
    },
    {"name": "Own", "builtin": "random"},
]


def shown(*events: Event, **settings: Any) -> str:
    raw = {"players": PLAYERS, "setups": [{"board": "pent-4", "clock": "100ms"}], **settings}
    began = LocalEvent(settings_of(raw, "test", programs_here=False), []).began()
    story = chronicle((EPOCH, each) for each in (began, *events))
    return conditions_section(story)


def rows(section: str) -> list[list[str]]:
    (table,) = read_html(section).all("table")
    return [[cell.words.strip() for cell in row.children] for row in table.all("tr")[1:]]


def test_each_engine_has_its_command_options_and_limit() -> None:
    foreign, own = rows(shown())
    assert foreign[2] == "'/opt/foreign engine' --level 3 --token [redacted]"
    assert foreign[3] == "Hash = 64, Password = [redacted]"
    assert foreign[4] == "400 nodes per turn (its own)"
    assert own == ["Own", "–", "built-in engine random", "none set", "clock 0.1/turn"]


def test_secrets_and_environment_variables_are_not_shown() -> None:
    assert "private-" not in shown()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["e", "--token=abc"], "e --token=[redacted]"),
        (["e", "--guest-key", "abc", "-v"], "e --guest-key [redacted] -v"),
        (["env", "API_TOKEN=abc", "e"], "env API_TOKEN=[redacted] e"),
        (["sh", "-c", "e --secret abc"], "sh -c [redacted]"),
        (["sh", "-c", "X=1 e --secret=abc"], "sh -c X=[redacted]"),
        (["e", "-H", "Authorization: Bearer abc"], "e -H [redacted]"),
        (["e", "--threads=2"], "e --threads=2"),
    ],
)
def test_secrets_of_a_command_are_redacted(command: list[str], words: str) -> None:
    assert command_words(command) == words


def test_an_engine_has_the_name_that_it_stated() -> None:
    story = chronicle((at, named(event)) for at, event in tournament())
    found = rows(conditions_section(story))
    assert found[0][:2] == ["Basalt", "Basalt 2.1"]


def named(event: Event) -> Event:
    """The event with the stated names of the engines in its record."""
    if not isinstance(event, Finished) or event.record is None:
        return event
    players = tuple(
        each.model_copy(update={"engine": EngineSettings(name=f"{each.name} 2.1")})
        for each in event.record.players
    )
    return event.model_copy(update={"record": event.record.model_copy(update={"players": players})})


def test_the_section_has_the_machine_and_the_conduct() -> None:
    usual = shown()
    assert "Machine of the host: " in usual
    assert " cores, CPython " in usual
    assert "a turn may come 100 ms late" in usual
    assert "may take 600,000 ms for a turn" in usual
    assert "Adjudication: none." in usual
    conduct = {"margin_ms": 20, "patience_ms": 5000, "most_turns": 300}
    other = shown(conduct={**conduct, "resign": {}, "agree": {}, "adjudicate": {}})
    for words in (
        "a turn may come 20 ms late",
        "may take 5,000 ms for a turn",
        "an engine resigns after 4 turns with a chance of at most 2.0 %, from ply 20",
        "a draw is agreed after 8 turns of each engine",
        "a win is adjudicated if both engines, for 4 turns, and the host give it 98.0 % or more",
        "a game is drawn after 300 turns",
    ):
        assert words in other


def test_a_tournament_without_known_engines_has_no_section_of_conditions() -> None:
    assert 'id="conditions"' not in report_page(chronicle(tournament()))
