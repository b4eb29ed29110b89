"""A tournament as messages show it, and the pace at which followers get one."""

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from weakref import ref

from bot import wire
from bot.arena.announcer import Announcer
from bot.arena.arena_clock import ArenaClock
from bot.arena.players.presence import Presence
from bot.arena.tournaments.tournament import HostedTournament
from bot.arena.tournaments.tournament_settings import kind_of, order_of, rounds_in_all
from bot.runtime.alarms import Alarms
from bot.runtime.bounded import BoundedMemory
from bot.time_source import TimeSource
from bot.tournaments.formats.knockout import DoubleKnockout, Knockout
from bot.tournaments.model import GameResult, Pairing, ScheduledGame
from bot.tournaments.standings import Standing, by_place, standings
from bot.tournaments.state import Tournament


def ranking(hosted: HostedTournament) -> list[wire.TournamentStanding]:
    """Return the standings, the leader first; equal players share a rank.

    Empty before the start.
    """
    if hosted.core is None:
        return []
    counts = _counts(hosted.core)
    return [_message(row, counts[row.name]) for row in _rows(hosted, hosted.core)]


def _rows(hosted: HostedTournament, core: Tournament) -> list[Standing]:
    """Order a knockout by the round that a player reached, without tie-breaks; else by points."""
    if isinstance(hosted.form, Knockout | DoubleKnockout):
        return by_place(standings(core, (), is_swiss=False), hosted.form.places(core))
    is_swiss = kind_of(hosted.settings) == "swiss"
    return standings(core, order_of(hosted.settings), is_swiss=is_swiss)


def _message(row: Standing, counts: Counter[float]) -> wire.TournamentStanding:
    return wire.TournamentStanding(
        rank=row.rank,
        player=row.name,
        points=row.points,
        game_points=row.game_points,
        played=counts.total(),
        wins=counts[1.0],
        draws=counts[0.5],
        losses=counts[0.0],
        tie_breaks={**row.tie_breaks},
    )


def _counts(core: Tournament) -> defaultdict[str, Counter[float]]:
    """Return for each player how many games gave them 1, 0.5 and 0 points."""
    counts: defaultdict[str, Counter[float]] = defaultdict(Counter)
    for game in core.played.values():
        for seat, name in enumerate(game.scheduled.seats, start=1):
            counts[name][game.result.points(seat)] += 1
    return counts


STANDINGS_BYTES: Final = 16_000_000
"""For the standings of tournaments."""
ROW_BYTES: Final = 1_600
"""A row of the standings."""
SHOWN_GAMES: Final = 500
"""The most games of the last rounds in an event or page; the last round is always complete."""


@dataclass(frozen=True)
class _Reckoned:
    """The standings after so many events of a tournament.

    A tournament that was read again may have other names, so its standings are computed again.
    """

    hosted: ref[HostedTournament]
    events: int
    rows: list[wire.TournamentStanding]

    def is_of(self, hosted: HostedTournament) -> bool:
        return self.hosted() is hosted and self.events == hosted.events


