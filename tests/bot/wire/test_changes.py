"""Changes of games carry everything that changes, also fields that are new."""

from typing import Any

from bot import wire
from bot.wire.changes import applied
from tests.fakes.arena_server import SETUP, FakeGame

COMMON = wire.GameChange.model_fields.keys() & wire.GameState.model_fields.keys()
FIELDS = COMMON - {"v", "game_id", "position"}
"""What a change replaces in a state, apart from the turn and the position after it."""


def test_each_field_that_changes_and_states_share_is_taken_from_one_to_the_other() -> None:
    state = FakeGame("g", ("Granite", "Basalt"), SETUP).state()
    new: dict[str, Any] = {field: object() for field in FIELDS}
    change = wire.change_between(state.position, "", state.model_copy(update=new))
    assert {field: getattr(change, field) for field in FIELDS} == new
    shown = applied(state, change)
    assert {field: getattr(shown, field) for field in FIELDS} == new
    assert "draw_offer" in FIELDS
