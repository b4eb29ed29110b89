"""People who play the bot: they think for a while, resign, forget their games, claim its time."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from bot.rehearsal.agenda import Agenda
from bot.rehearsal.audit import Audit
from bot.rehearsal.challenges import Challenges, Proposal
from bot.rehearsal.faults import Span
from bot.rehearsal.game import PASS, GameState, Seat
from bot.rehearsal.habits import Habits
from bot.rehearsal.notices import Notices
from bot.rehearsal.site import HostedGame, Player, Site


@dataclass(frozen=True)
class Wanted:
    """How many games in all, and how many of them at once."""

    games: int
    at_once: int


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
        """All games that were wanted have been played to their ends."""
        return len(self._site.games) >= self._wanted.games and not self._site.running()

    # ---- challenges ------------------------------------------------------------------------

    def fill(self, now: int) -> None:
        """Challenge the bot for as many games as are missing."""
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
        """Listens to the site: somebody is to move, or a game is over."""
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
        """The bot's time has run out: its opponent takes the game."""
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
    """Does it at the first call only."""
    done = False

    def first(now: int) -> None:
        nonlocal done
        if not done:
            done = True
            do(now)

    return first


def _if_still(game: HostedGame, act: Callable[[HostedGame, int], None]) -> Callable[[int], None]:
    """Only while nothing has changed in the game since."""
    seen = game.now

    def check(now: int) -> None:
        if game.now is seen:
            act(game, now)

    return check
