"""An honest bot without sockets or processes: it asks the gate, on the stand-in's clock."""

import random
from typing import Any

import orjson

import engine
from bot.guests.abstract_play.rehearsal.answers import SiteAnswer
from bot.guests.abstract_play.rehearsal.credentials import Credentials
from bot.guests.abstract_play.rehearsal.game import BOARDS, HOUR_MS
from bot.guests.abstract_play.rehearsal.notices import Call
from bot.guests.abstract_play.rehearsal.opponents import Wanted
from bot.guests.abstract_play.rehearsal.stand_in import Scenario, World

CREDENTIALS = Credentials("the-bot", "its-secret", "rehearsal/communicate")
START = 1_787_000_000_000
FORM = {
    "grant_type": "client_credentials",
    "client_id": "the-bot",
    "client_secret": "its-secret",
    "scope": "rehearsal/communicate",
}
AGAIN_MS = 15_000
SWEEP_MS = HOUR_MS


def scenario(**changes: Any) -> Scenario:
    return Scenario(**{"credentials": CREDENTIALS, "wanted": Wanted(2, 2), **changes})


class PatientBot:
    """Accepts what it can play; keeps to one move a ply, and reads the game after every doubt."""

    def __init__(self, rehearsed: Scenario) -> None:
        self.world = World(rehearsed, self._on_call)
        self._rng = random.Random(rehearsed.seed)
        self._chosen: dict[tuple[str, int], str] = {}
        self._sent: dict[tuple[str, int], int] = {}
        self._known: dict[str, str] = {}
        self._token = ""

    def play(self, most_ms: int) -> int:
        """Turn the clock until all is played, or for so long; returns the time taken."""
        self.world.start(START)
        self.world.agenda.at(START, self._sweep)
        now = START
        while not self.world.finished and now < START + most_ms:
            assert self.world.agenda.next_due is not None
            now = self.world.agenda.next_due
            self.world.advance(now)
        return now - START

    def _on_call(self, call: Call, now: int) -> None:
        notice = orjson.loads(call.body)
        if notice["verb"] == "challenge":
            playable = tuple(notice["variants"]) in BOARDS.get(notice["metaGame"], {})
            self.world.notices.answered(call, 200 if playable else 400, now)
            return
        self._known[notice["gameid"]] = notice["metaGame"]
        self.world.notices.answered(call, 202, now)
        self._look(notice["gameid"], now)

    def _sweep(self, now: int) -> None:
        for meta in BOARDS:
            answer = self.world.gate.ask("games", {"metaGame": meta, "type": "current"}, now)
            if answer.status == 200:
                self._known |= {game["id"]: meta for game in orjson.loads(answer.body)}
        for game_id in list(self._known):
            self._look(game_id, now)
        self.world.agenda.at(now + SWEEP_MS, self._sweep)

    def _look(self, game_id: str, now: int) -> None:
        pars = {"metaGame": self._known[game_id], "id": game_id, "cbit": 0}
        answer = self.world.gate.ask("get_game", pars, now)
        if answer.status != 200:
            self.world.agenda.at(now + AGAIN_MS, lambda when: self._look(game_id, when))
            return
        game = orjson.loads(answer.body)["game"]
        if game["toMove"] and game["players"][int(game["toMove"])]["id"] == CREDENTIALS.client_id:
            self._move(game, now)

    def _move(self, game: dict[str, Any], now: int) -> None:
        turns = [entry["lastmove"] for entry in orjson.loads(game["state"])["stack"][1:]]
        key = (game["id"], len(turns))
        if now - self._sent.get(key, 0) < AGAIN_MS:
            return
        turn = self._remembered(key, self._choice(game, turns))
        self._sent[key] = now
        answer = self._submit(game, turn, now)
        if answer.status == 401:
            self._token = orjson.loads(self.world.gate.token(FORM, now).body)["access_token"]
            answer = self._submit(game, turn, now)
        # Read it again whatever the answer was; that also shows a turn after a forced pass.
        self.world.agenda.at(now + AGAIN_MS, lambda when: self._look(game["id"], when))

    def _remembered(self, key: tuple[str, int], turn: str) -> str:
        return self._chosen.setdefault(key, turn)

    def _choice(self, game: dict[str, Any], turns: list[str]) -> str:
        board = BOARDS[game["metaGame"]][tuple(game["variants"])]
        rules = engine.game(game["metaGame"], board, "abstractplay")
        return rules.replay(turns).random_turn(self._rng)

    def _submit(self, game: dict[str, Any], turn: str, now: int) -> SiteAnswer:
        request = {
            "verb": "move",
            "gameid": game["id"],
            "metaGame": game["metaGame"],
            "move": turn,
        }
        body = orjson.dumps(request)
        return self.world.gate.bot_query(f"Bearer {self._token}", "application/json", body, now)
