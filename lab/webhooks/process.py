"""`python -m lab.webhooks.process STORE KEY`: an address that Abstract Play could call.

It stores calls as the bot does, accepts every challenge, and prints its address. SIGINT or SIGTERM
ends it.
"""

import asyncio
import sys
from pathlib import Path

import uvloop
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from bot.errors import BluestoneError
from bot.guests.abstract_play.keys import public_key_of
from bot.guests.abstract_play.messages import ChallengeNotice, MoveNotice
from bot.guests.abstract_play.store import Notice, Store
from bot.guests.abstract_play.webhooks import serve_webhooks
from bot.runtime.logs import configure_logging
from bot.runtime.signals import handled
from bot.time_source import SystemTime


class _Keeper:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._time = SystemTime()

    async def challenge(self, challenge: ChallengeNotice) -> bool:
        (challenger,) = challenge.challengers
        await self._store.note_game(challenger, challenge.meta_game, self._time.wall())
        return True

    async def notice(self, notice: MoveNotice) -> None:
        now = self._time.wall()
        await self._store.note(Notice(notice.game_id, notice.meta_game, notice.plies, now))


class _Key:
    def __init__(self, key: Ed25519PublicKey) -> None:
        self.current = key

    def doubt(self) -> None:
        """Do nothing, because there is no other key."""


async def _serve(path: Path, key: str) -> None:
    stop = asyncio.Event()
    async with Store.opened(path) as store:
        keys, keeper = _Key(public_key_of(key)), _Keeper(store)
        serving = serve_webhooks("127.0.0.1", 0, keeper, keys, store, SystemTime())
        with handled(stop.set):
            async with serving as address:
                print(address, flush=True)
                await stop.wait()


def main(arguments: list[str]) -> int:
    """Run the process and return its exit code. An expected failure is reported in one line."""
    store, key = arguments
    configure_logging("info", stream=sys.stderr)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(Path(store), key))
    except BluestoneError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
