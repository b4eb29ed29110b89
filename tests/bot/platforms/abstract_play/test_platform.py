"""The platform as the daemon sees it: notices, sweeps, turns and challenges, over a fake site."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.errors import HostError, PeerError, RefusedByServer
from bot.platforms.abstract_play.answers import Conclusion, Verdict
from bot.platforms.abstract_play.messages import (
    Challenge,
    GameRecord,
    ListedGame,
    MoveNotice,
    game_answer,
    listed_games,
)
from bot.platforms.abstract_play.platform import ALL_EVERY, AbstractPlayPlatform, Ways
from bot.platforms.abstract_play.store import Store
from bot.platforms.abstract_play.webhooks import Handler
from bot.platforms.base import (
    ChallengeGone,
    ChallengeOffered,
    Connected,
    Disconnected,
    GameChanged,
    GameGone,
    GameLost,
    GameUnread,
    NoAnswer,
    NotNow,
    TurnInfo,
)
from tests.bot.platforms.abstract_play import bodies
from tests.bot.platforms.abstract_play.sinks import Listener
from tests.fakes.locked import locked
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually

GAME = "c0ffee00"
SWEEP_S = 300.0
THREE = ("3-2", "pass", "0-0,5-3")
NO_INFO = TurnInfo()


class Site:
    """An `Api` over records that a test changes. `hidden` games are not in the list."""

    def __init__(self, **games: dict[str, object]) -> None:
        self.games_there = games
        self.hidden: set[str] = set()
        self.answers: list[Conclusion] = []
        self.moves: list[tuple[str, str]] = []
        self.reads: list[str] = []
        self.is_down = False
        self.refusal: PeerError | None = None
        self.pauses: list[float] = []

    async def authorize(self) -> None:
        if self.refusal is not None:
            raise self.refusal

    async def submit(self, game_id: str, meta_game: str, move: str) -> Conclusion:
        assert meta_game == "bluestone"
        self.moves.append((game_id, move))
        return self.answers.pop(0)

    async def games(self, meta_game: str) -> list[ListedGame]:
        if self.is_down:
            raise NoAnswer("the site is down")
        running = [
            bodies.listed(id=name, toMove=game["toMove"], numMoves=game["numMoves"])
            for name, game in self.games_there.items()
            if name not in self.hidden and game["toMove"] != "" and meta_game == "bluestone"
        ]
        games, unread = listed_games(bodies.text(running))
        assert unread == 0
        return games

    async def game(self, meta_game: str, game_id: str) -> GameRecord:
        self.reads.append(game_id)
        if self.is_down:
            raise NoAnswer("the site is down")
        if self.pauses:
            raise NotNow("too_many", "the site wants a pause", self.pauses.pop())
        if game_id not in self.games_there:
            raise GameGone("gone", "no such game")
        assert meta_game == "bluestone"
        return game_answer(bodies.asked(self.games_there[game_id]))


class Daemon(Listener):
    """Answers challenges as it is told."""

    def __init__(self, platform: AbstractPlayPlatform, *, takes: bool) -> None:
        super().__init__()
        self._platform = platform
        self._takes = takes

    async def __call__(self, event: object) -> None:
        await super().__call__(event)  # type: ignore[arg-type]
        if isinstance(event, ChallengeOffered):
            answer = self._platform.accept if self._takes else self._decline
            await answer(event.challenge.challenge_id)

    async def _decline(self, challenge_id: str) -> None:
        await self._platform.decline(challenge_id, "too_many_games", "I play enough.")

    def of(self, kind: type) -> list[object]:
        return [event for event in self.events if isinstance(event, kind)]


class Bench:
    """A platform that runs, with what is around it."""

    def __init__(self, site: Site, folder: Path, time: FakeTime, *, takes: bool = True) -> None:
        self.time = time
        self.handler: Handler | None = None
        ways = Ways(
            api=lambda _: self._api(site),
            store=lambda: Store.opened(folder / "store.db", time),
            endpoint=lambda _, handler: self._endpoint(handler),
        )
        rng = random.Random(1)
        self.platform = AbstractPlayPlatform(bodies.OURS, "site", ways, SWEEP_S, time, rng)
        self.daemon = Daemon(self.platform, takes=takes)

    @asynccontextmanager
    async def _api(self, site: Site) -> AsyncIterator[Site]:
        yield site

    @asynccontextmanager
    async def _endpoint(self, handler: Handler) -> AsyncIterator[None]:
        self.handler = handler
        yield

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Bench"]:
        running = asyncio.create_task(self.platform.run(self.daemon))
        try:
            await self.until_swept()
            yield self
        finally:
            running.cancel()
            await asyncio.wait({running})

    async def until_swept(self) -> None:
        await eventually(lambda: self.time.sleepers > 0)

    async def notice(self, **changes: object) -> None:
        assert self.handler is not None
        await self.handler.notice(MoveNotice.model_validate(bodies.notice(gameid=GAME, **changes)))

    async def challenge(self, **changes: object) -> bool:
        assert self.handler is not None
        return await self.handler.challenge(Challenge.model_validate(bodies.challenge(**changes)))


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@asynccontextmanager
async def playing(
    site: Site, folder: Path, time: FakeTime, *, takes: bool = True
) -> AsyncIterator[Bench]:
    async with Bench(site, folder, time, takes=takes).running() as bench:
        yield bench


async def test_the_start_finds_the_games_that_run(tmp_path: Path, time: FakeTime) -> None:
    site = Site(**{GAME: bodies.record()})
    async with playing(site, tmp_path, time) as bench:
        (connected,) = bench.daemon.of(Connected)
        assert isinstance(connected, Connected)
        assert (connected.name, connected.running) == ("Bot", frozenset({GAME}))
        (facts,) = bench.daemon.games
        assert (facts.ply, facts.our_turn) == (3, True)


async def test_a_notice_is_on_the_disk_and_the_game_is_read(tmp_path: Path, time: FakeTime) -> None:
    site = Site()
    async with playing(site, tmp_path, time) as bench:
        site.games_there[GAME] = bodies.record()
        site.hidden.add(GAME)
        await bench.notice()
        await eventually(lambda: bool(bench.daemon.games))
    async with playing(site, tmp_path, time) as again:
        assert {facts.game_id for facts in again.daemon.games} == {GAME}


async def test_a_store_that_cannot_be_written_is_told_until_it_can(
    tmp_path: Path, time: FakeTime
) -> None:
    async with playing(Site(), tmp_path, time) as bench:
        assert not bench.platform.problems
        with locked(tmp_path / "store.db"), pytest.raises(HostError):
            await bench.notice()
        (problem,) = bench.platform.problems
        assert problem.startswith("store of Abstract Play: cannot be written")
        await bench.notice()
        assert not bench.platform.problems


async def test_what_was_told_before_a_restart_is_read_until_it_shows(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record(("3-2", "pass"), toMove="0")})
    async with playing(site, tmp_path, time) as bench:
        await bench.notice()
    async with playing(site, tmp_path, time) as again:
        await eventually(lambda: len(again.daemon.games) == 2)  # the sweep, and what was told
        site.games_there[GAME] = bodies.record()
        await time.advance(1)
        await eventually(lambda: again.daemon.games[-1].our_turn)


async def test_the_sweep_finds_a_turn_of_which_nobody_told(tmp_path: Path, time: FakeTime) -> None:
    site = Site(**{GAME: bodies.record(("3-2", "pass"), toMove="0")})
    async with playing(site, tmp_path, time) as bench:
        site.games_there[GAME] = bodies.record()
        await time.advance(SWEEP_S)
        await eventually(lambda: len(bench.daemon.games) == 2)
        assert bench.daemon.games[-1].our_turn


async def test_a_game_in_which_nothing_happened_is_not_read_again(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record(("3-2", "pass"), toMove="0")})
    async with playing(site, tmp_path, time):
        for _ in range(3):
            await time.advance(SWEEP_S)
        assert site.reads == [GAME]


async def test_a_sweep_waits_for_a_pause_and_goes_on(tmp_path: Path, time: FakeTime) -> None:
    """All the games after the first would fail in the pause, too, sweep after sweep."""
    site = Site(**{GAME: bodies.record()})
    site.pauses = [5.0]
    async with playing(site, tmp_path, time) as bench:
        assert bench.daemon.games == []
        await time.advance(5)
        await eventually(lambda: len(bench.daemon.games) == 1)


async def test_the_end_of_a_game_is_found_and_it_is_not_asked_for_any_more(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record()})
    async with playing(site, tmp_path, time) as bench:
        site.games_there[GAME] = bodies.finished(THREE, [1], "timeout")
        await time.advance(SWEEP_S)
        await eventually(lambda: bench.daemon.games[-1].outcome is not None)
        await bench.until_swept()
        reads = len(site.reads)
        for _ in range(3):
            await time.advance(SWEEP_S)
        assert len(site.reads) == reads


async def test_a_game_that_is_over_can_be_read_after_a_restart(
    tmp_path: Path, time: FakeTime
) -> None:
    """The daemon may have died before it had written the record."""
    site = Site(**{GAME: bodies.record()})
    async with playing(site, tmp_path, time) as bench:
        site.games_there[GAME] = bodies.finished(THREE, [1], "resign")
        await time.advance(SWEEP_S)
        await eventually(lambda: bench.daemon.games[-1].outcome is not None)
    async with playing(site, tmp_path, time) as again:
        assert again.daemon.games == []
        await again.platform.watch(GAME)
        assert again.daemon.games[-1].outcome is not None


async def test_a_game_that_is_gone_is_asked_for_no_more_until_it_is_listed_again(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record()})
    async with playing(site, tmp_path, time) as bench:
        there = site.games_there.pop(GAME)
        await time.advance(SWEEP_S)
        await eventually(lambda: len(site.reads) == 2)
        for _ in range(3):
            await bench.until_swept()
            await time.advance(SWEEP_S)
        assert len(site.reads) == 2
        assert bench.daemon.of(GameLost) == [GameLost(GAME)]
        site.games_there[GAME] = there
        await bench.until_swept()
    async with playing(site, tmp_path, time) as again:
        assert [facts.game_id for facts in again.daemon.games] == [GAME]


async def test_a_site_that_is_down_is_a_connection_that_is_lost(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site()
    async with playing(site, tmp_path, time) as bench:
        site.is_down = True
        await time.advance(SWEEP_S)
        await eventually(lambda: bool(bench.daemon.of(Disconnected)))
        site.is_down = False
        await bench.until_swept()
        await time.advance(SWEEP_S)
        await eventually(lambda: len(bench.daemon.of(Connected)) == 2)


async def test_a_site_that_is_down_from_the_start_is_told_with_why(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site()
    site.is_down = True
    async with playing(site, tmp_path, time) as bench:
        await eventually(lambda: bool(bench.daemon.of(Disconnected)))
        assert bench.daemon.of(Disconnected)[0] == Disconnected("the site is down")
        assert bench.platform.last_heard is None


async def test_a_game_that_cannot_be_understood_is_told_as_unread(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record(variants=["size-99"])})
    async with playing(site, tmp_path, time) as bench:
        await eventually(lambda: bool(bench.daemon.of(GameUnread)))
        (unread,) = bench.daemon.of(GameUnread)
        assert isinstance(unread, GameUnread)
        assert unread.game_id == GAME
        assert "size-99" in unread.why
        assert unread.unplayable


async def test_a_game_that_we_do_not_play_is_read_as_seldom_as_one_in_which_nothing_happens(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record(variants=["size-99"])})
    async with playing(site, tmp_path, time) as bench:
        for _ in range(ALL_EVERY - 1):
            await time.advance(SWEEP_S)
            await bench.until_swept()
        assert len(site.reads) == 1
        await time.advance(SWEEP_S)
        await eventually(lambda: len(bench.daemon.of(GameUnread)) == 2)
        assert len(site.reads) == 2
        site.games_there[GAME]["numMoves"] = 4
        await time.advance(SWEEP_S)
        await eventually(lambda: len(site.reads) == 3)


async def test_a_game_that_we_do_not_play_is_looked_for_until_it_is_over(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record(variants=["size-99"])})
    async with playing(site, tmp_path, time):
        pass
    site.games_there[GAME] = bodies.finished(THREE, [1], "timeout", variants=["size-99"])
    async with playing(site, tmp_path, time) as again:
        assert again.daemon.of(GameLost) == [GameLost(GAME)]
        assert again.daemon.of(GameUnread) == []
    async with playing(site, tmp_path, time) as at_last:
        assert at_last.daemon.of(GameLost) == []


async def test_a_wrong_secret_at_the_start_is_the_platforms_last_word(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site()
    site.refusal = RefusedByServer("invalid_client", "the platform gives this client no token")
    bench = Bench(site, tmp_path, time)
    with pytest.raises(ExceptionGroup) as failure:
        await bench.platform.run(bench.daemon)
    assert failure.value.subgroup(RefusedByServer) is not None


async def test_a_secret_that_holds_no_more_is_tried_again_and_no_game_is_taken_meanwhile(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site()
    async with playing(site, tmp_path, time) as bench:
        site.refusal = RefusedByServer("invalid_client", "the platform gives this client no token")
        await time.advance(SWEEP_S)
        await eventually(lambda: bool(bench.daemon.of(Disconnected)))
        await bench.until_swept()
        assert not await bench.challenge()
        site.refusal = None
        await time.advance(SWEEP_S)
        await eventually(lambda: len(bench.daemon.of(Connected)) == 2)


async def test_a_turn_that_is_played_is_told_at_once(tmp_path: Path, time: FakeTime) -> None:
    site = Site(**{GAME: bodies.record()})
    after = game_answer(bodies.asked(bodies.record((*THREE, "1-1"), toMove="0")))
    site.answers = [Conclusion(Verdict.PLAYED, record=after)]
    async with playing(site, tmp_path, time) as bench:
        await bench.platform.submit(GAME, 3, "1-1", NO_INFO)
        assert site.moves == [(GAME, "1-1")]
        assert bench.daemon.games[-1].ply == 4


async def test_a_read_that_is_older_than_what_is_known_is_told_to_nobody(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site(**{GAME: bodies.record()})
    after = game_answer(bodies.asked(bodies.record((*THREE, "1-1"), toMove="0")))
    site.answers = [Conclusion(Verdict.PLAYED, record=after)]
    async with playing(site, tmp_path, time) as bench:
        await bench.platform.submit(GAME, 3, "1-1", NO_INFO)
        await bench.platform.watch(GAME)  # still shows three plies
        assert [facts.ply for facts in bench.daemon.games] == [3, 4]
        with pytest.raises(PeerError, match="outdated"):
            await bench.platform.submit(GAME, 3, "1-1", NO_INFO)
        assert len(site.moves) == 1


async def test_a_game_that_stays_shorter_than_it_was_is_told_as_it_is(
    tmp_path: Path, time: FakeTime
) -> None:
    """The platform locks nothing: a turn that it has shown may be undone by another write."""
    site = Site(**{GAME: bodies.record()})
    after = game_answer(bodies.asked(bodies.record((*THREE, "1-1"), toMove="0")))
    site.answers = [Conclusion(Verdict.PLAYED, record=after)] * 2
    async with playing(site, tmp_path, time) as bench:
        await bench.platform.submit(GAME, 3, "1-1", NO_INFO)
        for _ in range(2):
            await time.advance(SWEEP_S)
            await bench.until_swept()
        await eventually(lambda: len(bench.daemon.games) == 3)
        assert [facts.ply for facts in bench.daemon.games] == [3, 4, 3]
        assert bench.daemon.games[-1].our_turn
        await bench.platform.submit(GAME, 3, "1-1", NO_INFO)
        assert len(site.moves) == 2


async def test_resigning_is_a_move(tmp_path: Path, time: FakeTime) -> None:
    site = Site(**{GAME: bodies.record()})
    over = game_answer(bodies.asked(bodies.finished(THREE, [1], "resign")))
    site.answers = [Conclusion(Verdict.PLAYED, record=over)]
    async with playing(site, tmp_path, time) as bench:
        await bench.platform.resign(GAME)
        outcome = bench.daemon.games[-1].outcome
        assert site.moves == [(GAME, "resign")]
        assert outcome is not None
        assert (outcome.winner, outcome.reason) == (1, "resignation")


@pytest.mark.parametrize("takes", [True, False])
async def test_the_daemon_decides_about_challenges(
    tmp_path: Path, time: FakeTime, takes: bool
) -> None:
    async with playing(Site(), tmp_path, time, takes=takes) as bench:
        assert await bench.challenge() == takes


@pytest.mark.parametrize(
    "changes",
    [{"metaGame": "chess"}, {"variants": ["size-9"]}, {"challengers": ["a", "b"]}],
)
async def test_what_we_do_not_play_is_declined_without_asking(
    tmp_path: Path, time: FakeTime, changes: dict[str, object]
) -> None:
    async with playing(Site(), tmp_path, time) as bench:
        assert not await bench.challenge(**changes)
        assert bench.daemon.of(ChallengeOffered) == []


async def test_a_challenge_becomes_a_game(tmp_path: Path, time: FakeTime) -> None:
    site = Site()
    async with playing(site, tmp_path, time) as bench:
        assert await bench.challenge()
        site.games_there[GAME] = bodies.record((), toMove="0")
        await time.advance(SWEEP_S)
        await eventually(lambda: bool(bench.daemon.games))
        (gone,) = bench.daemon.of(ChallengeGone)
        assert isinstance(gone, ChallengeGone)
        assert (gone.state, gone.game_id) == ("started", GAME)
        assert bench.daemon.of(GameChanged)


async def test_a_challenge_of_which_nothing_comes_is_given_up(
    tmp_path: Path, time: FakeTime
) -> None:
    async with playing(Site(), tmp_path, time) as bench:
        assert await bench.challenge()
        for _ in range(3):
            await time.advance(SWEEP_S)
            await bench.until_swept()
        (gone,) = bench.daemon.of(ChallengeGone)
        assert isinstance(gone, ChallengeGone)
        assert gone.state == "expired"


async def test_a_platform_that_does_not_run_answers_nothing(tmp_path: Path, time: FakeTime) -> None:
    platform = Bench(Site(), tmp_path, time).platform
    with pytest.raises(NoAnswer):
        await platform.submit(GAME, 3, "1-1", NO_INFO)
