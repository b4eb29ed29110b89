"""The built-in player that searches: a tree search with options and levels."""

import math
import random
import time
from dataclasses import replace
from itertools import islice
from threading import Event, Thread
from typing import ClassVar, Final
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from engine.contract import (
    Candidate,
    Choice,
    Engine,
    Info,
    InfoListener,
    Limits,
    Option,
    OptionValue,
    Signals,
)
from engine.game import Game, Position
from engine.games.mechanics import Mechanics
from engine.neural.network import Network
from engine.neural.shipped import shipped_network
from engine.notation import stones_of
from engine.players.coarse import coarse_candidate
from engine.players.levels import LEVEL_WORDS, Level, level
from engine.players.random import AUTHOR, SEED, guess
from engine.search.budget import TurnPlan, plan
from engine.search.searcher import Searcher
from engine.search.thinking import Clock, Thinking
from engine.search.tuning import PLAYOUTS_ALONE, Tuning, usual_tuning

# The search reports a value between 0 and 1 for each turn. Values are closer to 0.5 than the
# results of games, and the value of the best turn is somewhat too high. A logistic curve (Platt,
# 1999) turns a value into the chance to win. docs/performance.md has the data to which the curve
# was fitted, and `make lab ARGS=calibration` measures how good it is.

SLOPE: Final = 3.0
OPTIMISM: Final = 0.5
"""How much too high the value of the best turn is, as log-odds of the chance."""


def chance(value: float) -> float:
    """Return the chance to win, 0 to 1, for a `value` of the search, 0 to 1; it is increasing."""
    if value <= 0 or value >= 1:
        return value
    odds = math.pow(value / (1 - value), SLOPE) / math.exp(OPTIMISM)
    return odds / (1 + odds)


def with_chance(candidate: Candidate) -> Candidate:
    """Return the candidate with its value as a chance; proved or unsearched ones are unchanged."""
    if candidate.result is not None or not candidate.visits:
        return candidate
    return replace(candidate, value=chance(candidate.value))


def info_with_chances(info: Info) -> Info:
    others = tuple(with_chance(each) for each in info.others)
    return replace(info, best=with_chance(info.best), others=others)


def choice_with_chances(choice: Choice) -> Choice:
    """Return the choice with values as chances; its turn must be that of its first candidate."""
    candidates = tuple(with_chance(each) for each in choice.candidates)
    return replace(choice, value=candidates[0].value, candidates=candidates)


CANDIDATES = 10
LINES = Option("MultiPV", "spin", 1, 1, CANDIDATES)
EXCLUDE = Option("Exclude", "string", "")
"""Turns, separated by blanks."""
WARMING_POLL = 0.02
OVERRUN_KEPT = 0.9
"""What is left of a past overrun after one more turn."""
LARGEST_OVERRUN = 0.1
"""Seconds of an overrun that count. More is an exception, such as a suspended process."""


