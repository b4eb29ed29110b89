"""Simulated people who play against the bot: they challenge it, think, resign, and forget games."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from bot.guests.abstract_play.rehearsal.agenda import Agenda
from bot.guests.abstract_play.rehearsal.audit import TAKEN, Audit
from bot.guests.abstract_play.rehearsal.faults import Span
from bot.guests.abstract_play.rehearsal.game import HOUR_MS, PASS, ClockTerms, GameState, Seat
from bot.guests.abstract_play.rehearsal.notices import Notices
from bot.guests.abstract_play.rehearsal.site import HostedGame, SimulatedPlayer, Site

CLOCKS: Final = ((12, 6, 24), (24, 12, 48), (48, 12, 96), (72, 24, 120))
"""Start, increment and maximum, in hours."""
VARIANTS: Final = (
    ("bluestone", ()),
    ("bluestone", ()),
    ("bluestone", ("size-8",)),
    ("blooms", ("size-4",)),
    ("blooms", ("size-5",)),
    ("blooms", ()),
)


@dataclass(frozen=True)
class Habits:
    """Chances from 0 to 1 are for each turn or each challenge; times are milliseconds."""

    think_ms: Span = (10 * 60_000, 20 * HOUR_MS)
    """Most answers come early in this span, because its logarithm is uniformly distributed."""
    between_challenges_ms: Span = (60_000, HOUR_MS)
    gives_up_ms: int = 60_000
    """Milliseconds after which a challenge counts as lost; longer than any call can take."""
    resigns: float = 0.003
    forgets: float = 0.002
    """The person returns only when their own time has run out."""
    abandons: float = 0.0005
    passes: float = 0.01
    places_one: float = 0.03
    types_freely: float = 0.1
    """With extra blanks and capitals."""
    bot_opens: float = 0.5
    hard_clock: float = 0.5
    challenges_oddly: float = 0.1
    """An additional challenge to a game that no bot of ours can play."""
    challenges_alike: float = 0.1
    """The next challenge is identical to the last one, and nevertheless a new one."""
    variants: tuple[tuple[str, tuple[str, ...]], ...] = VARIANTS
    clocks: tuple[tuple[int, int, int], ...] = CLOCKS
    hour_ms: int = HOUR_MS
    """Rehearsals in real time have short hours."""


UNPLAYABLE: Final = (
    ("bluestone", ("size-8", "size-4")),
    ("bluestone", ("limping",)),
    ("blooms", ("size-7",)),
    ("blooms", ("size-4", "size-5")),
    ("asli", ()),
    ("stargazers", ()),
)
"""Games and variants that our bot cannot play and must decline."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The content of a challenge, and its challenger."""

    person: SimulatedPlayer
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
    """Makes challenges.

    `begin` is called for each that the bot accepts and that is not withdrawn.
    """

    def __init__(
        self,
        notices: Notices,
        rng: random.Random,
        audit: Audit,
        people: list[SimulatedPlayer],
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
        """Challenge the bot. `closed` is called when it has answered, unless the call is lost."""
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
        """Also challenge the bot to a game that it cannot play."""
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


@dataclass(frozen=True)
class Wanted:
    """The total number of games, and the number at the same time."""

    games: int
    at_once: int


class Crowd:
    """Keeps the wanted number of games running, and plays the people's side of each."""

    def __init__(
        self,
        site: Site,
        notices: Notices,
        agenda: Agenda,
        rng: random.Random,
        audit: Audit,
        *,
        bot: SimulatedPlayer,
        wanted: Wanted,
        habits: Habits,
        withdrawn: float,
    ) -> None:
        self._site = site
        self._agenda = agenda
        self._rng = rng
        self._audit = audit
        self._bot = bot
        self._wanted = wanted
        self._habits = habits
        people = [one for one in site.players.values() if not one.is_bot]
        self._challenges = Challenges(notices, rng, audit, people, habits, withdrawn, self._begin)
        self._open = 0
        site.listeners.append(self._changed)

    @property
    def satisfied(self) -> bool:
        """Whether all wanted games have been played to their ends."""
        return len(self._site.games) >= self._wanted.games and not self._site.running()

    # ---- challenges ------------------------------------------------------------------------

    def fill(self, now: int) -> None:
        """Challenge the bot to as many games as are missing."""
        room = self._wanted.at_once - len(self._site.running()) - self._open
        left = self._wanted.games - len(self._site.games) - self._open
        for _ in range(min(room, left)):
            self._open += 1
            self._agenda.at(now + self._drawn(self._habits.between_challenges_ms), self._challenge)

    def _challenge(self, now: int) -> None:
        closed = _once(self._closed)
        self._challenges.make(now, closed)
        self._agenda.at(now + self._habits.gives_up_ms, closed)

    def _closed(self, now: int) -> None:
        self._open -= 1
        self.fill(now)

    def _begin(self, proposal: Proposal, now: int) -> None:
        ids = (proposal.person.player_id, self._bot.player_id)
        seats = ids[::-1] if self._rng.random() < self._habits.bot_opens else ids
        rated = self._rng.random() < 0.5
        self._site.begin(
            proposal.meta,
            proposal.variants,
            (seats[0], seats[1]),
            proposal.clock,
            now,
            rated=rated,
        )

    # ---- games -----------------------------------------------------------------------------

    def _changed(self, game: HostedGame, now: int) -> None:
        """Listen to the site: a player is to move, or a game is over."""
        if game.now.ending is not None:
            self._audit.counts["games over"] += 1
            self._audit.counts[f"ended by {game.now.ending.reason}"] += 1
            self.fill(now)
            return
        assert game.now.deadline is not None
        if game.mover == self._bot.player_id:
            self._agenda.at(game.now.deadline + 1, _if_still(game, self._claim))
        else:
            self._agenda.at(now + self._patience(game.now, now), _if_still(game, self._answer))

    def _patience(self, state: GameState, now: int) -> int:
        assert state.deadline is not None
        left = state.deadline - now
        if self._rng.random() < self._habits.forgets:
            return left + self._drawn(self._habits.think_ms)
        return min(self._drawn(self._habits.think_ms), max(left - 1, 1))

    def _claim(self, game: HostedGame, now: int) -> None:
        """The bot's time has run out, and its opponent claims the win."""
        seat, due = game.now.to_move, game.now.deadline
        assert due is not None
        self._audit.missed(game.terms.game_id, game.now.ply, "its time was claimed", due)
        self._site.end(game, "timeout", seat, now)

    def _answer(self, game: HostedGame, now: int) -> None:
        state, seat = game.now, game.now.to_move
        assert seat is not None
        assert state.deadline is not None
        if now > state.deadline and game.terms.clock.hard:
            self._site.end(game, "timeout", seat, now)
        else:
            self._act(game, seat, now)

    def _act(self, game: HostedGame, seat: Seat, now: int) -> None:
        drawn = self._rng.random()
        if drawn < self._habits.resigns:
            self._site.end(game, "resign", seat, now)
        elif drawn < self._habits.resigns + self._habits.abandons:
            self._site.end(game, "abandoned", None, now)
        else:
            self._audit.counts["turns of people"] += 1
            person = game.terms.players[seat]
            self._site.move(person, game.terms.game_id, game.terms.meta, self._turn(game), now)

    def _turn(self, game: HostedGame) -> str:
        position = game.now.position
        if game.terms.meta == "bluestone" and self._rng.random() < self._habits.passes:
            return PASS
        turn = position.random_turn(self._rng)
        if self._rng.random() < self._habits.places_one:
            first = turn.partition(",")[0]
            turn = first if position.is_legal(first) else turn
        freely = self._rng.random() < self._habits.types_freely
        return turn.replace(",", ", ").upper() if freely else turn

    def _drawn(self, span: Span) -> int:
        low, high = (math.log(max(moment, 1)) for moment in span)
        return round(math.exp(self._rng.uniform(low, high)))


def _once(do: Callable[[int], None]) -> Callable[[int], None]:
    """Return an action that runs at the first call only."""
    done = False

    def first(now: int) -> None:
        nonlocal done
        if not done:
            done = True
            do(now)

    return first


def _if_still(game: HostedGame, act: Callable[[HostedGame, int], None]) -> Callable[[int], None]:
    """Return an action that runs only if the game has not changed since."""
    seen = game.now

    def check(now: int) -> None:
        if game.now is seen:
            act(game, now)

    return check
