"""What the platform tells a bot, and how often."""

import random
from typing import Any

import orjson

from bot.guests.abstract_play.rehearsal.faults import NONE, Faults
from bot.guests.abstract_play.rehearsal.notices import Call, Notices
from bot.guests.abstract_play.rehearsal.site import HostedGame
from tests.bot.guests.abstract_play.rehearsal.platform import BOT, Platform

DAY_MS = 86_400_000


class Told:
    """A bot's webhook that answers everything with `status`."""

    def __init__(self, faults: Faults = NONE, status: int | None = 200) -> None:
        self.platform = Platform()
        self.bodies: list[dict[str, Any]] = []
        self.answers: list[bool] = []
        self._status = status
        self.notices = Notices(
            self.platform.agenda, faults, random.Random(1), self.platform.audit, self._take
        )

    def _take(self, call: Call, now: int) -> None:
        self.bodies.append(orjson.loads(call.body))
        self.notices.answered(call, self._status, now)

    def turn(self, game: HostedGame, *, stale: bool = False) -> None:
        self.notices.turn(game, self.platform.now, stale=stale)
        self.platform.wait(DAY_MS)

    def challenge(self) -> None:
        def on_answer(accepted: bool, _now: int) -> None:
            self.answers.append(accepted)

        self.notices.challenge({"verb": "challenge"}, on_answer, self.platform.now)
        self.platform.wait(DAY_MS)


def test_a_notice_of_a_turn_has_the_whole_game_in_rounds() -> None:
    told = Told()
    game = told.platform.game("ann", BOT)
    told.platform.site.move("ann", game.terms.game_id, "bluestone", "3-2", told.platform.now)
    told.turn(game)
    assert told.bodies == [
        {
            "verb": "move",
            "metaGame": "bluestone",
            "variants": [],
            "gameid": game.terms.game_id,
            "clockCurr": 48,
            "numPlayers": 2,
            "moves": [["3-2"]],
        }
    ]


def test_a_stale_notice_misses_the_last_ply() -> None:
    told = Told()
    game = told.platform.game("ann", BOT)
    told.platform.site.move("ann", game.terms.game_id, "bluestone", "3-2", told.platform.now)
    told.turn(game, stale=True)
    assert told.bodies[0]["moves"] == []


def test_a_notice_may_get_lost_come_twice_and_again() -> None:
    for faults, times in (
        (Faults(lost=1.0), 0),
        (Faults(twice=1.0), 2),
        (Faults(again_a_minute_later=1.0), 2),
        (Faults(delayed=1.0), 1),
    ):
        told = Told(faults)
        told.turn(told.platform.game())
        assert len(told.bodies) == times


def test_a_finished_game_sends_no_notices() -> None:
    told = Told()
    game = told.platform.game()
    told.platform.submit(game, "resign")
    told.turn(game)
    assert told.bodies == []


def test_a_challenge_is_accepted_with_200_alone() -> None:
    for status in (200, 202, 400, 503, None):
        told = Told(status=status)
        told.challenge()
        assert told.answers == [status == 200]


def test_a_challenge_that_comes_twice_is_answered_once() -> None:
    told = Told(Faults(twice=1.0))
    told.challenge()
    assert len(told.bodies) == 2
    assert told.answers == [True]
