"""The arena platform against a real Socket.IO server that fails on purpose."""

import asyncio
import gc
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot import wire
from bot.errors import HostError, PeerError, RefusedByServer
from bot.platforms.arena.link import ArenaOptions
from bot.platforms.arena.platform import ArenaPlatform
from bot.platforms.base import (
    ChallengeGone,
    ChallengeOffered,
    Connected,
    Disconnected,
    EventSink,
    GameChanged,
    GameGone,
    NoAnswer,
    NotNow,
    PlatformEvent,
    Setup,
    TurnInfo,
    TurnRefused,
)
from bot.time_controls import PerTurn
from bot.time_source import SystemTime
from tests.fakes.arena_server import FakeArena
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

INFO = TurnInfo(value=0.5, visits=10, pv=("3-0",), source="engine")


class Line:
    """The bot's end: the platform and what it told."""

    def __init__(self, arena: FakeArena, sink: EventSink | None = None, **options: object) -> None:
        fields = ArenaOptions(
            url=arena.url, token=SecretStr("granite-token"), engine="Test", first_wait_s=0.01
        )
        self.platform = ArenaPlatform(
            replace(fields, **options),  # type: ignore[arg-type]
            SystemTime(),
            random.Random(1),
        )
        self.events: asyncio.Queue[PlatformEvent] = asyncio.Queue()
        self._sink = sink or self.events.put

    @asynccontextmanager
    async def up(self) -> AsyncIterator["Line"]:
        self.task = asyncio.create_task(self.platform.run(self._sink))
        try:
            yield self
        finally:
            self.task.cancel()
            await asyncio.wait({self.task})

    async def until_connected(self) -> list[Disconnected]:
        """What was told before of attempts that failed."""
        failures = []
        while isinstance(event := await self.next(), Disconnected):
            failures.append(event)
        assert isinstance(event, Connected)
        return failures

    async def next(self) -> PlatformEvent:
        return await self.events.get()

    async def next_game(self) -> GameChanged:
        while True:
            event = await self.next()
            if isinstance(event, GameChanged):
                return event


@pytest.fixture
async def arena() -> AsyncIterator[FakeArena]:
    async with FakeArena.running() as arena:
        yield arena


async def test_every_connection_starts_with_the_whole_state(arena: FakeArena) -> None:
    game = await arena.begin("Granite", "Basalt")
    offered = await arena.offer("Ann", ("Ann", "Granite"))
    async with Line(arena).up() as line:
        connected = await line.next()
        assert connected == Connected(
            "Granite", "fake", frozenset({game.game_id}), frozenset({offered.challenge_id})
        )
        state = await line.next()
        assert isinstance(state, GameChanged)
        assert state.resync
        assert (state.facts.seat, state.facts.opponent.name) == (1, "Basalt")
        challenge = await line.next()
        assert isinstance(challenge, ChallengeOffered)
        assert challenge.challenge.opponent.name == "Ann"


async def test_turns_are_acknowledged_and_seen(arena: FakeArena) -> None:
    game = await arena.begin("Granite", "Basalt")
    async with Line(arena).up() as line:
        await line.next_game()
        await line.platform.submit(game.game_id, 0, "3-0", INFO)
        assert [turn.turn for turn in (await line.next_game()).facts.turns] == ["3-0"]
    assert arena.asked("game.turn")[0]["info"]["source"] == "engine"


async def test_an_arena_of_an_older_version_is_told_of_no_queue_again(arena: FakeArena) -> None:
    game = await arena.begin("Granite", "Basalt")
    async with Line(arena).up() as line:
        await line.next_game()
        with pytest.raises(PeerError, match="unknown_event"):
            await line.platform.report_queue(game.game_id, 0, 2)
        await line.platform.report_queue(game.game_id, 0, 1)
        assert len(arena.asked("game.queue")) == 1


async def test_the_first_connection_is_retried(arena: FakeArena) -> None:
    await arena.stop()
    async with Line(arena).up() as line:
        await asyncio.sleep(0)
        await arena.start()
        failures = await line.until_connected()
        assert {each.reason for each in failures} == {"Connection error"}


async def test_a_restarted_server_is_found_again_with_the_games_as_they_are(
    arena: FakeArena,
) -> None:
    game = await arena.begin("Basalt", "Granite")
    async with Line(arena).up() as line:
        assert (await line.next_game()).facts.ply == 0
        await arena.stop()
        assert isinstance(await line.next(), Disconnected)
        game.play("3-0")
        await arena.start()
        assert isinstance(await line.next(), Connected)
        again = await line.next_game()
        assert (again.facts.ply, again.resync) == (1, True)


