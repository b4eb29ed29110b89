"""How long the bot took for its turns, the time when its machine was off left out."""

from bot.rehearsal.site import HostedGame

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


class TurnWaits:
    """Listens to the site. All times in milliseconds."""

    def __init__(self, bot_id: str) -> None:
        self._bot_id = bot_id
        self._on_since: int | None = 0
        self._took: list[int] = []

    def off(self) -> None:
        """What happens from now on is not the bot's doing."""
        self._on_since = None

    def on_again(self, now: int) -> None:
        """The machine was off until now."""
        self._on_since = now

    def __call__(self, game: HostedGame, now: int) -> None:
        before = game.before
        if before is game.now or before.to_move is None or self._on_since is None:
            return
        if before.terms.players[before.to_move] == self._bot_id:
            self._took.append(now - max(before.moved_at, self._on_since))

    @property
    def slowest_ms(self) -> int:
        return max(self._took, default=0)

    @property
    def counts(self) -> dict[str, int]:
        return {
            "turns of the bot after more than a minute": self._longer_than(MINUTE_MS),
            "turns of the bot after more than an hour": self._longer_than(HOUR_MS),
        }

    def _longer_than(self, milliseconds: int) -> int:
        return sum(took > milliseconds for took in self._took)
