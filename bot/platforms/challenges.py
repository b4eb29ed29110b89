"""Challenges that may become games, on a server whose new games do not name their challenge.

They are accepted ones, and those that the bot made. Games of people and of tournaments come without
one. So a new game belongs to the oldest challenge with the same opponent.
"""

from dataclasses import dataclass

from bot.platforms.base import ChallengeGone
from bot.time_source import TimeSource


@dataclass(slots=True)
class _Pending:
    opponent: str
    since: float
    is_own: bool
    challenge_id: str | None
    game_id: str | None = None


class PendingChallenges:
    """The pending challenges of one bot. None becomes a game after more than `lives_s` seconds."""

    def __init__(self, lives_s: float, time: TimeSource) -> None:
        self._lives_s = lives_s
        self._time = time
        self._pending: list[_Pending] = []

    def accepting(self, challenge_id: str, opponent: str) -> None:
        """Note that we accept a challenge, before the request: its game may start sooner."""
        self._pending.append(_Pending(opponent, self._time.monotonic(), False, challenge_id))

    def offering(self, opponent: str) -> "_Pending":
        """Note that we challenge a player, before the request."""
        pending = _Pending(opponent, self._time.monotonic(), True, None)
        self._pending.append(pending)
        return pending

    def offered(self, pending: "_Pending", challenge_id: str) -> ChallengeGone | None:
        """Note the id of a challenge of ours. Returns its end, if its game has already begun."""
        pending.challenge_id = challenge_id
        if pending.game_id is None:
            return None
        return ChallengeGone(challenge_id, "started", pending.game_id)

    def drop(self, which: "str | _Pending") -> None:
        """Forget a challenge that was refused or is gone."""
        self._pending = [
            each for each in self._pending if each is not which and each.challenge_id != which
        ]

    def began(self, opponent: str, game_id: str) -> tuple[ChallengeGone | None, bool]:
        """Return the end of the challenge that became this game, and whether there was one.

        The end is None if the id of our challenge is not known yet; see `offered`.
        """
        for pending in self._pending:
            if pending.opponent == opponent and pending.game_id is None:
                self._pending.remove(pending)
                pending.game_id = game_id
                if pending.challenge_id is None:
                    return None, True
                return ChallengeGone(pending.challenge_id, "started", game_id), True
        return None, False

    def expired(self) -> list[ChallengeGone]:
        """Return the ends of challenges whose fate was not told in time."""
        long_ago = self._time.monotonic() - self._lives_s
        old = [each for each in self._pending if each.since <= long_ago]
        self._pending = [each for each in self._pending if each.since > long_ago]
        return [
            ChallengeGone(each.challenge_id, "expired", code="unseen")
            for each in old
            if each.challenge_id is not None
        ]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(each.challenge_id for each in self._pending if each.challenge_id)

    @property
    def own_ids(self) -> frozenset[str]:
        return frozenset(
            each.challenge_id for each in self._pending if each.is_own and each.challenge_id
        )

    @property
    def opponents(self) -> list[str]:
        return [each.opponent for each in self._pending]
