"""What HeXO's sites, bots and engines send: notations, packets and lines of Six."""

from datetime import UTC, datetime
from typing import Final

from pydantic import ValidationError

import engine
from bot.guests.hexo import htttx_messages as wire
from bot.guests.hexo.bke import read_bke
from bot.guests.hexo.htttx import write
from bot.guests.hexo.htttx_dialogue import chance_of
from bot.guests.hexo.htttx_reading import NotationRefused, read_all
from bot.guests.hexo.records import game_text, record_of, why_not_exported
from bot.guests.hexo.server.asking import NoTurn, played, start_of
from bot.guests.hexo.six_dialogue import info_in, turn_in
from bot.guests.hexo.six_engine import SixDialogue
from bot.guests.hexo.turns import cells_of, without_surplus
from bot.guests.hexo_arena import facts as hexo_arena
from bot.guests.hexo_arena import messages as hexo_messages
from bot.records.notations import Unplayable
from tests.fuzz.of_engines import Fast
from tests.fuzz.target import JSON_WORDS, Target, text_of

NOW: Final = datetime(2026, 11, 1, tzinfo=UTC)
MOST_REPLAYED: Final = 60
HTTTX_WORDS: Final = (
    *("version[2];", "version[1]", "name[a]", "x[0,0]:o;", "1.[1,0][0,1];", "[/]", "(1.", ");"),
    *("{@500}", "{@1:%-3}", "{#2}", "<1,0:#X:$A>", "<1,0:~>", "!!", "-0", "00", "[ 1 , 0 ]"),
    *("timecontrol[60+5]", "utcdatetime[2026-01-01 00:00:00]", "endreason[win]", "winner[cross]"),
)
PACKET_WORDS: Final = (
    *('{"type":"setup","board":{"cells":[{"q":0,"r":0,"p":"x"}]}}', '"type":"move_request"'),
    *('"side":"o","previous":[]', '"pieces":[{"q":1,"r":0},{"q":0,"r":1}]', '"request_id":1'),
)
SIX_WORDS: Final = (
    *("six", "isready", "newgame", "quit", "stop", "position radius 8 moves 0 0 1 0 0 1"),
    *("position radius 8 setup x 0 0 o 1 0 2 0 tomove x 2", "go nodes 1", "go movetime 1"),
    *("go xtime 1 otime 1", "setoption a b", "-9", "999999999999"),
)


def _ladder_message(data: bytes) -> None:
    """A message of HeXO-Arena: a line, a packet, the directory, or a game and a turn for it."""
    kind, body = data[:1], data[1:]
    if kind == b"l":
        event = hexo_messages.read_event(body)
        if isinstance(event, hexo_messages.GameStart):
            hexo_arena.game_of(event, NOW, None).facts("bot", 0.0, 1.0)
    elif kind == b"p":
        packet = hexo_messages.read_packet(text_of(body))
        if isinstance(packet, hexo_messages.SetupPacket):
            hexo_arena.first_turns(packet.board.cells)
        elif isinstance(packet, hexo_messages.MoveRequest):
            hexo_arena.with_played([hexo_arena.ORIGIN], packet.previous)
    elif kind == b"d":
        hexo_messages.read_directory(body)
    else:
        turn, _, game = body.partition(b"\n")
        turns = hexo_arena.turns_of_snapshot(hexo_messages.read(hexo_messages.Snapshot, game))
        if hexo_arena.why_not_placeable(text_of(turn), turns) is None:
            hexo_arena.two_stones(text_of(turn), turns)


def _htttx(data: bytes) -> None:
    """Games in the notations htttx 1 and 2, and their records."""
    games = read_all(text_of(data))
    assert read_all("".join(map(write, games))) == games
    for game in games:
        if len(game.line) > MOST_REPLAYED:
            continue
        record = record_of(game, NOW)
        assert why_not_exported(record) is None
        (again,) = read_all(game_text(record, 2))
        kept = [(turn.turn, turn.clock, turn.value) for turn in record.turns]
        turns = record_of(again, NOW).turns
        assert [(turn.turn, turn.clock, turn.value) for turn in turns] == kept


def _bke(data: bytes) -> None:
    """An opening in BKE; the first byte chooses the direction."""
    way = data[0] % 12 if data else 0
    opening = read_bke(text_of(data[1:]), way % 6, clockwise=way >= 6)
    assert read_all(write(opening)) == [opening]


def _request(data: bytes) -> None:
    """A request for a turn, or a packet of a game, as a site sends it."""
    if data[:1] == b"t":
        asked = wire.TurnRequest.model_validate_json(data[1:])
        start_of(asked.board.cells, asked.board.to_move)
        return
    packet = wire.CLIENT_PACKET.validate_json(data[1:])
    if isinstance(packet, wire.Setup):
        start_of(packet.board.cells, None)
    elif isinstance(packet, wire.MoveRequest):
        origin = (wire.OccupiedCell(q=0, r=0, p="x"),)
        played(start_of(origin, "o"), packet.previous[:MOST_REPLAYED])


def _answer(data: bytes) -> None:
    """What a server of others sends: capabilities, an answer, a packet, or an error."""
    models = (wire.Capabilities, wire.TurnAnswer, wire.MoveResponse, wire.ErrorAnswer)
    found = models[data[0] % len(models) if data else 0].model_validate_json(data[1:])
    assert type(found).model_validate(found.json_fields()) == found
    if isinstance(found, wire.TurnAnswer):
        chance = chance_of(found.move.evaluation, 1)
        assert chance is None or 0 <= chance <= 1


def _six_input(data: bytes) -> None:
    """Lines of a host to our engine, in Six."""
    said: list[str] = []
    dialogue = SixDialogue(Fast(), said.append)
    try:
        for line in text_of(data).split("\n")[:40]:
            if not dialogue.handle(line):
                break
    finally:
        dialogue.close()
    assert not any("\n" in line or "\r" in line for line in said)


def _six_output(data: bytes) -> None:
    """Lines of an engine that speaks Six."""
    start = engine.game("hexo").start()
    for line in filter(None, map(str.strip, text_of(data).split("\n"))):
        info = info_in(line, is_opening=len(data) % 2 == 0)
        assert info.winrate is None or 0 <= info.winrate <= 1
        assert all(cells_of(turn) for turn in info.pv)
        if (turn := turn_in(line)) is not None:
            start.is_legal(without_surplus(start, turn))


TARGETS: Final = (
    Target("ladder-message", _ladder_message, (ValueError, hexo_arena.OtherGame), JSON_WORDS),
    Target("htttx", _htttx, (NotationRefused, Unplayable), HTTTX_WORDS),
    Target("bke", _bke, (NotationRefused,), ("A0", "B2.1", "ZZZ9", " x ", " o ", "A1 A4")),
    Target("htttx-request", _request, (ValidationError, NoTurn), (*PACKET_WORDS, *JSON_WORDS)),
    Target("htttx-answer", _answer, (ValidationError,), (*PACKET_WORDS, *JSON_WORDS)),
    Target("six-input", _six_input, (), SIX_WORDS),
    Target("six-output", _six_output, (), ("bestmove 1 0 0 1", "info nodes 5", " pv 1 0 0 1")),
)
