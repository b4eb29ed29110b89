"""One game against a platform that fails on purpose."""

from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from bot.daemon.journal import Chosen, WorkKey, digest_of
from bot.daemon.settings import DrawSettings, ResignSettings
from bot.daemon.time_manager import TimePolicy, moment_of, turn_budget
from bot.errors import PeerError
from bot.platforms.base import GameChanged, GameGone, NoAnswer, Seat, TurnInfo, TurnRefused
from bot.time_controls import Absolute, Correspondence, PlayerClock, TimeControl, Untimed
from engine.warming import parts_of
from tests.bot.daemon.session_table import Table, finished
from tests.fakes.platform import SETUP, after, facts
from tests.fakes.waiting import eventually

LOST = NoAnswer("game.turn: no answer in 5 s")


async def test_our_turn_is_journalled_and_submitted(table: Table) -> None:
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        _, game, ply, turn = await table.until("submit")
        assert (game, ply) == ("g1", 0)
        chosen = await table.journal.chosen(WorkKey("fake", "g1", 0))
        assert chosen is not None
        assert chosen.turn == turn
        assert chosen.info.value == 0.5


async def test_a_game_that_came_back_waits_until_it_is_compiled(table: Table) -> None:
    table.thinker.kernels.now_missing(parts_of("bluestone"))
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        await table.time.settle()
        assert table.thinker.questions == []
        table.thinker.kernels.now_missing(())
        await table.until("submit")


async def test_the_opponents_turn_is_waited_for(table: Table) -> None:
    async with table.playing() as session:
        session.notify(GameChanged(facts(seat=2)))
        session.notify(GameChanged(facts("3-0", seat=2)))
        await table.until("submit")
    assert [question.position.turns for question in table.thinker.questions] == [("3-0",)]


async def test_the_budget_counts_from_the_arrival(table: Table) -> None:
    async with table.playing() as session:
        await table.time.advance(100)  # the message lay there for 100 s of the 300
        session.notify(GameChanged(facts(arrived=1000.0)))
        await table.until("submit")
    late = table.thinker.questions[0].budget
    table.thinker.questions.clear()
    async with table.playing() as session:
        session.notify(GameChanged(facts("3-0", "2-0,1-1", arrived=1100.0)))
        await table.until("submit", 2)
    assert late.hard_ms < 200_000
    assert late.think_ms < table.thinker.questions[0].budget.think_ms


async def test_the_network_delay_of_our_turns_is_planned_for(table: Table) -> None:
    """The server's clock has lost two seconds more than we have thought."""
    setup = replace(SETUP, control=Absolute(initial_s=60))
    async with table.playing() as session:
        first = facts(setup=setup, arrived=table.time.monotonic())
        session.notify(GameChanged(first))
        _, _, _, turn = await table.until("submit")
        shown = replace(
            after(after(first, str(turn)), "pass"),
            clocks=(PlayerClock(main_ms=58_000), PlayerClock(main_ms=60_000)),
            arrived=table.time.monotonic(),
        )
        session.notify(GameChanged(shown))
        await table.until("submit", 2)
    asked = table.thinker.questions[-1]
    slow = TimePolicy(network_overhead_ms=2000)
    assert asked.budget == turn_budget(slow, moment_of(shown, asked.position, 0))


async def test_duplicated_states_are_played_once(table: Table) -> None:
    async with table.playing() as session:
        for _ in range(3):
            session.notify(GameChanged(facts()))
        _, _, _, turn = await table.until("submit")
        session.notify(GameChanged(facts()))  # from before the server had our turn
        session.notify(GameChanged(after(facts(), str(turn))))
        session.notify(GameChanged(finished(after(facts(), str(turn)))))
        await table.task
    assert len(table.platform.named("submit")) == 1
    assert len(table.thinker.questions) == 1


async def test_after_a_lost_answer_the_game_is_read_and_the_same_turn_sent(table: Table) -> None:
    table.platform.failures = [LOST]
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        first = await table.until("submit")
        await table.pause_is_over()
        await table.until("watch")
        assert len(table.platform.named("submit")) == 1, "nothing is sent before it is read"
        table.thinker.turn = "2-0"  # what it would play if it were asked again
        session.notify(GameChanged(facts(), resync=True))
        assert await table.until("submit", 2) == first
    assert len(table.thinker.questions) == 1


