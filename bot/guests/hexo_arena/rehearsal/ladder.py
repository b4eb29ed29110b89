"""The ladder of the stand-in: the bots in its directory, and their challenges."""

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from bot.guests.hexo_arena.rehearsal import audit as kinds
from bot.guests.hexo_arena.rehearsal.audit import Audit
from bot.guests.hexo_arena.rehearsal.board import Side, opening, other
from bot.guests.hexo_arena.rehearsal.game import Clock, SeatState, SimulatedGame
from bot.guests.hexo_arena.rehearsal.scenario import Scenario
from bot.guests.hexo_arena.rehearsal.tables import Outlet, SimulatedTables
from bot.runtime.tasks import OwnedTasks

MOST_LIVE: Final = 4


@dataclass(frozen=True)
class LadderAnswer:
    """An answer over HTTP. `is_cuttable` says that it may be lost after its effect."""

    status: int
    body: object
    retry_after_s: int | None = None
    is_cuttable: bool = False


def refused(status: int, code: str, retry_after_s: int | None = None) -> LadderAnswer:
    return LadderAnswer(status, {"error": f"refused: {code}", "code": code}, retry_after_s)


@dataclass(eq=False)
class Pending:
    """A challenge. `to_bot` says that the bot under rehearsal is challenged."""

    challenge_id: str
    rival: str
    to_bot: bool
    control: dict[str, Any]
    plies: int
    first: str
    created_at: float
    status: str = "created"
    request: str = ""


