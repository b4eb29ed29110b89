"""People who play the bot: they think for a while, resign, forget their games, claim its time."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from bot.rehearsal.agenda import Agenda
from bot.rehearsal.audit import DEADLINE, Audit
from bot.rehearsal.clocks import HOUR_MS, ClockTerms
from bot.rehearsal.faults import Span
from bot.rehearsal.game import BOARDS, PASS, GameState, Seat
from bot.rehearsal.notices import Notices
from bot.rehearsal.site import HostedGame, Player, Site

CLOCKS: Final = ((12, 6, 24), (24, 12, 48), (48, 12, 96), (72, 24, 120))
"""Start, increment and maximum, in hours."""
SMALL: Final = (
    ("bluestone", ()),
    ("bluestone", ()),
    ("bluestone", ("size-8",)),
    ("blooms", ("size-4",)),
    ("blooms", ("size-5",)),
    ("blooms", ()),
)


@dataclass(frozen=True)
class Habits:
    """Chances a turn, and how long people think, in milliseconds."""

    think_ms: Span = (10 * 60_000, 20 * HOUR_MS)
    """Most answers come early in this span: its logarithm is drawn evenly."""
    between_challenges_ms: Span = (60_000, HOUR_MS)
    resigns: float = 0.003
    forgets: float = 0.002
    """To come back only when the own time has run out."""
    abandons: float = 0.0005
    passes: float = 0.01
    places_one: float = 0.03
    bot_opens: float = 0.5
    hard_clock: float = 0.5
    variants: tuple[tuple[str, tuple[str, ...]], ...] = SMALL
    clocks: tuple[tuple[int, int, int], ...] = CLOCKS
    hour_ms: int = HOUR_MS


@dataclass(frozen=True)
class Wanted:
    """How many games in all, and how many of them at once."""

    games: int
    at_once: int


@dataclass
class _Crowded:
    """Where the challenges stand."""

    open: int = 0
    begun: int = 0
    declined: int = 0
    vanished: set[int] = field(default_factory=set)


class Crowd:
    """Keeps the wanted number of games going, and plays the people's side of each."""

    def __init__(
        self,
        site: Site,
        notices: Notices,
        agenda: Agenda,
        rng: random.Random,
        audit: Audit,
        *,
        bot: Player,
        wanted: Wanted,
        habits: Habits,
        withdrawn: float,
    ) -> None:
        self._site = site
        self._notices = notices
        self._agenda = agenda
        self._rng = rng
        self._audit = audit
        self._bot = bot
        self._wanted = wanted
        self._habits = habits
        self._withdrawn = withdrawn
        self._people = [one for one in site.players.values() if not one.is_bot]
        self._challenges = _Crowded()
        site.listeners.append(self.changed)

    @property
    def satisfied(self) -> bool:
        """All games that were wanted have been played to their ends."""
        return self._challenges.begun >= self._wanted.games and not self._site.running()

    @property
    def declined(self) -> int:
        return self._challenges.declined

    # ---- challenges ------------------------------------------------------------------------

    def fill(self, now: int) -> None:
        """Challenge the bot for as many games as are missing."""
        standing = self._challenges
        busy = len(self._site.running()) + standing.open
        missing = min(
            self._wanted.at_once - busy, self._wanted.games - standing.begun - standing.open
        )
        for _ in range(missing):
            standing.open += 1
            self._agenda.at(now + self._drawn(self._habits.between_challenges_ms), self._challenge)

    def _challenge(self, now: int) -> None:
        meta, variants = self._rng.choice(self._habits.variants)
        start, inc, most = self._rng.choice(self._habits.clocks)
        hard = self._rng.random() < self._habits.hard_clock
        clock = ClockTerms(start, inc, most, hard, self._habits.hour_ms)
        person = self._rng.choice(self._people)
        self._audit.counts["challenges"] += 1
        over = _Once(self._closed)

        def answered(accepted: bool, when: int) -> None:
            if over.happened:
                return
            if not accepted:
                self._challenges.declined += 1
            elif self._rng.random() < self._withdrawn:
                self._audit.counts["challenges withdrawn"] += 1
            else:
                self._begin(person, meta, variants, clock, when)
            over(when)

        self._notices.challenge(_challenge_body(person, meta, variants, clock), answered, now)
        # One that got lost is withdrawn in the end.
        self._agenda.at(now + 2 * self._habits.between_challenges_ms[1] + 60_000, over)

    def _closed(self, now: int) -> None:
        self._challenges.open -= 1
        self.fill(now)

    def _begin(
        self, person: Player, meta: str, variants: tuple[str, ...], clock: ClockTerms, now: int
    ) -> None:
        self._challenges.begun += 1
        ids = (person.player_id, self._bot.player_id)
        seats = ids[::-1] if self._rng.random() < self._habits.bot_opens else ids
        rated = self._rng.random() < 0.5
        self._site.begin(meta, variants, (seats[0], seats[1]), clock, now, rated=rated)

    # ---- games -----------------------------------------------------------------------------

    def changed(self, game: HostedGame, now: int) -> None:
        """Listens to the site: somebody is to move, or a game is over."""
        if game.over:
            assert game.now.ending is not None
            self._audit.counts["games over"] += 1
            self._audit.counts[f"ended by {game.now.ending.reason}"] += 1
            self.fill(now)
        elif game.mover == self._bot.player_id:
            assert game.now.deadline is not None
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
        """The bot's time has run out: its opponent takes the game."""
        seat = game.now.to_move
        self._audit.violation(DEADLINE, game.terms.game_id, game.now.ply, "its time was claimed")
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
            return first if position.is_legal(first) else turn
        # People type as they like.
        return turn.replace(",", ", ") if self._rng.random() < 0.1 else turn

    def _drawn(self, span: Span) -> int:
        low, high = (math.log(max(moment, 1)) for moment in span)
        return round(math.exp(self._rng.uniform(low, high)))


class _Once:
    """Passes on the first call only."""

    def __init__(self, do: Callable[[int], None]) -> None:
        self._do = do
        self.happened = False

    def __call__(self, now: int) -> None:
        if not self.happened:
            self.happened = True
            self._do(now)


def _if_still(game: HostedGame, act: Callable[[HostedGame, int], None]) -> Callable[[int], None]:
    """Only while nothing has changed in the game since."""
    seen = game.now

    def check(now: int) -> None:
        if game.now is seen:
            act(game, now)

    return check


def _challenge_body(
    person: Player, meta: str, variants: tuple[str, ...], clock: ClockTerms
) -> dict[str, Any]:
    assert variants in BOARDS[meta]
    return {
        "verb": "challenge",
        "metaGame": meta,
        "variants": list(variants),
        "clockStart": clock.start,
        "clockInc": clock.inc,
        "clockMax": clock.most,
        "challengers": [person.player_id],
    }
