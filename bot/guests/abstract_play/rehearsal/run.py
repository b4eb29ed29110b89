"""A rehearsal on the stand-in for Abstract Play, on ports of this machine."""

import secrets
from typing import Final

from bot.guests.abstract_play.rehearsal.bot_settings import Places, configuration
from bot.guests.abstract_play.rehearsal.credentials import Credentials
from bot.guests.abstract_play.rehearsal.evidence import checks, missing_records
from bot.guests.abstract_play.rehearsal.opponents import Wanted
from bot.guests.abstract_play.rehearsal.plan import RehearsalPlan
from bot.guests.abstract_play.rehearsal.stand_in import Scenario, StandIn
from bot.rehearsal.rehearsal import Rehearsal
from bot.rehearsal.verdict import RehearsalVerdict, Show
from bot.runtime.http_client import is_ok_within
from bot.runtime.listening import bound
from bot.time_source import SystemTime

ANSWER_S: Final = 1.0
"""Seconds for the answer of a webhook that is ready."""
SCOPE: Final = "rehearsal/communicate"


async def rehearse(plan: RehearsalPlan, show: Show) -> RehearsalVerdict:
    """Play the plan to its end, or to its limit. Raises HostError if the bot does not start."""
    return await _Rehearsal(plan, show).run()


class _Rehearsal(Rehearsal):
    def __init__(self, plan: RehearsalPlan, show: Show) -> None:
        self._rehearsed = plan
        self._credentials = Credentials("rehearsing-bot", secrets.token_hex(16), SCOPE)
        self._webhook_port = _free_port()
        self._webhook = f"http://127.0.0.1:{self._webhook_port}/"
        scenario = Scenario(
            self._credentials,
            Wanted(plan.games, plan.at_once),
            plan.habits,
            plan.faults,
            people=plan.at_once,
            seed=plan.seed,
        )
        self._stand_in = StandIn(scenario, self._webhook, SystemTime())
        self._world = self._stand_in.world
        self._people_came = False
        secret = self._credentials.client_secret
        super().__init__(plan, self._stand_in, self._world.audit, secret, show)

    def configuration(self) -> str:
        plan = self._rehearsed
        return configuration(
            Places(plan.data, f"{self.url}/", self._webhook_port),
            self._credentials,
            plan.at_once,
            sweep_s=plan.sweep_s,
            max_turn_s=plan.max_turn_s,
            engine=plan.engine,
        )

    async def is_ready(self) -> bool:
        return await is_ok_within(self._webhook, ANSWER_S)

    def goes_on(self) -> bool:
        return not self._world.finished

    async def act(self) -> None:
        if not self._people_came:
            self._people_came = True
            self._stand_in.people_come()

    def unrecorded(self) -> int:
        return missing_records(self._world, self._credentials.client_id, self._rehearsed.records)

    def verdict(self, seconds: float) -> RehearsalVerdict:
        plan, audit = self._rehearsed, self._world.audit
        found = [
            *checks(self._world, self._credentials.client_id, plan.games, plan.records),
            *self.checks_of_run("kills that did not come about", plan.kills),
        ]
        counts = {"kills": self.kills.struck, **audit.counts}
        return RehearsalVerdict(
            seconds, audit.slowest_ms / 1000, audit.slowest_call_ms, counts, found
        )


def _free_port() -> int:
    """Return a port that is free now: the bot must reuse the same one after each kill."""
    with bound("127.0.0.1", 0) as listening:
        port: int = listening.getsockname()[1]
        return port
