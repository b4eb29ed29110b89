"""One game whose turns cannot be played: refused, not written down, or postponed."""

from dataclasses import replace

from structlog.testing import capture_logs

from bot.daemon.journal import GIVEN_UP_S, Chosen, WorkKey, digest_of
from bot.daemon.settings import DrawSettings, ResignSettings
from bot.errors import PeerError
from bot.platforms.base import GameChanged, NotNow, TurnInfo, TurnRefused
from bot.runtime.database import RETRY_S
from tests.bot.daemon.session_table import Table, finished
from tests.fakes.locked import locked
from tests.fakes.platform import after, facts
from tests.fakes.waiting import eventually

LATER = NotNow("unavailable", "the server cannot write to its disk", retry_after_s=3)

# ---- a server that takes another turn ------------------------------------------------------------

KEY = WorkKey("fake", "g1", 2)
ILLEGAL = TurnRefused("illegal", "not there", can_retry=True)


async def test_a_refused_turn_is_excluded_and_the_next_one_sent(table: Table) -> None:
    table.platform.failures = [ILLEGAL]
    game = facts("3-0", "2-0,1-1")
    await table.journal.accept(KEY)
    async with table.playing() as session:
        with capture_logs() as log:
            session.notify(GameChanged(game))
            await table.until("submit", 2)
        first, second = (str(call[3]) for call in table.platform.named("submit"))
        assert first != second
        assert [asked.excluded for asked in table.thinker.questions] == [frozenset(), {first}]
        refusals = [each for each in log if each["event"] == "turn_refused_as_illegal"]
        assert [(each["turns"], each["turn"]) for each in refusals] == [(["3-0", "2-0,1-1"], first)]
        assert await table.journal.chosen(KEY) == Chosen(second, table.platform.infos[-1])
        assert "alarm" not in [each["event"] for each in log]


async def test_after_a_second_refusal_an_alarm_is_raised_and_the_game_continues(
    table: Table,
) -> None:
    table.platform.failures = [ILLEGAL, ILLEGAL]
    game = facts("3-0", "2-0,1-1")
    await table.journal.accept(KEY)
    async with table.playing() as session:
        with capture_logs() as log:
            session.notify(GameChanged(game))
            (left,) = await table.until_open("given_up")
        assert "not there" in str(left.reason)
        alarms = [each for each in log if each["event"] == "alarm"]
        assert [(each["log_level"], each["game"], each["ply"]) for each in alarms] == [
            ("error", "g1", 2)
        ]
        assert len((await table.journal.work(KEY)).refused) == 2
        session.notify(GameChanged(game, resync=True))  # still the same ply
        by_hand = after(after(game, "0-0,2-2"), "3-5,3-9")
        session.notify(GameChanged(by_hand))
        assert (await table.until("submit", 3))[2] == 4
        (left,) = await table.until_open("submitted")
        assert left.ply == 4
    assert [name for name, *_ in table.platform.calls] == ["submit"] * 3


async def test_a_given_up_ply_stays_given_up_after_a_restart(table: Table) -> None:
    table.platform.failures = [ILLEGAL]
    await table.journal.accept(KEY)
    await table.journal.choose(KEY, Chosen("5-5", TurnInfo()), digest_of(["3-0", "2-0,1-1"]))
    await table.journal.refuse(KEY, "5-5", "not there")
    game = facts("3-0", "2-0,1-1")
    async with table.playing() as session:
        session.notify(GameChanged(game, resync=True))
        await table.until_open("given_up")
    async with table.playing() as session:
        session.notify(GameChanged(game, resync=True))
        session.notify(GameChanged(finished(game)))
        await table.task
    assert len(table.platform.named("submit")) == 1
    assert table.thinker.questions[0].excluded == {"5-5"}


async def test_a_given_up_ply_is_tried_again_much_later(table: Table) -> None:
    """The server may have been ill, and not the turns."""
    table.platform.failures = [ILLEGAL, ILLEGAL]
    await table.journal.accept(KEY)
    game = facts("3-0", "2-0,1-1")
    async with table.playing() as session:
        session.notify(GameChanged(game))
        await table.until_open("given_up")
        table.time.lapse(GIVEN_UP_S)
        session.notify(GameChanged(game, resync=True))
        await table.until("submit", 3)
    assert [asked.excluded for asked in table.thinker.questions][2] == frozenset()


