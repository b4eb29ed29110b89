"""What an arena gets from clients, and a bot from an arena."""

from types import SimpleNamespace
from typing import Final, cast

import orjson
from aiohttp import web
from multidict import CIMultiDict
from pydantic import ValidationError

from bot import wire
from bot.arena.edge.handshake import Origins
from bot.arena.edge.packets import Connect, Incoming, read_packet
from bot.arena.edge.validation import checked, parsed
from bot.arena.http.addresses import Proxies, counted_as, parsed_address
from bot.arena.http.costs import ORDER
from bot.arena.players.names import is_name, skeleton
from bot.arena.refusals import Refused
from bot.arena.request_table import Caller, Request, RequestTable
from bot.errors import PeerError
from bot.platforms.arena import facts as arena
from bot.platforms.arena.link import _read_answer
from bot.platforms.arena.states import GameStates, MissedChange
from bot.platforms.base import NoAnswer
from bot.runtime.names import cleaned, look_of, tidy
from tests.fuzz.target import JSON_WORDS, Target, event_of, text_of


async def _nothing(_caller: Caller, _message: object) -> wire.Done:
    return wire.Done()


REQUESTS: Final = RequestTable(Request(event, _nothing, ORDER) for event in wire.CLIENT_EVENTS)


def _arena_packet(data: bytes) -> None:
    """A Socket.IO packet as a client sends it, up to the request of the arena protocol."""
    found = read_packet(text_of(data))
    if isinstance(found, Incoming):
        checked(found, REQUESTS)
    elif isinstance(found, Connect):
        parsed(wire.Credentials, found.auth)


def _arena_request(data: bytes) -> None:
    """The payload of a request; the first byte chooses the event."""
    event, payload = event_of(data, sorted(wire.CLIENT_EVENTS))
    message = checked(Incoming(event, payload), REQUESTS)
    again = orjson.loads(message.model_dump_json(by_alias=True))
    assert checked(Incoming(event, again), REQUESTS) == message


def _arena_edge(data: bytes) -> None:
    """Headers of a request: X-Forwarded-For, Host and Origin, one per line."""
    forwarded, host, origin, *_ = [*data.decode("latin-1").split("\n"), "", "", ""]
    headers = CIMultiDict({"X-Forwarded-For": forwarded, "X-Forwarded-Host": host})
    request = SimpleNamespace(remote="10.0.0.1", headers=headers, scheme="http", host="here")
    caller = Proxies(["10.0.0.0/8"]).caller(cast("web.BaseRequest", request))
    assert caller.address == counted_as("10.0.0.1") or parsed_address(caller.address.split("/")[0])
    Origins(["https://example.org"], ["here"]).setting_against(origin, caller)


def _names(data: bytes) -> None:
    """Names of players, tournaments and foreign platforms."""
    text = text_of(data)
    clean = cleaned(text, 60)
    assert cleaned(clean, 60) == clean
    look_of(text)
    if clean:
        assert tidy(clean) == clean
    tidy(text)
    if is_name(text):
        skeleton(text)


def _arena_event(data: bytes) -> None:
    """An event of an arena, as the bot understands it."""
    event, payload = event_of(data, sorted(wire.SERVER_EVENTS))
    message = wire.read(wire.SERVER_EVENTS[event], payload)
    states = GameStates()
    if isinstance(message, wire.GameState):
        states.sent(message)
        for name in (message.players[0].name, "nobody"):
            arena.game_facts(message, name, 0.0)
    elif isinstance(message, wire.GameChange):
        states.changed(message)
    elif isinstance(message, wire.Challenge):
        arena.challenge_facts(message, "me", {})


def _arena_answer(data: bytes) -> None:
    """An arena's answer to a request of the bot."""
    _read_answer(*event_of(data, sorted(wire.CLIENT_EVENTS)))


TARGETS: Final = (
    Target(
        "arena-packet", _arena_packet, (Refused,), ("0", "2", "42", '["game.turn",', *JSON_WORDS)
    ),
    Target("arena-request", _arena_request, (Refused, orjson.JSONDecodeError), JSON_WORDS),
    Target("arena-edge", _arena_edge, ()),
    Target("names", _names, (ValueError,)),
    Target(
        "arena-event",
        _arena_event,
        (ValidationError, MissedChange, PeerError, orjson.JSONDecodeError),
        JSON_WORDS,
    ),
    Target(
        "arena-answer", _arena_answer, (PeerError, NoAnswer, orjson.JSONDecodeError), JSON_WORDS
    ),
)
