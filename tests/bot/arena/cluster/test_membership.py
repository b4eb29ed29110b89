"""The lease of a process, and the takeover of what others leave, with a database that is a fake."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from bot import wire
from bot.arena.arena_clock import ArenaClock
from bot.arena.cluster.directory import Directory
from bot.arena.cluster.leases import Claimed, LeasedProcess, Leases
from bot.arena.cluster.membership import Membership, Repairs
from bot.arena.cluster.peers import HallSeat, Peers
from bot.arena.cluster.presence_sync import PresenceSync
from bot.arena.cluster.takeover import GameTakeover, HallDuty
from bot.arena.cluster.watch import GameWatch
from bot.arena.games.game import Game
from bot.arena.games.game_rows import DamagedGame, StoredGame
from bot.arena.games.game_service import Games
from bot.arena.games.game_store import GameStore
from bot.arena.games.running_games import RunningGames
from bot.arena.processes import HallServices
from bot.arena.refusals import OwnerReplaced
from bot.arena.settings import ClusterSettings, PlayLimits
from bot.errors import HostError
from tests.bot.arena.cluster.fakes import MADE_AT, SETUP, FakeRunning, player
from tests.fakes.time import FakeTime

LEASE_S, RENEW_S = 6.0, 2.0
PLAYERS: tuple[wire.Player, wire.Player] = (player("Anna"), player("Ben"))
DOWN = HostError("the database cannot be reached")


def stored(game_id: str) -> StoredGame:
    return StoredGame(
        game_id=game_id,
        setup=SETUP,
        players=PLAYERS,
        created_at=MADE_AT,
        ended_at=None,
        turns=(),
        revision=3,
        thought_ms=1500,
        draw_offer=None,
        result=None,
        tournament=None,
    )


@dataclass
class Database:
    """Leases, owners and duties as of now, by the same clock as the process."""

    time: FakeTime
    me: str = "a"
    until: dict[str, float] = field(default_factory=dict)
    owner: dict[str, tuple[str | None, int]] = field(default_factory=dict)
    damaged: set[str] = field(default_factory=set)
    hall: tuple[str, int] | None = None
    is_down: bool = False
    loses_claims: bool = False
    """Whether the answers to claims are lost after their commits."""
    claims: int = 0
    renewal_s: float = 0.0
    """How long a renewal takes."""

    def _check(self) -> None:
        if self.is_down:
            raise DOWN

    async def join(self, _address: str, _pid: int, _version: str, _clock_s: float) -> None:
        self.until[self.me] = self.time.monotonic() + LEASE_S

    async def renew(self, _clock_s: float) -> bool:
        self._check()
        await self.time.sleep(self.renewal_s)
        if self.me in self.until:
            self.until[self.me] = self.time.monotonic() + LEASE_S
        return self.me in self.until

    async def leave(self, _clock_s: float) -> None:
        self._check()
        self.until.pop(self.me, None)

    async def members(self) -> list[LeasedProcess]:
        self._check()
        now = self.time.monotonic()
        return [
            LeasedProcess(each, f"{each}:1", 1, "1.0", at - now, 0, 0)
            for each, at in sorted(self.until.items())
        ]

    async def end_expired(self) -> list[str]:
        now = self.time.monotonic()
        if self.until.get(self.me, 0.0) < now:
            return []
        ended = [each for each, at in self.until.items() if at < now and each != self.me]
        for each in ended:
            del self.until[each]
        return ended

    async def owners(self) -> Mapping[str, tuple[str | None, int]]:
        return dict(self.owner)

    async def claim_games(self, limit: int) -> list[Claimed]:
        self.claims += 1
        if self.me not in self.until:
            return []
        found = [each for each, (owner, _) in self.owner.items() if owner not in self.until]
        for each in found[:limit]:
            self.owner[each] = (self.me, self.owner[each][1] + 1)
        return [] if self.loses_claims else [self._claimed(each) for each in found[:limit]]

    async def owned(self, but: Collection[str] = ()) -> list[Claimed]:
        mine = [each for each, (owner, _) in self.owner.items() if owner == self.me]
        return [self._claimed(each) for each in mine if each not in but]

    def _claimed(self, game_id: str) -> Claimed:
        is_damaged = game_id in self.damaged
        game = DamagedGame(game_id, "damaged") if is_damaged else stored(game_id)
        return Claimed(game, self.owner[game_id][1])

    async def duty(self, _name: str) -> tuple[str, int] | None:
        return self.hall if self.hall is not None and self.hall[0] in self.until else None

    async def claim_duty(self, _name: str) -> int | None:
        if self.me not in self.until:
            return None
        self.hall = (self.me, 1 + (0 if self.hall is None else self.hall[1]))
        return self.hall[1]


@dataclass
class Here:
    """The games, the store and the views of the process."""

    running: dict[str, Game] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)
    is_fenced: bool = False
    takes_over_until: float = 0.0
    time: FakeTime | None = None
    shown: list[str] = field(default_factory=list)

    @property
    def playing(self) -> "Here":
        return self

    @property
    def ids(self) -> list[str]:
        return list(self.running)

    def owns(self, game_id: str) -> bool:
        return game_id in self.running

    async def take_over(self, game: Game) -> None:
        if self.time is not None:
            await self.time.sleep(self.takes_over_until - self.time.monotonic())
        self.running[game.game_id] = game

    def drop_all(self) -> None:
        self.running.clear()

    async def save(self, _old: Game, _game: Game, _record: None) -> None:
        if self.is_fenced:
            raise OwnerReplaced("the game")

    async def compare(self, members: Collection[LeasedProcess]) -> None:
        self.heard.append(f"presence of {len(members)}")

    async def open_hall(self) -> None:
        self.heard.append("hall opened")

    async def close_hall(self) -> None:
        self.heard.append("hall closed")

    def replaced(self) -> None:
        self.heard.append("replaced")


class Links:
    def forget(self, address: str) -> None:
        """The connection to a process that has ended."""


class Bench:
    def __init__(self) -> None:
        self.time = FakeTime()
        self.database, self.here = Database(self.time), Here()
        self.directory, self.seat = Directory(), HallSeat()
        here: Any = self.here
        leases, games = cast("Leases", self.database), cast("Games", here)
        clock = ArenaClock(self.time, 0.0)
        services = HallServices(self.here.open_hall, self.here.close_hall)
        running = cast("RunningGames", FakeRunning())
        self.membership = Membership(
            leases,
            games,
            GameTakeover(leases, games, cast("GameStore", here), PlayLimits(), clock, "a"),
            HallDuty(leases, self.seat, services, "a"),
            Repairs(cast("PresenceSync", here), self.directory, running, cast("GameWatch", here)),
            Peers(cast("Any", Links()), "a"),
            ClusterSettings(link="127.0.0.1:0", lease_s=LEASE_S, renew_s=RENEW_S),
            clock,
            self.time,
            self.here.replaced,
        )

    async def open(self) -> None:
        await self.membership.open("a:1", 1, "1.0")

    def other(self, name: str, lease_s: float = 1e9) -> None:
        """Another process, which renews its lease no more."""
        self.database.until[name] = self.time.monotonic() + lease_s


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    made.database.is_down = False
    leaving = asyncio.create_task(made.membership.leave())
    await made.time.advance(1)
    await leaving


async def test_a_first_process_takes_everything(bench: Bench) -> None:
    bench.database.owner = {"g": (None, 0), "h": ("gone", 4)}
    await bench.open()
    assert bench.database.owner == {"g": ("a", 1), "h": ("a", 5)}
    assert {each.epoch for each in bench.here.running.values()} == {1, 5}
    assert (bench.seat.holder, bench.seat.epoch, bench.seat.is_open) == ("a", 1, True)
    assert "hall opened" in bench.here.heard


async def test_no_player_pays_for_the_takeover(bench: Bench) -> None:
    bench.database.owner = {"g": ("gone", 1)}
    await bench.open()
    game = bench.here.running["g"]
    assert (game.banked_ms, game.revision) == (1500, 4)
    assert game.resume_at == PlayLimits().reconnect_grace_s
    assert game.thinking_since is None


async def test_a_process_that_renews_no_more_is_ended_after_its_lease(bench: Bench) -> None:
    bench.other("b", lease_s=LEASE_S)
    bench.database.owner, bench.database.hall = {"g": ("b", 1)}, ("b", 3)
    await bench.open()
    await bench.time.advance(LEASE_S - 1)
    assert (bench.here.running, bench.seat.holder, bench.seat.is_open) == ({}, "b", False)
    await bench.time.advance(3)
    assert list(bench.here.running) == ["g"]
    assert (bench.seat.holder, bench.seat.epoch, bench.seat.is_open) == ("a", 4, True)


async def test_after_an_outage_all_processes_get_the_time_to_renew(bench: Bench) -> None:
    bench.other("b", lease_s=LEASE_S)
    bench.database.owner = {"g": ("b", 1)}
    await bench.open()
    bench.database.is_down = True
    await bench.time.advance(5 * LEASE_S)
    bench.database.is_down = False
    await bench.time.advance(LEASE_S - 1)
    assert "b" in bench.database.until
    bench.other("b")  # it has renewed its lease
    await bench.time.advance(2 * LEASE_S)
    assert bench.database.owner == {"g": ("b", 1)}
    assert not bench.here.running


async def test_after_an_outage_a_dead_process_is_ended_too(bench: Bench) -> None:
    bench.other("b", lease_s=LEASE_S)
    bench.database.owner = {"g": ("b", 1)}
    await bench.open()
    bench.database.is_down = True
    await bench.time.advance(5 * LEASE_S)
    bench.database.is_down = False
    await bench.time.advance(LEASE_S + RENEW_S + 2)
    assert list(bench.here.running) == ["g"]


async def test_a_replaced_process_gives_everything_up(bench: Bench) -> None:
    bench.database.owner = {"g": (None, 0)}
    await bench.open()
    del bench.database.until["a"]  # another process has ended it
    bench.other("b")
    bench.database.owner = {"g": ("b", 2)}
    await bench.time.advance(RENEW_S + 1)
    assert not bench.here.running
    assert not bench.seat.is_open
    assert bench.here.heard.index("hall closed") < bench.here.heard.index("replaced")


async def test_games_of_a_claim_whose_answer_was_lost_are_found(bench: Bench) -> None:
    bench.database.owner = {"g": ("gone", 1), "h": ("gone", 1)}
    bench.database.loses_claims = True
    await bench.open()
    assert not bench.here.running
    await bench.time.advance(2)
    assert sorted(bench.here.running) == ["g", "h"]


async def test_many_games_are_claimed_in_several_transactions(bench: Bench) -> None:
    bench.database.owner = {f"g{number}": ("gone", 1) for number in range(120)}
    await bench.open()
    assert len(bench.here.running) == 120
    assert bench.database.claims == 4


async def test_a_damaged_game_is_left_alone_and_claimed_once(bench: Bench) -> None:
    bench.database.owner = {"g": ("gone", 1), "h": ("gone", 1)}
    bench.database.damaged = {"g"}
    await bench.open()
    assert list(bench.here.running) == ["h"]
    await bench.time.advance(5)
    assert bench.database.owner["g"] == ("a", 2)
    assert list(bench.here.running) == ["h"]


async def test_a_game_that_was_claimed_elsewhere_meanwhile_is_not_continued(bench: Bench) -> None:
    bench.database.owner = {"g": ("gone", 1)}
    bench.here.is_fenced = True
    await bench.open()
    assert not bench.here.running


async def test_a_process_that_leaves_closes_its_hall_and_ends_its_lease(bench: Bench) -> None:
    bench.database.owner = {"g": (None, 0)}
    await bench.open()
    await bench.membership.leave()
    assert "a" not in bench.database.until
    assert not bench.here.running
    assert bench.here.heard[-1] == "hall closed"


async def test_news_of_another_process_makes_it_look_at_once(bench: Bench) -> None:
    bench.other("b")
    bench.database.owner = {"g": ("b", 1)}
    await bench.open()
    del bench.database.until["b"]
    bench.membership.look_soon()
    await bench.time.settle()
    assert list(bench.here.running) == ["g"]


async def test_the_lease_is_renewed_during_a_long_takeover(bench: Bench) -> None:
    bench.other("b", lease_s=LEASE_S)
    await bench.open()
    bench.database.owner = {"g": ("b", 1)}
    bench.here.time = bench.time
    bench.here.takes_over_until = bench.time.monotonic() + 5 * LEASE_S
    await bench.time.advance(4 * LEASE_S)
    assert (bench.database.owner["g"][0], bench.here.running) == ("a", {})
    assert bench.database.until["a"] > bench.time.monotonic()


async def test_no_process_is_ended_before_the_own_lease_is_renewed(bench: Bench) -> None:
    bench.other("b", lease_s=LEASE_S)
    bench.database.owner = {"g": ("b", 1)}
    await bench.open()
    bench.database.renewal_s = 2 * LEASE_S
    await bench.time.advance(LEASE_S + RENEW_S + 3)
    assert "b" in bench.database.until
    assert bench.database.owner == {"g": ("b", 1)}