class SearchEngine(Engine):
    """Monte-Carlo tree search with AMAF values; see `engine.search.simulation`."""

    name: ClassVar = "Bluestone"
    author: ClassVar = AUTHOR
    options: ClassVar = (
        Option("Threads", "spin", 1, 1, 64),
        Option("Hash", "spin", 256, 16, 65536),
        SEED,
        Option("Level", "spin", len(LEVEL_WORDS), 1, len(LEVEL_WORDS)),
        Option("Knowledge", "check", default=True),
        Option("Network", "check", default=True),
        LINES,
        EXCLUDE,
    )

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._settings = {
            option.name: int(option.default)
            for option in self.options
            if option not in (LINES, EXCLUDE)
        }
        self._lines = 1
        self._excluded = frozenset[frozenset[str]]()
        self._searcher: Searcher | None = None
        self._position: Position | None = None
        self._warm = WeakKeyDictionary[Game, Event]()
        self._overrun = 0.0
        """Seconds by which answers come after the maximum of their plans, the worst of late."""
        self._guessable = WeakSet[Game]()
        """Games whose likely turns can be drawn without compiling anything."""

    def set_option(self, name: str, value: OptionValue) -> None:
        """Set an option; all but MultiPV and Exclude discard the tree when they change.

        - Threads: threads of the search. A level below the highest uses one.
        - Hash: megabytes for the tree.
        - Seed: of the random numbers.
        - Level: see `engine.players.levels`.
        - Knowledge: whether the search uses the game's knowledge of good play.
        - Network: whether a network evaluates positions, if there is one for the board.
        - MultiPV: how many turns each report names.
        - Exclude: turns that the player chooses only if there is no other.
        """
        if name == EXCLUDE.name:
            self._excluded = frozenset(map(stones_of, str(value).split()))
        elif name == LINES.name:
            self._lines = int(value)
        elif self._settings[name] != value:
            self._settings[name] = int(value)
            self.new_game()

    def new_game(self) -> None:
        """Discard the tree."""
        if self._searcher is not None:
            self._searcher.close()
            self._searcher = None

    def warm_up(self, game: Game) -> None:
        """Load or compile the kernels of this game; return when this is done."""
        self._warming(game).wait()

    def set_position(self, position: Position) -> None:
        """See `Engine`; the part of the last search's tree below this position is kept."""
        self._position = position
        if position.game not in self._warm:
            # Numba compiles one function at a time. A stop needs this one, so it comes first.
            position.random_turn(random.Random(0))

    def search(self, limits: Limits, on_info: InfoListener, signals: Signals) -> Choice:
        """Return the most visited turn, or the choice of a level that judges coarsely.

        While the kernels are compiled, a stop is answered by a likely turn, or by a random one
        until likely ones can be drawn. Raises ValueError without a position.
        """
        position = self._position
        if position is None:
            raise ValueError("no position to search")
        chance = random.Random(self._settings["Seed"] * 1_000_003 + position.turn_number)
        skill = level(self._settings["Level"], position.game)
        ready = self._warming(position.game)
        while not ready.wait(WARMING_POLL):
            if signals.stop.is_set():
                return self._guess(position, chance)

        def tell(info: Info) -> None:
            on_info(info_with_chances(info))

        thought = self._think(position, limits, skill, tell, signals, self._clock())
        if thought is None:
            return self._guess(position, chance)
        return choice_with_chances(thought)

    def _guess(self, position: Position, chance: random.Random) -> Choice:
        likely = position.game in self._guessable
        return guess(position, chance, self._excluded, likely=likely)

    def _think(
        self,
        position: Position,
        limits: Limits,
        skill: Level,
        on_info: InfoListener,
        signals: Signals,
        began: float,
    ) -> Choice | None:
        """Search and return the choice; None if no turn is found that is not excluded.

        Without pondering, the limits count from the moment `began`.
        """
        searcher = self._searcher_for(position.game, skill)
        searcher.move_to(position)
        thinking = Thinking(searcher, on_info, signals, self._clock, self._lines)
        bound = skill.bound(position.game, with_network=searcher.has_network)
        # A bounded level must not search more on the opponent's time.
        if limits.ponder and bound is None:
            thinking.run(TurnPlan(), until_ponderhit=True)
            began = self._clock()
        goes_on = not (limits.ponder or limits.infinite)  # a person who analyses may go back
        if goes_on or signals.ponderhit.is_set():
            searcher.free_earlier()
        planned = self._plan(position, limits, bound)
        thinking.run(planned, since=began)
        found = self._allowed(searcher.candidates(CANDIDATES + len(self._excluded)))
        found = found or self._allowed(self._first_look(position, searcher))
        if not found:
            return None
        chosen = self._chosen(position, skill, searcher, found)
        choice = choice_of(chosen, found)
        others = choice.candidates[1 : self._lines]
        on_info(Info(thinking.nodes, thinking.seconds, chosen, others))
        self._note_overrun(planned, began)
        return choice

    def _note_overrun(self, planned: TurnPlan, began: float) -> None:
        """Learn from an answer how long this machine needs beyond the end of a search."""
        if planned.maximum is not None:
            late = self._clock() - began - planned.maximum
            self._overrun = max(min(late, LARGEST_OVERRUN), OVERRUN_KEPT * self._overrun)

    def _chosen(
        self, position: Position, skill: Level, searcher: Searcher, found: tuple[Candidate, ...]
    ) -> Candidate:
        """Return the first candidate, or the one that a level with coarse judgement draws."""
        if skill.coarseness == 0:
            return found[0]
        rng = np.random.default_rng((self._settings["Seed"], position.turn_number))
        drawn = coarse_candidate(searcher, position, skill.coarseness, found, rng)
        return found[0] if stones_of(drawn.turn) in self._excluded else drawn

    def _first_look(self, position: Position, searcher: Searcher) -> tuple[Candidate, ...]:
        """Return the best turn stone by stone.

        It is the fallback when too few playouts have visited no turn to its end.
        """
        rng = np.random.default_rng((self._settings["Seed"], position.turn_number))
        return (coarse_candidate(searcher, position, 0.0, (), rng),)

    def _allowed(self, found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        allowed = (each for each in found if stones_of(each.turn) not in self._excluded)
        return tuple(islice(allowed, CANDIDATES))

    def _plan(self, position: Position, limits: Limits, bound: int | None) -> TurnPlan:
        full = plan(limits, legal_first_steps(position), self._overrun)
        if bound is None or limits.infinite:
            return full
        nodes = bound if full.nodes is None else min(bound, full.nodes)
        return replace(full, nodes=nodes)

    def _searcher_for(self, game: Game, skill: Level) -> Searcher:
        """Return the searcher, a new one if the game or a setting has changed."""
        if self._searcher is None or self._searcher.game is not game:
            self.new_game()
            wanted = self._settings["Network"] and skill.uses_network
            network = shipped_network(game) if wanted else None
            self._searcher = Searcher(
                game,
                megabytes=self._settings["Hash"],
                # With several threads, results vary by chance; a level must be the same everywhere.
                threads=self._settings["Threads"] if skill.per_stone is None else 1,
                seed=self._settings["Seed"],
                tuning=tuning_with(
                    game.mechanics,
                    network,
                    knowledge=bool(self._settings["Knowledge"]),
                    proofs=skill.coarseness == 0,
                ),
                network=network,
            )
        return self._searcher

    def _warming(self, game: Game) -> Event:
        """Return the event that is set when the kernels of this game are ready.

        The first call for a game starts a thread that compiles them.
        """
        if game not in self._warm:
            self._warm[game] = Event()
            Thread(target=self._compile, args=(game,), name="compile", daemon=True).start()
        return self._warm[game]

    def _compile(self, game: Game) -> None:
        try:
            # Likely turns come first: they take a small part of the time, and a stop needs them.
            first, chance = game.start(), random.Random(0)
            first.play(first.random_turn(chance)).likely_turn(chance)
            self._guessable.add(game)
            Searcher(game, megabytes=1, threads=1, seed=1).warm_up()
        finally:
            self._warm[game].set()


def tuning_with(
    mechanics: Mechanics, network: Network | None, *, knowledge: bool, proofs: bool = True
) -> Tuning:
    """Return the usual tuning of a game, with or without the game's knowledge.

    Proofs are knowledge too. A level that judges coarsely plays without them: no person whom it
    suits sees wins of many turns. It needs AMAF values, and a search without priors does as well.
    """
    usual = usual_tuning(mechanics, with_network=network is not None)
    if knowledge and proofs:
        return usual
    if usual.exploration > 0:
        usual = PLAYOUTS_ALONE
    return usual._replace(guided_playouts=knowledge, priors=knowledge, proof_nodes=0)


def choice_of(chosen: Candidate, found: tuple[Candidate, ...]) -> Choice:
    """Return the choice of the candidate `chosen`, with all candidates, `chosen` first."""
    others = tuple(candidate for candidate in found if candidate is not chosen)
    return Choice(chosen.turn, chosen.value, chosen.visits, chosen.line, (chosen, *others))


def legal_first_steps(position: Position) -> int:
    """Return the number of legal first steps, which measures how long the game may still last.

    On an unbounded board it does not; there it is an estimate of the stones to come.
    """
    if not position.game.board.is_bounded:
        return position.room
    return len(position.game.mechanics.steps(position.record()))
