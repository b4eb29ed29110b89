"""Analysis on a real arena: visitors, a worker that the test plays, and finished games."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from bot import wire
from bot.arena.analysis.analysis_store import admit
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from bot.errors import ConfigurationError
from tests.bot.arena.table import begin
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.waiting import answered

SETUP = {"game": "bluestone", "board": "pent-3"}
LINE = {"turn": "2-4,2-7", "value": 0.7, "visits": 9, "pv": ["2-4,2-7"]}


class Arena:
    """An arena with a worker, and visitors that come to it."""

    def __init__(self, url: str, folder: Path, stack: AsyncExitStack) -> None:
        self.url, self.folder, self._stack = url, folder, stack

    async def visitor(self, name: str) -> ArenaClient:
        return await self._stack.enter_async_context(connected(self.url, name=name))

    async def bot(self, name: str) -> ArenaClient:
        token = await issue_token(self.folder, name)
        return await self._stack.enter_async_context(connected(self.url, token=token))

    async def worker(self, name: str = "Analyst") -> ArenaClient:
        token = await issue_token(self.folder, name)
        await admit(self.folder, name)
        client = await self._stack.enter_async_context(connected(self.url, token=token))
        assert (await client.do("analysis.take", engine="Fake")).job is None
        return client


@pytest.fixture
async def arena(tmp_path: Path) -> AsyncIterator[Arena]:
    async with AsyncExitStack() as stack:
        settings = ArenaSettings(port=0, data=tmp_path)
        url = await stack.enter_async_context(running_arena(settings))
        yield Arena(url, tmp_path, stack)


async def start(visitor: ArenaClient, *turns: str, request: str = "r1", **more: Any) -> Any:
    fields = {"request": request, "setup": SETUP, "turns": list(turns), **more}
    return (await visitor.do("analysis.start", **fields)).analysis


async def job_of(worker: ArenaClient) -> wire.AnalysisJob:
    for _ in range(5):
        if (job := (await worker.do("analysis.take", engine="Fake")).job) is not None:
            found: wire.AnalysisJob = job
            return found
    raise AssertionError("no job came")


async def report(worker: ArenaClient, job: wire.AnalysisJob, state: str, **line: Any) -> bool:
    lines = [{**LINE, **line}] if state != "failed" else []
    done = await worker.do("analysis.report", job_id=job.job_id, state=state, visits=9, lines=lines)
    wanted: bool = done.wanted
    return wanted


async def test_a_position_goes_through_the_queue_to_a_worker_and_back(arena: Arena) -> None:
    worker, visitor = await arena.worker(), await arena.visitor("Anna")
    queued = await start(visitor, "2-1")
    assert (queued.state, queued.place) == ("queued", 1)
    job = await job_of(worker)
    assert (job.turns, job.setup.board, job.setup.rules) == (["2-1"], "pent-3", "official")
    assert await report(worker, job, "working")
    await report(worker, job, "done")
    done = await visitor.wait_for(wire.AnalysisState, lambda each: each.state == "done")
    assert (done.request, done.value, done.engine) == ("r1", 0.7, "Fake")


async def test_a_worker_is_no_player_of_the_lobby(arena: Arena) -> None:
    await arena.worker()
    visitor = await arena.visitor("Anna")
    lobby = await visitor.wait_for(wire.Lobby, lambda each: bool(each.players))
    assert [player.name for player in lobby.players] == ["Anna"]


async def test_a_visitor_who_disconnects_ends_the_search(arena: Arena) -> None:
    worker, visitor = await arena.worker(), await arena.visitor("Anna")
    await start(visitor, "2-1")
    job = await job_of(worker)
    await visitor.close()
    await answered(lambda: report(worker, job, "working"), lambda taken: not taken)
    assert (await worker.do("analysis.take")).job is None


async def test_a_worker_that_disconnects_gives_its_job_to_another_one(arena: Arena) -> None:
    worker, visitor = await arena.worker(), await arena.visitor("Anna")
    second = await arena.worker("Second")
    await start(visitor, "2-1")
    await job_of(worker)
    await worker.close()
    job = await job_of(second)
    await report(second, job, "done")
    await visitor.wait_for(wire.AnalysisState, lambda each: each.state == "done")


async def test_only_admitted_accounts_may_work(arena: Arena) -> None:
    visitor = await arena.visitor("Anna")
    assert await visitor.refused("analysis.take") == "not_an_analyst"
    assert await visitor.refused("analysis.report", job_id="x", state="done") == "not_an_analyst"
    with pytest.raises(ConfigurationError, match="is not a bot"):
        await admit(arena.folder, "Anna")
    with pytest.raises(ConfigurationError, match="no player called Nobody"):
        await admit(arena.folder, "Nobody")


async def test_without_a_worker_a_visitor_is_told_so(arena: Arena) -> None:
    visitor = await arena.visitor("Anna")
    fields = {"request": "r1", "setup": SETUP, "turns": []}
    assert await visitor.refused("analysis.start", **fields) == "no_analyst"


async def test_nobody_gets_help_in_a_running_game(arena: Arena) -> None:
    await arena.worker()
    anna, ben = await arena.visitor("Anna"), await arena.visitor("Ben")
    game_id = await begin(anna, ben)
    fields = {"request": "r1", "setup": SETUP, "turns": []}
    assert await anna.refused("analysis.start", **fields) == "in_game"
    other = {**fields, "setup": {"game": "bluestone", "board": "pent-4"}}
    assert (await anna.do("analysis.start", **other)).analysis.state == "queued"
    await anna.do("game.action", game_id=game_id, action="abort")
    assert (await start(anna, request="r2")).state == "queued"


async def test_positions_of_variations_need_no_game(arena: Arena) -> None:
    visitor = await arena.visitor("Anna")
    fields = {"setup": SETUP, "turns": ["2-1", "2-4,2-7"]}
    position = (await visitor.do("analysis.position", **fields)).position
    assert (position.ply, position.to_play, len(position.stones)) == (2, 1, 3)
    legal = (await visitor.do("analysis.legal", **fields, chosen=["2-5"])).legal
    assert "1-1" in legal.legal
    wrong = {"setup": SETUP, "turns": ["2-1", "2-1"]}
    assert await visitor.refused("analysis.position", **wrong) == "illegal_turn"
    unknown = {"setup": {"game": "chess"}, "turns": []}
    assert await visitor.refused("analysis.position", **unknown) == "unknown_game"
    long = {"setup": SETUP, "turns": ["pass"] * 601}
    assert await visitor.refused("analysis.position", **long) == "invalid"


async def finished_game(arena: Arena) -> tuple[ArenaClient, ArenaClient, str]:
    anna, ben = await arena.visitor("Anna"), await arena.visitor("Ben")
    game_id = await begin(anna, ben)
    for ply, turn in enumerate(["2-1", "2-4,2-7", "1-1,2-5"]):
        mover = ben if ply % 2 else anna
        await mover.do("game.turn", game_id=game_id, ply=ply, turn=turn)
    await anna.do("game.action", game_id=game_id, action="resign")
    return anna, ben, game_id


async def test_a_finished_game_is_analysed_once_stored_and_shown_to_all(arena: Arena) -> None:
    worker = await arena.worker()
    anna, ben, game_id = await finished_game(arena)
    assert (await anna.do("analysis.game", game_id=game_id)).analysis.state == "none"
    begun = (await anna.do("analysis.game", game_id=game_id, start=True)).analysis
    assert (begun.state, begun.total) == ("queued", 4)
    best = ["2-1", "2-9,2-2", "2-5,1-1", "2-8,2-0"]
    for _ in range(5):
        job = await job_of(worker)
        is_main = len(job.turns) < 4 and "2-9,2-2" not in job.turns
        turn, value = (best[len(job.turns)], 0.6) if is_main else ("2-4,2-7", 0.1)
        await report(worker, job, "done", turn=turn, value=value)
    done = await anna.wait_for(wire.GameAnalysis, lambda each: each.state == "done")
    assert [turn.loss for turn in done.turns] == [0, 0.5, 0]
    assert (done.turns[1].mark, done.turns[1].best, done.engine) == ("blunder", "2-9,2-2", "Fake")
    stored = (await ben.do("analysis.game", game_id=game_id, start=True)).analysis
    assert stored == done


async def test_only_finished_games_with_turns_are_analysed(arena: Arena) -> None:
    await arena.worker()
    anna, ben = await arena.visitor("Anna"), await arena.visitor("Ben")
    game_id = await begin(anna, ben)
    wanted = {"game_id": game_id, "start": True}
    assert await anna.refused("analysis.game", **wanted) == "unknown_game_id"
    assert await anna.refused("analysis.game", game_id="none", start=True) == "unknown_game_id"


async def test_an_engine_that_fails_again_and_again_ends_the_analysis_of_a_game(
    arena: Arena,
) -> None:
    worker = await arena.worker()
    anna, _, game_id = await finished_game(arena)
    await anna.do("analysis.game", game_id=game_id, start=True)
    for _ in range(3):
        await report(worker, await job_of(worker), "failed")
    failed = await anna.wait_for(wire.GameAnalysis, lambda each: each.state == "failed")
    assert failed.message
    assert (await anna.do("analysis.game", game_id=game_id)).analysis.state == "none"


async def test_a_hint_is_given_in_a_casual_game_against_a_bot_and_counted(arena: Arena) -> None:
    worker, anna = await arena.worker(), await arena.visitor("Anna")
    bot = await arena.bot("Basalt")
    game_id = await begin(anna, bot)
    turn = {"game_id": game_id, "ply": 0, "turn": "0-0"}
    refused = {"request": "h1", "setup": SETUP, "turns": ["0-0"], "hint": game_id}
    await anna.do("game.turn", **turn)
    assert await anna.refused("analysis.start", **refused) == "not_your_turn"
    await bot.do("game.turn", game_id=game_id, ply=1, turn="2-0,2-2")
    assert await anna.refused("analysis.start", **refused) == "stale_ply"
    for _ in range(2):  # repeated after a lost answer, it counts once
        await start(anna, "0-0", "2-0,2-2", request="h2", hint=game_id)
    job = await job_of(worker)
    assert [*job.turns] == ["0-0", "2-0,2-2"]
    state = await bot.game(game_id, lambda state: state.hints == 1)
    assert state.revision > 3
    assert await anna.refused("analysis.start", request="h3", setup=SETUP, turns=["0-0"]) == (
        "in_game"
    )


async def test_people_get_no_hints_against_each_other(arena: Arena) -> None:
    await arena.worker()
    anna, ben = await arena.visitor("Anna"), await arena.visitor("Ben")
    game_id = await begin(anna, ben)
    asked = {"request": "h1", "setup": SETUP, "turns": [], "hint": game_id}
    assert await anna.refused("analysis.start", **asked) == "in_game"


async def test_a_hint_is_for_the_game_that_it_names(arena: Arena) -> None:
    await arena.worker()
    anna, ben, bot = (
        await arena.visitor("Anna"),
        await arena.visitor("Ben"),
        await arena.bot("Basalt"),
    )
    await begin(anna, ben, board="pent-4")
    with_bot = await begin(anna, bot)
    others = [
        {"game": "bluestone", "board": "pent-4"},
        {**SETUP, "rules": "abstractplay"},
    ]
    for setup in others:
        asked = {"request": "h1", "setup": setup, "turns": [], "hint": with_bot}
        assert await anna.refused("analysis.start", **asked) == "in_game"
    assert (await anna.do("game.state", game_id=with_bot)).game.hints == 0
    assert (await start(anna, request="h2", hint=with_bot)).state == "queued"


async def test_a_hint_excuses_no_other_game_on_the_same_board(arena: Arena) -> None:
    await arena.worker()
    anna, ben, bot = (
        await arena.visitor("Anna"),
        await arena.visitor("Ben"),
        await arena.bot("Basalt"),
    )
    await begin(anna, ben)
    with_bot = await begin(anna, bot)
    asked = {"request": "h1", "setup": SETUP, "turns": [], "hint": with_bot}
    assert await anna.refused("analysis.start", **asked) == "in_game"


async def test_a_finished_game_gives_no_help_in_a_rated_game_on_its_board(arena: Arena) -> None:
    await arena.worker()
    one, two = await arena.bot("Basalt"), await arena.bot("Gneiss")
    ended = await begin(one, two, board="pent-6")
    await one.do("game.turn", game_id=ended, ply=0, turn="0-0")
    await two.do("game.action", game_id=ended, action="resign")
    await begin(one, two, board="pent-6")  # a casual game forbids nothing
    assert (await one.do("analysis.game", game_id=ended)).analysis.state == "none"
    rated = await begin(one, two, board="pent-6", rated=True)
    for start in (False, True):
        assert await one.refused("analysis.game", game_id=ended, start=start) == "in_game"
    await one.do("game.action", game_id=rated, action="abort")
    await begin(one, two, board="pent-8", rated=True)
    begun = await one.do("analysis.game", game_id=ended, start=True)
    assert begun.analysis.state == "queued"
