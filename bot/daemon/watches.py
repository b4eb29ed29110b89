"""What an identity notices besides its games: another token, and a server that lost turns."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from typing import Final

import structlog

from bot.daemon.journal import TurnJournal
from bot.daemon.record_book import RecordBook
from bot.daemon.status import IdentityStatus, StatusGame
from bot.errors import ConfigurationError, HostError
from bot.platforms.base import GameFacts, Platform
from bot.platforms.settings import TokenFile
from bot.runtime.logs import learn_secret
from bot.runtime.tasks import within
from bot.time_source import TimeSource

TOKEN_LOOK_S: Final = 60.0
"""Seconds between two looks at the file of a token that the server refuses."""

log = structlog.get_logger()


class TokenWatch:
    """The token in a file, which its owner may replace at any time; None if there is no file."""

    def __init__(
        self,
        label: str,
        file: TokenFile | None,
        platform: Platform,
        status: IdentityStatus,
        time_source: TimeSource,
    ) -> None:
        self._label = label
        self._file = file
        self._platform = platform
        self._status = status
        self._time = time_source
        self._changed = asyncio.Event()

    def run_begins(self) -> None:
        """From now on, `another` waits for a token that this run does not have."""
        self._changed.clear()

    def renew(self) -> bool:
        """Read the file again. If its token has changed, log in with that from now on.

        Return whether it has.
        """
        if self._file is None:
            return False
        try:
            token = self._file.new_token()
        except ConfigurationError as error:
            log.warning("token_not_read", platform=self._label, why=str(error))
            return False
        if token is not None:
            learn_secret(token.get_secret_value())
            self._platform.use_token(token)
            self._changed.set()
            log.info("token_read_again", platform=self._label)
        return token is not None

    async def another(self) -> bool:
        """Wait until the token is another one than in the last run; False if it cannot change."""
        if self._file is None or not self._status.awaits_token:
            return False
        self.renew()
        if not self._changed.is_set():
            log.warning("token_awaited", look_s=TOKEN_LOOK_S)
        while not self._changed.is_set():
            with suppress(TimeoutError):
                await within(self._time, TOKEN_LOOK_S, self._changed.wait())
            self.renew()
        return True


class RestoreWatch:
    """Notices, and logs once, that the server shows an older state of a game than before.

    So it is after a restore of the server from a backup. A game of which turns were taken back is
    not compared. The server is the authority: the game goes on from its state. `label` is the
    platform's name in the journal, `kind` its kind in records.
    """

    def __init__(self, label: str, kind: str, journal: TurnJournal, records: RecordBook) -> None:
        self._label = label
        self._kind = kind
        self._journal = journal
        self._records = records
        self._unjournalled: frozenset[str] = frozenset()

    def connected(self, running: frozenset[str], known: Collection[str]) -> None:
        """Note which games the server runs, and which we know from the journal."""
        self._unjournalled = running.difference(known)

    async def compare(self, running: StatusGame, facts: GameFacts) -> None:
        """Compare a state of the game with what the server has shown before."""
        if facts.takebacks:
            running.plies_seen = None
            return
        game_id, seen = facts.game_id, running.plies_seen
        with suppress(HostError):  # the journal logs its failures itself
            if seen is None:
                seen = await self._journal.plies_seen(self._label, game_id)
            if seen is None and facts.ply and game_id in self._unjournalled:
                await self._note_second_run(facts)
        is_older = seen is not None and facts.ply < seen
        if is_older and running.plies_seen is None:
            log.warning("game_is_older", game=game_id, from_ply=facts.ply, plies_seen=seen)
        running.plies_seen = seen if is_older else None

    async def _note_second_run(self, facts: GameFacts) -> None:
        """Log that a game runs which had ended before: its record is written."""
        if await self._records.has(self._kind, facts.game_id, 0):
            log.warning("game_runs_again", game=facts.game_id, from_ply=facts.ply)
