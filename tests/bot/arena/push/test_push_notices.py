"""When a notification is due."""

from typing import Any

import pytest

from bot import wire
from bot.arena.push.push_notices import PushNotices
from bot.arena.push.push_store import PushStore, Subscription
from bot.arena.settings import PushSettings
from bot.errors import PeerError
from tests.fakes.time import FakeTime

AWAY_S = 15.0


class Sent:
    """A sender that keeps what it gets, and fails if a test says so."""

    def __init__(self) -> None:
        self.games: list[str] = []
        self.fails = False

    async def send(self, _to: Subscription, _message: bytes, topic: str) -> None:
        self.games.append(topic)
        if self.fails:
            raise PeerError("no_response", "no answer")


class OneBrowserEach(PushStore):
    """Each player has one browser."""

    def __init__(self) -> None: ...

    async def of_player(self, account: str) -> list[Subscription]:
        return [Subscription(f"https://push.example/{account}", "key", "secret", "en")]


def state_of(ply: int, *, here: bool, kind: str = "person", over: bool = False) -> wire.GameState:
    """A game after `ply` turns; `here`: whether the player to move is connected."""
    mover = ply % 2
    to_play: wire.Seat = 2 if mover else 1
    players = [
        wire.Player.model_validate({"id": f"p{seat}", "name": f"Player {seat}", "kind": kind})
        for seat in (1, 2)
    ]
    fields: dict[str, Any] = {
        "game_id": "g",
        "players": (players[0], players[1]),
        "connected": (True, here) if mover else (here, True),
        "turns": [None] * ply,
        "to_play": to_play,
        "result": wire.Result(winner=1, reason="resignation", message="") if over else None,
    }
    return wire.GameState.model_construct(**fields)


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def notices(time: FakeTime, sent: Sent) -> PushNotices:
    return PushNotices(PushSettings(delay_s=AWAY_S), OneBrowserEach(), sent, time)


AWAY_AFTER_A_TURN = [state_of(3, here=True), state_of(4, here=False)]


@pytest.mark.parametrize(
    ("states", "count"),
    [
        (AWAY_AFTER_A_TURN, 1),
        ([*AWAY_AFTER_A_TURN, state_of(4, here=False)], 1),
        ([*AWAY_AFTER_A_TURN, state_of(4, here=True)], 0),
        ([*AWAY_AFTER_A_TURN, state_of(5, here=True)], 0),
        ([*AWAY_AFTER_A_TURN, state_of(4, here=False, over=True)], 0),
        ([state_of(0, here=False)], 1),
        ([state_of(4, here=True), state_of(4, here=False)], 0),
        ([state_of(4, here=False)], 0),
        ([state_of(3, here=True, kind="bot"), state_of(4, here=False, kind="bot")], 0),
    ],
    ids=[
        "away when the turn came",
        "once for each turn",
        "back in time",
        "has played",
        "over",
        "a new game",
        "has seen the position",
        "nothing is known, as after a restart",
        "a bot",
    ],
)
async def test_a_turn_is_news_for_who_was_away(
    notices: PushNotices, time: FakeTime, sent: Sent, states: list[wire.GameState], count: int
) -> None:
    for state in states:
        notices.game_announced(state)
    await time.advance(AWAY_S - 1)
    assert sent.games == []
    await time.advance(2)
    assert sent.games == ["g"] * count


async def test_a_service_that_fails_stops_nothing(
    notices: PushNotices, time: FakeTime, sent: Sent
) -> None:
    sent.fails = True
    for state in [*AWAY_AFTER_A_TURN, state_of(5, here=True), state_of(6, here=False)]:
        notices.game_announced(state)
        await time.advance(AWAY_S)
    assert sent.games == ["g", "g"]
