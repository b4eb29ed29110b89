"""Tournament files, and the errors in them."""

import math
from pathlib import Path
from typing import Any

import pytest

from bot.errors import ConfigurationError
from bot.matches.run import LocalEvent
from bot.matches.settings import check_settings, load_settings, settings_of
from bot.tournaments.model import MatchSetup, ScheduledGame

EXAMPLE = Path(__file__).parents[3] / "config" / "tournament.toml"


def a_file(**changes: object) -> dict[str, Any]:
    raw: dict[str, Any] = {
        "players": [{"name": "A"}, {"name": "B", "builtin": "random"}],
        "setups": [{"board": "pent-4", "nodes": 10}],
    }
    return {**raw, **changes}


def problems(**changes: object) -> list[str]:
    with pytest.raises(ConfigurationError) as refusal:
        settings_of(a_file(**changes), "t.toml")
    return refusal.value.problems


def test_the_example_file_has_no_errors() -> None:
    assert check_settings(EXAMPLE) == []
    assert load_settings(EXAMPLE).players[0].name == "Strong"


def test_players_may_speak_the_protocols_of_hexo() -> None:
    raw = a_file(
        setups=[{"game": "hexo", "clock": "100ms"}],
        players=[
            {"name": "A", "command": "six:sh -c 'exec engine'", "turn_nodes": 500},
            {"name": "B", "protocol": "htttx", "url": "http://127.0.0.1:8799/"},
        ],
    )
    six, htttx = (player.spec for player in settings_of(raw, "t.toml").players)

    assert (six.protocol, six.argv[0], six.turn_nodes) == ("six", "sh", 500)
    assert (htttx.protocol, htttx.url) == ("htttx", "http://127.0.0.1:8799/")


def test_missing_keys_of_a_setup_have_defaults() -> None:
    (setup,) = settings_of(a_file(setups=[{"clock": "100ms"}]), "t.toml").setups

    assert setup.setup() == MatchSetup.model_validate(
        {
            "game": "bluestone",
            "board": "pent-6",
            "rules": "official",
            "clock": {"kind": "per_turn", "turn_s": 0.1},
        }
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"players": []}, "players: 0 listed; at least 2 are needed"),
        ({"players": [{"name": "A"}]}, "players: 1 listed; at least 2 are needed"),
        (
            {"players": [{"name": "A"}, {"name": "A"}]},
            "players[1].name: 'A' is also the name of players[0]",
        ),
        (
            {"players": [{"name": "A"}, {"name": "B", "command": "no-such-engine"}]},
            "players[1].command: there is no program 'no-such-engine' to run",
        ),
        (
            {"players": [{"name": "A"}, {"name": "B", "command": "six:no-such-engine"}]},
            "players[1].command: there is no program 'no-such-engine' to run",
        ),
        (
            {"players": [{"name": "v10"}, {"name": " VlO "}]},
            "players[1].name: 'VlO' looks like 'v10', the name of players[0]",
        ),
        ({"players": [{"name": "A\u202e"}, {"name": "B"}]}, "players[0].name: line breaks and"),
        ({"players": [{"name": " "}, {"name": "B"}]}, "players[0].name: a visible name"),
        ({"format": {"kind": "gauntelt"}}, "format.kind: no format 'gauntelt'; did you mean"),
        ({"format": {"cycle": 2}}, "format.cycle: unknown key for round-robin; did you mean"),
        ({"format": {"cycles": 0}}, "format.cycles: Input should be greater than"),
        ({"format": {"kind": "swiss"}}, "format.rounds: Field required"),
        ({"format": {"kind": "gauntlet", "seeds": 2}}, "format: seeds: 2 of 2 players are seeds"),
        ({"setups": []}, "setups: none listed"),
        ({"setups": [{"game": "chess", "nodes": 1}]}, "setups[0].game: unknown game 'chess'"),
        ({"setups": [{"board": "b", "nodes": 1}]}, "setups[0].board: unknown board 'b'"),
        ({"setups": [{"rules": "r", "nodes": 1}]}, "setups[0].rules: unknown rule set 'r'"),
        ({"setups": [{"clock": "soon"}]}, "setups[0].clock: 'soon' is not a time control"),
        ({"setups": [{"clock": "none"}]}, "setups[0].clock: a turn needs a limit"),
        ({"setups": [{}]}, "setups[0]: give either `clock` or `nodes`"),
        ({"setups": [{"clock": "10+1", "nodes": 5}]}, "setups[0]: `clock` and `nodes` are both"),
        (
            {"players": [{"name": "A"}, {"name": "B", "builtin": "serch"}]},
            "players[1].builtin: there is no built-in engine 'serch'; did you mean 'search'?",
        ),
        (
            {"games_per_pairing": 3, "openings": "random:4"},
            "games_per_pairing: two games are played from each opening, with the seats swapped, so",
        ),
        (
            {"games_per_pairing": 1, "setups": [{"nodes": 5, "openings": "random:4"}]},
            "games_per_pairing: two games are played from each opening",
        ),
        ({"name": "a/b"}, "name: only letters, digits, blanks and the characters . _ - ' are"),
        ({"forbidden": [["A", "Z"]]}, "forbidden[0]: there is no player 'Z'"),
        (
            {"format": {"kind": "knockout"}, "forbidden": [["A", "B"]]},
            "forbidden: the format knockout has no forbidden pairs",
        ),
        ({"colour": "red"}, "colour: unknown key"),
        ({"sprt": {"elo0": 9, "elo1": 3}}, "sprt: elo0 must be less than elo1"),
        ({"sprt": {"elo0": math.nan}}, "sprt.elo0: "),
        ({"sprt": {"elo1": math.inf}}, "sprt.elo1: "),
        ({"sprt": {"elo1": 1001}}, "sprt.elo1: "),
        ({"sprt": {}}, 'sprt: a sequential test needs `kind = "sprt"`, not round-robin'),
        ({"players": [{"name": "A", "rating": math.nan}, {"name": "B"}]}, "players[0].rating: "),
        ({"players": [{"name": "A", "rating": 1e9}, {"name": "B"}]}, "players[0].rating: "),
        ({"setups": [{"nodes": 10**12 + 1}]}, "setups[0].nodes: "),
        ({"tie_breaks": ["wins", "wins"]}, "tie_breaks: wins is listed twice"),
    ],
)
def test_an_error_is_reported_with_its_place(changes: dict[str, object], problem: str) -> None:
    assert [each for each in problems(**changes) if f"t.toml: {problem}" in each]


def test_a_name_may_have_an_apostrophe() -> None:
    assert settings_of(a_file(name="Anna's cup"), "t.toml").name == "Anna's cup"


def test_all_errors_are_reported_at_once() -> None:
    found = problems(players=[], setups=[{"game": "chess", "nodes": 1}], colour="red")

    assert len(found) == 3


def test_a_game_is_a_task_with_the_engines_of_its_seats() -> None:
    event = LocalEvent(settings_of(a_file(seed=4), "t.toml"), [])
    task = event.task_of(ScheduledGame(number=7, pair=4, seats=("B", "A")))

    assert [spec.name for spec in task.engines] == ["B", "A"]
    assert task.engines[0].builtin == "random"
    assert task.engine_seed(1) != task.engine_seed(2)
    assert (task.seed, task.number, task.setup.nodes) == (4, 7, 10)
