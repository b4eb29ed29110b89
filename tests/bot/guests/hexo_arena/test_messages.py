"""What the server's lines, packets and answers are read as."""

import pytest

from bot.guests.hexo_arena.messages import (
    GameFinish,
    GameStart,
    Heartbeat,
    MoveRequest,
    SetupPacket,
    TurnClock,
    read_directory,
    read_event,
    read_packet,
)

START = (
    b'{"type":"gameStart","gameId":"g1","side":"o","opponent":{"name":"Ann","rating":1500,'
    b'"provisional":true},"timeControl":{"mode":"turn","turnTimeMs":15000},"openingPlies":5,'
    b'"rated":true,"level":null,"engine":{"socketUrl":"/s","token":"hgs_1"}}'
)


def test_a_game_start_is_read() -> None:
    start = read_event(START)
    assert isinstance(start, GameStart)
    assert (start.game_id, start.side, start.rated) == ("g1", "o", True)
    assert start.time_control == TurnClock(mode="turn", turn_time_ms=15_000)
    assert start.engine.token == "hgs_1"


def test_a_guest_has_no_rating() -> None:
    start = read_event(START.replace(b'"rating":1500', b'"rating":null'))
    assert isinstance(start, GameStart)
    assert start.opponent.rating is None


def test_an_end_without_a_winner_is_read() -> None:
    line = b'{"type":"gameFinish","gameId":"g1","winner":null,"reason":"aborted","more":1}'
    finish = read_event(line)
    assert isinstance(finish, GameFinish)
    assert (finish.winner, finish.reason) == (None, "aborted")


def test_lines_and_packets_of_unknown_kinds_are_ignored() -> None:
    assert read_event(b'{"type":"analysisSession","analysisId":"a"}') is None
    assert read_event(b'{"type":"moveRequest","gameId":"g1","request":{}}') is None
    assert read_packet('{"type":"interrupt"}') is None


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"type":"gameStart"}',
        START.replace(b'"o"', b'"z"'),
        START.replace(b'"g1"', b'"g 1"'),
        START.replace(b'"turn"', b'"hourglass"'),
        START.replace(b"15000", b"-1"),
    ],
)
def test_what_makes_no_sense_is_an_error(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_event(line)


def test_packets_are_read() -> None:
    setup = read_packet('{"type":"setup","board":{"cells":[{"q":0,"r":0,"p":"x"}]}}')
    assert isinstance(setup, SetupPacket)
    request = read_packet(
        '{"type":"move_request","side":"o","previous":[{"side":"o","pieces":'
        '[{"q":1,"r":-1},{"q":2,"r":0}]}],"move_time_limit":3.5,"request_id":7}'
    )
    assert isinstance(request, MoveRequest)
    assert (request.request_id, request.move_time_limit) == (7, 3.5)
    assert [(each.q, each.r) for each in request.previous[0].pieces] == [(1, -1), (2, 0)]
    heartbeat = read_packet('{"type":"heartbeat","waiting":true}')
    assert heartbeat == Heartbeat(type="heartbeat", waiting=True)


def test_coordinates_are_whole_and_bounded() -> None:
    for value in ("0.5", '"1"', "1000000"):
        packet = f'{{"type":"setup","board":{{"cells":[{{"q":{value},"r":0,"p":"x"}}]}}}}'
        with pytest.raises(ValueError, match="q"):
            read_packet(packet)


def test_entries_of_the_directory_that_make_no_sense_are_left_out() -> None:
    bots = read_directory(
        b'[{"name":"Ann","rating":1500,"accepts":{"turnMs":[5000,9000],"match":true,'
        b'"unlimited":false},"liveGames":1},{"name":3},7]'
    )
    assert [bot.name for bot in bots] == ["Ann"]
    assert bots[0].accepts is not None
    assert bots[0].accepts.turn_ms == (5000, 9000)
