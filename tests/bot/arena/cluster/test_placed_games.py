"""New games, placed where their players are or the fewest games run, and begun once."""

from typing import Any, cast

import orjson
import pytest

from bot import wire
from bot.arena.arena_clock import ArenaClock
from bot.arena.cluster.bus import LocalHub
from bot.arena.cluster.directory import Directory
from bot.arena.cluster.events import Events
from bot.arena.cluster.link import PeerGone
from bot.arena.cluster.peers import NOT_HERE, HallSeat, Peers
from bot.arena.cluster.placed_games import PlacedGames
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.game_service import Games, RemoteBeginning
from bot.arena.games.game_start import new_game
from bot.arena.games.game_views import state_of
from bot.arena.games.running_games import RunningGames
from bot.arena.players.presence import Presence
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from tests.bot.arena.cluster.fakes import (
    MADE_AT,
    SETUP,
    FakeDelivery,
    FakePeers,
    FakeRunning,
    entry,
    player,
)
from tests.fakes.time import FakeTime

PLAYERS = (player("Anna"), player("Ben"))
ABORTED = wire.Result(winner=None, reason="aborted", message="The operator aborted the game.")
GONE = PeerGone("b: no answer", was_sent=True)


class Here:
    """The games of this process, which has the hall."""

    is_paused = False

    def __init__(self) -> None:
        self.started: list[RemoteBeginning] = []
        self.aborted: list[str] = []
        self.owned: set[str] = set()

    def owns(self, game_id: str) -> bool:
        return game_id in self.owned

    async def start(
        self,
        setup: wire.GameSetup,
        players: tuple[wire.Player, wire.Player],
        place: wire.TournamentPlace | None,
        opening: list[str],
        beginning: RemoteBeginning,
    ) -> wire.GameState:
        self.started.append(beginning)
        return state(beginning.game_id, setup, players, place, opening)

    async def abort_by_operator(self, game_id: str, _why: str) -> wire.Result:
        self.aborted.append(game_id)
        return ABORTED


def state(game_id: str, setup: wire.GameSetup, players: Any, *more: Any) -> wire.GameState:
    game = new_game(game_id, setup, players, Allowances(), MADE_AT, 0.0, *more)
    return state_of(game, Presence(), ArenaClock(FakeTime(), 0.0))


class Answering(FakePeers):
    """Other processes that start what they are asked to start."""

    async def ask(self, process: str, method: str, body: object, _timeout_s: float = 5.0) -> bytes:
        asked = orjson.loads(orjson.dumps(body))
        if not self.answers and method == "start":
            self.answers = [state(asked["game"], SETUP, PLAYERS).as_json().encode()]
            answer = await super().ask(process, method, body)
            self.answers = []
            return answer
        return await super().ask(process, method, body)


class Bench:
    def __init__(self) -> None:
        self.here, self.peers, self.running = Here(), Answering(ids=["b", "c"]), FakeRunning()
        self.directory, self.presence = Directory(), Presence()
        self.games = PlacedGames(
            cast("Games", self.here),
            cast("FinishedGames", None),
            self.directory,
            cast("RunningGames", self.running),
            cast("Peers", self.peers),
            HallSeat("a", 7, is_open=True),
            Events(FakeDelivery(), LocalHub().bus("a")),
            self.presence,
        )

    async def start(self) -> wire.GameState:
        return await self.games.start(SETUP, PLAYERS)


@pytest.fixture
def bench() -> Bench:
    return Bench()


async def test_a_game_starts_where_the_fewest_run(bench: Bench) -> None:
    for game_id, owner in (("g", "a"), ("h", "b")):
        bench.directory.add(entry(game_id, owner))
    started = await bench.start()
    [(process, method, asked)] = bench.peers.asked
    assert (process, method, asked["game"]) == ("c", "start", started.game_id)
    assert asked["hall"] == ["a", 7]
    assert not bench.here.started


async def test_a_game_starts_where_its_players_are_connected(bench: Bench) -> None:
    one, _ = PLAYERS
    bench.presence.add(one, "connection")
    await bench.start()
    assert len(bench.here.started) == 1
    for each in PLAYERS:
        bench.presence.came_elsewhere("c", each)
    await bench.start()
    [(process, *_)] = bench.peers.asked
    assert process == "c"
    assert len(bench.here.started) == 1


@pytest.mark.parametrize(("games", "process"), [(1, "c"), (2, "b")])
async def test_a_process_that_has_clearly_more_games_gets_no_other(
    bench: Bench, games: int, process: str
) -> None:
    for each in PLAYERS:
        bench.presence.came_elsewhere("c", each)
    for number in range(games):
        bench.directory.add(entry(f"g{number}", "c"))
    bench.directory.add(entry("here", "a"))
    await bench.start()
    assert [each for each, *_ in bench.peers.asked] == [process]


async def test_a_game_starts_here_if_the_chosen_process_does_not_answer(bench: Bench) -> None:
    bench.directory.add(entry("g", "a"))
    bench.peers.answers = [GONE]
    started = await bench.start()
    [(process, _, asked)] = bench.peers.asked
    assert process == "b"
    # With the same id: the database says whether it has begun there.
    assert bench.here.started == [RemoteBeginning(asked["game"], ("a", 7))]
    assert started.game_id == asked["game"]


async def test_a_refusal_starts_no_other_game(bench: Bench) -> None:
    bench.directory.add(entry("g", "a"))
    bench.peers.answers = [Refused("unavailable")]
    with pytest.raises(Refused):
        await bench.start()
    assert not bench.here.started


async def test_an_operator_aborts_a_game_at_its_owner(bench: Bench) -> None:
    bench.running.entries["g"] = entry("g", "b")
    bench.peers.answers = [ABORTED.model_dump_json().encode()]
    assert await bench.games.abort_by_operator("g", "spam") == ABORTED
    assert [(each[0], each[1]) for each in bench.peers.asked] == [("b", "abort")]
    bench.running.entries["h"] = entry("h", "a")
    await bench.games.abort_by_operator("h", "spam")
    assert bench.here.aborted == ["h"]


@pytest.mark.parametrize("answer", [NOT_HERE, GONE])
async def test_an_abort_is_tried_again_later_while_a_game_moves(
    bench: Bench, answer: bytes | PeerGone
) -> None:
    bench.running.entries["g"] = entry("g", "b")
    bench.peers.answers = [answer]
    with pytest.raises(Refused) as refused:
        await bench.games.abort_by_operator("g", "spam")
    assert refused.value.code == "unavailable"
    assert not bench.here.aborted


async def test_a_running_game_has_not_ended(bench: Bench) -> None:
    bench.directory.add(entry("g", "b"))
    bench.running.entries["h"] = entry("h", "b")  # which this process has not heard of
    assert await bench.games.ended("g") is None
    assert await bench.games.ended("h") is None


async def test_another_process_is_answered_for_games_that_run_here(bench: Bench) -> None:
    asked = orjson.dumps({"game": "g", "why": "spam"})
    assert await bench.games.answer_abort(asked) == NOT_HERE
    bench.here.owned = {"g"}
    assert wire.Result.model_validate_json(await bench.games.answer_abort(asked)) == ABORTED
