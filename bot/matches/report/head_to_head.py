"""A match of two players as lines of text, as a section of the page, and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from bot.matches.report.markup import Html, listed, section, tag
from bot.matches.report.statistics import SequentialTest
from bot.matches.report.words import elo_words, percent, points_words, signed
from bot.tournaments.elo import Estimate
from bot.tournaments.head_to_head import HeadToHead
from bot.tournaments.sprt import Bounds, Sprt


def head_to_head_words(match: HeadToHead) -> Iterator[str]:
    """The figures in lines with the labels of fastchess. Intervals hold 95 %."""
    one, other = match.players
    games, points = match.counts.games, match.counts.points
    yield (
        f"{one} against {other}: {points_words(points)} of {games} points "
        f"({percent(match.counts.score, 1)}), {match.wins} won, {match.draws} drawn, "
        f"{match.losses} lost"
    )
    if left_out := _left_out_words(match):
        yield left_out
    bounded = ", with one bound only: one player won all games" if match.is_bounded else ""
    yield f"Elo difference: {_estimate_words(match.elo)}{bounded}"
    yield f"nElo: {_estimate_words(match.normalised)}"
    yield f"LOS: {percent(match.superiority, 1)}, draws: {percent(match.draws / games, 1)}"
    yield f"Ptnml(0-2): {[*match.counts.pairs]}{_singles_words(match)}"
    yield f"LLR: {_test_words(match)}"


def _estimate_words(estimate: Estimate | None) -> str:
    if estimate is None:
        return "unknown, since all pairs have the same score"
    return f"{elo_words(estimate.value)} [{elo_words(estimate.low)}, {elo_words(estimate.high)}]"


def _left_out_words(match: HeadToHead) -> str:
    counts = {"repeat an earlier game": match.repeated, "were not played": match.not_played}
    reasons = [f"{number} {words}" for words, number in counts.items() if number]
    return f"Games that do not count here: {', '.join(reasons)}" if reasons else ""


def _singles_words(match: HeadToHead) -> str:
    lost, drawn, won = match.counts.singles
    return (
        f", without a partner {won} won, {drawn} drawn, {lost} lost" if lost + drawn + won else ""
    )


def _test_words(match: HeadToHead) -> str:
    test, bounds = match.test, match.test.bounds
    ratio = f"{signed(test.ratio, 2)} ({signed(bounds.lower, 2)}, {signed(bounds.upper, 2)})"
    if match.is_tested:
        says = {"H0": "H0 is accepted", "H1": "H1 is accepted", None: "not decided"}[test.verdict]
    else:
        says = "no sequential test"
    return f"{ratio} [{bounds.elo0:g}, {bounds.elo1:g}]{elo_unit(bounds)}, {says}"


def live_words(test: Sprt) -> str:
    """The state of a test in one line: its ratio with the bounds, and the difference in Elo."""
    bounds = test.bounds
    ratio = f"LLR {signed(test.ratio, 2)} ({signed(bounds.lower, 2)}, {signed(bounds.upper, 2)})"
    elo = "" if test.elo is None else f", Elo {_estimate_words(test.elo)}"
    return f"{ratio}{elo}, Ptnml {[*test.counts.pairs]}"


def elo_unit(bounds: Bounds) -> str:
    """What to add to the hypotheses of a test that are not in logistic Elo."""
    return " nElo" if bounds.model == "normalised" else ""


def head_to_head_section(match: HeadToHead | None) -> Html:
    """The section with the same lines; empty if there are more than two players."""
    if match is None:
        return Html("")
    note = "Intervals hold 95 % and count pairs of games. Elo is the difference of the players."
    lines = listed(head_to_head_words(match))
    return section("match", "Match", tag("p", note, css="quiet"), lines)


def head_to_head_fields(match: HeadToHead | None) -> dict[str, Any] | None:
    """The figures for JSON; None if there are more than two players."""
    if match is None:
        return None
    counts = match.counts
    return {
        "players": match.players,
        "games": counts.games,
        "wins": match.wins,
        "draws": match.draws,
        "losses": match.losses,
        "repeated": match.repeated,
        "not_played": match.not_played,
        "score": counts.score,
        "draw_share": match.draws / counts.games,
        "pentanomial": counts.pairs,
        "singles": counts.singles,
        "elo": match.elo and {**asdict(match.elo), "is_bounded": match.is_bounded},
        "normalised_elo": match.normalised and asdict(match.normalised),
        "superiority": match.superiority,
        "llr": {**test_fields(match.test), "is_test": match.is_tested},
    }


def sequential_fields(sequential: SequentialTest | None) -> dict[str, Any] | None:
    """The figures of a test for JSON; None without a test."""
    if sequential is None:
        return None
    test = sequential.test
    return {
        "players": [sequential.player, sequential.opponent],
        **test_fields(test),
        "elo": test.elo and asdict(test.elo),
        "pairs": test.counts.pairs,
    }


def test_fields(test: Sprt) -> dict[str, Any]:
    """The likelihood ratio for JSON, with its hypotheses and bounds."""
    bounds = test.bounds
    return {
        **asdict(bounds),
        "lower": bounds.lower,
        "upper": bounds.upper,
        "ratio": test.ratio,
        "verdict": test.verdict,
    }
