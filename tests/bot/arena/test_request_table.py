"""An event has one room that carries it out."""

import pytest

from bot import wire
from bot.arena.http.costs import ORDER
from bot.arena.refusals import Refused
from bot.arena.request_table import Caller, Request, RequestTable
from bot.errors import ConfigurationError


async def done(_caller: Caller, _message: object) -> wire.Done:
    return wire.Done()


def test_a_package_cannot_take_over_an_event() -> None:
    ours, theirs = Request("game.turn", done, ORDER), Request("game.turn", done, ORDER)
    with pytest.raises(ConfigurationError, match=r"two capabilities .* 'game\.turn'"):
        RequestTable([ours, theirs])


def test_an_event_that_no_room_carries_out_is_unknown() -> None:
    with pytest.raises(Refused) as refused:
        RequestTable([]).find("puzzle.ask")
    assert refused.value.code == "unknown_event"
