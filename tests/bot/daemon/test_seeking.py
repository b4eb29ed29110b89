"""Games that an identity seeks: how often, with whom, and which count when it is begun again."""

from bot.daemon.settings import SeekSettings
from bot.errors import PeerError
from bot.platforms.base import ChallengeGone, Connected, GameChanged, NotNow
from tests.bot.daemon.desk import SOUGHT, Desk, challenge
from tests.fakes.platform import facts
from tests.fakes.waiting import eventually


async def test_seeking_alternates_seats_and_stops_after_its_games(desk: Desk) -> None:
    seek = SeekSettings(opponent="Basalt", games=2, board="pent-4")
    async with desk.open(seek):
        for number in (1, 2):
            _, _, opponent, seat = await desk.until("offer", number)
            assert (opponent, seat) == ("Basalt", number)
            await desk.tell(ChallengeGone(f"offer-{number}", "started", f"g{number}"))
            await desk.tell(GameChanged(facts(game_id=f"g{number}")))
            assert len(desk.platform.named("offer")) == number, "one after the other"
            await desk.game_over(f"g{number}")
        await desk.time.advance(3600)
    assert len(desk.platform.named("offer")) == 2


async def test_an_opponent_who_declines_is_asked_again_with_backoff(desk: Desk) -> None:
    async with desk.open(SeekSettings(opponent="Basalt", games=1)):
        waits = []
        for number in range(1, 6):
            await desk.until("offer", number)
            await desk.tell(ChallengeGone(f"offer-{number}", "declined", code="draining"))
            await eventually(lambda: desk.time.sleepers > 0)
            began = desk.time.monotonic()
            while len(desk.platform.named("offer")) == number:
                await desk.time.advance(0.5)
            waits.append(desk.time.monotonic() - began)
    assert waits == sorted(waits)
    assert waits[-1] > 4 * waits[0]


async def seeks(desk: Desk, why: str | None) -> None:
    await eventually(lambda: desk.identity.status.seeking == why)


async def test_the_status_says_what_a_seeking_bot_waits_for(desk: Desk) -> None:
    desk.platform.failures = [NotNow("nobody", "no bot is there", 60), NotNow("nobody", "still", 5)]
    async with desk.open(SeekSettings(opponent="Basalt")):
        for number, why in enumerate(("no bot is there", "still"), start=1):
            await desk.until("offer", number)
            await seeks(desk, why)
            await desk.time.advance(60)
        await desk.until("offer", 3)
        await seeks(desk, None)


async def test_draining_withdraws_offers_and_stops_seeking(desk: Desk) -> None:
    async with desk.open(SeekSettings(opponent="Basalt")):
        await desk.until("offer")
        await eventually(lambda: bool(desk.identity.status.connected))
        await desk.time.settle()
        desk.identity.drain()
        assert await desk.until("withdraw") == ("withdraw", "offer-1")
        await desk.tell(ChallengeGone("offer-1", "cancelled"))
        await desk.time.advance(3600)
        await desk.identity.until_drained()
    assert len(desk.platform.named("offer")) == 1


# ---- begun again -------------------------------------------------------------------------------


def welcome(*running: str, own: frozenset[str] = frozenset()) -> Connected:
    return Connected("Granite", "fake", frozenset(running), own, own)


async def sought_games(desk: Desk, *game_ids: str) -> None:
    for number, game_id in enumerate(game_ids, 1):
        await desk.until("offer", number)
        await desk.tell(ChallengeGone(f"offer-{number}", "started", game_id))
        await desk.tell(GameChanged(facts(game_id=game_id)))


async def test_running_games_count_for_a_restarted_seeker(desk: Desk) -> None:
    async with desk.open(SOUGHT):
        await sought_games(desk, "g1", "g2")
        await desk.end()
        await desk.begin(welcome("g1", "g2"))
        await desk.time.advance(3600)
        for game_id in ("g1", "g2"):
            await desk.tell(GameChanged(facts(game_id=game_id), resync=True))
        await desk.time.advance(3600)
        assert len(desk.platform.named("offer")) == 2, "both games are running still"
        await desk.game_over("g1")
        await desk.until("offer", 3)
        await desk.game_over("g2")
        await desk.time.advance(3600)
    assert len(desk.platform.named("offer")) == 3, "three games were wanted"


async def test_games_of_another_kind_do_not_count(desk: Desk) -> None:
    async with desk.open(SOUGHT.model_copy(update={"opponent": "Basalt"})):
        await desk.end()
        await desk.begin(welcome("g1"))
        await desk.tell(GameChanged(facts(game_id="g1"), resync=True))
        await desk.until("offer", 2)


async def test_games_requested_by_others_do_not_count(desk: Desk) -> None:
    async with desk.open(SOUGHT.model_copy(update={"at_once": 1, "games": 2})):
        await desk.until("offer")
        await desk.tell(challenge("c1"))
        await desk.until("accept")
        await desk.tell(ChallengeGone("c1", "started", "g1"))
        await desk.tell(GameChanged(facts(game_id="g1")))
        await desk.tell(ChallengeGone("offer-1", "declined"))
        await eventually(lambda: desk.time.sleepers > 0)
        await desk.time.advance(3)
        await desk.until("offer", 2)


async def test_an_offer_that_was_forgotten_is_taken_back_before_another_is_made(
    desk: Desk,
) -> None:
    async with desk.open(SOUGHT.model_copy(update={"at_once": 1})):
        await desk.until("offer")
        await desk.end()
        await desk.begin(welcome(own=frozenset({"offer-1"})))
        assert await desk.until("withdraw") == ("withdraw", "offer-1")
        await desk.time.advance(3600)
        assert len(desk.platform.named("offer")) == 1
        await desk.tell(ChallengeGone("offer-1", "cancelled"))
        await desk.until("offer", 2)


async def test_a_forgotten_offer_that_became_a_game_is_followed(desk: Desk) -> None:
    desk.platform.failures = []
    async with desk.open(SOUGHT.model_copy(update={"at_once": 1})):
        await desk.until("offer")
        await desk.end()
        desk.platform.failures = [PeerError("unknown_challenge", "no open challenge with that id")]
        await desk.begin(welcome("g1", own=frozenset({"offer-1"})))
        await desk.until("withdraw")
        await desk.tell(GameChanged(facts(game_id="g1"), resync=True))
        await desk.time.advance(3600)
        assert len(desk.platform.named("offer")) == 1
        await desk.game_over("g1")
        await desk.until("offer", 2)
