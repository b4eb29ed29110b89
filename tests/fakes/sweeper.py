"""A sweeper that sweeps when a test does."""

from bot.runtime.sweeper import Sweeper


class FakeSweeper(Sweeper):
    """Counts how often it is woken."""

    wakings = 0

    def wake(self) -> None:
        self.wakings += 1
