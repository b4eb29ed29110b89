"""The platform's answers to a bot's requests, without sockets: token URL, botQuery and query."""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import orjson

from bot.guests.abstract_play.rehearsal import answers
from bot.guests.abstract_play.rehearsal.agenda import Agenda
from bot.guests.abstract_play.rehearsal.answers import SiteAnswer
from bot.guests.abstract_play.rehearsal.audit import Audit
from bot.guests.abstract_play.rehearsal.credentials import Credentials, Tokens
from bot.guests.abstract_play.rehearsal.faults import Faults, within
from bot.guests.abstract_play.rehearsal.site import HostedGame, Site, listed, record
from bot.guests.abstract_play.rehearsal.submissions import Submissions

JSON: Final = "application/json"
ON_ITS_WAY_MS: Final = 100
"""A request may have been sent before the answer to another one arrived."""


class Gate:
    """Every call is answered at once; `SiteAnswer.after_ms` says when the client gets it."""

    def __init__(
        self,
        site: Site,
        credentials: Credentials,
        agenda: Agenda,
        faults: Faults,
        rng: random.Random,
        audit: Audit,
    ) -> None:
        self._site = site
        self._faults = faults
        self._rng = rng
        self._audit = audit
        self._tokens = Tokens(credentials, faults.token_lives_s, rng)
        self._submissions = Submissions(site, agenda, faults, rng, audit)
        self._hidden_until: dict[str, int] = {}
        self._quiet: dict[str, tuple[int, int]] = {}

    def hide(self, game: HostedGame, until: int) -> None:
        """Hide the game's last change, or a new game, from get_game until that moment."""
        self._hidden_until[game.terms.game_id] = until

    def token(self, form: Mapping[str, str], now: int) -> SiteAnswer:
        self._audit.counts["tokens asked for"] += 1
        return self._soon(self._tokens.issue(form, now))

    # ---- moves -----------------------------------------------------------------------------

    def bot_query(self, authorization: str, content_type: str, body: bytes, now: int) -> SiteAnswer:
        """Answer POST <base>botQuery."""
        self._heard("botQuery", now)
        answer = self._bot_query(authorization, content_type, body, now)
        return self._told("botQuery", answer, now)

    def _bot_query(
        self, authorization: str, content_type: str, body: bytes, now: int
    ) -> SiteAnswer:
        if content_type != JSON:
            return self._soon(answers.gateway(415, "Unsupported Media Type"))
        if self._rng.random() < self._faults.token_expires:
            self._tokens.drop(authorization)
        player = self._tokens.owner(authorization, now)
        if player is None:
            self._audit.counts["answers 401"] += 1
            return self._soon(answers.gateway(401, "Unauthorized"))
        request = _object(body)
        if request is None:
            return self._soon(answers.gateway(400, "Invalid request body"))
        return self._verb(player, request, now)

    def _verb(self, player: str, request: Mapping[str, Any], now: int) -> SiteAnswer:
        verb = request.get("verb")
        if verb != "move":
            return self._soon(answers.refused(f"Unknown bot verb '{verb}'", 400))
        for field in ("gameid", "metaGame"):
            if not isinstance(request.get(field), str):
                return self._soon(answers.refused(f"{field} is required", 400))
        move = request.get("move")
        if not isinstance(move, str):
            return self._soon(answers.refused("move is required", 400))
        return self._submissions.submit(player, request["gameid"], request["metaGame"], move, now)

    # ---- public queries --------------------------------------------------------------------

    def query(self, body: bytes, now: int) -> SiteAnswer:
        """Answer POST <base>query."""
        request = _object(body)
        if request is None:
            return self._soon(answers.gateway(400, "Invalid request body"))
        pars = request.get("pars")
        return self.ask(str(request.get("query")), pars if isinstance(pars, dict) else {}, now)

    def ask(self, name: str, pars: Mapping[str, Any], now: int) -> SiteAnswer:
        """Answer GET <base>query?query=NAME&..., or the query in a POST."""
        self._audit.counts[f"queries {name}"] += 1
        self._heard("query", now)
        if self._rng.random() < self._faults.too_many:
            self._audit.counts["queries too many"] += 1
            refused = self._soon(answers.too_many(self._rng.choice((None, 1, 5))))
            return self._told("query", refused, now)
        if self._rng.random() < self._faults.query_fails:
            self._audit.counts["queries failed"] += 1
            status = self._rng.choice((500, 502, 504))
            return self._soon(answers.gateway(status, "Internal server error"))
        return self._soon(self._asked(name, pars, now))

    def _asked(self, name: str, pars: Mapping[str, Any], now: int) -> SiteAnswer:
        match name:
            case "games":
                return answers.plain(self._games(pars))
            case "get_game":
                return self._get_game(pars, now)
            case "user_names":
                return answers.plain(
                    [
                        {"id": one.player_id, "name": one.name, "bot": one.is_bot, "lastSeen": now}
                        for one in self._site.players.values()
                    ]
                )
            case _:
                return answers.gateway(500, f"Unable to execute unknown query '{name}'")

    def _games(self, pars: Mapping[str, Any]) -> list[dict[str, Any]]:
        if pars.get("type") != "current":
            return []
        running = self._site.running(str(pars.get("metaGame")))
        shown = [game for game in running if self._rng.random() >= self._faults.left_out]
        self._audit.counts["games left out of lists"] += len(running) - len(shown)
        return [listed(self._site, game) for game in shown]

    def _get_game(self, pars: Mapping[str, Any], now: int) -> SiteAnswer:
        game_id = str(pars.get("id"))
        game = self._site.games.get(game_id)
        hidden = now < self._hidden_until.get(game_id, 0)
        self._audit.counts["old reads"] += hidden
        asks_for_finished = str(pars.get("cbit", 0)) == "1"
        if (
            game is None
            or game.terms.meta != pars.get("metaGame")
            or (asks_for_finished and not game.over)
            or (hidden and game.before is game.now)
        ):
            return answers.gateway(500, f"Unable to get game {game_id}")
        shown = record(self._site, game.before if hidden else game.now)
        return answers.plain({"game": shown, "comments": [], "watchCount": 0})

    # ---- Retry-After -----------------------------------------------------------------------

    def _told(self, address: str, answer: SiteAnswer, now: int) -> SiteAnswer:
        """Store how long the bot must wait, from the moment at which it can know."""
        if (seconds := answer.headers.get("Retry-After")) is not None:
            known = now + answer.after_ms
            self._quiet[address] = (known, known + int(seconds) * 1000)
        return answer

    def _heard(self, address: str, now: int) -> None:
        known, over = self._quiet.get(address, (0, 0))
        self._audit.counts["requests before Retry-After"] += known + ON_ITS_WAY_MS < now < over

    def _soon(self, answer: SiteAnswer) -> SiteAnswer:
        return replace(answer, after_ms=within(self._rng, self._faults.latency_ms))


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
