"""Packets of clients as the arena reads them, beside those that python-socketio writes."""

from typing import Any

import pytest
from socketio import packet

from bot import wire
from bot.arena.edge.packets import (
    NOT_JSON,
    TOO_LONG,
    Connect,
    Disconnect,
    Incoming,
    accepted_frame,
    answer_frame,
    event_frame,
    read_packet,
    refused_frame,
)

LONG = "x" * wire.MAX_MESSAGE_BYTES


@pytest.mark.parametrize(
    ("kind", "data", "namespace", "number", "read"),
    [
        (packet.CONNECT, {"v": 1}, None, None, Connect({"v": 1})),
        (packet.CONNECT, {"v": 1}, "/foo", None, Connect({"v": 1}, None, "/foo")),
        (packet.CONNECT, None, None, None, Connect(None)),
        (packet.DISCONNECT, None, None, None, Disconnect()),
        (packet.DISCONNECT, None, "/foo", None, Disconnect("/foo")),
        (packet.EVENT, ["state", {"v": 1}], None, None, Incoming("state", {"v": 1})),
        (packet.EVENT, ["state", {"v": 1}], None, 0, Incoming("state", {"v": 1}, 0)),
        (packet.EVENT, ["state", {"v": 1}], None, 10**20, Incoming("state", {"v": 1}, 10**20)),
        (packet.EVENT, ["a", {}], "/foo", 7, Incoming("a", {}, 7, None, "/foo")),
        (packet.EVENT, ["state"], None, 7, Incoming("state", None, 7, NOT_JSON)),
        (packet.EVENT, ["state", 5], None, 7, Incoming("state", None, 7, NOT_JSON)),
        (packet.EVENT, [5], None, 7, Incoming("", None, 7, NOT_JSON)),
        (packet.EVENT, {"a": 1}, None, 7, Incoming("", None, 7, NOT_JSON)),
        (packet.EVENT, ["a", {"b": LONG}], None, 7, Incoming("", None, 7, TOO_LONG)),
        (packet.EVENT, ["a", {"b": "\u00e9" * 8192}], None, 7, Incoming("", None, 7, TOO_LONG)),
        (packet.CONNECT, {"b": LONG}, None, None, Connect(None, TOO_LONG)),
        (packet.ACK, ["x"], None, 7, Incoming("", None, None, NOT_JSON)),
        (packet.CONNECT_ERROR, "x", None, None, Incoming("", None, None, NOT_JSON)),
    ],
)
def test_what_the_reference_writes_is_read(
    kind: int, data: Any, namespace: str | None, number: int | None, read: object
) -> None:
    written = packet.Packet(kind, data=data, namespace=namespace, id=number).encode()
    assert read_packet(written) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", Incoming("", None, None, NOT_JSON)),
        (" ", Incoming("", None, None, NOT_JSON)),
        ("x", Incoming("", None, None, NOT_JSON)),
        ("2", Incoming("", None, None, NOT_JSON)),
        ("27", Incoming("", None, 7, NOT_JSON)),
        ('27["a",{}', Incoming("", None, 7, NOT_JSON)),
        ('2,7["a",{}]', Incoming("", None, None, NOT_JSON)),
        ('2\u00b2["a",{}]', Incoming("", None, None, NOT_JSON)),
        ('251-7["a",{"_placeholder":true,"num":0}]', Incoming("", None, 7, NOT_JSON)),
        ('51-7["a",{"_placeholder":true,"num":0}]', Incoming("a", None, 7, NOT_JSON)),
        (f'2{"7" * 101}["a",{{}}]', Incoming("", None, int("7" * 100), NOT_JSON)),
        ("2" + "[" * 5000, Incoming("", None, None, NOT_JSON)),
        ("0{", Connect(None, NOT_JSON)),
        ("0/foo?a=b,{}", Connect({}, None, "/foo")),
        ("1x", Incoming("", None, None, NOT_JSON)),
        ("51-", Incoming("", None, None, NOT_JSON)),
    ],
)
def test_whatever_else_comes_is_a_problem_of_its_sender(text: str, read: object) -> None:
    found = read_packet(text)
    if isinstance(found, Incoming):
        assert found.problem == NOT_JSON
        assert isinstance(read, Incoming)
        assert found.number == read.number
    else:
        assert found == read


def read_by_reference(frame: bytes) -> packet.Packet:
    return packet.Packet(encoded_packet=frame[2:].decode().removeprefix("4"))


def test_what_the_arena_writes_is_read_by_the_reference() -> None:
    accepted = read_by_reference(accepted_frame("abc"))
    assert (accepted.packet_type, accepted.data) == (packet.CONNECT, {"sid": "abc"})
    refused = read_by_reference(refused_frame({"message": "no"}))
    assert (refused.packet_type, refused.data) == (packet.CONNECT_ERROR, {"message": "no"})
    elsewhere = read_by_reference(refused_frame("no", "/foo"))
    assert (elsewhere.namespace, elsewhere.data) == ("/foo", "no")
    event = read_by_reference(event_frame("lobby", '{"v":1}'))
    assert (event.packet_type, event.data) == (packet.EVENT, ["lobby", {"v": 1}])
    answer = read_by_reference(answer_frame(12, '{"ok":true}'))
    assert (answer.packet_type, answer.id, answer.data) == (packet.ACK, 12, [{"ok": True}])
