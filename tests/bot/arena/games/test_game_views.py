"""What is told about a game: whole, and as changes."""

from dataclasses import replace

from bot import wire
from bot.arena.arena_clock import ArenaClock
from bot.arena.games.game_views import GameNews
from bot.arena.players.presence import Presence
from bot.wire.changes import applied
from tests.bot.arena.cluster.members import game_between
from tests.fakes.time import FakeTime

ANNA = wire.Player(id="anna", name="Anna", kind="person")
BEN = wire.Player(id="ben", name="Ben", kind="person")

COMMON = wire.GameChange.model_fields.keys() & wire.GameState.model_fields.keys()
CHANGING = COMMON - {"v", "game_id"}


async def test_a_change_carries_every_field_that_it_shares_with_the_whole_game() -> None:
    time, presence = FakeTime(), Presence()
    clock = ArenaClock(time)
    old = game_between((ANNA, BEN), "g").play(1, 0, "0-0", 1.0)
    before = wire.GameState.model_validate_json(GameNews(old, presence, clock).whole())
    presence.add(ANNA, "a connection")
    await time.advance(5)
    new = replace(
        old.play(2, 1, "2-0,2-2", 4.0),
        revision=7,
        sub_revision=2,
        draw_offer=1,
        takeback_offer=2,
        abort_offer=1,
        hints=3,
        spectators=5,
    )
    news = GameNews(new, presence, clock, old)
    after = wire.GameState.model_validate_json(news.whole())
    unchanged = {name for name in CHANGING if getattr(before, name) == getattr(after, name)}
    assert unchanged == set(), "this test changes every field"
    assert applied(before, wire.GameChange.model_validate_json(news.change())) == after