class TournamentViews:
    """Makes messages about the present state of tournaments."""

    def __init__(self, presence: Presence, clock: ArenaClock) -> None:
        self._presence = presence
        self._clock = clock
        self._reckoned: BoundedMemory[str, _Reckoned] = BoundedMemory(
            STANDINGS_BYTES, lambda reckoned: len(reckoned.rows) * ROW_BYTES
        )

    def summary(self, hosted: HostedTournament) -> wire.TournamentSummary:
        """A tournament as one line of a list."""
        settings, wall = hosted.settings, self._clock.wall()
        return wire.TournamentSummary(
            tournament_id=hosted.tournament_id,
            name=settings.name,
            format=kind_of(settings),
            host=hosted.host.name,
            state=hosted.phase(wall),
            is_open=hosted.is_open(wall),
            why=_why(hosted),
            admits=settings.admits,
            games=list(dict.fromkeys(setup.game for setup in settings.setups)),
            entrants=len(hosted.entrants),
            most_players=settings.most_players,
            round=0 if hosted.core is None else hosted.core.round,
            rounds_in_all=_rounds_in_all(hosted),
            starts_at=settings.starts_at,
        )

    def state(self, hosted: HostedTournament) -> wire.TournamentState:
        """Everything about a tournament, with the last rounds as `rounds` gives them."""
        wall = self._clock.wall()
        rounds = self.rounds(hosted)
        last = 0 if hosted.core is None else hosted.core.round
        # This runs at each change, and its parts are valid: validation is skipped.
        return wire.TournamentState.model_construct(
            tournament_id=hosted.tournament_id,
            revision=hosted.revision,
            host=hosted.host,
            settings=hosted.settings,
            state=hosted.phase(wall),
            is_open=hosted.is_open(wall),
            why=_why(hosted),
            round=last,
            rounds_in_all=_rounds_in_all(hosted),
            entrants=self._entrants(hosted),
            rounds=rounds,
            rounds_left_out=last - len(rounds),
            standings=self._standings(hosted),
            next_round_at=self._next_round_at(hosted),
            final_at=self._final_at(hosted),
            created_at=hosted.created_at,
            server_time=wall,
        )

    def _standings(self, hosted: HostedTournament) -> list[wire.TournamentStanding]:
        """The standings, computed once per event."""
        known = self._reckoned.get(hosted.tournament_id)
        if known is None or not known.is_of(hosted):
            known = _Reckoned(ref(hosted), hosted.events, ranking(hosted))
            self._reckoned.put(hosted.tournament_id, known)
        return known.rows

    async def reckon(self, hosted: HostedTournament) -> None:
        """Compute the standings in a thread unless they are known. Needs the tournament's lock."""
        known = self._reckoned.get(hosted.tournament_id)
        if known is None or not known.is_of(hosted):
            events, rows = hosted.events, await asyncio.to_thread(ranking, hosted)
            self._reckoned.put(hosted.tournament_id, _Reckoned(ref(hosted), events, rows))

    def rounds(
        self, hosted: HostedTournament, before: int | None = None
    ) -> list[wire.TournamentRound]:
        """The last rounds before that one, by default the last of all, in order.

        At most `SHOWN_GAMES` games, but at least one round.
        """
        return [self._round(hosted, number) for number in _rounds_shown(hosted, before)]

    def _entrants(self, hosted: HostedTournament) -> list[wire.TournamentEntrant]:
        core, form = hosted.core, hosted.form
        names = list(hosted.entrants) if core is None else [each.name for each in core.entrants]
        out = set[str]()
        if core is not None and isinstance(form, Knockout | DoubleKnockout):
            out = form.eliminated(core)
        return [
            wire.TournamentEntrant(
                name=name,
                kind=hosted.entrants[name].kind,
                level=hosted.entrants[name].level,
                connected=self._presence.is_here(name),
                eliminated=name in out,
                withdrawn=None if core is None else core.withdrawn.get(name),
            )
            for name in names
        ]

    def _round(self, hosted: HostedTournament, number: int) -> wire.TournamentRound:
        assert hosted.core is not None
        return wire.TournamentRound(
            number=number,
            pairings=[
                self._pairing(hosted, each) for each in hosted.core.pairings_of_round(number)
            ],
            byes=[
                wire.TournamentBye(player=bye.player, points=bye.points)
                for bye in hosted.core.byes
                if bye.round == number
            ],
        )

    def _pairing(self, hosted: HostedTournament, pairing: Pairing) -> wire.TournamentPairing:
        assert hosted.core is not None
        return wire.TournamentPairing(
            number=pairing.number,
            players=pairing.players,
            score=hosted.core.score(pairing),
            games=[self._game(hosted, pairing, game) for game in pairing.games],
            stopped=hosted.core.stopped.get(pairing.number),
        )

    def _game(
        self, hosted: HostedTournament, pairing: Pairing, game: ScheduledGame
    ) -> wire.TournamentGame:
        assert hosted.core is not None
        known = {
            "number": game.number,
            "seats": game.seats,
            "setup": game.setup,
            "voids": hosted.core.voids[game.number],
            "void_reason": hosted.core.void_reasons.get(game.number),
        }
        played = hosted.core.played.get(game.number)
        if played is not None:
            return wire.TournamentGame(
                **known,
                state="finished",
                game_id=played.game_id or None,
                winner=played.result.winner,
                reason=played.result.reason,
                message=played.result.message,
                replaced=played.replaced,
                before=None if played.before is None else _result(played.before),
            )
        if (game_id := hosted.live.get(game.number)) is not None:
            return wire.TournamentGame(**known, state="playing", game_id=game_id)
        if hosted.core.ended is not None or pairing.number in hosted.core.stopped:
            return wire.TournamentGame(**known, state="unplayed")
        return wire.TournamentGame(**known, state="waiting", due_by=self._due_by(hosted, game))

    def _due_by(self, hosted: HostedTournament, game: ScheduledGame) -> datetime | None:
        since = hosted.called.get(game.number)
        return None if since is None else self._wall_at(since + hosted.settings.no_show_s)

    def _next_round_at(self, hosted: HostedTournament) -> datetime | None:
        since = hosted.round_over_at
        return None if since is None else self._wall_at(since + hosted.settings.pause_s)

    def _final_at(self, hosted: HostedTournament) -> datetime | None:
        since = hosted.played_at
        if since is None or not hosted.is_played:
            return None
        return self._wall_at(since + hosted.settings.review_s)

    def _wall_at(self, moment: float) -> datetime:
        """A moment of the arena's clock as wall time, if neither clock is paused or set."""
        return self._clock.wall() + timedelta(seconds=moment - self._clock.monotonic())


