"""Floods of requests: each event and each route with the arguments that cost an arena most."""

import asyncio
import base64
import contextlib
import itertools
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final
from urllib.parse import quote

import aiohttp

from bot import wire
from bot.bench.clients.frames import FrameConnection, Json, RequestRefused
from bot.bench.clients.guests import Guest
from bot.bench.clients.roles import ClientPlan, Notify
from bot.bench.clients.sources import SourceAddresses
from bot.errors import PeerError
from lab.arena.abusers import Abuser, Stay
from lab.arena.long_games import FREE

CONNECTIONS: Final = 15
PER_S: Final = 20.0
"""Messages per second of a connection: as many as the limits of a guest allow."""
IN_FLIGHT: Final = 200
"""Messages of a connection without an answer; a client that sends more only fills its buffer."""
UNKNOWN: Final = "0" * 20

Fields = Callable[[Any, int], Json]
"""The fields of the message of this number. The scene is that of `LongGames`, as JSON."""


def _running(scene: Json, number: int) -> str:
    games: list[str] = scene["running"]
    return games[number % len(games)]


def _anything(scene: Json, number: int) -> Json:
    """A position that no earlier request has asked for, of another game each time."""
    turns = scene["turns"][:FREE]
    return {"setup": _unusual(number), "turns": turns}


def _unusual(number: int) -> Json:
    return {"game": "hexo", "options": {"cap": str(400 + number % 1500)}}


def _lines(scene: Json, _number: int) -> list[list[str]]:
    """Three lines of six turns with different answers to different turns."""
    turns = scene["following"][:6]
    return [turns[shift:] + turns[:shift] for shift in (0, 2, 4)]


def _plan(scene: Json, number: int) -> Json:
    ply = len(scene["turns"])
    return {"game_id": _running(scene, number), "ply": ply, "lines": _lines(scene, number)}


def _added(scene: Json, number: int) -> Json:
    """A long game of the guest's own device, each a new one."""
    began = "2026-01-01T00:00:00Z"
    return {
        "local_id": f"local-{number}",
        "setup": _unusual(number),
        "seat": 1,
        "level": 1,
        "turns": scene["turns"][:FREE],
        "resigned": True,
        "started_at": began,
        "ended_at": began,
    }


def _create(_scene: Json, number: int) -> Json:
    setup = {**_unusual(number), "clock": {"kind": "none"}}
    return {"setup": setup, "seats": [None, None]}


def _subscribe(_scene: Json, number: int) -> Json:
    point, secret = (base64.urlsafe_b64encode(bytes(size)).decode() for size in (65, 16))
    return {
        "endpoint": f"https://push.example.org/{number}",
        "p256dh": point.rstrip("="),
        "auth": secret.rstrip("="),
        "language": "en",
    }


def _tournament(scene: Json, _number: int) -> Json:
    return {"tournament_id": scene["tournament"]}


def _hosted(**fields: object) -> Fields:
    return lambda scene, _: {"tournament_id": scene["tournament"], "why": "why", **fields}


def _about(event: str) -> Fields:
    return lambda _scene, _: {"challenge_id": f"{UNKNOWN}{event[-4:]}"}


EVENTS: Final[Mapping[str, Fields]] = {
    "challenge.create": _create,
    "challenge.state": _about("state"),
    "challenge.accept": _about("accept"),
    "challenge.decline": lambda _s, _n: {"challenge_id": UNKNOWN, "code": "no", "message": "no"},
    "challenge.cancel": _about("cancel"),
    "game.turn": lambda scene, _: {
        "game_id": scene["own_move"],
        "ply": len(scene["turns"]),
        "turn": scene["turns"][-1],
    },
    "game.action": lambda scene, number: {
        "game_id": _running(scene, number),
        "action": ("offer_draw", "offer_abort")[number % 2],
    },
    "game.watch": lambda scene, number: {"game_id": _running(scene, number)},
    "game.state": lambda scene, number: {"game_id": _running(scene, number)},
    "game.position": lambda scene, number: {
        "game_id": scene["finished"],
        "ply": len(scene["turns"]) - 1 - number % 8,
    },
    "game.legal": lambda scene, number: {
        "game_id": scene["own_move"],
        "chosen": [f"{number % 8 - 3}:-3"],
        "about": "500:500",
    },
    "game.chat": lambda scene, number: {"game_id": _running(scene, number), "open": True},
    "game.chats": lambda scene, number: {"game_id": _running(scene, number)},
    "game.report": lambda scene, number: {"game_id": _running(scene, number), "reason": "x" * 300},
    "game.plan": _plan,
    "game.plans": lambda scene, number: {"game_id": _running(scene, number)},
    "game.add": _added,
    "game.queue": lambda scene, number: {
        "game_id": _running(scene, number),
        "ply": 0,
        "before": number % 999,
    },
    "tournament.create": lambda _s, _n: {
        "settings": {
            "name": "Flood",
            "format": {"kind": "round-robin"},
            "setups": [{"game": "hexo", "clock": {"kind": "per_turn", "turn_s": 10}}],
        }
    },
    "tournament.enter": _tournament,
    "tournament.leave": _tournament,
    "tournament.start": _tournament,
    "tournament.pause": _hosted(),
    "tournament.resume": _tournament,
    "tournament.withdraw": _hosted(player="entrant-1"),
    "tournament.replace": _hosted(game=1, winner=1),
    "tournament.end": _hosted(),
    "tournament.watch": _tournament,
    "puzzle.ask": lambda _s, number: {"game": ("bluestone", "hexo")[number % 2]},
    "puzzle.try": lambda scene, _: {"puzzle_id": scene["puzzle"], "turn": scene["puzzle_turn"]},
    "player.ignore": lambda _s, number: {"name": "entrant-1", "ignore": number % 2 == 0},
    "player.ignored": lambda _s, _n: {},
    "push.subscribe": _subscribe,
    "push.unsubscribe": lambda scene, number: {"endpoint": _subscribe(scene, number)["endpoint"]},
    "analysis.position": _anything,
    "analysis.legal": lambda scene, number: {**_anything(scene, number), "about": "500:500"},
    "analysis.start": lambda scene, number: {
        **_anything(scene, number),
        "request": f"r{number}",
        "effort": "deep",
    },
    "analysis.cancel": lambda _s, _n: {},
    "analysis.game": lambda scene, _: {"game_id": scene["finished"], "start": True},
    "analysis.take": lambda _s, _n: {},
    "analysis.report": lambda _s, _n: {"job_id": UNKNOWN, "state": "working"},
    "state": lambda _s, _n: {},
}
"""Each event of the protocol, with the arguments of its costliest requests."""


