"""When a notification is due."""

from dataclasses import dataclass
from typing import Literal

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


@dataclass(frozen=True)
class Change:
    """A game after `ply` turns; `here`: whether the player to move is connected."""

    ply: int
    here: bool
    kind: Literal["bot", "person"] = "person"
    over: bool = False


def announce(notices: PushNotices, change: Change) -> None:
    one, two = (
        wire.Player(id=f"p{seat}", name=f"Player {seat}", kind=change.kind) for seat in (1, 2)
    )
    player, opponent = (two, one) if change.ply % 2 else (one, two)
    is_awaited = not change.over and not change.here
    notices.game_announced("g", change.ply, player, opponent, is_awaited=is_awaited)


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def notices(time: FakeTime, sent: Sent) -> PushNotices:
    return PushNotices(PushSettings(delay_s=AWAY_S), OneBrowserEach(), sent, time)


AWAY_AFTER_A_TURN = [Change(3, here=True), Change(4, here=False)]


@pytest.mark.parametrize(
    ("changes", "count"),
    [
        (AWAY_AFTER_A_TURN, 1),
        ([*AWAY_AFTER_A_TURN, Change(4, here=False)], 1),
        ([*AWAY_AFTER_A_TURN, Change(4, here=True)], 0),
        ([*AWAY_AFTER_A_TURN, Change(5, here=True)], 0),
        ([*AWAY_AFTER_A_TURN, Change(4, here=False, over=True)], 0),
        ([Change(0, here=False)], 1),
        ([Change(4, here=True), Change(4, here=False)], 0),
        ([Change(4, here=False)], 0),
        ([Change(3, here=True, kind="bot"), Change(4, here=False, kind="bot")], 0),
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
    notices: PushNotices, time: FakeTime, sent: Sent, changes: list[Change], count: int
) -> None:
    for change in changes:
        announce(notices, change)
    await time.advance(AWAY_S - 1)
    assert sent.games == []
    await time.advance(2)
    assert sent.games == ["g"] * count


async def test_a_service_that_fails_stops_nothing(
    notices: PushNotices, time: FakeTime, sent: Sent
) -> None:
    sent.fails = True
    for change in [*AWAY_AFTER_A_TURN, Change(5, here=True), Change(6, here=False)]:
        announce(notices, change)
        await time.advance(AWAY_S)
    assert sent.games == ["g", "g"]