def _result(result: GameResult) -> wire.TournamentResult:
    return wire.TournamentResult(winner=result.winner, reason=result.reason, message=result.message)


def _rounds_in_all(hosted: HostedTournament) -> int | None:
    players = hosted.entrants if hosted.core is None else hosted.core.began.entrants
    return rounds_in_all(hosted.settings, len(players))


def _why(hosted: HostedTournament) -> str | None:
    core = hosted.core
    return hosted.why if core is None else core.ended or core.paused or hosted.why


def _rounds_shown(hosted: HostedTournament, before: int | None) -> list[int]:
    """The numbers of the last rounds that fit into `SHOWN_GAMES`, in order."""
    if hosted.core is None:
        return []
    last = hosted.core.round if before is None else min(hosted.core.round, before - 1)
    shown: list[int] = []
    games = 0
    for number in range(last, 0, -1):
        games += sum(len(each.games) for each in hosted.core.pairings_of_round(number))
        if shown and games > SHOWN_GAMES:
            break
        shown.append(number)
    return shown[::-1]


DELAY_S: Final = 0.25
LEAST_S: Final = 1.0
MOST_S: Final = 15.0
BYTES_PER_S: Final = 4_000_000
"""The most bytes per second to the followers of one tournament, within `MOST_S`."""
SHARE: Final = 0.02
"""The largest share of the server's time for states of one tournament, within `MOST_S`.

The standings of 20,000 games take a fifth of a second, during which no turn is answered.
"""


class TournamentNews:
    """Sends tournaments to their followers after changes, several changes at once."""

    def __init__(self, views: TournamentViews, announcer: Announcer, time: TimeSource) -> None:
        self._views = views
        self._announcer = announcer
        self._time = time
        self._alarms = Alarms(time)
        self._next_at: dict[str, float] = {}
        self._awaited: set[str] = set()

    async def close(self) -> None:
        await self._alarms.close()

    def changed(self, hosted: HostedTournament, _is_news: bool) -> None:
        tournament_id = hosted.tournament_id
        if tournament_id in self._awaited or not self._announcer.followers(tournament_id):
            return
        self._awaited.add(tournament_id)
        at = max(self._time.monotonic() + DELAY_S, self._next_at.get(tournament_id, 0.0))
        self._alarms.set(tournament_id, at, lambda: self._publish(hosted))

    async def _publish(self, hosted: HostedTournament) -> None:
        tournament_id = hosted.tournament_id
        self._awaited.discard(tournament_id)
        began = self._time.monotonic()
        state = self._views.state(hosted)
        took_s = self._time.monotonic() - began
        size = await self._announcer.tournament(state)
        sending_s = size * self._announcer.followers(tournament_id) / BYTES_PER_S
        pause_s = max(LEAST_S, sending_s, took_s / SHARE)
        if hosted.is_over:
            self._next_at.pop(tournament_id, None)
        else:
            now = self._time.monotonic()
            self._next_at[tournament_id] = now + min(pause_s, MOST_S)
