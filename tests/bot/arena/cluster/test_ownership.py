"""Whatever processes do and believe, each game has one owner, and each acknowledged turn stays."""

import asyncio
import tempfile
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from bot.arena.cluster.leases import Claimed
from bot.arena.games.game import Game
from bot.arena.refusals import OwnerReplaced
from bot.arena.settings import Allowances, Place
from tests.bot.arena.cluster.members import (
    Process,
    expire,
    game_between,
    players_in,
    processes,
    run,
    stored,
)
from tests.fakes.postgres import Postgres
from tests.fakes.time import EPOCH

pytestmark = pytest.mark.xdist_group("postgres")

T = TypeVar("T")
NAMES = ("a", "b", "c")
NAME = st.sampled_from(NAMES)
PICK = st.integers(0, 99)
FEW = settings(
    max_examples=15,
    stateful_step_count=25,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # each example needs a database, so that shrinking takes minutes
    suppress_health_check=list(HealthCheck),
)


@dataclass
class Belief:
    """What a process knows: the games that it takes for its own, which may be wrong."""

    games: dict[str, Game] = field(default_factory=dict)
    is_expired: bool = False
    has_ended: bool = False


class Ownership(RuleBasedStateMachine):
    """Three processes on one database, and what must be in it."""

    server: ClassVar[Postgres]

    @initialize()
    def open(self) -> None:
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.place = Place(Path(self.folder.name), self.server.create())
        self.opened: AbstractAsyncContextManager[list[Process]] = processes(self.place, NAMES)
        found = self.do(self.opened.__aenter__())
        self.processes = {each.id: each for each in found}
        self.players = self.do(players_in(found[0].database))
        self.beliefs = {name: Belief() for name in NAMES}
        self.acknowledged: dict[str, list[str]] = {}
        self.running: set[str] = set()
        self.now = 0.0

    def teardown(self) -> None:
        if hasattr(self, "opened"):
            self.do(self.opened.__aexit__(None, None, None))
            self.folder.cleanup()
            self.runner.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    # ---- games -------------------------------------------------------------------------------

    @precondition(lambda self: len(self.acknowledged) < 4)
    @rule(name=NAME)
    def start(self, name: str) -> None:
        game = game_between(self.players, f"g{len(self.acknowledged)}", self.now)
        self.do(self.processes[name].games.begin(game))
        self.acknowledged[game.game_id] = []
        self.running.add(game.game_id)
        self.beliefs[name].games[game.game_id] = game

    @rule(name=NAME, pick=PICK)
    def play(self, name: str, pick: int) -> None:
        if (game := self.picked(name, pick)) is not None:
            self.save_alone(name, game, self.with_turn(game))

    @rule(name=NAME, pick=PICK)
    def play_with_offer(self, name: str, pick: int) -> None:
        if (game := self.picked(name, pick)) is not None:
            after = self.with_turn(game)
            offer = None if after.result is not None else after.to_play
            self.save_alone(name, game, replace(after, draw_offer=offer))

    @rule(name=NAME, pick=PICK)
    def resign(self, name: str, pick: int) -> None:
        if (game := self.picked(name, pick)) is not None:
            self.now += 1
            over = game.act(game.to_play, "resign", self.now)
            self.save_alone(name, game, replace(over, ended_at=EPOCH))

    def picked(self, name: str, pick: int) -> Game | None:
        games = sorted(self.beliefs[name].games.values(), key=lambda game: game.game_id)
        return games[pick % len(games)] if games else None

    def with_turn(self, game: Game) -> Game:
        """The game after one more turn, which no other process would play in that time."""
        self.now += 1
        turn = next(game.position.legal_turns())
        after = game.play(game.to_play, game.ply, turn, self.now)
        ended_at = None if after.result is None else EPOCH
        return replace(after, revision=game.revision + 1, ended_at=ended_at)

    def save_alone(self, name: str, before: Game, after: Game) -> None:
        """Save while no other process does anything, so that the rows say whether it succeeds."""
        owners = self.do(self.processes[name].leases.owners())
        is_owner = owners.get(before.game_id) == (name, before.epoch)
        assert self.do(self.save(name, before, after)) is is_owner

    async def save(self, name: str, before: Game, after: Game) -> bool:
        """Save what the process believes. Notes it, and returns whether it is acknowledged."""
        games, game_id = self.beliefs[name].games, before.game_id
        try:
            await self.processes[name].games.save(before, after, None)
        except OwnerReplaced:
            del games[game_id]
            return False
        self.acknowledged[game_id] += [turn.as_json for turn in after.turns[before.ply :]]
        games[game_id] = after
        if after.result is not None:
            del games[game_id]
            self.running.discard(game_id)
        return True

    # ---- processes ---------------------------------------------------------------------------

    @rule(name=NAME)
    def lease_expires(self, name: str) -> None:
        expire(self.place, self.processes[name])
        self.beliefs[name].is_expired = True

    @rule(name=NAME)
    def renew(self, name: str) -> None:
        belief = self.beliefs[name]
        assert self.do(self.processes[name].leases.renew(self.now)) is not belief.has_ended
        belief.is_expired &= belief.has_ended

    @rule(name=NAME)
    def end_expired(self, name: str) -> None:
        mine = self.beliefs[name]
        over = {
            other: belief
            for other, belief in self.beliefs.items()
            if belief.is_expired and not belief.has_ended and other != name
        }
        may = not mine.is_expired and not mine.has_ended
        ended = self.do(self.processes[name].leases.end_expired())
        assert sorted(ended) == (sorted(over) if may else [])
        for other in ended:
            self.beliefs[other].has_ended = True

    @rule(name=NAME)
    def leave(self, name: str) -> None:
        self.do(self.processes[name].leases.leave(self.now))
        self.beliefs[name].has_ended = True

    @rule(name=NAME)
    def rejoin(self, name: str) -> None:
        """Join again, still with the games of before, of which others may have claimed some."""
        self.do(self.processes[name].join(self.now))
        self.beliefs[name].is_expired = self.beliefs[name].has_ended = False

    @rule(name=NAME, limit=st.integers(1, 3))
    def claim(self, name: str, limit: int) -> None:
        before = self.do(self.processes[name].leases.owners())
        claimed = self.do(self.processes[name].leases.claim_games(limit))
        for each in claimed:
            former, epoch = before[each.game.game_id]
            assert each.epoch == epoch + 1
            assert former is not None
            assert self.beliefs[former].has_ended
        assert not claimed or not self.beliefs[name].has_ended
        self.accept(name, claimed)

    @rule(name=NAME, other=NAME, pick=PICK)
    def claim_while_another_process_plays(self, name: str, other: str, pick: int) -> None:
        game = self.picked(other, pick)
        if game is None or other == name:
            return

        async def both() -> list[Claimed]:
            heir, after = self.processes[name], self.with_turn(game)
            claimed, _ = await asyncio.gather(
                heir.leases.claim_games(9), self.save(other, game, after)
            )
            return claimed

        self.accept(name, self.do(both()))

    def accept(self, name: str, claimed: list[Claimed]) -> None:
        for each in claimed:
            found = stored(each)
            assert [turn.as_json for turn in found.turns] == self.acknowledged[found.game_id]
            game = found.revived(Allowances()).resumed(self.now)
            self.beliefs[name].games[found.game_id] = game

    # ---- what always holds -------------------------------------------------------------------

    @invariant()
    def the_turns_are_those_that_were_acknowledged(self) -> None:
        if not hasattr(self, "acknowledged"):
            return
        found: dict[str, list[object]] = {game_id: [] for game_id in self.acknowledged}
        for game_id, ply, played in run(
            self.place, "SELECT game_id, ply, played FROM turns ORDER BY game_id, ply"
        ):
            assert ply == len(found[str(game_id)])
            found[str(game_id)].append(played)
        assert found == self.acknowledged

    @invariant()
    def each_running_game_has_one_owner(self) -> None:
        if not hasattr(self, "acknowledged"):
            return
        owners = self.do(self.processes["a"].leases.owners())
        assert owners.keys() == self.running
        for game_id, (owner, epoch) in owners.items():
            holders = [
                name
                for name, belief in self.beliefs.items()
                if game_id in belief.games and belief.games[game_id].epoch == epoch
            ]
            assert holders == [owner]


def test_acknowledged_turns_stay_and_games_have_one_owner(postgres: Postgres) -> None:
    Ownership.server = postgres
    run_state_machine_as_test(Ownership, settings=FEW)
