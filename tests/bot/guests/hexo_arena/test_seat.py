"""One game of HeXO-Arena: its token, its websocket, its requests, and our answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.guests.hexo_arena.sockets import CannotDial
from bot.platforms.base import NoAnswer, TurnRefused
from tests.bot.guests.hexo_arena.table import SETUP, FakeTable, heartbeat, pieces, request, session

TURN = "1:0,2:0"
REPLY = "0:1,0:2"


@asynccontextmanager
async def seated(*refusals: CannotDial) -> AsyncIterator[FakeTable]:
    table = FakeTable(*refusals)
    running = asyncio.create_task(table.seat.run())
    await table.time.settle()
    try:
        yield table
    finally:
        table.seat.end()
        running.cancel()
        await asyncio.wait({running})


async def test_a_request_is_answered_with_its_number_and_two_stones() -> None:
    async with seated() as table:
        await table.after(SETUP, request(7))
        assert table.requests == [(1, False)]
        await table.seat.answer(1, TURN)
        (answer,) = table.answers()
        assert answer["request_id"] == 7
        assert answer["move"]["pieces"] == pieces(TURN)


async def test_the_turns_of_a_connection_add_up() -> None:
    async with seated() as table:
        await table.after(SETUP, request(1))
        await table.seat.answer(1, TURN)
        await table.after(request(2, TURN, REPLY))
        assert table.seat.game.turns == ("0:0", TURN, REPLY)
        assert table.requests[-1] == (3, False)
        assert table.seat.request is not None
        assert table.seat.request.limit_s == 15.0


async def test_a_request_that_is_told_twice_counts_once() -> None:
    """The second one repeats the turns that the connection knows, or has none."""
    async with seated() as table:
        first = request(1, TURN, REPLY, "3:0,4:0", "5:0,6:0")
        await table.after(SETUP, first, first, request(1))
        assert len(table.seat.game.turns) == 5
        assert table.requests == [(5, False)]


async def test_a_new_connection_tells_everything_again_and_gets_the_same_answer() -> None:
    async with seated() as table:
        await table.after(SETUP, request(4, TURN, REPLY))
        await table.seat.answer(3, "3:0,4:0")
        table.socket.break_off()
        await table.time.advance(1)
        assert table.dialled == ["first", "first"]
        await table.after(SETUP, request(4, TURN, REPLY, limit=9.0))
        assert table.requests == [(3, False), (3, True)]
        assert table.seat.game.turns == ("0:0", TURN, REPLY)
        await table.seat.answer(3, "3:0,4:0")
        assert table.answers(0) == table.answers(1)


async def test_a_request_that_is_told_again_does_not_give_time_back() -> None:
    """The clock has run on while the connection was down."""
    async with seated() as table:
        await table.after(SETUP, request(4, TURN, REPLY, limit=15.0))
        await table.time.advance(5)
        table.socket.break_off()
        await table.time.advance(1)
        await table.after(SETUP, request(4, TURN, REPLY, limit=15.0))
        assert table.seat.request is not None
        assert table.seat.request.limit_s == pytest.approx(9.0)
        table.socket.break_off()
        await table.time.advance(1)
        await table.after(SETUP, request(4, TURN, REPLY, limit=3.0))
        assert table.seat.request is not None
        assert table.seat.request.limit_s == 3.0


async def test_no_second_answer_goes_out_on_one_connection() -> None:
    async with seated() as table:
        await table.after(SETUP, request(1))
        await table.seat.answer(1, TURN)
        await table.seat.answer(1, TURN)
        assert len(table.answers()) == 1


async def test_a_turn_for_another_ply_is_not_sent() -> None:
    async with seated() as table:
        await table.after(SETUP, request(1))
        with pytest.raises(NoAnswer):
            await table.seat.answer(3, TURN)
        assert table.answers() == []


async def test_a_turn_that_would_lose_the_game_is_not_sent() -> None:
    async with seated() as table:
        await table.after(SETUP, request(1))
        with pytest.raises(TurnRefused) as refused:
            await table.seat.answer(1, "0:0,1:0")
        assert refused.value.can_retry
        await table.seat.answer(1, TURN)
        assert len(table.answers()) == 1


async def test_a_heartbeat_that_waits_shows_that_our_answer_was_lost() -> None:
    async with seated() as table:
        await table.after(SETUP, request(1))
        await table.seat.answer(1, TURN)
        await table.after(heartbeat(waiting=True))
        assert len(table.sockets) == 1, "it may have been sent before the answer arrived"
        await table.time.advance(2)
        await table.after(heartbeat(waiting=True))
        await table.time.advance(1)
        assert len(table.sockets) == 2


async def test_a_heartbeat_that_waits_shows_that_a_request_was_lost() -> None:
    async with seated() as table:
        await table.after(SETUP, heartbeat(waiting=True))
        await table.time.advance(1)
        assert len(table.sockets) == 2


async def test_a_heartbeat_while_the_engine_thinks_changes_nothing() -> None:
    async with seated() as table:
        await table.after(SETUP, request(1))
        await table.time.advance(8)
        await table.after(heartbeat(waiting=True))
        await table.time.advance(8)
        await table.after(heartbeat(waiting=False))
        assert len(table.sockets) == 1
        await table.seat.answer(1, TURN)


async def test_a_silent_connection_is_given_up() -> None:
    async with seated() as table:
        await table.after(SETUP)
        await table.time.advance(20)
        assert len(table.sockets) == 1
        await table.time.advance(3)
        assert len(table.sockets) == 2
        assert table.sockets[0].closed


async def test_an_old_token_is_not_dialled() -> None:
    async with seated() as table:
        for _ in range(4):
            await table.time.advance(15)
            await table.after(heartbeat(waiting=False))
        table.socket.break_off()
        await table.time.advance(10)
        assert table.dialled == ["first"]
        assert table.tokens_needed == 1
        table.seat.renew(session("second"))
        await table.time.settle()
        assert table.dialled == ["first", "second"]


async def test_a_token_that_the_server_does_not_know_is_not_dialled_again() -> None:
    async with seated(CannotDial("HTTP 404", is_unknown=True)) as table:
        await table.time.advance(10)
        assert table.dialled == ["first"]
        assert table.tokens_needed == 1


async def test_the_dials_stay_below_the_limit_of_the_server() -> None:
    async with seated(*(CannotDial("HTTP 502") for _ in range(50))) as table:
        await table.time.advance(50)
        assert len(table.dialled) <= 5 + 5
        assert len(table.dialled) >= 6


async def test_after_a_normal_close_the_seat_waits_for_the_end_of_the_game() -> None:
    async with seated() as table:
        await table.after(SETUP, request(1))
        table.socket.break_off(1000)
        await table.time.advance(2)
        assert (len(table.dialled), table.tokens_needed) == (1, 0)
        await table.time.advance(2)
        assert (len(table.dialled), table.tokens_needed) == (1, 1), "only a replay can tell"


async def test_a_turn_that_cannot_be_sent_is_in_doubt() -> None:
    async with seated() as table:
        await table.after(SETUP, request(1))
        table.socket.swallows = True
        answering = asyncio.create_task(table.seat.answer(1, TURN))
        await table.time.advance(11)
        with pytest.raises(NoAnswer):
            await answering
        await table.time.advance(1)
        await table.after(SETUP, request(1))
        await table.seat.answer(1, TURN)
        assert len(table.answers()) == 1


@pytest.mark.parametrize(
    "packet",
    [
        request(1, side="x"),
        request(1, TURN),
        {"type": "move_request", "side": "o", "previous": 3},
        {"type": "setup", "board": {"cells": []}},
    ],
)
async def test_packets_that_make_no_sense_are_reported(packet: dict[str, object]) -> None:
    async with seated() as table:
        await table.after(SETUP, packet)
        assert len(table.unread) == 1
        assert table.requests == []
        await table.time.advance(1)
        assert len(table.sockets) == 2
