"""Games of one identity that are agreed on or asked for, until they begin or come to nothing."""

from collections.abc import Collection

from bot.daemon.announcements import Announcements
from bot.platforms.base import ChallengeGone, Connected


class Promises:
    """Challenges that we accepted or made, and the games that came of them.

    A restarted bot does not know the challenges that it made before: it takes them back.
    """

    def __init__(self) -> None:
        self._promised: dict[str, str] = {}
        self._own: set[str] = set()
        self._starting: dict[str, str] = {}
        self._taking_back: set[str] = set()
        self._agreed: set[str] = set()
        self._fates: Announcements[ChallengeGone] = Announcements()

    # ---- challenges ------------------------------------------------------------------------

    def promise(self, challenge_id: str, opponent: str, *, own: bool = False) -> None:
        """Keep room for the game that this challenge may become, unless its fate is known."""
        if self._fates.is_told(challenge_id):
            return
        self._promised[challenge_id] = opponent
        if own:
            self._own.add(challenge_id)

    def is_promised(self, challenge_id: str) -> bool:
        return challenge_id in self._promised

    def drop(self, challenge_id: str) -> None:
        """Nothing comes of it: our acceptance was refused, or it is no longer there."""
        self._promised.pop(challenge_id, None)
        self._own.discard(challenge_id)
        self._taking_back.discard(challenge_id)

    def gone(self, event: ChallengeGone, playing: Collection[str]) -> None:
        """`playing` are the games of which we know."""
        opponent = self._promised.get(event.challenge_id)
        if event.game_id is not None:
            if opponent is not None and event.challenge_id not in self._own:
                self._agreed.add(event.game_id)
            if event.game_id not in playing:
                self._starting[event.game_id] = opponent or ""
        self.drop(event.challenge_id)
        self._fates.tell(event.challenge_id, event)

    async def fate_of(self, challenge_id: str) -> ChallengeGone:
        return await self._fates.wait_for(challenge_id)

    @property
    def own(self) -> list[str]:
        """Open challenges that we made."""
        return list(self._own)

    # ---- games -----------------------------------------------------------------------------

    def began(self, game_id: str) -> None:
        self._starting.pop(game_id, None)

    def over(self, game_id: str) -> None:
        self._agreed.discard(game_id)

    def is_agreed(self, game_id: str) -> bool:
        """Whether somebody else asked for that game, as far as we know."""
        return game_id in self._agreed

    # ---- both --------------------------------------------------------------------------------

    def connected(self, event: Connected, playing: Collection[str]) -> list[str]:
        """What the server has counts; returns challenges of ours that are to be taken back."""
        self._starting = {game_id: "" for game_id in event.running if game_id not in playing}
        for challenge_id in [*self._promised]:
            if challenge_id not in event.open_challenges:
                self.gone(ChallengeGone(challenge_id, "expired", code="unseen"), playing)
        unknown = event.own_challenges - (self._own - self._taking_back)
        for challenge_id in unknown:
            self.promise(challenge_id, "", own=True)
        self._taking_back = set(unknown)
        return sorted(unknown)

    def forget(self) -> None:
        """Begin again; which games were agreed on remains known."""
        for known in (self._promised, self._own, self._starting, self._taking_back):
            known.clear()

    @property
    def opponents(self) -> list[str]:
        """Against whom a game may begin; an empty name is nobody in particular."""
        return [*self._starting.values(), *self._promised.values()]

    @property
    def are_clear(self) -> bool:
        """Whether all games that run are known, and nothing is open that we had forgotten."""
        return not (self._starting or self._taking_back)
