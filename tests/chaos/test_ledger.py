"""The notes of players of the chaos suite, without programs."""

from tests.chaos.ledger import Json, Ledger


def game_of(*turns: str) -> Json:
    clock = {"main_ms": 1000, "periods": 0, "period_ms": None}
    return {
        "game_id": "g",
        "players": [{"name": "Ann"}, {"name": "Ben"}],
        "turns": [{"turn": turn, "time_ms": 1, "clock": clock} for turn in turns],
        "clocks": {"players": [clock, clock], "running": None},
        "setup": {},
        "to_play": 1,
        "result": None,
    }


def test_a_game_that_began_while_both_were_away_is_taken() -> None:
    ledger = Ledger()
    ledger.came_back(game_of("0-0"), {})
    assert ledger.running() == {"g": 1}
    assert ledger.problems == []


def test_a_promised_turn_that_is_not_shown_is_lost() -> None:
    ledger = Ledger()
    ledger.saw(game_of("0-0"))
    ledger.came_back(game_of(), {0: "0-0"})
    assert "g: turn 0 (0-0) is lost" in ledger.problems
