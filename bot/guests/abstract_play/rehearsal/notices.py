"""The platform's calls of a bot's webhook: queued, lost, duplicated, late and stale."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from bot.guests.abstract_play.rehearsal.agenda import Agenda
from bot.guests.abstract_play.rehearsal.audit import Audit
from bot.guests.abstract_play.rehearsal.faults import Faults, within
from bot.guests.abstract_play.rehearsal.game import GameState
from bot.guests.abstract_play.rehearsal.site import HostedGame

ACCEPTED = 200


@dataclass(frozen=True, slots=True)
class Call:
    """The body of one call of the webhook. `challenge` is the number of the challenge, if any."""

    body: bytes
    challenge: int | None = None


Send = Callable[[Call, int], None]
"""Send a call. The sender reports later how it was answered."""


class Notices:
    """`send` is called when a call leaves. `answered` must follow for each within 30 s."""

    def __init__(
        self, agenda: Agenda, faults: Faults, rng: random.Random, audit: Audit, send: Send
    ) -> None:
        self._agenda = agenda
        self._faults = faults
        self._rng = rng
        self._audit = audit
        self._send = send
        self._open: dict[int, Callable[[bool, int], None]] = {}
        self._challenges = 0

    def turn(self, game: HostedGame, now: int, *, stale: bool) -> None:
        """Notify the bot that it is to move. The body is built when the call leaves."""

        def build() -> Call | None:
            # The platform reads the game when it sends, and does not find a game that is over.
            state = game.before if stale else game.now
            return None if game.over else Call(orjson.dumps(_move_body(state)))

        self._queue(build, now)

    def challenge(
        self, body: dict[str, Any], on_answer: Callable[[bool, int], None], now: int
    ) -> None:
        """Offer a game. `on_answer` gets the bot's answer once, unless the call is lost."""
        self._challenges += 1
        number = self._challenges
        self._open[number] = on_answer
        call = Call(orjson.dumps(body), number)
        self._queue(lambda: call, now)

    def answered(self, call: Call, status: int | None, now: int, took: int = 0) -> None:
        """Handle the answer to a call after `took` milliseconds; None if there was none in time."""
        if status is not None:
            self._audit.slowest_call_ms = max(self._audit.slowest_call_ms, took)
        self._audit.counts[f"webhook {status or 'without answer'}"] += 1
        on_answer = self._open.pop(call.challenge, None) if call.challenge else None
        if on_answer is not None:
            on_answer(status == ACCEPTED, now)

    def _queue(self, build: Callable[[], Call | None], now: int) -> None:
        if self._happens("lost", self._faults.lost):
            return
        self._leave_at(build, now + self._delay())
        if self._happens("twice", self._faults.twice):
            self._leave_at(build, now + self._delay())
        if self._happens("again a minute later", self._faults.again_a_minute_later):
            self._leave_at(build, now + self._faults.repeat_ms)

    def _leave_at(self, build: Callable[[], Call | None], due: int) -> None:
        def leave(now: int) -> None:
            call = build()
            if call is not None:
                self._audit.counts["calls sent"] += 1
                self._send(call, now)

        self._agenda.at(due, leave)

    def _delay(self) -> int:
        usual = within(self._rng, self._faults.sending_ms)
        if not self._happens("delayed", self._faults.delayed):
            return usual
        return usual + within(self._rng, self._faults.delay_ms)

    def _happens(self, what: str, chance: float) -> bool:
        happens = self._rng.random() < chance
        self._audit.counts[f"calls {what}"] += happens
        return happens


def _move_body(state: GameState) -> dict[str, Any]:
    terms = state.terms
    seat = state.to_move or 0
    return {
        "verb": "move",
        "metaGame": terms.meta,
        "variants": list(terms.variants),
        "gameid": terms.game_id,
        "clockCurr": terms.clock.hours(state.times[seat]),
        "numPlayers": 2,
        "moves": state.rounds,
    }
