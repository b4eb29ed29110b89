"""The presets: whole addresses, and none that two stages share."""

from dataclasses import astuple

import pytest

from bot.platforms.abstract_play.stages import PUBLISHED_KEY, STAGES, Stage


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES.keys())
def test_every_address_is_an_encrypted_one(stage: Stage) -> None:
    assert all(url.startswith("https://") for url in (stage.token_url, stage.base, stage.key_url))
    assert stage.base.endswith("/")


def test_the_stages_share_nothing() -> None:
    development, production = STAGES["development"], STAGES["production"]
    assert not {*astuple(development)} & {*astuple(production)}


def test_the_key_is_the_one_that_is_published_now() -> None:
    kind, key = PUBLISHED_KEY.split()
    assert kind == "ssh-ed25519"
    assert key.endswith("NkILE")  # that of older notes ends with lzLm
