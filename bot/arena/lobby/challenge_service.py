"""Challenges, until they become games or end in another way."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import structlog

from bot import wire
from bot.arena.announcer import Announcer
from bot.arena.games.referee import Menu
from bot.arena.lobby.challenge import PRIVATE_AWAY_S, Challenge, State, new_challenge
from bot.arena.lobby.challenge_store import ChallengeKeeper, NoChallengeStore
from bot.arena.lobby.free_levels import NO_PLACE, FreeLevels, with_another
from bot.arena.lobby.game_quotas import Beginner, Beginning, OverQuota
from bot.arena.lobby.game_starter import GameStarter
from bot.arena.lobby.ignores import Ignores
from bot.arena.players.accounts import Accounts
from bot.arena.players.held_names import HeldNames
from bot.arena.refusals import Refused
from bot.arena.settings import LobbyLimits
from bot.arena.store.ids import new_id
from bot.runtime.alarms import Alarms
from bot.runtime.workers import Workers
from bot.time_source import TimeSource

log = structlog.get_logger()


class Challenges:
    """The open challenges. Without a store, they are in memory only: a restart drops them.

    `on_change` is called after each change.
    """

    def __init__(
        self,
        starter: GameStarter,
        accounts: Accounts,
        announcer: Announcer,
        menu: Menu,
        limits: LobbyLimits,
        workers: Workers,
        time: TimeSource,
        levels: FreeLevels,
        ignores: Ignores,
        store: ChallengeKeeper | None = None,
    ) -> None:
        self._levels = levels
        self._ignores = ignores
        self._workers = workers
        self._store = store or NoChallengeStore()
        self._starter = starter
        self._accounts = accounts
        self._announcer = announcer
        self._menu = menu
        self._limits = limits
        self._time = time
        self._alarms = Alarms(time)
        self._open: dict[str, Challenge] = {}
        self._origins: dict[str, str] = {}
        self.names = HeldNames()
        self.on_change: list[Callable[[], None]] = []

    async def open(self, is_here: Callable[[str], bool]) -> None:
        """Continue the challenges of the store, which another process had."""
        for challenge in await self._store.all():
            self._open[challenge.challenge_id] = challenge
            self._expire_in_time(challenge)
            if not is_here(challenge.creator.name):
                self.player_left(challenge.creator.name)

    async def close(self) -> None:
        await self._alarms.close()

    @property
    def count(self) -> int:
        return len(self._open)

    @property
    def public(self) -> list[Challenge]:
        """The open challenges that any player may accept."""
        return [challenge for challenge in self._open.values() if challenge.is_public]

    # ---- what players do -------------------------------------------------------------------

    async def create(
        self, creator: wire.Player, message: wire.CreateChallenge, origin: str = ""
    ) -> wire.Challenge:
        """Offer a game, or accept the same one if the opponent has offered it already.

        `origin` is the creator's address. Raises Refused if it cannot be played, or not as a rated
        game, if a named player does not exist or ignores the creator, or at a limit.
        """
        self._starter.check_open()
        self.names.check(creator.name)
        # In a thread: the rules for new options of a game take tens of milliseconds.
        setup = await self._workers.run(self._menu.settled, message.setup)
        self._starter.check_game(setup.game)
        with self.names.bound([creator.name]):
            named = [await self._known(name, setup) for name in message.seats]
            await self._ignores.check(creator, [each for each in named if each is not None])
            creator = await self._starter.seated(setup, creator)
            for opponent in named:
                if opponent is not None and opponent.name != creator.name:
                    await self._starter.check_pair(setup, creator, opponent)
        one, two = [None if each is None else each.name for each in named]
        if one is not None and one == two:
            raise Refused("invalid", "A player cannot sit on both sides.")
        challenge = new_challenge(
            new_id(),
            creator,
            setup,
            (one, two),
            random_seats=message.random_seats,
            limits=self._limits,
            now=self._time.wall(),
            private=message.private,
        )
        # No await from here to `_put`: two players who challenge each other get one game.
        mirrored = next((each for each in self._open.values() if each.mirrors(challenge)), None)
        if mirrored is not None:
            self._starter.check_disk()
            return await self.accept(creator, mirrored.challenge_id, origin)
        if self._count_of(creator.name) >= self._limits.challenges:
            raise Refused("too_many", "You have too many open challenges.")
        for player in named:
            if player is not None and player.name != creator.name:
                self._check_patience(player, creator, origin)
        self._check_quotas(creator, origin, named)
        self._starter.check_room(creator)
        self._origins[challenge.challenge_id] = origin
        self._expire_in_time(challenge)
        await self._put(challenge)
        return challenge.as_message()

    async def accept(
        self, player: wire.Player, challenge_id: str, origin: str = ""
    ) -> wire.Challenge:
        """Accept a seat. The game starts when both seats are accepted. Raises Refused.

        `origin` is the player's address.
        """
        self._starter.check_open()
        self.names.check(player.name)
        await self._starter.check_rated(self._get(challenge_id).setup, player)
        takers = self._get(challenge_id).accepted_by(player.name).takers
        players = await self._starter.players(takers)
        if player.name not in self._get(challenge_id).seats:  # nobody has asked for this player
            await self._ignores.check(player, players)
        # No await from here until the places of the game are held.
        challenge = self._get(challenge_id)
        accepted = challenge.accepted_by(player.name)
        if accepted.takers != takers:  # another player has taken a seat meanwhile
            return await self.accept(player, challenge_id, origin)
        self._starter.check_room(player)
        if challenge.private and challenge.is_live:
            self._starter.check_here(challenge.creator)
        if accepted.is_full:
            accepted = await self._start(challenge, accepted, players, (player, origin))
        await self._put(accepted)
        return accepted.as_message()

    def find(self, challenge_id: str) -> wire.Challenge:
        """An open challenge. Raises Refused if the id is unknown."""
        return self._get(challenge_id).as_message()

    async def decline(self, player: wire.Player, message: wire.DeclineChallenge) -> None:
        challenge = self._get(message.challenge_id)
        declined = challenge.declined_by(player.name, message.code, message.message)
        if message.code in NO_PLACE and player.kind == "bot":
            declined = self._with_another(declined, player.name)
        await self._put(declined)

    def _with_another(self, declined: Challenge, bot: str) -> Challenge:
        """The challenge that a full bot declined, with the next level that is free."""
        if declined.code == "too_many_games":
            self._levels.note_full(bot)
        creator = declined.creator
        if creator.kind == "bot" or creator.name not in declined.seats:
            return declined
        beginner = Beginner(creator, self._origins.get(declined.challenge_id, ""))
        other = self._levels.instead_of(
            bot, lambda each: self._starter.quotas.has_place(beginner, each)
        )
        if other is None:
            return declined
        message = with_another(declined.message or "", other)
        return replace(declined, message=message, instead=other.name)

    async def cancel(self, player: wire.Player, challenge_id: str) -> None:
        await self._put(self._get(challenge_id).cancelled_by(player.name))

    def of_player(self, name: str) -> list[wire.Challenge]:
        """The open challenges that this player created, accepted or is offered."""
        return [each.as_message() for each in self._open.values() if each.concerns(name)]

    def binds(self, name: str) -> bool:
        """Return whether a player must keep this name, for a challenge or for a game that is
        starting.

        That is so for a challenge that they created or accepted.
        """
        return self.names.binds(name) or any(each.binds(name) for each in self._open.values())

    async def _start(
        self,
        before: Challenge,
        full: Challenge,
        players: Sequence[wire.Player],
        last: tuple[wire.Player, str],
    ) -> Challenge:
        """Start the game. `last` is the player who has just accepted, with their address."""
        creator = (full.creator, self._origins.get(full.challenge_id, ""))
        beginners = [Beginner(*each) for each in (creator, last) if each[0].kind != "bot"]
        try:
            with self._starter.places(players, beginners) as beginning:
                started = await self._start_in(before, full, players, beginning)
                if last[0].kind == "bot":
                    self._levels.note_free(last[0].name)
                return started
        except OverQuota as over:
            if over.name != last[0].name:  # the player who accepted can do nothing about it
                message = over.message
                await self._end(full.challenge_id, "declined", "too_many", message)
            raise

    async def _start_in(
        self,
        before: Challenge,
        full: Challenge,
        players: Sequence[wire.Player],
        beginning: Beginning,
    ) -> Challenge:
        # No other player may accept it while the game is being stored, also not after a takeover.
        del self._open[full.challenge_id]
        try:
            await self._store.remove(full.challenge_id)
            with self.names.bound([player.name for player in players]):
                return await self._starter.start(full, players, beginning)
        except BaseException:
            self._open[before.challenge_id] = before
            self._expire_in_time(before)
            await self._store.put(before)
            raise

    async def _put(self, challenge: Challenge) -> None:
        """Store a challenge while it is open, and send it to the players whom it concerns."""
        if challenge.state == "open":
            self._open[challenge.challenge_id] = challenge
            await self._store.put(challenge)
        else:
            self._open.pop(challenge.challenge_id, None)
            self._origins.pop(challenge.challenge_id, None)
            self._alarms.clear(challenge.challenge_id)
            if challenge.state != "started":  # `_start` has removed it
                await self._store.remove(challenge.challenge_id)
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
        for listener in self.on_change:
            listener()

    async def _end(self, challenge_id: str, state: State, code: str, message: str) -> None:
        challenge = self._open.get(challenge_id)
        if challenge is not None:
            await self._put(challenge.ended(state, code, message))

    def _expire_in_time(self, challenge: Challenge) -> None:
        challenge_id, message = challenge.challenge_id, "No player accepted it in time."
        left = challenge.expires_at - self._time.wall()
        self._alarms.set(
            challenge_id,
            self._time.monotonic() + left.total_seconds(),
            lambda: self._end(challenge_id, "expired", "expired", message),
        )

    def _get(self, challenge_id: str) -> Challenge:
        if challenge_id not in self._open:
            raise Refused("unknown_challenge")
        return self._open[challenge_id]

    async def _known(self, name: str | None, setup: wire.GameSetup) -> wire.Player | None:
        """The player of that name. Raises Refused if they may not play such a game."""
        if name is None:
            return None
        player = await self._accounts.find(name)
        await self._starter.check_rated(setup, player)
        return player

    def _count_of(self, name: str) -> int:
        return sum(challenge.creator.name == name for challenge in self._open.values())

    def _check_patience(self, player: wire.Player, creator: wire.Player, origin: str) -> None:
        """Raises Refused if the player has too many open challenges: from all others together, from
        the creator, or, if that is a guest, from the guests at the creator's address.
        """
        received = [each for each in self._open.values() if each.is_received_by(player.name)]
        if len(received) >= self._limits.challenges_received:
            raise Refused("too_many", f"{player.name} has too many open challenges already.")
        if player.kind == "bot":  # bots answer at once, and have places for each address
            return
        from_here = [
            each
            for each in received
            if each.creator.name == creator.name or self._is_neighbour(each, creator, origin)
        ]
        if len(from_here) >= self._limits.challenges_received_per_sender:
            message = f"{player.name} has not answered your earlier challenges yet."
            raise Refused("too_many", message)

    def _is_neighbour(self, challenge: Challenge, creator: wire.Player, origin: str) -> bool:
        """Return whether guests at one address made both: that challenge, and a new one."""
        both = (challenge.creator, creator)
        are_guests = all(each.kind != "bot" and not each.registered for each in both)
        return are_guests and origin != "" and self._origins.get(challenge.challenge_id) == origin

    def _check_quotas(
        self, creator: wire.Player, origin: str, named: Sequence[wire.Player | None]
    ) -> None:
        """Raises OverQuota if the creator may not begin that game now."""
        if creator.kind == "bot":
            return
        beginner = Beginner(creator, origin)
        self._starter.quotas.check_may_begin(beginner)
        plays = any(each is None or each.name == creator.name for each in named)
        for player in named:
            if player is not None and player.kind == "bot":
                offered = sum(
                    player.name in each.seats and self._is_neighbour(each, creator, origin)
                    for each in self._open.values()
                )
                self._check_bot(beginner, player, plays=plays, offered=offered)

    def _check_bot(
        self, beginner: Beginner, bot: wire.Player, *, plays: bool, offered: int
    ) -> None:
        """Raises OverQuota, with another level, if the address has all its places at the bot."""
        quotas = self._starter.quotas
        try:
            quotas.check_bot(beginner, bot, plays=plays, more=offered)
        except OverQuota as over:
            other = self._levels.instead_of(bot.name, lambda each: quotas.has_place(beginner, each))
            if not plays or other is None:
                raise
            message = with_another(over.message, other)
            raise OverQuota(over.name, message, instead=other.name) from over

    # ---- who is here -----------------------------------------------------------------------

    def player_came(self, name: str) -> None:
        self._alarms.clear(("away", name))
        self._alarms.clear(("away", "private", name))

    def player_left(self, name: str) -> None:
        now = self._time.monotonic()
        at = now + self._limits.creator_away_s
        self._alarms.set(("away", name), at, lambda: self._withdraw(name))
        if any(each.private and each.creator.name == name for each in self._open.values()):
            at = now + max(self._limits.creator_away_s, PRIVATE_AWAY_S)
            private = ("away", "private", name)
            self._alarms.set(private, at, lambda: self._withdraw(name, private=True))

    def player_renamed(self, former: str, player: wire.Player) -> None:
        """Offer the player's challenges to the new name."""
        for challenge_id, challenge in self._open.items():
            if former in challenge.seats:
                self._open[challenge_id] = challenge.renamed(former, player.name)

    async def decline_all(self, name: str, creator: str) -> None:
        """Decline all open challenges of one creator to a player, who ignores the creator."""
        for challenge in list(self._open.values()):
            if challenge.creator.name == creator and challenge.is_received_by(name):
                await self._put(challenge.declined_by(name, "declined", f"{name} declined."))

    async def withdraw_all(self, name: str, why: str) -> None:
        """End all open challenges that a player created."""
        for challenge in list(self._open.values()):
            if challenge.creator.name == name:
                await self._end(challenge.challenge_id, "cancelled", "cancelled", why)

    async def _withdraw(self, name: str, *, private: bool = False) -> None:
        """End the live challenges of a player who stays away; of a guest, end all of them.

        The private ones end later than the others.
        """
        for challenge in list(self._open.values()):
            is_due = challenge.needs_creator and challenge.private is private
            if is_due and challenge.creator.name == name:
                message = f"{name} is no longer connected."
                await self._end(challenge.challenge_id, "cancelled", "creator_left", message)
