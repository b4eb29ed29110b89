"""People challenge the bot: to games that it can play, and now and then to others."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from bot.rehearsal.audit import TAKEN, Audit
from bot.rehearsal.game import ClockTerms
from bot.rehearsal.habits import Habits
from bot.rehearsal.notices import Notices
from bot.rehearsal.site import Player

UNPLAYABLE: Final = (
    ("bluestone", ("size-8", "size-4")),
    ("bluestone", ("limping",)),
    ("blooms", ("size-7",)),
    ("blooms", ("size-4", "size-5")),
    ("asli", ()),
    ("stargazers", ()),
)
"""Games and variants that the platform has no bot's game for: to be declined."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a challenge offers, and who makes it."""

    person: Player
    meta: str
    variants: tuple[str, ...]
    clock: ClockTerms

    def body(self) -> dict[str, Any]:
        return {
            "verb": "challenge",
            "metaGame": self.meta,
            "variants": list(self.variants),
            "clockStart": self.clock.start,
            "clockInc": self.clock.inc,
            "clockMax": self.clock.most,
            "challengers": [self.person.player_id],
        }


class Challenges:
    """Makes challenges up; `begin` is called for each that the bot accepts and nobody withdraws."""

    def __init__(
        self,
        notices: Notices,
        rng: random.Random,
        audit: Audit,
        people: list[Player],
        habits: Habits,
        withdrawn: float,
        begin: Callable[[Proposal, int], None],
    ) -> None:
        self._notices = notices
        self._rng = rng
        self._audit = audit
        self._people = people
        self._habits = habits
        self._withdrawn = withdrawn
        self._begin = begin
        self._last: Proposal | None = None

    def make(self, now: int, closed: Callable[[int], None]) -> None:
        """Challenge the bot; `closed` is called when it has answered, if the call is not lost."""
        proposal = self._proposal()
        self._audit.counts["challenges"] += 1
        if self._rng.random() < self._habits.challenges_oddly:
            self._make_odd(proposal, now)

        def answered(accepted: bool, when: int) -> None:
            if accepted:
                self._accepted(proposal, when)
            else:
                self._audit.counts["challenges declined"] += 1
            closed(when)

        self._notices.challenge(proposal.body(), answered, now)

    def _accepted(self, proposal: Proposal, now: int) -> None:
        if self._rng.random() < self._withdrawn:
            self._audit.counts["challenges withdrawn"] += 1
        else:
            self._begin(proposal, now)

    def _make_odd(self, usual: Proposal, now: int) -> None:
        """Besides, somebody wants to play what the bot cannot."""
        meta, variants = self._rng.choice(UNPLAYABLE)
        odd = Proposal(usual.person, meta, variants, usual.clock)
        self._audit.counts["challenges to other games"] += 1

        def answered(accepted: bool, _when: int) -> None:
            if accepted:
                self._audit.violation(TAKEN, "-", 0, f"{meta} with {list(variants)}")

        self._notices.challenge(odd.body(), answered, now)

    def _proposal(self) -> Proposal:
        if self._last is None or self._rng.random() >= self._habits.challenges_alike:
            self._last = self._new_proposal()
        return self._last

    def _new_proposal(self) -> Proposal:
        meta, variants = self._rng.choice(self._habits.variants)
        start, inc, most = self._rng.choice(self._habits.clocks)
        hard = self._rng.random() < self._habits.hard_clock
        clock = ClockTerms(start, inc, most, hard, self._habits.hour_ms)
        return Proposal(self._rng.choice(self._people), meta, variants, clock)
