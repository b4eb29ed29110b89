"""The training cycle. Each generation has three phases:

1. The best network so far plays games against itself.
2. A candidate learns from the latest games.
3. The candidate plays a match against the best network, and replaces it if its score is enough.

The journal records finished phases. The parts of an unfinished phase are files of their own, so a
cycle that was killed continues in the middle of the phase.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.neural.parameters import Parameters
from engine.training.agreement import POSITIONS, Agreement, agreement, worst
from engine.training.gate import MatchGame, Score, score_of
from engine.training.journal import (
    Entry,
    GamesPlayed,
    Journal,
    Matched,
    Refused,
    Standing,
    Trained,
    standing,
)
from engine.training.learning import BoardSamples, LearningProgress, Learnt, Lesson, Trainer
from engine.training.library import BoardGames, Library
from engine.training.processes import Crew
from engine.training.run_folder import RunFolder
from engine.training.samples import samples_of
from engine.training.self_play_worker import PairTask, PlayTask, game_of, match_pair, self_play
from engine.training.settings import Identity, TrainingPlan
from engine.training.start import kept_parameters

GAMES_A_FILE = 10
"""Games that each process loses at most when the training is killed."""
BATCH = 256
"""Positions per step of learning."""


class CycleWatch(Protocol):
    """Receives the progress of a cycle, for example to print it."""

    def played(self, generation: int, games: int, of: int) -> None: ...

    def learnt(self, generation: int, progress: LearningProgress) -> None: ...

    def matched(self, generation: int, score: Score, of: int) -> None: ...

    def finished(self, entry: Entry) -> None: ...


@dataclass(frozen=True)
class Means:
    """The processes that play games, and the trainer."""

    crew: Crew
    trainer: Trainer


class Cycle:
    """A training in a folder. Once a `stop` function returns true, the cycle ends soon."""

    def __init__(
        self,
        folder: RunFolder,
        journal: Journal,
        identity: Identity,
        plan: TrainingPlan,
        watch: CycleWatch,
    ) -> None:
        self._folder = folder
        self._journal = journal
        self._identity = identity
        self._plan = plan
        self._watch = watch
        self._game = game_of(identity)
        self._library = Library(folder, identity)

    def run(self, means: Means, stop: Callable[[], bool]) -> None:
        """Run until `stop`. Raises TrainingError or OSError if the folder is unusable."""
        self._publish()
        while not stop():
            now = standing(self._journal.entries)
            entry = self._next(now, means, stop)
            if entry is None:
                return
            self._journal.append(entry)
            self._publish()
            self._watch.finished(entry)

    def _publish(self) -> None:
        """Publish the best network, also at each start: an interruption may have prevented it."""
        best = standing(self._journal.entries).best
        if best is not None:
            self._parameters(best)  # an error here names a damaged file before it is published
            self._folder.publish(best)

    def _best(self, now: Standing) -> bytes | None:
        return None if now.best is None else self._weights(now.best)

    def _weights(self, generation: int) -> bytes:
        """Return the content of that network's file. TrainingError if the search cannot read it."""
        self._parameters(generation)
        return self._folder.weights(generation)

    def _parameters(self, generation: int) -> Parameters:
        return kept_parameters(self._folder, self._game, generation)

    def _next(self, now: Standing, means: Means, stop: Callable[[], bool]) -> Entry | None:
        match now.phase:
            case "play":
                return self._play(now, means.crew, stop)
            case "train":
                return self._train(now, means.trainer, stop)
            case "match":
                return self._match(now, means.crew, stop)

    def _play(self, now: Standing, crew: Crew, stop: Callable[[], bool]) -> Entry | None:
        """Play all games of the generation that are missing; None if stopped before the end."""
        is_given = self._identity.start is not None
        wanted = self._plan.games_of(now.generation, from_a_network=is_given)
        tasks = list(self._play_tasks(now, wanted))
        done = wanted - sum(task.games for task in tasks)
        self._watch.played(now.generation, done, wanted)
        for task, games in crew.results(self_play, tasks, stop):
            self._folder.save_games(now.generation, task.number, games, task.board)
            done += task.games
            self._watch.played(now.generation, done, wanted)
        if done < wanted:
            return None
        found = [each.games for each in self._library.of(now.generation)]
        return GamesPlayed(
            now.generation,
            games=sum(len(games.winner) for games in found),
            rows=sum(len(games.row_at) for games in found),
            best=now.best,
        )

    def _play_tasks(self, now: Standing, wanted: int) -> Iterator[PlayTask]:
        weights, settings = self._best(now), self._plan.self_play
        for number, first in enumerate(range(0, wanted, GAMES_A_FILE)):
            if not self._folder.games(now.generation, number).exists():
                games = min(GAMES_A_FILE, wanted - first)
                yield PlayTask(self._identity, now.generation, number, games, weights, settings)

    def _train(self, now: Standing, trainer: Trainer, stop: Callable[[], bool]) -> Entry | None:
        games = self._library.latest(self._plan.window)
        parts = tuple(BoardSamples(each.game, samples_of(*each)) for each in games)
        lesson = self._lesson(now, parts)
        learnt = trainer(lesson, lambda found: self._watch.learnt(now.generation, found), stop)
        return None if learnt is None else self._examined(now.generation, learnt, games, parts)

    def _lesson(self, now: Standing, parts: tuple[BoardSamples, ...]) -> Lesson:
        generation, is_given = now.generation, self._identity.start is not None
        rows = sum(
            entry.rows
            for entry in self._journal.entries
            if isinstance(entry, GamesPlayed) and entry.generation == generation
        )
        folder = self._folder
        return Lesson(
            parts=parts,
            layers=self._identity.layers,
            steps=self._plan.steps_for(rows, BATCH),
            seed=self._identity.seed * 1_000_003 + generation,
            before=folder.state(generation - 1) if generation > 1 else None,
            after=folder.state(generation),
            checkpoint=folder.checkpoint,
            start=self._parameters(now.best or 0) if is_given else None,
        )

    def _examined(
        self,
        generation: int,
        learnt: Learnt,
        games: Sequence[BoardGames],
        parts: Sequence[BoardSamples],
    ) -> Entry:
        """Save the network, and refuse it if the search gets other numbers from its file."""
        file = self._folder.save_net(generation, learnt.parameters)
        most = POSITIONS // len(parts)
        found = worst(
            [
                agreement(played.game, file, played.games, part.samples, learnt.judge, most)
                for played, part in zip(games, parts, strict=True)
                if len(part.samples.result)
            ]
        )
        if not found.is_close:
            # The next generation learns without this state.
            self._folder.state(generation).unlink(missing_ok=True)
            return Refused(
                generation, f"the search computes other numbers than the trained network: {found}"
            )
        return _trained(generation, learnt.progress, found)

    def _match(self, now: Standing, crew: Crew, stop: Callable[[], bool]) -> Entry | None:
        """Play all pairs of the match that are missing; None if stopped before the end."""
        pairs = -(-self._plan.match_games // 2)
        games = self._folder.match_games(now.generation)
        tasks = self._pair_tasks(now, set(range(pairs)) - {game.pair for game in games})
        self._watch.matched(now.generation, score_of(games), 2 * pairs)
        for _, played in crew.results(match_pair, tasks, stop):
            self._folder.add_match_games(now.generation, played)
            games += played
            self._watch.matched(now.generation, score_of(games), 2 * pairs)
        return self._verdict(now, games) if len(games) >= 2 * pairs else None

    def _pair_tasks(self, now: Standing, pairs: set[int]) -> list[PairTask]:
        candidate, best = self._weights(now.generation), self._best(now)
        identity, nodes = self._identity, self._plan.match_nodes
        return [
            PairTask(identity, now.generation, pair, candidate, best, nodes)
            for pair in sorted(pairs)
        ]

    def _verdict(self, now: Standing, games: list[MatchGame]) -> Matched:
        score = score_of(games)
        return Matched(
            now.generation,
            wins=score.wins,
            draws=score.draws,
            losses=score.losses,
            elo=round(now.elo + score.elo, 1),
            accepted=score.share >= self._plan.needed,
            boards={
                board: [each.wins, each.draws, each.losses]
                for board, each in self._by_board(games).items()
            },
        )

    def _by_board(self, games: Sequence[MatchGame]) -> dict[str, Score]:
        first, *_ = boards = self._identity.boards
        return {
            board: score_of(game for game in games if (game.board or first) == board)
            for board in boards
        }


def _trained(generation: int, progress: LearningProgress, found: Agreement) -> Trained:
    return Trained(
        generation,
        steps=progress.steps,
        policy=round(progress.policy, 4),
        agreement=round(progress.agreement, 4),
        brier=round(progress.brier, 4),
        search_brier=round(progress.search_brier, 4),
        value_error=round(found.value, 5),
        logit_error=round(found.logit, 5),
    )
