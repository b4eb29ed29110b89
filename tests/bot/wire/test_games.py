"""What messages say of games."""

import pytest

from bot import wire
from tests.fakes.arena_server import SETUP, FakeGame


@pytest.mark.parametrize("plies", [0, 1, 5])
def test_a_state_is_written_out_as_any_other_message(plies: int) -> None:
    game = FakeGame("turns", ("Anna", "Ben"), SETUP)
    for _ in range(plies):
        game.play(next(game.position.legal_turns()))
    game.finish(None, "aborted")
    result = wire.Result(winner=None, reason="aborted", message='"turns":[]')
    state = game.state().model_copy(update={"result": result})
    assert state.as_json() == state.model_dump_json()
    assert wire.GameState.model_validate_json(state.as_json()) == state