async def test_a_wrong_token_is_final(arena: FakeArena) -> None:
    async with Line(arena, token=SecretStr("wrong")).up() as line:
        with pytest.raises(RefusedByServer, match="bad_token"):
            await line.task


async def test_a_block_without_an_end_is_final(arena: FakeArena) -> None:
    arena.faults.refuse = wire.Refusal(code="blocked", message="Your account is blocked: spam")
    async with Line(arena).up() as line:
        with pytest.raises(RefusedByServer, match="spam"):
            await line.task


async def test_a_block_with_an_end_is_waited_for(arena: FakeArena) -> None:
    arena.faults.refuse = wire.Refusal(code="blocked", message="until 12:00", retry_after_ms=50)
    async with Line(arena).up() as line:
        await eventually(lambda: line.platform.attempts >= 2)
        arena.faults.refuse = None
        failures = await line.until_connected()
        assert {each.reason for each in failures} == {"blocked: until 12:00"}


async def test_a_server_that_has_no_room_now_is_asked_again(arena: FakeArena) -> None:
    arena.faults.refuse = wire.Refusal(code="too_many", message="no room")
    async with Line(arena).up() as line:
        await eventually(lambda: line.platform.attempts >= 2)
        arena.faults.refuse = None
        failures = await line.until_connected()
        assert {each.reason for each in failures} == {"too_many: no room"}


async def test_an_invalid_address_is_final() -> None:
    options = ArenaOptions(url="http://[::1", token=SecretStr("x"))
    platform = ArenaPlatform(options, SystemTime(), random.Random(1))
    with pytest.raises(RefusedByServer, match="bad_url"):
        await platform.run(_ignore)


async def _ignore(_: PlatformEvent) -> None:
    return


async def test_an_offer_to_abort_is_shown_and_declined(arena: FakeArena) -> None:
    game = await arena.begin("Granite", "Basalt")
    async with Line(arena).up() as line:
        assert not (await line.next_game()).facts.abort_offered
        for seat in (1, 2):
            await arena.announce(replace(game, abort_offer=seat, revision=game.revision + seat))
            assert (await line.next_game()).facts.abort_offered == (seat == 2)
        await line.platform.decline_abort(game.game_id)
    assert arena.asked("game.action")[0]["action"] == "decline_abort"


async def test_a_lost_acknowledgement_is_no_answer(arena: FakeArena) -> None:
    game = await arena.begin("Granite", "Basalt")
    arena.faults.lose_answers = 1
    async with Line(arena, answer_s=0.1).up() as line:
        await line.next_game()
        with pytest.raises(NoAnswer):
            await line.platform.submit(game.game_id, 0, "3-0", INFO)
        await line.platform.watch(game.game_id)
        seen = await line.next_game()
        assert (seen.facts.ply, seen.resync) == (1, True)


async def test_a_connection_that_breaks_while_an_answer_is_awaited_is_no_answer(
    arena: FakeArena,
) -> None:
    game = await arena.begin("Granite", "Basalt")
    arena.faults.lose_turns = 1
    async with Line(arena, answer_s=60).up() as line:
        await line.next_game()
        submitting = asyncio.create_task(line.platform.submit(game.game_id, 0, "3-0", INFO))
        await arena.until("game.turn")
        await arena.cut()
        with pytest.raises(NoAnswer):
            await submitting


async def test_calls_without_a_connection_are_no_answer(arena: FakeArena) -> None:
    platform = Line(arena).platform
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: platform.submit("g", 0, "3-0", INFO),
        lambda: platform.watch("g"),
        lambda: platform.resign("g"),
        lambda: platform.offer(Setup("bluestone", "pent-4", "official", PerTurn(turn_s=1)), "A", 1),
    ]
    for call in calls:
        with pytest.raises(NoAnswer):
            await call()


async def test_a_refusal_has_its_code(arena: FakeArena) -> None:
    game = await arena.begin("Granite", "Basalt")
    async with Line(arena).up() as line:
        await line.next_game()
        with pytest.raises(PeerError) as refused:
            await line.platform.submit(game.game_id, 5, "3-0", INFO)
    assert refused.value.code == "stale_ply"


