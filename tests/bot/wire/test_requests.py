"""What clients send, as the server takes it."""

import pytest
from pydantic import ValidationError

from bot import wire


def test_an_engine_has_no_invisible_characters_in_its_name() -> None:
    assert wire.Credentials(v=1, engine="Se\u202earch\0 0.1").engine == "Search 0.1"


def test_a_sentence_about_a_decline_has_no_invisible_characters() -> None:
    declined = wire.DeclineChallenge(v=1, challenge_id="c", code="busy", message="No\u202e\n!")
    assert declined.message == "No !"


def test_invisible_characters_in_a_hosts_reason_are_refused() -> None:
    with pytest.raises(ValidationError, match="invisible"):
        wire.EndTournament(v=1, tournament_id="t", why="It \u202erained.")
