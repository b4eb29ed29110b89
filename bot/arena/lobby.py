"""The lobby: challenges until they become games, and what the front page shows."""

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

import structlog

from bot import wire
from bot.arena import referee
from bot.arena.accounts import Accounts
from bot.arena.alarms import Alarms
from bot.arena.announcer import Announcer
from bot.arena.challenge import Challenge, State
from bot.arena.game_store import GameStore
from bot.arena.games import Games
from bot.arena.presence import Presence
from bot.arena.refusals import ASK_AGAIN_S, UNAVAILABLE, Refused, unavailable
from bot.arena.schema import new_id
from bot.time_source import TimeSource

SHOWN_PLAYERS: Final = 200
SHOWN_CHALLENGES: Final = 100
SHOWN_RUNNING: Final = 30
SHOWN_FINISHED: Final = 20
NEWS_DELAY_S: Final = 0.25
NEWS_DELAY_EACH_S: Final = 0.001
"""So much longer for each connection: a crowd that comes is not told of each of its own."""
TURNS_DELAY_S: Final = 5.0

log = structlog.get_logger()


@dataclass(frozen=True)
class LobbyLimits:
    """How long challenges stand, in seconds, and how much one player may have at once."""

    challenge_s: float = 300.0
    correspondence_challenge_s: float = 7 * 86_400.0
    creator_away_s: float = 10.0
    challenges: int = 20
    challenges_received: int = 50
    person_games: int = 20
    bot_games: int = 200


