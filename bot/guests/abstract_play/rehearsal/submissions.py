"""Moves of the bot: played, refused, or played with an answer that does not show it."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bot.guests.abstract_play.rehearsal import answers
from bot.guests.abstract_play.rehearsal.agenda import Agenda
from bot.guests.abstract_play.rehearsal.answers import SiteAnswer
from bot.guests.abstract_play.rehearsal.audit import ELSEWHERE, ILLEGAL, Audit
from bot.guests.abstract_play.rehearsal.faults import Faults, within
from bot.guests.abstract_play.rehearsal.game import GameState, IllegalMove, NotPlayed
from bot.guests.abstract_play.rehearsal.site import HostedGame, Site, record

UNKNOWN: Final = (None, 429, 502, 503, 504)
"""Statuses that leave open whether the move was played."""


class Submissions:
    """Plays the bot's submissions, with the reliability of `faults`."""

    def __init__(
        self, site: Site, agenda: Agenda, faults: Faults, rng: random.Random, audit: Audit
    ) -> None:
        self._site = site
        self._agenda = agenda
        self._faults = faults
        self._rng = rng
        self._audit = audit

    def submit(self, player: str, game_id: str, meta: str, text: str, now: int) -> SiteAnswer:
        """Handle a request that the gateway accepted, and return the answer."""
        game = self._site.games.get(game_id)
        self._audit.counts["submissions"] += 1
        if game is None or game.terms.meta != meta or game.mover != player:
            self._audit.counts["submissions out of turn"] += 1
            return self._play(player, game_id, meta, text, None, now)
        ply = game.now.ply
        self._audit.arrived(game_id, ply, _settled(text), now)
        answer = self._with_faults(player, game, text, now)
        doubtful = answer.status in UNKNOWN
        self._audit.answered(game_id, ply, now + answer.after_ms, doubtful=doubtful)
        return answer

    def _with_faults(self, player: str, game: HostedGame, text: str, now: int) -> SiteAnswer:
        terms, ply = game.terms, game.now.ply

        def play(when: int) -> SiteAnswer:
            return self._play(player, terms.game_id, terms.meta, text, ply, when)

        fault = self._fault()
        if fault is not None:
            self._audit.counts[f"submissions {fault}"] += 1
        match fault:
            case "too many":
                return self._soon(answers.too_many(self._rng.choice((None, 1, 5))))
            case "bad gateway":
                status = self._rng.choice((502, 503, 504))
                return self._soon(answers.gateway(status, "Internal server error"))
            case "not played":
                return self._soon(answers.refused("Unable to process submit move"))
            case "late":
                return self._late(play, now)
            case "cut after":
                play(now)
                return self._soon(answers.CUT)
            case "crashed after":
                play(now)
                refused = answers.refused("Unable to process submit move")
                return self._soon(self._rng.choice((refused, answers.crashed())))
            case "unwrapped":
                return self._soon(answers.unwrapped(play(now)))
            case _:
                return self._soon(play(now))

    def _fault(self) -> str | None:
        faults = self._faults
        chances = {
            "too many": faults.too_many,
            "bad gateway": faults.bad_gateway,
            "not played": faults.not_played,
            "late": faults.late,
            "cut after": faults.cut_after,
            "crashed after": faults.crashed_after,
            "unwrapped": faults.unwrapped,
        }
        drawn = self._rng.random()
        for name, chance in chances.items():
            drawn -= chance
            if drawn < 0:
                return name
        return None

    def _late(self, play: Callable[[int], SiteAnswer], now: int) -> SiteAnswer:
        self._agenda.at(
            now + within(self._rng, self._faults.late_ms), lambda when: _done(play, when)
        )
        timed_out = answers.gateway(504, "Endpoint request timed out")
        if self._rng.random() < 0.5:
            return self._soon(timed_out)
        return replace(timed_out, after_ms=self._faults.killed_ms)

    def _soon(self, answer: SiteAnswer) -> SiteAnswer:
        return replace(answer, after_ms=within(self._rng, self._faults.latency_ms))

    def _play(
        self, player: str, game_id: str, meta: str, text: str, ply: int | None, now: int
    ) -> SiteAnswer:
        game = self._site.games.get(game_id)
        before = game.now if game is not None and game.mover == player else None
        if before is not None and before.ply != ply:
            self._audit.violation(ELSEWHERE, game_id, before.ply, f"{text}, meant for ply {ply}")
        if before is not None and not text.strip():
            self._audit.violation(ILLEGAL, game_id, before.ply, "an empty move")
        try:
            played = self._site.move(player, game_id, meta, text, now)
        except IllegalMove as refusal:
            self._audit.violation(ILLEGAL, game_id, before.ply if before else -1, text)
            return answers.refused(refusal.message)
        except NotPlayed as refusal:
            return answers.refused(refusal.message)
        if before is not None:
            self._audit.counts["turns of the bot"] += 1
            self._took(game_id, before, now)
        return answers.enveloped(200, record(self._site, played.now))

    def _took(self, game_id: str, before: GameState, now: int) -> None:
        self._audit.slowest_ms = max(self._audit.slowest_ms, now - before.moved_at)
        due = before.deadline
        if due is not None and due < now:
            why = f"{now - due} ms late, without a claim"
            self._audit.missed(game_id, before.ply, why, due)


def _done(play: Callable[[int], SiteAnswer], when: int) -> None:
    """Play a move without sending its answer."""
    play(when)


def _settled(text: str) -> str:
    """Normalize a turn: blanks, capitals and the order of two stones make no difference."""
    return ",".join(sorted("".join(text.split()).lower().split(",")))
