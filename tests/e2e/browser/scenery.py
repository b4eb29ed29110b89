"""An arena with something on each of its pages: games, ratings, a tournament, an invitation."""

import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import engine
from bot import wire
from bot.arena.games.game_store import GameStore
from bot.arena.players.accounts import Accounts
from bot.arena.players.hosts import issue_key
from bot.arena.ratings.rating_store import RatingStore
from bot.arena.store.connection import Hold
from bot.arena.store.database import OPEN_S
from bot.arena.store.opening import open_database
from bot.time_source import SystemTime
from bot.up.bundled_bots import BUNDLED_BOTS, ENGINE, BundledBot
from tests.bot.arena.ratings.rated import BLUESTONE, finished, fold_all, put
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.opponent import Opponent, at_least
from tests.e2e.browser.scripted_game import ScriptedGame
from tests.e2e.browser.scripts import play_fixed
from tests.fakes.arena_client import ArenaClient, connected

CLOCK: Final = {"kind": "fischer", "initial_s": 300, "increment_s": 5}
OTHERS: Final = (("blooms", "hexhex-5"), ("stargazers", "stars-39"))
"""Games that are in the lists beside those of the script."""
PAST_DAYS: Final = 30
HOST: Final = "Hanna"
FRIEND: Final = "Ada"
PLAYER: Final = "Granite"
RIVAL: Final = "Pebble"
RATED: Final = ("Sand", RIVAL, "Boulder", "Cliff", PLAYER)
"""The bots that have ratings, the weakest first."""


@dataclass
class Scenery:
    """The addresses of what there is; `stop` is the turn at which scripted games stop."""

    running: str = ""
    finished: str = ""
    tournament: str = ""
    invitation: str = ""
    board: str = ""
    stop: int = 10_000
    bots: dict[str, Opponent] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """The ids by the names with which paths have them, such as `/game/{running}`."""
        return {
            "running": self.running,
            "finished": self.finished,
            "tournament": self.tournament,
            "invitation": self.invitation,
            "player": PLAYER,
            "board": self.board,
        }


async def build(
    arena: LocalArena, scripts: Sequence[ScriptedGame], stop: int, past: int, stack: AsyncExitStack
) -> Scenery:
    """Fill the arena; who is connected stays so until the stack is closed.

    The first game of `scripts` is the one that is shown; another one of it stops at ply `stop`.
    `past` rated games are in the ratings without having been played.
    """
    scenery = Scenery(board=scripts[0].game.board.name)
    for bot in BUNDLED_BOTS:
        scenery.bots[bot.name] = await _bot(arena, bot, scripts, scenery, stack)
    await _past(arena, past)
    one, two = scenery.bots[PLAYER], scenery.bots[RIVAL]
    for script in reversed(scripts):
        scenery.finished = await _begin(one, two, script.game)
        await one.wait_until(scenery.finished, lambda state: state.state == "finished")
    scenery.tournament = await _tournament(arena, scenery, stack)
    scenery.stop = stop
    scenery.running = await _begin(one, two, scripts[0].game)
    await one.wait_until(scenery.running, at_least(stop))
    friend = await stack.enter_async_context(connected(arena.address, name=FRIEND))
    scenery.invitation = await _invitation(friend)
    return scenery


async def _bot(
    arena: LocalArena,
    bundled: BundledBot,
    scripts: Sequence[ScriptedGame],
    scenery: Scenery,
    stack: AsyncExitStack,
) -> Opponent:
    known = {(script.game.name, script.game.board.name): script for script in scripts}

    def choose(state: wire.GameState) -> wire.PlayTurn | None:
        script = known.get((state.setup.game, state.setup.board or ""))
        return script.play(state, scenery.stop) if script else play_fixed(state)

    token = await arena.token(bundled.name)
    name = f"{ENGINE}, level {bundled.level}"
    bot = Opponent(bundled.name, token, choose, engine=name, level=bundled.level)
    await stack.enter_async_context(bot)
    await bot.connect(arena.address)
    return bot


async def _begin(one: Opponent, two: Opponent, game: engine.Game) -> str:
    setup = {"game": game.name, "board": game.board.name, "rules": game.rule_set, "clock": CLOCK}
    one.states.clear()
    offer = {"setup": setup, "seats": [one.name, two.name]}
    answer = await one.tell("challenge.create", offer)
    if not answer["ok"]:
        raise RuntimeError(f"no game begins: {answer}")
    return (await one.wait_for_game()).game_id


async def _past(arena: LocalArena, count: int) -> None:
    """Rated games of the last month, in which the stronger bot usually won."""
    rng, begin = random.Random(4), datetime.now(UTC) - timedelta(days=PAST_DAYS)
    gap_s = PAST_DAYS * 86_400 / max(count, 1)
    async with open_database(arena.data, OPEN_S, Hold.NONE) as database:
        accounts, store = Accounts(database, SystemTime()), GameStore(database)
        players = [await accounts.find(name) for name in RATED]
        for number in range(count):
            low, high = sorted(rng.sample(range(len(players)), 2))
            is_usual = rng.random() < 1 - 0.5 ** (high - low)
            pair = (players[high], players[low])
            seat: wire.Seat = 1 if is_usual else 2
            at_s = number * gap_s
            await put(store, finished(f"past{number}", pair, seat, at_s, BLUESTONE, epoch=begin))
        await fold_all(RatingStore(database))


async def _tournament(arena: LocalArena, scenery: Scenery, stack: AsyncExitStack) -> str:
    """A small round-robin that has been played, and one that is open."""
    key = await issue_key(arena.data, HOST)
    host = await stack.enter_async_context(connected(arena.address, guest_key=key))
    bots = [scenery.bots[name] for name in (PLAYER, RIVAL, "Cliff", "Sand")]
    played = await _made(host, "Autumn cup")
    for bot in bots:
        answer = await bot.tell("tournament.enter", {"tournament_id": played})
        if not answer["ok"]:
            raise RuntimeError(f"{bot.name} does not enter: {answer}")
    await host.do("tournament.start", tournament_id=played)
    await host.do("tournament.watch", tournament_id=played)
    await host.wait_for(wire.TournamentState, lambda state: state.state == "over")
    await _made(host, "Winter cup")
    return played


async def _made(host: ArenaClient, name: str) -> str:
    settings: dict[str, Any] = {
        "name": name,
        "format": {"kind": "round-robin"},
        "setups": [{"board": "pent-4", "clock": CLOCK}],
    }
    done = await host.do("tournament.create", settings=settings)
    identity: str = done.tournament.tournament_id
    return identity


async def _invitation(friend: ArenaClient) -> str:
    offer = {"setup": {"clock": CLOCK}, "seats": [FRIEND, None], "private": True}
    done = await friend.do("challenge.create", **offer)
    identity: str = done.challenge.challenge_id
    return identity
