"""The sections of the schedule and of other events, such as void games and withdrawals."""

from collections.abc import Iterator
from typing import Final

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.markup import (
    Column,
    Html,
    escaped,
    joined,
    link,
    listed,
    section,
    table,
    tag,
)
from bot.matches.report.words import end_words, points_words, score_words
from bot.tournaments.events import (
    Ended,
    Entered,
    Event,
    Paused,
    Replaced,
    Resumed,
    Stopped,
    Voided,
    Withdrew,
)
from bot.tournaments.model import GameResult, Pairing, ScheduledGame

FEW_ROUNDS: Final = 10
"""More rounds than this with one pairing each, as in a sequential test, share one table."""
COLUMNS: Final = (
    Column("Pairing", is_number=True),
    Column("Players"),
    Column("Points"),
    Column("Games"),
)


def schedule_section(story: Chronicle) -> Html:
    """All rounds with their pairings and byes."""
    rounds = range(1, story.tournament.round + 1)
    if not rounds:
        return Html("")
    note = "Games by number, with the points of the player who is named first."
    pairings = story.tournament.pairings.values()
    if len(rounds) > FEW_ROUNDS and len(pairings) <= len(rounds):
        rows = [_row(story, pairing) for pairing in pairings]
        shown = table("One pairing per round", COLUMNS, rows)
    else:
        shown = joined(_round(story, number) for number in rounds)
    return section("schedule", "Schedule", tag("p", note, css="quiet"), shown)


def incidents_section(story: Chronicle) -> Html:
    """Void games, stopped pairings, replaced results, withdrawals and pauses."""
    return section("incidents", "Other events", listed(_incidents(story)))


def _round(story: Chronicle, number: int) -> Html:
    pairings = story.tournament.pairings_of_round(number)
    byes = [
        f"{bye.player} has a bye ({points_words(bye.points)})"
        for bye in story.tournament.byes
        if bye.round == number
    ]
    rows = [_row(story, pairing) for pairing in pairings]
    return joined(
        (
            table(f"Round {number}", COLUMNS, rows) if rows else tag("h3", f"Round {number}"),
            listed(byes, css="notes"),
        )
    )


def _row(story: Chronicle, pairing: Pairing) -> list[object]:
    tournament = story.tournament
    score = "–".join(map(points_words, tournament.score(pairing)))
    points = tag("span", score, css="whole")
    games = [_game(story, pairing, game) for game in pairing.games]
    stopped = tournament.stopped.get(pairing.number)
    note = tag("div", f"Stopped: {stopped}", css="note") if stopped is not None else ""
    players = " – ".join(pairing.players)
    number = tag("span", pairing.number, id=f"pairing-{pairing.number}")
    return [number, players, points, joined([listed(games, css="results"), note])]


def _game(story: Chronicle, pairing: Pairing, game: ScheduledGame) -> Html:
    number = game.number
    played = story.tournament.played.get(number)
    voids = story.tournament.voids[number]
    before = f" after {voids} void" if voids else ""
    if played is None:
        state = "not played" if pairing.number in story.tournament.stopped else "to be played"
        return escaped(f"{number}: {state}{before}")
    # The points are those of the first player of the row, in either seat.
    turned = game.seats != pairing.players
    seat = 2 if turned else 1
    mine = points_words(played.result.points(seat))
    seats = "second" if turned else "first"
    said = f"Game {number}: {mine} for {pairing.players[0]} as the {seats}"
    words = link(f"game-{number}", f"{number}: {mine}", aria_label=said)
    end = "" if played.result.reason == "played_out" else f" {end_words(played.result)}"
    return joined([words, tag("small", f"{end}{before}") if end or before else ""])


def _incidents(story: Chronicle) -> Iterator[Html]:
    for entry in story.entries:
        if (said := _said(story, entry.event)) is not None:
            moment = f"{entry.at:%Y-%m-%d %H:%M:%S}"
            moment = tag("time", moment, datetime=entry.at.isoformat())
            yield joined([moment, said], " ")


def _said(story: Chronicle, event: Event) -> Html | None:
    match event:
        case Voided(game=game, why=why):
            return escaped(f"Game {game} was void: {why}")
        case Stopped(pairing=pairing, why=why):
            players = " – ".join(story.tournament.pairings[pairing].players)
            return escaped(f"Pairing {pairing} ({players}) was stopped: {why}")
        case Replaced():
            return _replaced(story, event)
        case Withdrew(player=player, why=why):
            return escaped(f"{player} withdrew: {why}")
        case Entered(entrant=entrant):
            return escaped(f"{entrant.name} entered")
        case Paused(why=why):
            return escaped(f"Paused: {why}")
        case Resumed():
            return escaped("Resumed")
        case Ended(why=why):
            return escaped(f"Ended: {why}")
        case _:
            return None


def _replaced(story: Chronicle, event: Replaced) -> Html:
    before = story.result_before(event.game)
    was = "" if before is None else f", {score_words(before)} on the board ({end_words(before)})"
    now = score_words(GameResult(winner=event.winner, reason="replaced"))
    game = link(f"game-{event.game}", f"Game {event.game}")
    return joined([game, f" counts as {now}{was}: {event.why}"])