@pytest.mark.parametrize(
    ("code", "outcome"), [("illegal_turn", TurnRefused), ("unknown_game_id", GameGone)]
)
async def test_refusals_with_consequences_have_their_own_errors(
    arena: FakeArena, code: str, outcome: type[PeerError]
) -> None:
    game = await arena.begin("Granite", "Basalt")
    arena.faults.refuse_turn = wire.Refusal(code=code, message="no")
    async with Line(arena).up() as line:
        await line.next_game()
        with pytest.raises(outcome) as refused:
            await line.platform.submit(game.game_id, 0, "3-0", INFO)
    assert refused.value.code == code


async def test_a_clock_that_no_arena_accepts_is_refused_at_once(arena: FakeArena) -> None:
    setup = Setup("bluestone", "pent-4", "official", PerTurn(turn_s=0.05))
    async with Line(arena).up() as line:
        await line.next()
        with pytest.raises(PeerError, match="turn_s") as refused:
            await line.platform.offer(setup, "Ann", 1)
    assert refused.value.code == "invalid"


@pytest.mark.parametrize(
    ("code", "retry_after_ms", "wait_s"),
    [("unavailable", 200, 0.2), ("unavailable", None, 1), ("rate_limited", 3000, 3)],
)
async def test_a_temporary_refusal_has_a_retry_time(
    arena: FakeArena, code: str, retry_after_ms: int | None, wait_s: float
) -> None:
    game = await arena.begin("Granite", "Basalt")
    arena.faults.refuse_turn = wire.Refusal(
        code=code, message="not now", retry_after_ms=retry_after_ms
    )
    async with Line(arena).up() as line:
        await line.next_game()
        with pytest.raises(NotNow) as refused:
            await line.platform.submit(game.game_id, 0, "3-0", INFO)
    assert (refused.value.code, refused.value.retry_after_s) == (code, wait_s)


async def test_the_servers_retry_time_is_used_to_reconnect(arena: FakeArena) -> None:
    arena.faults.refuse = wire.Refusal(code="rate_limited", message="slow", retry_after_ms=60_000)
    with capture_logs() as log:
        async with Line(arena).up():
            await eventually(lambda: bool(log))
    assert log[0]["wait_s"] == 60


async def test_offers_of_our_own_are_known_by_their_creator(arena: FakeArena) -> None:
    ours = await arena.offer("Granite", ("Granite", "Basalt"))
    theirs = await arena.offer("Basalt", ("Granite", "Basalt"))
    async with Line(arena).up() as line:
        connected = await line.next()
    assert isinstance(connected, Connected)
    assert connected.own_challenges == {ours.challenge_id}
    assert connected.open_challenges == {ours.challenge_id, theirs.challenge_id}


async def test_a_sink_that_cannot_write_does_not_end_the_connection(arena: FakeArena) -> None:
    game = await arena.begin("Basalt", "Granite")
    line = Line(arena)
    told: list[PlatformEvent] = []

    async def sink(event: PlatformEvent) -> None:
        told.append(event)
        raise HostError("the journal cannot be written: disk full")

    running = asyncio.create_task(line.platform.run(sink))
    try:
        await eventually(lambda: len(told) >= 2)
        await arena.play(game, "3-0")
        await eventually(lambda: len(told) >= 3)
    finally:
        running.cancel()
        await asyncio.wait({running})
    assert arena.connections["Granite"] == 1


async def test_older_states_are_dropped_and_garbage_is_ignored(arena: FakeArena) -> None:
    game = await arena.begin("Basalt", "Granite")
    old = wire.encode(game.state())
    async with Line(arena).up() as line:
        await line.next_game()
        await arena.play(game, "3-0")
        await arena.say("game", old)
        await arena.say("game", {"rubbish": True})
        await arena.say("welcome", "not even an object")
        await arena.say("challenge", None)
        await arena.play(game, "2-0,1-1")
        plies = [(await line.next_game()).facts.ply for _ in range(2)]
    assert plies == [1, 2]


