"""The settings file of a bot under rehearsal."""

import tomllib
from pathlib import Path

from bot.rehearsal.configuration import Places, configuration
from tests.bot.rehearsal.patient_bot import CREDENTIALS


def test_the_bot_is_pointed_at_the_stand_in_and_told_no_secret() -> None:
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