class Lobby:
    """Challenges live in memory: a restart of the server drops those that are open.

    `offered` names the games that may be played.
    """

    def __init__(
        self,
        accounts: Accounts,
        games: Games,
        store: GameStore,
        presence: Presence,
        announcer: Announcer,
        limits: LobbyLimits,
        offered: Collection[str],
        time: TimeSource,
        rng: random.Random,
    ) -> None:
        self._accounts = accounts
        self._games = games
        self._store = store
        self._presence = presence
        self._announcer = announcer
        self._limits = limits
        self._offered = offered
        self._time = time
        self._rng = rng
        self._alarms = Alarms(time)
        self._open: dict[str, Challenge] = {}
        self._finished: list[wire.GameSummary] = []
        self._finished_changed = True
        self._held_back: set[str] = set()
        self._beginning: list[str] = []
        self._shown: wire.Lobby | None = None
        # Starts where no earlier run of the server can have come to.
        self._revision = round(time.wall().timestamp() * 1000)
        self._news_at: float | None = None

    async def open(self) -> None:
        await self._load_finished()

    async def close(self) -> None:
        await self._alarms.close()

    # ---- challenges ------------------------------------------------------------------------

    async def create(self, creator: wire.Player, message: wire.CreateChallenge) -> wire.Challenge:
        """Offer a game, or accept the same one if the opponent has offered it already.

        Refused if it cannot be played, or names nobody.
        """
        self._check_not_held_back(creator.name)
        setup = referee.settled(message.setup)
        if setup.game not in self._offered:
            known = ", ".join(self._offered)
            raise Refused("unknown_game", f"{setup.game} is not played here; known: {known}.")
        with self._bound([creator.name]):
            one, two = [await self._known(name) for name in message.seats]
        if one is not None and one == two:
            raise Refused("invalid", "A player cannot sit on both sides.")
        challenge = self._offered_by(creator, setup, (one, two), message.random_seats)
        # Nothing is waited for from here until it is put up: two who ask each other get one game.
        mirrored = next((each for each in self._open.values() if each.mirrors(challenge)), None)
        if mirrored is not None:
            if self._games.stand:
                raise unavailable()
            return await self.accept(creator, mirrored.challenge_id)
        if self._count_of(creator.name) >= self._limits.challenges:
            raise Refused("too_many", "You have too many open challenges.")
        for name in (one, two):
            self._check_patience(name, creator)
        self._check_room(creator)
        self._expire_after(challenge.challenge_id, self._valid_s(challenge))
        await self._put(challenge)
        return challenge.as_message()

    def _offered_by(
        self,
        creator: wire.Player,
        setup: wire.GameSetup,
        seats: tuple[str | None, str | None],
        random_seats: bool,
    ) -> Challenge:
        one, two = seats
        now = self._time.wall()
        challenge = Challenge(
            challenge_id=new_id(),
            creator=creator,
            setup=setup,
            seats=seats,
            takers=(_if_same(one, creator.name), _if_same(two, creator.name)),
            random_seats=random_seats,
            created_at=now,
            expires_at=now,
        )
        return replace(challenge, expires_at=now + timedelta(seconds=self._valid_s(challenge)))

    async def accept(self, player: wire.Player, challenge_id: str) -> wire.Challenge:
        """Take a seat; the game begins when both seats are taken."""
        self._check_not_held_back(player.name)
        challenge = self._get(challenge_id)
        accepted = challenge.accepted_by(player.name)
        self._check_room(player)
        if accepted.is_full:
            accepted = await self._start(challenge, accepted)
        await self._put(accepted)
        return accepted.as_message()

    async def decline(self, player: wire.Player, message: wire.DeclineChallenge) -> None:
        challenge = self._get(message.challenge_id)
        await self._put(challenge.declined_by(player.name, message.code, message.message))

    async def cancel(self, player: wire.Player, challenge_id: str) -> None:
        await self._put(self._get(challenge_id).cancelled_by(player.name))

    def challenges_of(self, name: str) -> list[wire.Challenge]:
        """The open challenges that are this player's, or that name him."""
        return [each.as_message() for each in self._open.values() if each.concerns(name)]

    def binds(self, name: str) -> bool:
        """Whether others count on this player: for a challenge of their own, one that they have
        accepted, or something that they are just beginning.
        """
        return name in self._beginning or any(each.binds(name) for each in self._open.values())

    @contextmanager
    def _bound(self, names: Sequence[str]) -> Iterator[None]:
        """Players who are beginning something under these names, and so must keep them."""
        self._beginning += names
        try:
            yield
        finally:
            for name in names:
                self._beginning.remove(name)

    def rename(self, former: str, name: str) -> None:
        """Offers to a player follow them to a new name."""
        for challenge_id, challenge in self._open.items():
            if former in challenge.seats:
                self._open[challenge_id] = challenge.renamed(former, name)

    @contextmanager
    def held_back(self, name: str) -> Iterator[None]:
        """Let a player begin nothing meanwhile, because their name is being changed."""
        self._held_back.add(name)
        try:
            yield
        finally:
            self._held_back.discard(name)

    def _check_not_held_back(self, name: str) -> None:
        if name in self._held_back:
            message = "Your name is being changed."
            raise Refused(UNAVAILABLE, message, retry_after_s=ASK_AGAIN_S)

    async def _start(self, before: Challenge, full: Challenge) -> Challenge:
        # Nobody else may take it while the game is being written down.
        del self._open[full.challenge_id]
        names = [name for name in full.takers if name is not None]
        try:
            with self._bound(names):
                one, two = [await self._player(name) for name in names]
                for player in (one, two):
                    self._check_room(player)
                if full.random_seats and self._rng.random() < 1 / 2:
                    one, two = two, one
                game = await self._games.start(full.setup, (one, two))
        except BaseException:
            self._open[before.challenge_id] = before
            left = before.expires_at - self._time.wall()
            self._expire_after(before.challenge_id, left.total_seconds())
            raise
        return full.started(game.game_id)

    async def _put(self, challenge: Challenge) -> None:
        """Keep a challenge while it is open, and tell those whom it concerns."""
        if challenge.state == "open":
            self._open[challenge.challenge_id] = challenge
        else:
            self._open.pop(challenge.challenge_id, None)
            self._alarms.clear(challenge.challenge_id)
        log.info(
            "challenge",
            challenge=challenge.challenge_id,
            state=challenge.state,
            creator=challenge.creator.name,
            seats=challenge.seats,
            code=challenge.code,
            game=challenge.game_id,
        )
        await self._announcer.challenge(challenge.as_message(), challenge.parties)
        self.changed()

    async def _end(self, challenge_id: str, state: State, code: str, message: str) -> None:
        challenge = self._open.get(challenge_id)
        if challenge is not None:
            await self._put(challenge.ended(state, code, message))

    def _expire_after(self, challenge_id: str, valid_s: float) -> None:
        message = "Nobody accepted in time."
        self._alarms.set(
            challenge_id,
            self._time.monotonic() + valid_s,
            lambda: self._end(challenge_id, "expired", "expired", message),
        )

    def _get(self, challenge_id: str) -> Challenge:
        if challenge_id not in self._open:
            raise Refused("unknown_challenge")
        return self._open[challenge_id]

    async def _known(self, name: str | None) -> str | None:
        return None if name is None else (await self._accounts.find(name)).name

    async def _player(self, name: str) -> wire.Player:
        """A player as they are here now; as they were last, if they have just gone."""
        return self._presence.player(name) or await self._accounts.find(name)

    def _valid_s(self, challenge: Challenge) -> float:
        limits = self._limits
        return limits.challenge_s if challenge.is_live else limits.correspondence_challenge_s

    def _count_of(self, name: str) -> int:
        return sum(challenge.creator.name == name for challenge in self._open.values())

    def _check_patience(self, name: str | None, creator: wire.Player) -> None:
        """Many who challenge one player together are a nuisance, as one who does it often is."""
        if name is None or name == creator.name:
            return
        received = sum(each.is_received_by(name) for each in self._open.values())
        if received >= self._limits.challenges_received:
            raise Refused("too_many", f"{name} has too many open challenges already.")

    def _check_room(self, player: wire.Player) -> None:
        limits = self._limits
        most = limits.bot_games if player.kind == "bot" else limits.person_games
        if self._games.count_of(player.name) >= most:
            raise Refused("too_many", f"{player.name} plays {most} games already.")

    # ---- who is here -----------------------------------------------------------------------

    def player_came(self, name: str) -> None:
        self._alarms.clear(("away", name))
        self.changed()

    def player_left(self, name: str) -> None:
        at = self._time.monotonic() + self._limits.creator_away_s
        self._alarms.set(("away", name), at, lambda: self._withdraw(name))
        self.changed()

    async def _withdraw(self, name: str) -> None:
        """Who stays away offers no live games any more; a guest, who may never return, none."""
        for challenge in list(self._open.values()):
            if challenge.needs_creator and challenge.creator.name == name:
                message = f"{name} is not there any more."
                await self._end(challenge.challenge_id, "cancelled", "creator_left", message)

    # ---- the front page --------------------------------------------------------------------

    def view(self) -> wire.Lobby:
        """The lobby as it was told last, if everybody is going to be told soon; else as it is."""
        if self._shown is None or self._news_at is None:
            self._shown = self._current()
        return self._shown

    def _current(self) -> wire.Lobby:
        public = _by_turns(filter(self._is_shown, self._open.values()))
        return wire.Lobby(
            revision=self._revision,
            players=self._presence.players[:SHOWN_PLAYERS],
            challenges=[each.as_message() for each in public[:SHOWN_CHALLENGES]],
            games=[*self._games.summaries(SHOWN_RUNNING), *self._finished],
        )

    def _is_shown(self, challenge: Challenge) -> bool:
        return challenge.is_public and self._presence.is_here(challenge.creator.name)

    def game_changed(self, is_news: bool) -> None:
        """A turn played is less urgent than a game begun or ended."""
        self._finished_changed |= is_news
        self.changed(is_news)

    def changed(self, is_news: bool = True) -> None:
        """Tell everybody soon."""
        self._revision += 1
        delay = NEWS_DELAY_S if is_news else TURNS_DELAY_S
        crowd = self._presence.connection_count
        at = self._time.monotonic() + delay + crowd * NEWS_DELAY_EACH_S
        if self._news_at is None or at < self._news_at:
            self._news_at = at
            self._alarms.set("news", at, self._tell)

    async def _tell(self) -> None:
        self._news_at = None
        await self._load_finished()
        self._shown = self._current()
        await self._announcer.lobby(self._shown)

    async def _load_finished(self) -> None:
        if not self._finished_changed:
            return
        self._finished_changed = False
        summaries = await self._store.summaries(SHOWN_FINISHED)
        self._finished = [each.game for each in summaries]


def _by_turns(challenges: Iterable[Challenge]) -> list[Challenge]:
    """The newest of each creator, then the second newest of each, and so on.

    So nobody takes up the whole list with challenges of their own.
    """
    seen: Counter[str] = Counter()
    rounds: defaultdict[int, list[Challenge]] = defaultdict(list)
    oldest_first = sorted(challenges, key=lambda each: each.created_at)
    for challenge in reversed(oldest_first):
        rounds[seen[challenge.creator.name]].append(challenge)
        seen[challenge.creator.name] += 1
    return [challenge for each in rounds.values() for challenge in each]


def _if_same(name: str | None, creator: str) -> str | None:
    return name if name == creator else None
