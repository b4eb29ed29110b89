"""The rehearsed platform Abstract Play in a scene.

Its games and people live in this process, as those of a real platform survive any fault here. All
of its connections, in both directions, go through a process that can be killed and stopped.
"""

import secrets
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.guests.abstract_play.rehearsal.audit import DEADLINE, Violation
from bot.guests.abstract_play.rehearsal.credentials import Credentials
from bot.guests.abstract_play.rehearsal.evidence import checks, missing_records
from bot.guests.abstract_play.rehearsal.opponents import Habits, Wanted
from bot.guests.abstract_play.rehearsal.stand_in import Scenario, StandIn
from bot.runtime.listening import bound
from bot.time_source import SystemTime
from tests.chaos.programs import Program
from tests.fakes.ports import HeldPort

NAME: Final = "abstract-play"
AT_ONCE: Final = 3
ENDLESS: Final = 1_000_000
PROXY: Final = (sys.executable, "-m", "tests.chaos.proxy")
DOUBT_MS: Final = 20_000
"""The bot sends a turn again only 10 s after a doubtful answer, and after two more reads."""
SWEEP_S: Final = 2


@dataclass(frozen=True)
class SiteTerms:
    """Times of the platform. A person and the bot have `hours` of `hour_ms` for each turn.

    `answer_s` is the bot's timeout, and `webhook_s` the platform's. `more` has further settings of
    the bot's account.
    """

    hours: tuple[int, int, int] = (12, 6, 24)
    hour_ms: int = 10_000
    answer_s: float = 5.0
    webhook_s: float = 5.0
    more: str = ""

    def habits(self) -> Habits:
        return Habits(
            think_ms=(50, 1_000),
            between_challenges_ms=(50, 500),
            gives_up_ms=10_000,
            forgets=0.0,
            variants=(("blooms", ("size-4",)),),
            clocks=(self.hours,),
            hour_ms=self.hour_ms,
        )


class Site:
    """`run` lets people play. `connections` is the process with all of its connections."""

    def __init__(
        self, folder: Path, seed: int, environ: Mapping[str, str], terms: SiteTerms
    ) -> None:
        self._listening = bound("127.0.0.1", 0)
        self._held = [HeldPort() for _ in range(3)]
        self._front, back, self._webhook = (each.number for each in self._held)
        self._credentials = Credentials("chaos-bot", secrets.token_hex(16), "chaos/communicate")
        self._token = folder / "site-token"
        self._terms = terms
        scenario = Scenario(
            self._credentials,
            Wanted(ENDLESS, AT_ONCE),
            terms.habits(),
            people=AT_ONCE,
            seed=seed,
        )
        self.stand_in = StandIn(
            scenario, f"http://127.0.0.1:{back}/", SystemTime(), terms.webhook_s
        )
        self.world = self.stand_in.world
        ports = (self._front, self._listening.getsockname()[1], back, self._webhook)
        self.connections = Program([*PROXY, *map(str, ports)], environ=environ)
        self._told = 0
        self._excused: list[tuple[int, int]] = []

    async def run(self) -> None:
        """Serve until cancelled."""
        try:
            await self.stand_in.run(self._listening)
        finally:
            for each in self._held:
                each.close()

    async def start(self) -> None:
        """Start the process with the connections, again on the same ports."""
        await self.connections.spawn()
        await self.connections.says("forwarding")

    def settings(self, engine: str) -> str:
        """Return the platform's table in the settings of the bot."""
        self._token.write_text(self._credentials.client_secret)
        self._token.chmod(0o600)
        base = f"http://127.0.0.1:{self._front}/"
        return f"""
[[platforms]]
kind = "abstract_play"
name = "{NAME}"
client_id = "{self._credentials.client_id}"
token_file = "{self._token}"
token_url = "{base}oauth2/token"
scope = "{self._credentials.scope}"
base = "{base}"
key_url = "{base}ap-public-key.txt"
listen_port = {self._webhook}
sweep_s = {SWEEP_S}
answer_s = {self._terms.answer_s}
engine = "{engine}"
{self._terms.more}
"""

    # ---- what has happened -------------------------------------------------------------------

    @property
    def turns(self) -> int:
        """The bot's turns so far."""
        return self.world.audit.counts["turns of the bot"]

    def excuse(self, since: float) -> None:
        """Excuse deadlines that the bot misses from that monotonic moment until shortly from now.

        The bot cannot play while it, or the platform, is stopped for longer than a turn may take.
        """
        now = self.stand_in.now()
        began = now - round((time.monotonic() - since) * 1000)
        self._excused.append((began, now + DOUBT_MS))

    def new_problems(self) -> list[str]:
        """Return what the bot did since the last call and must not do."""
        violations = self.world.audit.violations
        fresh, self._told = violations[self._told :], len(violations)
        return [f"platform: {each}" for each in fresh if not self._is_excused(each)]

    def _is_excused(self, violation: Violation) -> bool:
        due = violation.due
        return violation.kind == DEADLINE and any(
            due is not None and begin <= due <= end for begin, end in self._excused
        )

    def bot_turns(self) -> dict[tuple[str, int], str]:
        """Return the turns of the bot that the platform has, by game and ply."""
        bot = self._credentials.client_id
        return {
            (game_id, ply): turn
            for game_id, game in self.world.site.games.items()
            for ply, turn in enumerate(game.now.position.turns)
            if game.terms.players[ply % 2] == bot
        }

    def waits_for_bot(self) -> bool:
        """Return whether the bot is to move in any game, so that it may end one."""
        bot = self._credentials.client_id
        states = [game.now for game in self.world.site.games.values()]
        return any(
            state.to_move is not None and state.terms.players[state.to_move] == bot
            for state in states
        )

    def unrecorded(self, records: Path) -> int:
        """Return the number of games that are over and have no record of the bot."""
        return missing_records(self.world, self._credentials.client_id, records)

    def end_problems(self, records: Path) -> list[str]:
        """Return the differences between the platform's games and the bot's records."""
        self.world.audit.violations = []
        found = checks(self.world, self._credentials.client_id, 0, records)
        return [
            f"platform: {check.name}: {check.found} {check.examples}"
            for check in found
            if check.found
        ]
