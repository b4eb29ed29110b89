"""The whole stand-in with its people, driven by whoever turns the clock."""

import random
from dataclasses import dataclass, field

from bot.rehearsal.agenda import Agenda
from bot.rehearsal.audit import Audit
from bot.rehearsal.credentials import Credentials
from bot.rehearsal.faults import NONE, Faults, within
from bot.rehearsal.gate import Gate
from bot.rehearsal.notices import Notices, Send
from bot.rehearsal.opponents import Crowd, Habits, Wanted
from bot.rehearsal.site import HostedGame, Player, Site


@dataclass(frozen=True)
class Scenario:
    """What is rehearsed; the same one goes the same way as long as the bot does."""

    credentials: Credentials
    wanted: Wanted
    habits: Habits = field(default_factory=Habits)
    faults: Faults = NONE
    people: int = 20
    seed: int = 1


class World:
    """Call `start`, then `advance` whenever `agenda.next_due` comes, and `gate` for the bot.

    `send` gets each call of the webhook when it leaves; `notices.answered` has to follow. All
    moments are milliseconds since 1970.
    """

    def __init__(self, scenario: Scenario, send: Send) -> None:
        self.agenda = Agenda()
        self.audit = Audit()
        self._rng = random.Random(scenario.seed)
        self._faults = scenario.faults
        self._bot = Player(scenario.credentials.client_id, "Rehearsing bot", is_bot=True)
        self.site = Site([self._bot, *_people(scenario.people)], self._rng)
        self.gate = Gate(
            self.site, scenario.credentials, self.agenda, self._faults, self._rng, self.audit
        )
        self.notices = Notices(self.agenda, self._faults, self._rng, self.audit, send)
        self.site.listeners.append(self._changed)
        self.crowd = Crowd(
            self.site,
            self.notices,
            self.agenda,
            self._rng,
            self.audit,
            bot=self._bot,
            wanted=scenario.wanted,
            habits=scenario.habits,
            withdrawn=self._faults.withdrawn,
        )

    def start(self, now: int) -> None:
        self.crowd.fill(now)

    def advance(self, now: int) -> None:
        """Everything that is due by `now`."""
        self.agenda.advance(now)

    @property
    def finished(self) -> bool:
        """All wanted games have been played to their ends."""
        return self.crowd.satisfied

    def _changed(self, game: HostedGame, now: int) -> None:
        stale = self._rng.random() < self._faults.stale
        if stale:
            self.gate.hide(game, now + within(self._rng, self._faults.stale_ms))
        if game.mover == self._bot.player_id:
            self.notices.turn(game, now, stale=stale)


def _people(number: int) -> list[Player]:
    return [Player(f"person-{at:03}", f"Person {at}") for at in range(1, number + 1)]
