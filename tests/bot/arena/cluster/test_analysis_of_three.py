"""Analysis in an arena of three processes: the queue is in one of them."""

from pathlib import Path

import pytest

from bot import wire
from bot.arena.analysis.analysis_store import admit
from bot.arena.players.accounts import issue_token
from bot.arena.settings import Place
from tests.bot.arena.analysis.test_analysis import job_of, report, start
from tests.bot.arena.cluster.three import three
from tests.bot.arena.table import begin
from tests.fakes.postgres import Postgres

pytestmark = pytest.mark.xdist_group("postgres")


async def test_visitors_and_workers_of_different_processes_meet(
    postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.create()
    async with three(tmp_path, url) as arena:
        place = Place(tmp_path / "process-0", url)
        token = await issue_token(place, "Analyst")
        await admit(place, "Analyst")
        worker = await arena.player(1, token=token)
        assert (await worker.do("analysis.take", engine="Fake")).job is None
        anna, ben = await arena.player(2, name="Anna"), await arena.player(0, name="Ben")
        await start(anna, "2-1", request="of-anna")
        await start(ben, "2-1", "2-4,2-7", request="of-ben")
        for _ in range(2):
            await report(worker, await job_of(worker), "done")
        for client, request in ((anna, "of-anna"), (ben, "of-ben")):
            done = await client.wait_for(wire.AnalysisState, lambda each: each.state == "done")
            assert (done.request, done.engine) == (request, "Fake")
        # A running game is known to the hall, whichever process plays it.
        await begin(anna, ben)
        fields = {"request": "r2", "setup": {"board": "pent-3"}, "turns": []}
        assert await anna.refused("analysis.start", **fields) == "in_game"
        # A hint is counted by the process that plays the game, which compares the setup.
        bot = await arena.player(2, token=await issue_token(place, "Basalt"))
        with_bot = await begin(anna, bot, board="pent-4")
        hint = {"request": "h1", "turns": [], "hint": with_bot}
        await anna.wait_for(  # until the hall has heard of the game
            wire.Lobby, lambda lobby: with_bot in [game.game_id for game in lobby.games]
        )
        for setup in ({"board": "pent-5"}, {"board": "pent-4", "rules": "abstractplay"}):
            assert await anna.refused("analysis.start", setup=setup, **hint) == "in_game"
        await anna.do("analysis.start", setup={"board": "pent-4"}, **hint)
        await bot.game(with_bot, lambda state: state.hints == 1)
        position = await anna.do("analysis.position", setup={"board": "pent-3"}, turns=["2-1"])
        assert position.position.ply == 1