def _drawn(scene: Json) -> str:
    turns, size = list[str](), 0
    for turn in scene["turns"]:
        size += len(turn) + 1
        if size > 7_000:
            break
        turns.append(turn)
    return f"game=hexo&o.cap=1000&turns={quote(' '.join(turns))}"


Address = Callable[[Any, int], str]
"""The address of the request of this number in a scene."""

ROUTES: Final[Mapping[str, Address]] = {
    "/api/boards/{game}": lambda _s, _n: "/api/boards/bluestone",
    "/api/boards/{game}/{board}": lambda _s, n: f"/api/boards/bluestone/hexhex-{3 + n % 9}",
    "/api/caller": lambda _s, _n: "/api/caller",
    "/api/games": lambda _s, _n: "/api/games",
    "/api/games/{id}": lambda scene, n: f"/api/games/{_running(scene, n)}",
    "/api/games/{id}.{form}": lambda scene, n: (
        f"/api/games/{_running(scene, n)}.png?ply={n % 300}&width=1200"
    ),
    "/api/games/{id}/position": lambda scene, n: (
        f"/api/games/{_running(scene, n)}/position?ply={300 - n % 20}"
    ),
    "/api/openings": lambda scene, n: f"/api/openings?{_drawn(scene)}&rated={'tf'[n % 2]}",
    "/api/players/{name}": lambda _s, _n: "/api/players/entrant-1",
    "/api/position": lambda scene, n: f"/api/position?{_drawn(scene)}&ply={n % 200}",
    "/api/position.{form}": lambda scene, n: f"/api/position.svg?{_drawn(scene)}&ply={n % 200}",
    "/api/ratings/{game}": lambda _s, _n: "/api/ratings/hexo",
    "/api/records": lambda _s, _n: "/api/records?limit=50",
    "/api/records.{form}": lambda _s, _n: "/api/records.sgf",
    "/api/records/{id}": lambda scene, _: f"/api/records/{scene['finished']}",
    "/api/records/{id}.{form}": lambda scene, n: (
        f"/api/records/{scene['finished']}.gif?width={300 + n}"
    ),
    "/api/records/{id}/ratings": lambda scene, _: f"/api/records/{scene['finished']}/ratings",
    "/api/schema/events.json": lambda _s, _n: "/api/schema/events.json",
    "/api/schema/record.json": lambda _s, _n: "/api/schema/record.json",
    "/api/tournaments": lambda _s, _n: "/api/tournaments",
    "/api/tournaments/{id}": lambda scene, _: f"/api/tournaments/{scene['tournament']}",
    "/api/tournaments/{id}/games.jsonl": lambda scene, _: (
        f"/api/tournaments/{scene['tournament']}/games.jsonl"
    ),
    "/api/tournaments/{id}/rounds": lambda scene, n: (
        f"/api/tournaments/{scene['tournament']}/rounds?before={n % 20 + 1}"
    ),
    "/api/{rest}": lambda _s, _n: "/api/nothing",
    "/healthz": lambda _s, _n: "/healthz",
    "/engine/{name}": lambda _s, _n: "/engine/hexo-plane.json",
    "/lessons/{game}.json": lambda _s, _n: "/lessons/hexo.json",
    "/messages/{language}/{area}.json": lambda _s, _n: "/messages/en/lobby.json",
    "/{path}": lambda scene, n: f"/game/{_running(scene, n)}",
}
"""Each route, with the addresses of its costliest requests."""