# ---- a journal that cannot be written ----------------------------------------------------------


async def test_a_turn_waits_until_it_can_be_written_down(table: Table) -> None:
    async with table.playing() as session:
        with locked(table.file):
            session.notify(GameChanged(facts()))
            await table.until_unwritable()
            session.notify(GameChanged(facts(), resync=True))
            await table.time.advance(RETRY_S)
            assert table.platform.calls == []
        await table.until_writable()
        _, _, _, turn = await table.until("submit")
        chosen = await table.journal.chosen(WorkKey("fake", "g1", 0))
    assert chosen is not None
    assert chosen.turn == turn
    assert len(table.thinker.questions) == 1, "what was chosen is not chosen again"


async def test_a_turn_that_waits_is_let_go_when_the_game_is_over(table: Table) -> None:
    async with table.playing() as session:
        with locked(table.file):
            session.notify(GameChanged(facts()))
            await table.until_unwritable()
            session.notify(GameChanged(finished(facts(), "time_forfeit")))
            ended = await table.task
    assert ended.outcome is not None
    assert table.platform.named("submit") == []


# ---- a server that cannot at present -----------------------------------------------------------


async def test_a_postponed_turn_is_sent_again_unchanged(table: Table) -> None:
    table.platform.failures = [LATER, LATER]
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        first = await table.until("submit")
        await eventually(lambda: table.time.sleepers > 0)
        table.thinker.turn = "2-0"  # what it would play if it were asked again
        await table.time.advance(2.9)
        assert len(table.platform.named("submit")) == 1
        await table.time.advance(0.1)
        assert await table.until("submit", 2) == first
        await eventually(lambda: table.time.sleepers > 0)
        await table.time.advance(3)
        assert await table.until("submit", 3) == first
    assert table.platform.named("watch") == []


async def test_a_postponed_turn_is_let_go_when_the_ply_is_played(table: Table) -> None:
    table.platform.failures = [LATER]
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        _, _, _, turn = await table.until("submit")
        await eventually(lambda: table.time.sleepers > 0)
        session.notify(GameChanged(after(facts(), str(turn))))
        await table.time.advance(60)
        session.notify(GameChanged(finished(after(facts(), str(turn)))))
        await table.task
    assert len(table.platform.named("submit")) == 1


async def test_a_postponed_resignation_is_repeated(table: Table) -> None:
    table.conduct = replace(table.conduct, resign=ResignSettings(enabled=True, turns=1, min_ply=0))
    table.thinker.value = 0.01
    table.platform.failures = [LATER]
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        await table.until("resign")
        await table.pause_is_over()
        await table.until("resign", 2)
    assert len(table.thinker.questions) == 1


async def test_an_offer_to_abort_is_declined_again_after_a_postponement(table: Table) -> None:
    table.platform.failures = [LATER, LATER]
    async with table.playing() as session:
        session.notify(GameChanged(replace(facts("3-0"), abort_offered=True)))
        for times in (1, 2):
            await table.until("decline_abort", times)
            await eventually(lambda: table.time.sleepers > 0)
            await table.time.advance(3)
        await table.until("decline_abort", 3)


async def test_a_bot_whose_answer_to_an_offer_is_refused_plays_on(table: Table) -> None:
    table.platform.failures = [PeerError("no_abort_offer", "the offer is gone")]
    async with table.playing() as session:
        session.notify(GameChanged(replace(facts("3-0", seat=2), abort_offered=True)))
        await table.until("submit")
    assert len(table.platform.named("decline_abort")) == 1


async def test_a_postponed_answer_to_a_draw_is_given_again(table: Table) -> None:
    table.conduct = replace(table.conduct, draws=DrawSettings(accept=True, min_ply=0, highest=0.6))
    await table.journal.choose(
        WorkKey("fake", "g1", 0), Chosen("3-0", TurnInfo(value=0.5)), digest_of([])
    )
    table.platform.failures = [LATER, LATER]
    offered = replace(facts("3-0"), draw_offered=True)
    async with table.playing() as session:
        session.notify(GameChanged(offered))
        for times in (1, 2):
            await table.until("answer_draw", times)
            await eventually(lambda: table.time.sleepers > 0)
            await table.time.advance(3)
        assert await table.until("answer_draw", 3) == ("answer_draw", "g1", True)
