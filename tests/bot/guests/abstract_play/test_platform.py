"""The platform as the daemon sees it: notices, turns and challenges, over a fake site."""

from dataclasses import astuple
from pathlib import Path

import pytest

from bot.errors import HostError, PeerError, RefusedByServer
from bot.guests.abstract_play.answers import Conclusion, Verdict
from bot.guests.abstract_play.connection import UNANSWERED_S
from bot.guests.abstract_play.messages import game_answer
from bot.guests.abstract_play.stages import PUBLISHED_KEY, STAGES, Stage
from bot.platforms.base import (
    ChallengeGone,
    ChallengeOffered,
    Connected,
    Disconnected,
    GameChanged,
    NoAnswer,
    TurnInfo,
)
from tests.bot.guests.abstract_play import bodies
from tests.bot.guests.abstract_play.bench import GAME, SWEEP_S, THREE, Bench, Site, playing
from tests.fakes.locked import locked
from tests.fakes.time import FakeTime
from tests.fakes.waiting import eventually


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES.keys())
def test_every_address_is_an_encrypted_one(stage: Stage) -> None:
    assert all(url.startswith("https://") for url in (stage.token_url, stage.base, stage.key_url))
    assert stage.base.endswith("/")


def test_the_stages_share_nothing() -> None:
    development, production = STAGES["development"], STAGES["production"]
    assert not {*astuple(development)} & {*astuple(production)}


def test_the_key_is_the_one_that_is_published_now() -> None:
    kind, key = PUBLISHED_KEY.split()
    assert kind == "ssh-ed25519"
    assert key.endswith("NkILE")  # that of older notes ends with lzLm


NO_INFO = TurnInfo()


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


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


async def test_an_unwritable_store_is_reported_until_it_recovers(
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


async def test_notices_from_before_a_restart_are_read_until_the_game_shows_them(
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


async def test_a_wrong_secret_at_the_start_is_the_platforms_last_word(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site()
    site.refusal = RefusedByServer("invalid_client", "the platform issues no token")
    bench = Bench(site, tmp_path, time)
    with pytest.raises(RefusedByServer, match="invalid_client"):
        await bench.platform.run(bench.daemon)


async def test_an_invalid_secret_is_retried_and_no_game_is_accepted_until_it_works(
    tmp_path: Path, time: FakeTime
) -> None:
    site = Site()
    async with playing(site, tmp_path, time) as bench:
        site.refusal = RefusedByServer("invalid_client", "the platform issues no token")
        await time.advance(SWEEP_S)
        await eventually(lambda: bool(bench.daemon.of(Disconnected)))
        await bench.until_swept()
        assert not await bench.challenge()
        site.refusal = None
        await time.advance(SWEEP_S)
        await eventually(lambda: len(bench.daemon.of(Connected)) >= 2)


async def test_a_site_that_fails_for_minutes_costs_no_challenge(
    tmp_path: Path, time: FakeTime
) -> None:
    """Also not right after the start, when nothing was answered yet."""
    site = Site()
    site.is_down = True
    async with playing(site, tmp_path, time) as bench:
        await eventually(lambda: bool(bench.daemon.of(Disconnected)))
        assert await bench.challenge()
        await time.advance(UNANSWERED_S - 1)
        assert await bench.challenge()
        await time.advance(1)
        assert not await bench.challenge()
        assert not bench.daemon.of(Connected)
        site.is_down = False
        await time.advance(SWEEP_S)
        await eventually(lambda: bool(bench.daemon.of(Connected)))
        assert await bench.challenge()


async def test_time_without_requests_declines_no_challenge(tmp_path: Path, time: FakeTime) -> None:
    async with playing(Site(), tmp_path, time) as bench:
        time.lapse(2 * UNANSWERED_S)
        assert await bench.challenge()


async def test_a_played_turn_is_reported_at_once(tmp_path: Path, time: FakeTime) -> None:
    site = Site(**{GAME: bodies.record()})
    after = game_answer(bodies.asked(bodies.record((*THREE, "1-1"), toMove="0")))
    site.answers = [Conclusion(Verdict.PLAYED, record=after)]
    async with playing(site, tmp_path, time) as bench:
        await bench.platform.submit(GAME, 3, "1-1", NO_INFO)
        assert site.moves == [(GAME, "1-1")]
        assert bench.daemon.games[-1].ply == 4


async def test_a_read_older_than_the_known_state_is_dropped(tmp_path: Path, time: FakeTime) -> None:
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


async def test_a_game_that_stays_shorter_is_reported_as_it_is(
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
async def test_unplayable_challenges_are_declined_without_asking(
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
