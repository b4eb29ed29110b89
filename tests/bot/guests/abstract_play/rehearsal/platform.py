"""A stand-in with one bot and two people, and no life of its own: tests make what happens."""

import random
from typing import Any

import orjson

from bot.guests.abstract_play.rehearsal.agenda import Agenda
from bot.guests.abstract_play.rehearsal.answers import SiteAnswer
from bot.guests.abstract_play.rehearsal.audit import Audit
from bot.guests.abstract_play.rehearsal.faults import NONE, Faults
from bot.guests.abstract_play.rehearsal.game import ClockTerms
from bot.guests.abstract_play.rehearsal.gate import Gate
from bot.guests.abstract_play.rehearsal.site import HostedGame, SimulatedPlayer, Site
from tests.bot.guests.abstract_play.rehearsal.patient_bot import CREDENTIALS, FORM, START

BOT = CREDENTIALS.client_id


class Platform:
    def __init__(self, faults: Faults = NONE) -> None:
        rng = random.Random(1)
        self.now = START
        self.agenda = Agenda()
        self.audit = Audit()
        people = [
            SimulatedPlayer("ann", "Ann"),
            SimulatedPlayer("bob", "Bob"),
            SimulatedPlayer(BOT, "Bot", is_bot=True),
        ]
        self.site = Site(people, rng)
        self.gate = Gate(self.site, CREDENTIALS, self.agenda, faults, rng, self.audit)
        answer = self.gate.token(FORM, self.now)
        self.authorization = f"Bearer {orjson.loads(answer.body)['access_token']}"

    def game(self, first: str = BOT, second: str = "ann", meta: str = "bluestone") -> HostedGame:
        return self.site.begin(meta, (), (first, second), ClockTerms(48, 12, 96), self.now)

    def wait(self, milliseconds: int) -> None:
        self.now += milliseconds
        self.agenda.advance(self.now)

    def submit(self, game: HostedGame, move: str, **changes: Any) -> SiteAnswer:
        request = {
            "verb": "move",
            "gameid": game.terms.game_id,
            "metaGame": game.terms.meta,
            "move": move,
            **changes,
        }
        body = orjson.dumps({name: value for name, value in request.items() if value is not None})
        return self.gate.bot_query(self.authorization, "application/json", body, self.now)

    def ask(self, name: str, **pars: Any) -> SiteAnswer:
        body = orjson.dumps({"query": name, "pars": pars})
        return self.gate.query(body, self.now)

    def read(self, game: HostedGame) -> dict[str, Any]:
        answer = self.ask("get_game", metaGame=game.terms.meta, id=game.terms.game_id, cbit=0)
        assert answer.status == 200
        record: dict[str, Any] = orjson.loads(answer.body)["game"]
        return record


def inside(answer: SiteAnswer) -> tuple[int, dict[str, Any]]:
    """What is in the envelope: its status, and its body."""
    assert answer.status == 200
    envelope = orjson.loads(answer.body)
    return envelope["statusCode"], orjson.loads(envelope["body"])