class Ladder:
    """`takes_games` says whether the bot's stream is open for games."""

    def __init__(
        self,
        scenario: Scenario,
        audit: Audit,
        rng: random.Random,
        tasks: OwnedTasks,
        tables: SimulatedTables,
        outlet: Outlet,
        takes_games: Callable[[], bool],
    ) -> None:
        self.declared: dict[str, Any] = {}
        self.is_closing = False
        """Whether no new games begin."""
        self._scenario = scenario
        self._audit = audit
        self._rng = rng
        self._tasks = tasks
        self._tables = tables
        self._outlet = outlet
        self._takes_games = takes_games
        self._challenges: dict[str, Pending] = {}
        self._made: list[Pending] = []
        self._rivals = [f"rival-{at}" for at in range(1, scenario.rivals + 1)]
        self._twins = [f"twin-{at}" for at in range(1, scenario.owner_twins + 1)]
        for name in (*self._rivals, *self._twins):
            tables.ratings[name] = 1400.0 + rng.random() * 300

    def _happens(self, chance: float) -> bool:
        return self._rng.random() < chance

    # ---- the directory ---------------------------------------------------------------------

    def account(self) -> dict[str, Any]:
        name = self._scenario.name
        known = {"name": name, "rating": round(self._tables.ratings[name]), "provisional": True}
        declared = {key: value for key, value in self.declared.items() if value != ""}
        return {**known, "levels": None, "analyzer": None, **declared}

    def declare(self, body: object) -> LadderAnswer:
        if not isinstance(body, dict) or body.keys() - self._scenario.knows:
            self._audit.counts["declarations refused"] += 1
            return refused(400, "bad_request")
        self.declared |= body
        self._audit.counts["declarations"] += 1
        return LadderAnswer(200, self.account())

    def directory(self) -> list[dict[str, Any]]:
        """Return the bots that are online."""
        accepts = {"turnMs": [5000, 600_000], "match": True, "unlimited": False}
        listed: list[dict[str, Any]] = [
            {
                "name": name,
                "ownerName": "Ann" if name in self._twins else f"owner of {name}",
                "online": True,
                "openForChallenges": True,
                "rating": round(self._tables.ratings[name]),
                "provisional": True,
                "liveGames": self._tables.live_of(name),
                "accepts": accepts,
                "levels": None,
                "analyzer": None,
            }
            for name in (*self._rivals, *self._twins)
        ]
        if self._outlet.is_open:
            ours = {
                "name": self._scenario.name,
                "ownerName": "Ann",
                "online": True,
                "openForChallenges": self._takes_games(),
                "rating": round(self._tables.ratings[self._scenario.name]),
                "provisional": True,
                "liveGames": self._tables.live_of(self._scenario.name),
            }
            listed.append({**ours, "accepts": self.declared.get("accepts")})
        return listed

    # ---- challenges of the bot -------------------------------------------------------------

    def challenge(self, rival: str, body: dict[str, Any]) -> LadderAnswer:
        """Store a challenge, once for each `requestId`."""
        known = next((each for each in self._made if each.request == body["requestId"]), None)
        if known is not None:
            self._audit.counts["challenges repeated"] += 1
            return LadderAnswer(200, self.view(known), is_cuttable=True)
        if self._happens(self._scenario.faults.paused):
            return refused(503, "paused", 1)
        if (refusal := self._why_no_challenge(rival, body["timeControl"])) is not None:
            self._audit.counts["challenges refused"] += 1
            return refusal
        challenge = self._new_challenge(rival, body["timeControl"], to_bot=False)
        challenge.plies = body.get("openingPlies", 5)
        challenge.first = body.get("firstPlayer", "random")
        challenge.request = body["requestId"]
        self._made.append(challenge)
        self._audit.counts["challenges of the bot"] += 1
        self._tasks.start(self._rival_answers(challenge))
        return LadderAnswer(201, self.view(challenge), is_cuttable=True)

    def _why_no_challenge(self, rival: str, control: dict[str, Any]) -> LadderAnswer | None:
        name, caps = self._scenario.name, self._scenario.caps
        if rival not in self._tables.ratings or rival == name:
            return refused(404, "not_found")
        if any(not each.to_bot and each.rival == rival for each in self._challenges.values()):
            self._audit.violation(kinds.TWICE, rival)
            return refused(400, "challenge_pending")
        if self.is_closing:
            return refused(400, "not_open")
        if max(self._tables.live_of(name), self._tables.live_of(rival)) >= MOST_LIVE:
            return refused(400, "bot_busy")
        if control["mode"] == "turn" and control["turnTimeMs"] < 5000:
            return refused(400, "clock_not_accepted")
        played = [game for game in self._tables.games.values() if game.side_of(rival) is not None]
        if len(self._made) >= caps.challenges:
            return refused(429, "daily_challenge_cap", _until_midnight())
        if len(self._tables.games) >= caps.games:
            return refused(429, "daily_bot_cap", _until_midnight())
        if len(played) >= caps.pair:
            return refused(429, "daily_pair_cap", _until_midnight())
        return None

    def _new_challenge(self, rival: str, control: dict[str, Any], *, to_bot: bool) -> Pending:
        challenge = Pending(
            secrets.token_hex(8), rival, to_bot, control, 5, "random", time.monotonic()
        )
        self._challenges[challenge.challenge_id] = challenge
        return challenge

    def view(self, challenge: Pending) -> dict[str, Any]:
        ours, theirs = (
            self._tables.player(self._scenario.name),
            self._tables.player(challenge.rival),
        )
        return {
            "challengeId": challenge.challenge_id,
            "challenger": theirs if challenge.to_bot else ours,
            "destUser": ours if challenge.to_bot else theirs,
            "timeControl": challenge.control,
            "openingPlies": challenge.plies,
            "firstPlayer": challenge.first,
            "status": challenge.status,
        }

    def _player(self, name: str) -> dict[str, Any]:
        return {"name": name, "rating": round(self._tables.ratings[name]), "provisional": True}

    async def _rival_answers(self, challenge: Pending) -> None:
        habits = self._scenario.habits
        if self._happens(habits.ignores):
            return
        await asyncio.sleep(self._rng.uniform(*habits.answer_s))
        if challenge.challenge_id not in self._challenges:
            return
        if (
            self.is_closing
            or self._happens(habits.declines)
            or self._tables.live_of(challenge.rival) >= MOST_LIVE
        ):
            self._drop(challenge, "declined")
        elif self._tables.live_of(self._scenario.name) < MOST_LIVE:
            self._begin(challenge)

    def _drop(self, challenge: Pending, status: str) -> None:
        if self._challenges.pop(challenge.challenge_id, None) is None:
            return
        challenge.status = status
        view = self.view(challenge)
        if status == "declined":
            self._outlet.tell({"type": "challengeDeclined", "challenge": view})
        else:
            self._outlet.tell({"type": "challengeCanceled", "reason": status, "challenge": view})

    def expire(self, now: float) -> None:
        """Drop challenges that are too old."""
        for challenge in list(self._challenges.values()):
            if now - challenge.created_at >= self._scenario.limits.challenge_s:
                self._drop(challenge, "expired")

    def crash(self) -> None:
        """Forget what is pending."""
        self._challenges.clear()

    # ---- challenges of others --------------------------------------------------------------

    def inbox(self) -> list[Pending]:
        """Return the challenges that wait for the bot."""
        return [each for each in self._challenges.values() if each.to_bot]

    def answer(self, challenge_id: str, answer: str) -> LadderAnswer:
        """Accept, decline or cancel a challenge."""
        challenge = self._challenges.get(challenge_id)
        if challenge is None or challenge.to_bot == (answer == "cancel"):
            return refused(404, "not_found")
        if answer == "accept":
            if self._tables.live_of(self._scenario.name) >= MOST_LIVE:
                return refused(400, "bot_busy")
            self._begin(challenge)
        else:
            self._challenges.pop(challenge.challenge_id)
            challenge.status = "declined" if answer == "decline" else "canceled"
        return LadderAnswer(200, {"ok": True}, is_cuttable=True)

    def rival_challenges(self, control: dict[str, Any]) -> None:
        """Let a rival challenge the bot, if it takes games."""
        if self._takes_games():
            challenge = self._new_challenge(self._rng.choice(self._rivals), control, to_bot=True)
            challenge.plies = self._rng.choice((1, 3, 5, 7, 9))
            self._audit.counts["challenges of others"] += 1
            self._outlet.tell({"type": "challenge", "challenge": self.view(challenge)})

    def person_starts(self, control: dict[str, Any]) -> None:
        """Let a guest start a game, unasked."""
        if not self._takes_games() or self._tables.live_of(self._scenario.name) >= MOST_LIVE:
            return
        board, turns = opening(self._rng.choice((1, 3, 5)), self._rng)
        guest = SeatState(f"Guest {secrets.token_hex(2)}", is_bot=False)
        seats: dict[Side, SeatState] = {"x": SeatState(self._scenario.name), "o": guest}
        if self._rng.random() < 0.5:
            seats = {"x": guest, "o": SeatState(self._scenario.name)}
        self._audit.counts["games of guests"] += 1
        clock, plies, game_id = Clock(control), len(board.stones), secrets.token_hex(8)
        self._tables.start(SimulatedGame(game_id, seats, clock, plies, board, turns, rated=False))

    def _begin(self, challenge: Pending) -> None:
        self._challenges.pop(challenge.challenge_id, None)
        challenge.status = "accepted"
        challenger = challenge.rival if challenge.to_bot else self._scenario.name
        challenged = self._scenario.name if challenge.to_bot else challenge.rival
        board, turns = opening(challenge.plies, self._rng)
        first = challenge.first
        if first == "random":
            first = self._rng.choice(("challenger", "challenged"))
        names = (challenger, challenged) if first == "challenger" else (challenged, challenger)
        seats = {board.to_move: SeatState(names[0]), other(board.to_move): SeatState(names[1])}
        rated = challenge.rival not in self._twins
        self._tables.start(
            SimulatedGame(
                secrets.token_hex(8),
                seats,
                Clock(challenge.control),
                challenge.plies,
                board,
                turns,
                rated,
            )
        )


def _until_midnight() -> int:
    now = datetime.now(UTC)
    tomorrow = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return int((tomorrow - now).total_seconds())
