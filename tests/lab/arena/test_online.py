"""The short form of `make lab ARGS=online`, and the faults that it finds."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest

import engine
from bot import wire
from bot.cli.measurements import print_report
from bot.errors import ConfigurationError
from bot.records.model import GameRecord, RecordedPlayer, RecordedResult, RecordedTurn
from bot.time_controls import Fischer
from lab.arena.exported_event import ExportedEvent
from lab.arena.online import OnlinePlan, Progress, measure, online
from lab.arena.online_report import Course, Expected, OnlineVerdict, online_report, verdict
from lab.arena.turn_book import GameTold, Told

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CLOCK = Fischer(initial_s=60, increment_s=1)
NAMES = ("Anna", "Bert", "Carla")
GAME = engine.game("bluestone", board="pent-3")
EXPECTED = Expected(players=3, rounds=3, kills=1, away=1)
COURSE = Course(kills=1, longest_down_s=2.0, seconds=9.0)

Case = tuple[ExportedEvent, Told]
Flaw = Callable[[ExportedEvent, Told], Case]


@cache
def turns_won_by(seat: int) -> tuple[RecordedTurn, ...]:
    games = (engine.play_out(GAME, seed=seed) for seed in range(100))
    won = next(game for game in games if game.winner == seat)
    positions = [GAME.replay(won.turns[:ply]) for ply in range(1, len(won.turns) + 1)]
    return tuple(
        RecordedTurn(turn=turn, captured=list(after.captured))
        for turn, after in zip(won.turns, positions, strict=True)
    )


def record(number: int, seats: tuple[str, str], winner: wire.Seat) -> GameRecord:
    one, two = (RecordedPlayer(name=name, kind="bot") for name in seats)
    return GameRecord(
        id=f"game{number}",
        platform="arena",
        game=GAME.name,
        board=GAME.board.name,
        rules=GAME.rule_set,
        clock=CLOCK,
        players=(one, two),
        turns=list(turns_won_by(winner)),
        result=RecordedResult(winner=winner, reason="played_out"),
        started_at=NOW,
        software="test",
    )


def told_of(number: int, played: GameRecord) -> GameTold:
    sent = {ply: each.turn for ply, each in enumerate(played.turns)}
    return GameTold(
        game_id=played.id,
        game=number,
        round=number,
        sent=sent,
        acknowledged=set(sent),
        shown=list(sent.values()),
    )


def a_round(number: int, played: GameRecord, bye: str) -> wire.TournamentRound:
    assert played.result is not None
    one, two = (player.name for player in played.players)
    game = wire.TournamentGame(
        number=number,
        seats=(one, two),
        setup=0,
        state="finished",
        game_id=played.id,
        winner=played.result.winner,
        reason="played_out",
    )
    pairing = wire.TournamentPairing(number=number, players=(one, two), score=(1, 0), games=[game])
    return wire.TournamentRound(
        number=number, pairings=[pairing], byes=[wire.TournamentBye(player=bye, points=1)]
    )


def standing(rank: int, points: float, wins: int, *tie_breaks: float) -> wire.TournamentStanding:
    """Return a row that was computed by hand, from FIDE C.07; see the games below."""
    cut, buchholz, sonneborn_berger = tie_breaks
    return wire.TournamentStanding(
        rank=rank,
        player=NAMES[rank - 1],
        points=points,
        game_points=wins,
        played=2,
        wins=wins,
        draws=0,
        losses=2 - wins,
        tie_breaks={
            "buchholz_cut_1": cut,
            "buchholz": buchholz,
            "direct_encounter": None,
            "wins": points,
            "sonneborn_berger": sonneborn_berger,
        },
    )


def good() -> Case:
    """Return an event in which Anna beats Bert and Carla, Bert beats Carla, and each has a bye."""
    anna, bert, carla = NAMES
    records = [
        record(1, (anna, bert), winner=1),
        record(2, (carla, anna), winner=2),
        record(3, (bert, carla), winner=1),
    ]
    setup = wire.GameSetup(
        game=GAME.name, board=GAME.board.name, rules=GAME.rule_set, options={}, clock=CLOCK
    )
    state = wire.TournamentState(
        tournament_id="t",
        revision=1,
        host=wire.Player(id="h", name="Hanna", kind="person"),
        settings=wire.TournamentSettings(name="t", format={"kind": "swiss"}, setups=[setup]),
        state="over",
        why="all rounds are played",
        round=3,
        rounds_in_all=3,
        entrants=[wire.TournamentEntrant(name=each, kind="bot", connected=True) for each in NAMES],
        rounds=[
            a_round(number, each, bye)
            for number, (each, bye) in enumerate(
                zip(records, reversed(NAMES), strict=True), start=1
            )
        ],
        standings=[
            standing(1, 3, 2, 3.5, 4.5, 4.5),
            standing(2, 2, 1, 4.5, 5.5, 2.5),
            standing(3, 1, 0, 5.0, 6.0, 1.0),
        ],
        created_at=NOW,
        server_time=NOW,
    )
    games = [told_of(number, each) for number, each in enumerate(records, start=1)]
    return ExportedEvent(state, records), Told(games=games, refusals={}, left=1)


def found_in(event: ExportedEvent, told: Told) -> OnlineVerdict:
    return verdict(event, told, EXPECTED, COURSE)


def test_a_correct_tournament_is_fine() -> None:
    found = found_in(*good())

    assert found.fine
    assert (found.once, found.byes, found.turns) == (
        3,
        3,
        sum(len(turns_won_by(s)) for s in (1, 2, 1)),
    )


# ---- what is not as it should be --------------------------------------------------------------


def with_state(event: ExportedEvent, **changes: object) -> ExportedEvent:
    return replace(event, state=event.state.model_copy(update=changes))


def with_game(event: ExportedEvent, **changes: object) -> ExportedEvent:
    """Change the first game."""
    first, *others = event.state.rounds
    (pairing,) = first.pairings
    game = pairing.games[0].model_copy(update=changes)
    pairing = pairing.model_copy(update={"games": [game]})
    first = first.model_copy(update={"pairings": [pairing]})
    return with_state(event, rounds=[first, *others])


def with_told(told: Told, **changes: object) -> Told:
    """Change what players were told about the first game."""
    first, *others = told.games
    return told.model_copy(update={"games": [first.model_copy(update=changes), *others]})


def without_the_last_turn(event: ExportedEvent) -> ExportedEvent:
    first, *others = event.records
    return replace(event, records=[first.model_copy(update={"turns": first.turns[:-1]}), *others])


def with_another_winner(event: ExportedEvent) -> ExportedEvent:
    last = record(3, ("Bert", "Carla"), winner=2)
    return replace(event, records=[*event.records[:2], last])


FLAWS: dict[str, Flaw] = {
    "finished": lambda event, told: (with_state(event, state="running", why=None), told),
    "finished by hand": lambda event, told: (with_game(event, replaced="why"), told),
    "once": lambda event, told: (replace(event, records=event.records[:2]), told),
    "once, not twice": lambda event, told: (
        replace(event, records=[*event.records[:2], event.records[1]]),
        told,
    ),
    "begun_twice": lambda event, told: (
        event,
        told.model_copy(update={"games": [*told.games, told_of(3, event.records[0])]}),
    ),
    "met_twice": lambda event, told: (
        with_state(event, rounds=[*event.state.rounds[:2], event.state.rounds[1]]),
        told,
    ),
    "byes_twice": lambda event, told: (
        with_state(event, rounds=[a_round(1, event.records[0], "Bert"), *event.state.rounds[1:]]),
        told,
    ),
    "same_standings": lambda event, told: (
        with_state(event, standings=event.state.standings[::-1]),
        told,
    ),
    "forfeits": lambda event, told: (with_game(event, reason="no_show"), told),
    "contradictions": lambda event, told: (without_the_last_turn(event), told),
    "lost": lambda event, told: (without_the_last_turn(event), with_told(told, shown=[])),
    "shown_and_lost": lambda event, told: (
        without_the_last_turn(event),
        with_told(told, acknowledged=set()),
    ),
    "unsent": lambda event, told: (event, with_told(told, sent={}, acknowledged=set())),
    "refusals": lambda event, told: (event, told.model_copy(update={"refusals": {"stale_ply": 1}})),
    "away": lambda event, told: (event, told.model_copy(update={"left": 0})),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_whatever_is_not_is_found(flaw: str) -> None:
    fine, found = found_in(*good()), found_in(*FLAWS[flaw](*good()))
    figure = flaw.split()[0].rstrip(",")

    assert not found.fine
    assert getattr(found, figure) != getattr(fine, figure)


def test_standings_are_computed_from_the_results_of_the_records() -> None:
    event, told = good()

    assert not found_in(with_another_winner(event), told).same_standings


def test_players_of_an_unplayed_pairing_may_be_paired_again() -> None:
    event, _ = good()
    unplayed = with_game(event, game_id=None, reason="no_show")
    again = [*unplayed.state.rounds, event.state.rounds[0]]

    assert with_state(event, rounds=again).met_twice() == 0


def test_a_kill_that_did_not_come_is_missed() -> None:
    assert not verdict(*good(), EXPECTED, replace(COURSE, kills=0)).fine


# ---- the plan ---------------------------------------------------------------------------------


def test_kills_and_absences_leave_a_round_to_play() -> None:
    plan = OnlinePlan(players=6, rounds=3, kills=50, away=6)

    assert all(0 <= games <= 6 for games in plan.moments(50, "kills"))
    assert [each.games for each in plan.absences()] == plan.moments(6, "absences")
    assert sorted(each.player for each in plan.absences()) == list(range(6))
    assert plan.moments(50, "kills") != replace(plan, seed=2).moments(50, "kills")


async def test_progress_reports_rounds_and_departures() -> None:
    notes: list[str] = []
    progress = Progress(notes.append)
    notices: Iterator[dict[str, Any]] = iter(
        [{"entered": "bot-1"}, {"ended": 1}, {"ended": 1}, {"left": "bot-1"}, {"back": "bot-1"}]
    )
    for notice in notices:
        progress.on_notice(notice)
    await progress.until_entered(1)
    await progress.until_ended(2)

    assert notes == [
        "first game of round 1 has ended, 1 in all",
        "bot-1 leaves after 2 games",
        "bot-1 comes back after 2 games",
    ]


# ---- the command ------------------------------------------------------------------------------


def test_the_table_names_the_reasons_of_forfeits(capsys: pytest.CaptureFixture[str]) -> None:
    forfeits = {"no_show": 2, "time_forfeit": 1}
    print_report(online_report(replace(found_in(*good()), forfeits=forfeits)), as_json=False)

    printed = {" ".join(line.split()) for line in capsys.readouterr().out.splitlines()}
    assert {"forfeits 3 0", "forfeits, no show 2 0", "forfeits, time forfeit 1 0"} <= printed


@pytest.mark.parametrize(
    ("players", "rounds", "away", "message"),
    [(4, 3, 5, "there are 4 players"), (4, 4, 0, "too many"), (5, 6, 0, "too many")],
)
def test_an_impossible_plan_is_refused(players: int, rounds: int, away: int, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        online(players=players, rounds=rounds, away=away)


@pytest.mark.e2e
@pytest.mark.timeout(240)
async def test_a_tournament_on_a_killed_arena_ends_correctly() -> None:
    plan = OnlinePlan(6, 3, kills=1, away=1, away_s=0.5, pause_s=0.02, delay_s=0.2)
    notes: list[str] = []

    found = await measure(plan, notes.append)

    assert found.fine, (found, notes)
    assert (found.once, found.kills, found.away) == (9, 1, 1)
    assert found.turns > 9