async def test_a_turn_that_arrived_in_spite_of_the_lost_answer_is_not_sent_again(
    table: Table,
) -> None:
    table.platform.failures = [LOST]
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        _, _, _, turn = await table.until("submit")
        session.notify(GameChanged(after(facts(), str(turn)), resync=True))
        session.notify(GameChanged(finished(after(facts(), str(turn)))))
        await table.task
    assert len(table.platform.named("submit")) == 1


async def test_reading_again_is_tried_until_it_works(table: Table) -> None:
    table.platform.failures = [LOST, LOST, PeerError("rate_limited", "slow down")]
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        await table.until("submit")
        await table.pause_is_over()
        await table.until("watch", 3)
        session.notify(GameChanged(facts(), resync=True))
        await table.until("submit", 2)


async def test_a_game_that_the_server_forgot_ends_the_session(table: Table) -> None:
    table.platform.failures = [LOST, GameGone("no_such_table", "no game with that id")]
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        await table.until("submit")
        await table.pause_is_over()
        with pytest.raises(GameGone):
            await table.task


async def test_a_turn_chosen_before_a_crash_is_the_one_that_is_sent(table: Table) -> None:
    key = WorkKey("fake", "g1", 0)
    await table.journal.choose(key, Chosen("2-3", TurnInfo(value=0.6)), digest_of([]))
    async with table.playing() as session:
        session.notify(GameChanged(facts(), resync=True))
        assert await table.until("submit") == ("submit", "g1", 0, "2-3")
    assert table.thinker.questions == []


async def test_a_position_that_is_gone_stops_the_thinking(table: Table) -> None:
    table.thinker.hold()
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        await eventually(lambda: bool(table.thinker.questions))
        session.notify(GameChanged(finished(facts(), "time_forfeit")))
        ended = await table.task
    assert ended.outcome is not None
    assert table.thinker.cancelled == 1
    assert table.platform.named("submit") == []


async def test_a_reconnection_does_not_stop_the_thinking(table: Table) -> None:
    table.thinker.hold()
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        await eventually(lambda: bool(table.thinker.questions))
        session.notify(GameChanged(facts(), resync=True))
        await table.time.settle()
        table.thinker.release()
        await table.until("submit")
    assert table.thinker.cancelled == 0
    assert len(table.thinker.questions) == 1


@pytest.mark.parametrize(
    ("turns", "seat", "way_out"),
    [
        (("9-9",), 2, "abort"),
        (("3-0", "2-0,1-1", "9-9"), 2, "resign"),
        (("3-0", "9-9"), 1, "resign"),
    ],
)
async def test_turns_that_are_illegal_for_us_end_the_game_politely(
    table: Table, turns: tuple[str, ...], seat: Seat, way_out: str
) -> None:
    async with table.playing() as session:
        session.notify(GameChanged(facts(*turns, seat=seat)))
        await table.until(way_out)
        session.notify(GameChanged(finished(facts(*turns, seat=seat), "resignation")))
        await table.task
    assert table.platform.named("submit") == []


async def test_by_correspondence_a_game_that_was_read_wrong_is_not_resigned(table: Table) -> None:
    """One damaged read must not cost a game for which there are days."""
    days = Correspondence(initial_s=172_800, increment_s=43_200, maximum_s=345_600)
    setup = replace(facts().setup, control=days)
    damaged = GameChanged(facts("3-0", "2-0,1-1", "9-9", seat=2, setup=setup))
    with capture_logs() as log:
        async with table.playing() as session:
            session.notify(damaged)
            await eventually(lambda: "alarm" in [entry["event"] for entry in log])
            session.notify(damaged)
            await table.time.settle()
            session.notify(GameChanged(facts("3-0", "2-0,1-1", "0-0,2-2", seat=2, setup=setup)))
            await table.until("submit")
    assert [entry["event"] for entry in log].count("alarm") == 1
    assert [name for name, *_ in table.platform.calls] == ["submit"]


async def test_a_turn_that_is_illegal_for_the_server_ends_the_game(table: Table) -> None:
    table.platform.failures = [TurnRefused("off_limits", "not there")]
    game = facts("3-0", "2-0,1-1")
    async with table.playing() as session:
        session.notify(GameChanged(game))
        await table.until("resign")
    assert len(table.platform.named("submit")) == 1