@pytest.mark.parametrize(
    "packet",
    [
        *("2[", "9", "nonsense", "2", "2[]", "2[1]", '2{"a": 1}', "", '2["game", 1e400]'),
        *("51-", "5x-[]", "99999999999999999999-[", '4["a", "b", "c"]', "2" + "[" * 9_000),
    ],
    ids=lambda packet: packet[:12],
)
async def test_a_flood_of_packets_that_cannot_be_read_is_one_line_of_the_log(
    arena: FakeArena, packet: str, caplog: pytest.LogCaptureFixture
) -> None:
    game = await arena.begin("Basalt", "Granite")
    with capture_logs() as lines:
        async with Line(arena).up() as line:
            await line.next_game()
            for _ in range(20):
                await arena.say_raw(packet)
                await arena.say("game", {"rubbish": True})
            await arena.play(game, "3-0")
            assert (await line.next_game()).facts.ply == 1
        gc.collect()  # asyncio logs the failure of a task that nobody has waited for
    assert [each["event"] for each in lines if each["log_level"] != "info"] == ["garbage"]
    assert [each.message for each in caplog.records if each.levelname == "ERROR"] == []


async def test_fields_of_a_newer_server_are_ignored(arena: FakeArena) -> None:
    game = await arena.begin("Basalt", "Granite")
    async with Line(arena).up() as line:
        await line.next_game()
        game.finish(1, "adjudication")
        said = wire.encode(game.state())
        said["players"][0]["title"] = "champion"  # type: ignore[index,call-overload]
        said["clocks"]["players"][0]["paused"] = False  # type: ignore[index,call-overload]
        await arena.say("game", {**said, "table": 7})
        outcome = (await line.next_game()).facts.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (1, "adjudication")


async def test_a_silent_server_is_queried_and_then_disconnected(arena: FakeArena) -> None:
    async with Line(arena, silence_s=0.05, answer_s=0.2).up() as line:
        await line.next()
        await arena.until("state")
        await line.next()  # the answer is a welcome
        arena.faults.silent = True
        while not isinstance(event := await line.next(), Disconnected):
            pass
        assert "silent" in event.reason
        arena.faults.silent = False
        assert isinstance(await line.next(), Connected)


async def test_challenges_are_offered_once_and_their_end_is_reported(arena: FakeArena) -> None:
    arena.faults.duplicate = True
    async with Line(arena).up() as line:
        await arena.until_connected("Granite")
        challenge = await arena.offer("Ann", ("Granite", "Ann"))
        while not isinstance(event := await line.next(), ChallengeOffered):
            pass
        assert not event.challenge.is_open
        await line.platform.decline(challenge.challenge_id, "board", "Not on that board.")
        gone = await line.next()
        assert isinstance(gone, ChallengeGone)
        assert (gone.state, gone.code) == ("declined", "board")


async def test_a_connection_that_hangs_is_given_up_on_demand(arena: FakeArena) -> None:
    """Its loss was not noticed, because a handler of ours never returned."""
    hangs = asyncio.Event()

    async def sink(event: PlatformEvent) -> None:
        await line.events.put(event)
        if not hangs.is_set():
            hangs.set()
            await asyncio.Event().wait()

    line = Line(arena, sink=sink)
    async with line.up():
        assert isinstance(await line.next(), Connected)
        line.platform.reconnect()
        assert await line.next() == Disconnected("the bot makes a new connection")
        assert isinstance(await line.next(), Connected)


async def test_a_login_after_which_nothing_comes_does_not_end_a_silence(
    arena: FakeArena, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(sid: str, name: str) -> None: ...

    line = Line(arena, silence_s=0.05, answer_s=0.05)
    async with line.up():
        await line.until_connected()
        monkeypatch.setattr(arena, "_welcome", nothing)
        arena.faults.silent = True
        while not isinstance(await line.next(), Disconnected):
            pass
        heard = line.platform.last_heard
        assert heard is not None
        lost = await line.next()
        assert isinstance(lost, Disconnected)
        assert "silent" in lost.reason  # so it was logged in
        assert line.platform.last_heard == heard


async def test_an_answer_is_overdue_after_the_silence_and_the_request_that_follows(
    arena: FakeArena,
) -> None:
    time = FakeTime()
    options = ArenaOptions(url=arena.url, token=SecretStr("granite-token"))
    platform = ArenaPlatform(options, time, random.Random(1))
    assert platform.overdue_s == 0
    events: asyncio.Queue[PlatformEvent] = asyncio.Queue()
    running = asyncio.create_task(platform.run(events.put))
    try:
        while not isinstance(await events.get(), Connected):
            pass
        time.lapse(options.silence_s + options.answer_s)
        assert platform.overdue_s == 0
        time.lapse(7)
        assert platform.overdue_s == 7
    finally:
        running.cancel()
        await asyncio.wait({running})
