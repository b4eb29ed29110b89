"""Analysis: the requests of visitors and of workers, and the order in which searches are made."""

from collections.abc import Mapping
from typing import Final

from bot import wire
from bot.arena.analysis.analysis_jobs import Jobs, SearchTask
from bot.arena.analysis.analysis_store import AnalysisStore
from bot.arena.analysis.free_positions import FreePositions, key_of, settled
from bot.arena.analysis.game_reviews import GameReviews
from bot.arena.analysis.visitor_analyses import VisitorAnalyses
from bot.arena.announcer import Announcer
from bot.arena.answers import Answer, with_part
from bot.arena.games.all_games import AllGames
from bot.arena.games.encoded import encoded_legal, encoded_position
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.preparation import Preparation
from bot.arena.refusals import Refused
from bot.arena.request_table import Caller
from bot.runtime.bounded import BoundedMemory
from bot.runtime.workers import Workers
from bot.time_source import TimeSource

LINES: Final = 8
"""Lines of each search."""
ANALYSTS_BYTES: Final = 500_000
"""For the accounts of about 1,000 workers."""
REVIEW_EVERY: Final = 3
"""While visitors wait, each third search is for the analysis of a game."""
IN_GAME: Final = "Analysis is not available while you play {}."


class AnalysisService:
    """Carries out the requests `analysis.*`. All but positions are a duty of the hall."""

    def __init__(
        self,
        store: AnalysisStore,
        games: AllGames,
        finished: FinishedGames,
        preparation: Preparation,
        announcer: Announcer,
        workers: Workers,
        time: TimeSource,
    ) -> None:
        self._store = store
        self._workers = workers
        self._games = games
        self._positions = FreePositions(preparation, workers)
        self._jobs = Jobs(self._next_task, LINES, time)
        self._visitors = VisitorAnalyses(
            announcer, time, self._jobs.wake, lambda: len(self._jobs.workers)
        )
        self._finished = finished
        self._reviews = GameReviews(store, finished, announcer, time)
        self._analysts: BoundedMemory[str, bool] = BoundedMemory(ANALYSTS_BYTES)
        self._searches = 0

    async def close(self) -> None:
        await self._jobs.close()
        await self._visitors.close()
        await self._reviews.close()

    @property
    def figures(self) -> Mapping[str, int]:
        """Workers, visitors who wait, games that wait and searches that run."""
        return {
            "workers": len(self._jobs.workers),
            "visitors": self._visitors.waiting,
            "games": self._reviews.waiting,
            "running": self._jobs.running_count,
        }

    def is_worker(self, name: str) -> bool:
        """Return whether the account takes jobs, and so plays no games."""
        return name in self._jobs.workers

    def player_left(self, name: str) -> None:
        """Drop what the player waits for, and give back what they work on."""
        self._jobs.worker_left(name)
        self._visitors.cancel(name)
        self._reviews.visitor_left(name)

    def player_renamed(self, former: str, _player: wire.Player) -> None:
        """Drop what waits for the former name; the page asks again."""
        self.player_left(former)

    # ---- positions -------------------------------------------------------------------------

    async def show_position(self, _caller: Caller, asked: wire.AskAnyPosition) -> Answer:
        position = await self._positions.after(asked.setup, asked.turns)
        return await self._workers.run(encoded_position, position)

    async def show_legal(self, _caller: Caller, asked: wire.AskAnyLegal) -> Answer:
        position = await self._positions.after(asked.setup, asked.turns)
        if position.over:
            raise Refused("game_over", "The game is over in this position.")
        chosen = tuple(asked.chosen)
        return await self._workers.run(encoded_legal, position, chosen, asked.about)

    # ---- visitors --------------------------------------------------------------------------

    async def start_analysis(self, caller: Caller, asked: wire.StartAnalysis) -> wire.Done:
        player = caller.player
        self._visitors.check_rate(player.name)
        position = await self._positions.after(asked.setup, asked.turns)
        if position.over:
            raise Refused("game_over", "The game is over in this position.")
        setup = settled(position)
        turns = list(position.turns)
        self._check_not_playing(player.name, setup, but=asked.hint)
        if asked.hint is not None and not self._visitors.has_asked(player.name, asked.request):
            await self._games.note_hint(asked.hint, player.name, setup, turns)
        complete = asked.model_copy(update={"setup": setup, "turns": turns})
        state = self._visitors.start(player.name, caller.address, complete, key_of(position))
        return wire.AnalysisDone(analysis=state)

    def _check_not_playing(self, name: str, setup: wire.AnalysisSetup, but: str | None) -> None:
        """Raises Refused if an engine could help the player in a running game.

        Turns are not compared: what is searched now may be played later. `but` is the id of a game
        that is allowed: the one for which the player wants a hint.
        """
        for game_id, running in self._games.setups_of(name).items():
            if game_id == but:
                continue
            if running.rated:
                raise Refused("in_game", IN_GAME.format("a rated game"))
            if (running.game, running.board) == (setup.game, setup.board):
                raise Refused("in_game", IN_GAME.format("a game on the same board"))

    async def cancel_analysis(self, caller: Caller, asked: wire.CancelAnalysis) -> wire.Done:
        player = caller.player
        self._visitors.cancel(player.name, asked.request)
        return wire.Done()

    async def analyse_game(self, caller: Caller, asked: wire.AskGameAnalysis) -> Answer:
        player = caller.player
        await self._check_may_read(player.name, asked.game_id)
        if asked.start:
            known = await self._reviews.state(asked.game_id, player.name)
            if known.state == "none" and not self._jobs.workers:
                raise Refused("no_analyst")
            known = await self._reviews.start(asked.game_id, player.name)
            self._jobs.wake()
        else:
            known = await self._reviews.state(asked.game_id, player.name)
        return with_part("analysis", await self._workers.run(known.model_dump_json))

    async def _check_may_read(self, name: str, game_id: str) -> None:
        """Raises Refused if the analysis of that game could help the player in a rated game.

        A casual game forbids nothing here: many casual games without a clock are never finished.
        Most players have no rated game, and cost no look at the database.
        """
        rated = {
            (setup.game, setup.board)
            for running, setup in self._games.setups_of(name).items()
            # In an arena of several processes, the hall may not have heard of a game's end yet.
            if setup.rated and running != game_id
        }
        setup = await self._finished.setup_of(game_id) if rated else None
        if setup is not None and (setup.game, setup.board) in rated:
            raise Refused("in_game", IN_GAME.format("a rated game on the same board"))

    # ---- workers ---------------------------------------------------------------------------

    async def take_job(self, caller: Caller, asked: wire.TakeAnalysis) -> wire.Done:
        player = caller.player
        await self._check_analyst(player)
        return wire.AnalysisJobDone(job=await self._jobs.take(player.name, asked))

    async def report_job(self, caller: Caller, asked: wire.ReportAnalysis) -> wire.Done:
        player = caller.player
        await self._check_analyst(player)
        return wire.AnalysisReportDone(wanted=self._jobs.report(player.name, asked))

    async def _check_analyst(self, player: wire.Player) -> None:
        account = player.id or ""
        if self._analysts.get(account):
            return
        if not await self._store.is_analyst(account):
            raise Refused("not_an_analyst")
        self._analysts.put(account, True)

    def _next_task(self) -> SearchTask | None:
        self._searches += 1
        first, second = self._visitors.next_task, self._reviews.next_task
        if self._searches % REVIEW_EVERY == 0:
            return second() or first()
        return first() or second()
