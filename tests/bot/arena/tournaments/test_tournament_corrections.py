"""After the last game a host can correct results until the tournament is closed."""

from pathlib import Path

import pytest

from tests.bot.arena.hall import Hall, games, hall
from tests.fakes.time import FakeTime

REVIEW_S = 600


async def play_all(h: Hall) -> int:
    """A knockout of two, until its only game is played; the number of that game."""
    await h.create(format={"kind": "knockout"}, players=["one", "two"], review_s=REVIEW_S)
    await h.enter("one", "two")
    await h.do("start")
    [game] = games(await h.until(lambda s: len(games(s, "playing")) == 1))
    await h.resign(game, seat=1)
    return game.number


async def test_the_last_round_can_be_corrected_until_the_host_closes_the_tournament(
    tmp_path: Path,
) -> None:
    async with hall(tmp_path, ("one", "two")) as h:
        number = await play_all(h)
        played = await h.until(lambda s: s.state == "played")
        assert played.final_at is not None
        before = played.standings[0].player
        [game] = games(played)
        winner = 3 - (game.winner or 0)
        await h.do("replace", game=number, winner=winner, why="A power cut.")
        after = await h.until(lambda s: s.standings[0].player != before)
        assert after.state == "played"
        await h.do("end", why="Closed.")
        over = await h.until(lambda s: s.state == "over")
        assert over.why == f"{game.seats[winner - 1]} has won"
        assert await h.refused("replace", game=number, winner=1, why="Too late.") == "not_now"


async def test_a_correction_that_leaves_a_tie_has_the_match_played_on(tmp_path: Path) -> None:
    async with hall(tmp_path, ("one", "two")) as h:
        number = await play_all(h)
        await h.until(lambda s: s.state == "played")
        await h.do("replace", game=number, winner=None, why="A power cut.")
        state = await h.until(lambda s: len(games(s, "playing")) == 1)
    assert (state.state, state.final_at) == ("running", None)


async def test_a_tournament_is_over_after_the_time_for_corrections_even_without_its_host(
    tmp_path: Path,
) -> None:
    time = FakeTime()
    async with hall(tmp_path, ("one", "two"), time) as h:
        await play_all(h)
        await h.until(lambda s: s.state == "played")
        await time.advance(REVIEW_S - 5)
        assert (await h.watch(h.host)).state == "played"
        await time.advance(10)
        await h.until(lambda s: s.state == "over")


@pytest.mark.parametrize("bots", [["ONE"], []])
async def test_only_the_bots_that_the_host_has_chosen_enter(
    tmp_path: Path, bots: list[str]
) -> None:
    async with hall(tmp_path, ("one", "two")) as h:
        await h.create(bots=bots, admits="both")
        if bots:
            await h.enter("one")
        assert await h.refused("enter", h.bots["two"]) == "not_admitted"