async def test_an_engine_is_seen_to_think_until_it_is_stopped(table: Table) -> None:
    await table.journal.accept(WorkKey("fake", "g1", 0))
    table.thinker.hold()
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        await table.until_open("thinking")
        session.notify(GameChanged(after(facts(), "3-0")))
        await table.until_open()


async def test_resigns_after_bad_values_in_a_row(table: Table) -> None:
    table.conduct = replace(table.conduct, resign=ResignSettings(enabled=True, turns=2, min_ply=2))
    table.thinker.value = 0.01
    game = facts()
    async with table.playing() as session:
        session.notify(GameChanged(game))
        _, _, _, turn = await table.until("submit")
        game = after(after(game, str(turn)), "3-5,3-9")
        session.notify(GameChanged(game))
        await table.until("resign")
    assert len(table.platform.named("submit")) == 1


@pytest.mark.parametrize("accept", [True, False])
async def test_a_draw_offer_is_answered_once(table: Table, accept: bool) -> None:
    draws = DrawSettings(accept=accept, min_ply=0, highest=0.6)
    table.conduct = replace(table.conduct, draws=draws)
    await table.journal.choose(
        WorkKey("fake", "g1", 0), Chosen("3-0", TurnInfo(value=0.5)), digest_of([])
    )
    offered = replace(facts("3-0"), draw_offered=True)
    async with table.playing() as session:
        session.notify(GameChanged(offered))
        assert await table.until("answer_draw") == ("answer_draw", "g1", accept)
        session.notify(GameChanged(offered))
        session.notify(GameChanged(finished(offered)))
        await table.task
    assert len(table.platform.named("answer_draw")) == 1


@pytest.mark.parametrize("seat", [1, 2], ids=["opponents turn", "own turn"])
async def test_an_offer_to_abort_is_declined_once(table: Table, seat: Seat) -> None:
    table.conduct = replace(table.conduct, draws=DrawSettings(accept=True, min_ply=0))
    offered = replace(facts("3-0", seat=seat), abort_offered=True)
    async with table.playing() as session:
        session.notify(GameChanged(offered))
        assert await table.until("decline_abort") == ("decline_abort", "g1")
        session.notify(GameChanged(offered))
        session.notify(GameChanged(finished(offered)))
        await table.task
    assert len(table.platform.named("decline_abort")) == 1
    assert table.platform.named("answer_draw") == []


async def test_an_offer_to_abort_is_declined_while_the_bot_thinks(table: Table) -> None:
    table.thinker.hold()
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        await eventually(lambda: bool(table.thinker.questions))
        session.notify(GameChanged(replace(facts(), abort_offered=True)))
        await table.until("decline_abort")
        table.thinker.release()
        await table.until("submit")
    assert len(table.thinker.questions) == 1


# ---- turns that the server takes back ----------------------------------------------------------

LIVE, SLOW = SETUP.control, Correspondence(initial_s=9999, increment_s=1, maximum_s=9999)


@pytest.mark.parametrize("control", [LIVE, SLOW], ids=["live", "correspondence"])
async def test_a_turn_is_chosen_again_after_other_turns(table: Table, control: TimeControl) -> None:
    setup = replace(SETUP, control=control)
    game = facts("3-0", seat=2, setup=setup)
    async with table.playing() as session:
        session.notify(GameChanged(game))
        _, _, _, turn = await table.until("submit")
        session.notify(GameChanged(after(after(game, str(turn)), "3-5,3-9")))
        _, _, _, stale = await table.until("submit", 2)
        with capture_logs() as log:
            session.notify(GameChanged(after(game, str(turn)), resync=True))
            await table.time.settle()
            session.notify(GameChanged(after(after(game, str(turn)), str(stale))))
            _, _, ply, another = await table.until("submit", 3)
    assert (ply, another != stale) == (3, True)
    assert [each["forgotten"] for each in log if each["event"] == "position_changed"] == [stale]
    assert table.platform.named("resign") == []


async def test_the_same_turn_is_sent_again_after_the_same_turns(table: Table) -> None:
    game = facts("3-0", seat=2)
    async with table.playing() as session:
        session.notify(GameChanged(game))
        first = await table.until("submit")
        session.notify(GameChanged(after(after(game, str(first[3])), "3-5,3-9")))
        await table.until("submit", 2)
        table.thinker.turn = "2-2"  # what it would play if it were asked again
        session.notify(GameChanged(game, resync=True))
        assert await table.until("submit", 3) == first


