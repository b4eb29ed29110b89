"""A minimal honest bot over HTTP, as a program: `python scripted_bot.py SETTINGS.toml`.

It is what the rehearsal is tried with: every game is read until its end is seen, a turn is
written down before it is sent, and after a doubt or a restart ten seconds pass before it is sent
again.
"""

import asyncio
import base64
import os
import random
import sys
import time
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import orjson
from aiohttp import web
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_ssh_public_key

import engine
from bot.records.jsonl import append_record
from bot.records.model import RecordedPlayer, RecordedResult, RecordedTurn
from bot.records.writing import RecordedSetup, game_record
from bot.time_controls import Untimed

BOARDS = {
    "bluestone": {"": "pent-6", "size-8": "pent-8"},
    "blooms": {f"size-{size}": f"hexhex-{size}" for size in (4, 5, 8, 10)} | {"": "hexhex-6"},
}
WORDLESS = ("resign", "timeout", "draw", "abandoned")
DOUBT_S = 12.0
LOOK_S = 1.0


class ScriptedBot:
    """All that it knows is in an append-only file: games, turns with the time of their sending."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._data = Path(settings["daemon"]["data"])
        self._data.mkdir(parents=True, exist_ok=True)
        self._platform = settings["platforms"][0]
        self._journal = (self._data / "journal.jsonl").open("ab")
        self._games: dict[str, str] = {}
        self._done: set[str] = set()
        self._turns: dict[tuple[str, int], str] = {}
        self._sent: dict[tuple[str, int], float] = {}
        self._busy: set[str] = set()
        self._wanted: asyncio.Queue[str] = asyncio.Queue()
        self._nonces: set[str] = set()
        self._public_key: object = None
        self._token = ""
        self._session: aiohttp.ClientSession | None = None
        for line in (self._data / "journal.jsonl").read_bytes().splitlines():
            self._take(orjson.loads(line))

    def _take(self, entry: dict[str, Any]) -> None:
        match entry["what"]:
            case "game":
                self._games[entry["id"]] = entry["meta"]
            case "turn":
                self._turns[entry["id"], entry["ply"]] = entry["turn"]
                self._sent[entry["id"], entry["ply"]] = entry["at"]
            case "nonce":
                self._nonces.add(entry["nonce"])
            case _:
                self._done.add(entry["id"])

    def _write(self, **entry: Any) -> None:
        self._journal.write(orjson.dumps(entry) + b"\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())
        self._take(entry)

    # ---- what it is told -------------------------------------------------------------------

    async def webhook(self, request: web.Request) -> web.Response:
        if request.method == "GET":
            return web.json_response({"operational": True})
        raw = await request.read()
        if not await self._is_genuine(request.headers, raw):
            return web.Response(status=401)
        body = orjson.loads(raw)
        if body["verb"] == "move":
            self._learn(body["gameid"], body["metaGame"])
            self._wanted.put_nowait(body["gameid"])
            return web.Response(status=202)
        variants = BOARDS.get(body["metaGame"], {})
        return web.Response(status=200 if "".join(body["variants"]) in variants else 400)

    async def _is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        try:
            timestamp, nonce = headers["X-Signature-Timestamp"], headers["X-Signature-Nonce"]
            signature = base64.b64decode(headers["X-Signature"])
            (await self._key()).verify(signature, f"{timestamp}.{nonce}.".encode() + body)
        except (InvalidSignature, KeyError):
            return False
        if not timestamp.isdecimal() or abs(int(timestamp) - time.time()) > 300:
            return False
        if nonce in self._nonces:
            return False
        self._write(what="nonce", nonce=nonce)
        return True

    async def _key(self) -> Ed25519PublicKey:
        assert self._session is not None
        if self._public_key is None:
            async with self._session.get(self._platform["key_url"]) as answer:
                lines = (await answer.text()).splitlines()
            blob = "".join(line for line in lines if " " not in line)
            self._public_key = load_ssh_public_key(b"ssh-ed25519 " + blob.encode())
        assert isinstance(self._public_key, Ed25519PublicKey)
        return self._public_key

    def _learn(self, game_id: str, meta: str) -> None:
        if game_id not in self._games:
            self._write(what="game", id=game_id, meta=meta)

    async def run(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.webhook)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        place = self._platform["listen_host"], self._platform["listen_port"]
        timeout = aiohttp.ClientTimeout(total=10)
        async with (
            aiohttp.ClientSession(timeout=timeout) as self._session,
            asyncio.TaskGroup() as all_,
        ):
            await web.TCPSite(runner, *place).start()
            all_.create_task(self._sweep())
            while True:
                game_id = await self._wanted.get()
                if game_id not in self._busy | self._done:
                    self._busy.add(game_id)
                    all_.create_task(self._attend(game_id))

    async def _sweep(self) -> None:
        while True:
            for meta in BOARDS:
                listed = await self._query("games", metaGame=meta, type="current")
                for game in listed or []:
                    self._learn(game["id"], meta)
            for game_id in self._games:
                self._wanted.put_nowait(game_id)
            await asyncio.sleep(self._platform["sweep_s"])

    # ---- what it does ----------------------------------------------------------------------

    async def _attend(self, game_id: str) -> None:
        try:
            answer = await self._query(
                "get_game", metaGame=self._games[game_id], id=game_id, cbit=0
            )
            if answer is not None:
                await self._consider(answer["game"])
        finally:
            self._busy.discard(game_id)

    async def _consider(self, game: dict[str, Any]) -> None:
        turns = [entry["lastmove"] for entry in orjson.loads(game["state"])["stack"][1:]]
        if not game["toMove"]:
            self._record(game, [turn for turn in turns if turn not in WORDLESS])
        elif game["players"][int(game["toMove"])]["id"] == self._platform["client_id"]:
            await self._move(game, turns)

    async def _move(self, game: dict[str, Any], turns: list[str]) -> None:
        key = (game["id"], len(turns))
        if time.time() - self._sent.get(key, 0.0) < DOUBT_S:
            return
        turn = self._turns.get(key) or self._choice(game, turns)
        for _ in range(2):
            self._write(what="turn", id=key[0], ply=key[1], turn=turn, at=time.time())
            if await self._submit(game, turn) != 401:
                break
            await self._new_token()
        await asyncio.sleep(LOOK_S)
        self._wanted.put_nowait(game["id"])

    def _choice(self, game: dict[str, Any], turns: list[str]) -> str:
        return self._rules(game).replay(turns).random_turn(random.Random())

    def _rules(self, game: dict[str, Any]) -> engine.Game:
        board = BOARDS[game["metaGame"]]["".join(game["variants"])]
        return engine.game(game["metaGame"], board, "abstractplay")

    def _record(self, game: dict[str, Any], turns: list[str]) -> None:
        rules = self._rules(game)
        winners = game["winner"]
        last = rules.replay(turns)
        record = game_record(
            game["id"],
            "abstract-play",
            RecordedSetup(rules.name, rules.board.name, rules.rule_set, Untimed()),
            (RecordedPlayer(name="first", kind="bot"), RecordedPlayer(name="second", kind="bot")),
            [RecordedTurn(turn=turn) for turn in last.turns],
            RecordedResult(winner=winners[0] if len(winners) == 1 else None, reason="played_out"),
            last=last,
            began=datetime.now(UTC),
            ended=datetime.now(UTC),
        )
        append_record(self._data / "records.jsonl", record)
        self._write(what="done", id=game["id"])

    # ---- requests --------------------------------------------------------------------------

    async def _query(self, name: str, **pars: Any) -> Any:
        """None where no answer can be had."""
        status, answer = await self._post("query", {"query": name, "pars": pars})
        return answer if status == 200 else None

    async def _submit(self, game: dict[str, Any], turn: str) -> int | None:
        request = {"verb": "move", "gameid": game["id"], "metaGame": game["metaGame"], "move": turn}
        return (await self._post("botQuery", request))[0]

    async def _post(self, path: str, value: dict[str, Any]) -> tuple[int | None, Any]:
        assert self._session is not None
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            address = self._platform["base"] + path
            async with self._session.post(address, json=value, headers=headers) as answer:
                return answer.status, await answer.json()
        except (aiohttp.ClientError, TimeoutError):
            return None, None

    async def _new_token(self) -> None:
        assert self._session is not None
        form = {
            "grant_type": "client_credentials",
            "client_id": self._platform["client_id"],
            "client_secret": os.environ[self._platform["token_env"]],
            "scope": self._platform["scope"],
        }
        async with self._session.post(self._platform["token_url"], data=form) as answer:
            self._token = (await answer.json())["access_token"]


if __name__ == "__main__":
    with Path(sys.argv[1]).open("rb") as file:
        asyncio.run(ScriptedBot(tomllib.load(file)).run())