ACCOUNT: Final = "/api/account"
BODIES: Final[Mapping[str, Json]] = {
    ACCOUNT: {},
    f"{ACCOUNT}/passkeys/options": {},
    f"{ACCOUNT}/passkeys/add": {"credential": {}},
    f"{ACCOUNT}/passkeys/rename": {"id": "x", "label": "x"},
    f"{ACCOUNT}/passkeys/remove": {"id": "x"},
    f"{ACCOUNT}/recovery/create": {},
    f"{ACCOUNT}/recovery/use": {"secret": "x" * 40},
    f"{ACCOUNT}/proof": {"credential": {}},
    f"{ACCOUNT}/proof/options": {},
    f"{ACCOUNT}/devices/add": {},
    f"{ACCOUNT}/devices/use": {"secret": "x" * 40},
    f"{ACCOUNT}/devices/sign-out": {"id": "x"},
    f"{ACCOUNT}/devices/sign-out-others": {},
    f"{ACCOUNT}/sign-in/options": {},
    f"{ACCOUNT}/sign-in": {"credential": {}},
    f"{ACCOUNT}/export": {},
    f"{ACCOUNT}/delete": {"name": "nobody"},
}
"""Each route about the account: it is a POST with this body and the guest's key."""


OWN: Final = frozenset(
    {"state", "game.turn", "game.action", "game.chat", "game.chats", "game.report"}
    | {"game.plan", "game.plans", "game.queue"}
)
"""Events that are costly only for the guest who plays the long games."""


class Flooding(Abuser):
    """Connections that send one event without a pause, as fast as a guest may.

    The first one, and all if only a player may send the event, belong to the guest with the long
    games, and come again until they are admitted. `path` of the plan is the name of the event,
    `setup` the scene.
    """

    def __init__(self, plan: ClientPlan, sources: SourceAddresses, notify: Notify) -> None:
        super().__init__(plan, sources, notify)
        self._event = plan.path
        self._scene = plan.setup
        self._numbers = itertools.count()

    async def enter(self, number: int) -> Stay:
        key = self._scene["guest_key"] if number == 0 or self._event in OWN else None
        auth = {"v": wire.VERSION, "guest_key": key, "events": "new"}
        while True:
            try:
                session = self._sessions[number]
                connection = await FrameConnection.open(session, self._address, auth, _ignore)
            except RequestRefused as refused:
                if refused.retry_after_s is None:
                    raise
                await asyncio.sleep(refused.retry_after_s)
            else:
                return lambda: self._flood(connection)

    async def _flood(self, connection: FrameConnection) -> None:
        asking: set[asyncio.Task[None]] = set()
        try:
            while True:
                if len(asking) < IN_FLIGHT:
                    task = asyncio.create_task(self._ask(connection))
                    asking.add(task)
                    task.add_done_callback(asking.discard)
                await asyncio.sleep(1 / PER_S)
        finally:
            for task in asking:
                task.cancel()
            await connection.close()

    async def _ask(self, connection: FrameConnection) -> None:
        fields = EVENTS[self._event](self._scene, next(self._numbers))
        with contextlib.suppress(PeerError):
            await connection.ask(self._event, {"v": wire.VERSION, **fields})


class Reconnecting(Abuser):
    """Connections of that guest that log in, wait for the welcome and leave, without a pause."""

    def __init__(self, plan: ClientPlan, sources: SourceAddresses, notify: Notify) -> None:
        super().__init__(plan, sources, notify)
        self._key = str(plan.setup["guest_key"])

    async def enter(self, number: int) -> Stay:
        return lambda: self._reconnect(self._sessions[number])

    async def _reconnect(self, session: aiohttp.ClientSession) -> None:
        while True:
            guest = Guest(session, _ignore)
            try:
                with contextlib.suppress(PeerError):
                    await guest.enter_once(self._address, self._key)
            finally:
                await guest.leave()
            await asyncio.sleep(0.01)


class Requesting(Abuser):
    """Requests for one route, each as soon as the previous one is answered.

    `path` of the plan is the route, `setup` the scene.
    """

    def __init__(self, plan: ClientPlan, sources: SourceAddresses, notify: Notify) -> None:
        super().__init__(plan, sources, notify)
        self._body = BODIES.get(plan.path)
        self._route: Address = ROUTES.get(plan.path, lambda _scene, _number: plan.path)
        self._scene = plan.setup
        key = plan.setup["guest_key"]
        self._headers = {"Origin": plan.address, "Authorization": f"Bearer {key}"}
        self._numbers = itertools.count()

    async def enter(self, number: int) -> Stay:
        return lambda: self._get_on(self._sessions[number])

    async def _get_on(self, session: aiohttp.ClientSession) -> None:
        while True:
            url = f"{self._address}{self._route(self._scene, next(self._numbers))}"
            try:
                async with self._request(session, url) as response:
                    while await response.content.readany():
                        pass
            except (aiohttp.ClientError, TimeoutError):
                await asyncio.sleep(0.1)

    def _request(
        self, session: aiohttp.ClientSession, url: str
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        if self._body is None:
            return session.get(url)
        return session.post(url, json=self._body, headers=self._headers)


def _ignore(_text: str, _moment: float) -> None:
    """Abusers ignore events."""