async def test_an_acknowledged_turn_that_was_taken_back_is_chosen_again(table: Table) -> None:
    """The session may see no state between its turn and the same ply after a takeback."""
    game = replace(facts("3-0", seat=2), takebacks=0)
    async with table.playing() as session:
        session.notify(GameChanged(game))
        first = await table.until("submit")
        with capture_logs() as log:
            session.notify(GameChanged(replace(facts("3-5", seat=2), takebacks=1)))
            second = await table.until("submit", 2)
    assert (first[2], second[2], table.platform.takebacks) == (1, 1, [0, 1])
    [changed] = [each for each in log if each["event"] == "position_changed"]
    assert (changed["log_level"], changed["takebacks"]) == ("info", 1)


async def test_an_acknowledged_turn_is_sent_again_in_the_same_position(table: Table) -> None:
    game = replace(facts("3-0", seat=2), takebacks=0)
    async with table.playing() as session:
        session.notify(GameChanged(game))
        first = await table.until("submit")
        session.notify(GameChanged(replace(game, takebacks=1)))
        assert await table.until("submit", 2) == first
        assert len(table.thinker.questions) == 1


async def test_a_ply_given_up_in_another_position_is_played(table: Table) -> None:
    key = WorkKey("fake", "g1", 2)
    await table.journal.choose(key, Chosen("5-5", TurnInfo()), digest_of(["3-0", "2-0"]))
    await table.journal.give_up(key, "the server refuses 5-5")
    async with table.playing() as session:
        session.notify(GameChanged(facts("3-0", "2-0,1-1")))
        await table.until("submit")


async def test_values_of_undone_turns_are_no_reason_to_resign(table: Table) -> None:
    table.conduct = replace(table.conduct, resign=ResignSettings(enabled=True, turns=2, min_ply=1))
    for ply in (4, 6):
        chosen = Chosen("2-3", TurnInfo(value=0.01))
        await table.journal.choose(WorkKey("fake", "g1", ply), chosen, digest_of(["before"]))
    table.thinker.value = 0.01
    async with table.playing() as session:
        session.notify(GameChanged(facts("3-0", "2-0,1-1"), resync=True))
        await table.until("submit")
    assert table.platform.named("resign") == []


# ---- the opponent's time -----------------------------------------------------------------------


async def test_once_our_turn_is_shown_the_engine_thinks_about_the_expected_reply(
    table: Table,
) -> None:
    table.thinker.turn, table.thinker.reply = "3-0", "2-0,1-1"
    async with table.playing() as session:
        session.notify(GameChanged(facts()))
        await table.until("submit")
        await table.time.settle()
        assert table.thinker.expected == []
        session.notify(GameChanged(after(facts(), "3-0")))
        await eventually(lambda: len(table.thinker.expected) == 1)
        session.notify(GameChanged(after(facts(), "3-0")))
        await table.time.settle()
    (expected,) = table.thinker.expected
    assert expected.position.turns == ("3-0", "2-0,1-1")
    assert expected.budget.go.startswith("movetime ")


@pytest.mark.parametrize(
    ("control", "reply", "shown"),
    [
        (Correspondence(initial_s=9999, increment_s=1, maximum_s=9999), "2-0,1-1", "3-0"),
        (Untimed(), "2-0,1-1", "3-0"),
        (SETUP.control, None, "3-0"),
        (SETUP.control, "3-0,1-1", "3-0"),
        (SETUP.control, "2-0,1-1", "3-2"),
    ],
    ids=["correspondence", "untimed", "no reply", "an illegal one", "another turn of ours"],
)
async def test_nothing_is_expected(
    table: Table, control: TimeControl, reply: str | None, shown: str
) -> None:
    table.thinker.turn, table.thinker.reply = "3-0", reply
    game = facts(setup=replace(SETUP, control=control))
    async with table.playing() as session:
        session.notify(GameChanged(game))
        await table.until("submit")
        session.notify(GameChanged(after(game, shown)))
        session.notify(GameChanged(after(after(game, shown), "1-0,1-2")))
        await table.until("submit", 2)
    assert table.thinker.expected == []
