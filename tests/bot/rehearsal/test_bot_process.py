"""When the bot is killed."""

import random
import tomllib
from pathlib import Path

import pytest

from bot.guests.abstract_play.rehearsal.bot_settings import Places, configuration
from bot.rehearsal.bot_process import Kills
from tests.bot.guests.abstract_play.rehearsal.patient_bot import CREDENTIALS


def test_the_settings_name_the_stand_in_and_contain_no_secret() -> None:
    places = Places(Path('/tmp/a "folder"'), "http://127.0.0.1:5/", 6)
    text = configuration(places, CREDENTIALS, 10, sweep_s=5.0, max_turn_s=0.1)
    settings = tomllib.loads(text)
    (platform,) = settings["platforms"]
    assert settings["daemon"]["data"] == '/tmp/a "folder"'
    assert platform["kind"] == "abstract_play"
    assert platform["base"] == "http://127.0.0.1:5/"
    assert platform["token_url"] == "http://127.0.0.1:5/oauth2/token"
    assert platform["listen_port"] == 6
    assert CREDENTIALS.client_secret not in text


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("turns_a_game", [0, 5, 100])
def test_every_kill_comes_before_the_last_game_is_over(seed: int, turns_a_game: int) -> None:
    kills, games, moment = Kills(6, 8, random.Random(seed)), 8, 0.0
    for over in range(games):
        for turn in range(100):
            moment += 1.0
            kills.due(over * turns_a_game + min(turn, turns_a_game), over, moment)
    assert kills.struck == 6


def test_kills_are_spread_over_the_games() -> None:
    kills, struck = Kills(10, 100, random.Random(1)), list[int]()
    for turns in range(2500):
        if kills.due(turns, turns // 25, float(turns)):
            struck.append(turns)
    assert len(struck) == 10
    assert max(struck) - min(struck) > 1000


def test_a_single_game_is_disturbed_too() -> None:
    kills = Kills(1, 1, random.Random(1))
    assert any(kills.due(turns, 0, float(turns)) for turns in range(20))


def test_without_kills_nothing_is_due() -> None:
    kills = Kills(0, 4, random.Random(1))
    assert not any(kills.due(turns, 0, 1.0 * turns) for turns in range(100))
