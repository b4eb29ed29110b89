"""Resigning, aborting, and agreeing on a draw."""

from pathlib import Path

from bot import wire
from tests.bot.arena.table import Table, table


async def play_two(t: Table) -> None:
    await t.play(0, "0-0")
    await t.play(1, "2-0,2-2")


async def act(t: Table, client: object, action: str) -> wire.GameState:
    done: wire.GameDone = await client.do(  # type: ignore[attr-defined]
        "game.action", game_id=t.game_id, action=action
    )
    return done.game


async def test_a_player_who_resigns_loses(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await play_two(t)
        await act(t, t.one, "resign")
        state = await t.both_see(lambda state: state.state == "finished")
    assert state.result == wire.Result(winner=2, reason="resignation", message="Anna resigned.")


async def test_a_game_can_be_aborted_until_both_have_played(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await t.play(0, "0-0")
        await act(t, t.two, "abort")
        state = await t.both_see(lambda state: state.state == "finished")
    assert state.result is not None
    assert (state.result.winner, state.result.reason) == (None, "aborted")


async def test_a_game_in_which_both_have_played_cannot_be_aborted(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await play_two(t)
        code = await t.one.refused("game.action", game_id=t.game_id, action="abort")
    assert code == "too_late"


async def test_a_draw_is_offered_and_accepted(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await play_two(t)
        await act(t, t.one, "offer_draw")
        await t.two.game(t.game_id, lambda state: state.draw_offer == 1)
        await act(t, t.two, "accept_draw")
        state = await t.both_see(lambda state: state.state == "finished")
    assert state.result is not None
    assert (state.result.winner, state.result.reason) == (None, "draw_agreement")


async def test_a_draw_offer_lasts_while_its_maker_plays_and_ends_when_the_opponent_plays(
    tmp_path: Path,
) -> None:
    async with table(tmp_path) as t:
        await play_two(t)
        await act(t, t.one, "offer_draw")
        await t.play(2, "2-4,2-6")
        state = await t.two.game(t.game_id, lambda state: len(state.turns) >= 3)
        assert state.draw_offer == 1
        await t.play(3, "pass")
        state = await t.two.game(t.game_id, lambda state: len(state.turns) >= 4)
        assert state.draw_offer is None
        code = await t.two.refused("game.action", game_id=t.game_id, action="accept_draw")
    assert code == "no_draw_offer"


async def test_a_declined_offer_is_gone_and_not_repeated_at_once(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await play_two(t)
        await act(t, t.one, "offer_draw")
        state = await act(t, t.two, "decline_draw")
        assert state.draw_offer is None
        code = await t.one.refused("game.action", game_id=t.game_id, action="offer_draw")
    assert code == "too_soon"


async def test_two_offers_are_an_agreement(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await play_two(t)
        await act(t, t.one, "offer_draw")
        state = await act(t, t.two, "offer_draw")
    assert state.result is not None
    assert state.result.reason == "draw_agreement"


async def test_after_the_end_nothing_can_be_done(tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await act(t, t.one, "resign")
        assert await t.two.refused("game.action", game_id=t.game_id, action="resign") == "game_over"
        code = await t.one.refused("game.turn", game_id=t.game_id, ply=0, turn="0-0")
    assert code == "game_over"
