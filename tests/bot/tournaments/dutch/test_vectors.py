"""Rounds of generated tournaments, paired by a reference implementation of the 2026 edition.

`data/swiss-dutch-2026.jsonl.gz` has 260 tournaments of 5 to 61 players, with forfeits, withdrawals
and half-point byes.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from bot.tournaments.dutch.card import Pair, RoundToPair
from bot.tournaments.dutch.pairing import pair
from bot.tournaments.trf.reading import read_report

FILE: Final = Path(__file__).with_name("data") / "swiss-dutch-2026.jsonl.gz"
SLICES: Final = 13
FIRST_COLUMN: Final = 91
POINTS: Final = {"1": 1.0, "+": 1.0, "U": 1.0, "F": 1.0, "=": 0.5, "H": 0.5}


@pytest.fixture(scope="module")
def tournaments() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]


def test_there_are_1507_rounds(tournaments: list[dict[str, Any]]) -> None:
    assert sum(1 for each in tournaments for _ in asked_rounds(each)) == 1507


@pytest.mark.parametrize("part", range(SLICES))
def test_each_round_is_paired_as_the_reference_pairs_it(
    tournaments: list[dict[str, Any]], part: int
) -> None:
    for tournament in tournaments[part::SLICES]:
        for coming, expected in asked_rounds(tournament):
            place = tournament["seed"], coming.number
            assert (place, {*pair(coming)}) == (place, expected)


def asked_rounds(tournament: dict[str, Any]) -> Iterator[tuple[RoundToPair, set[Pair]]]:
    """Each round: a report file without its pairs, and the expected pairs."""
    lines = tournament["trf"].replace("\r", "\n").splitlines()
    players = {int(line[4:8]): line for line in lines if line.startswith("001")}
    first = next(
        line[FIRST_COLUMN + 5]
        for _, line in sorted(players.items())
        if line[FIRST_COLUMN + 5 : FIRST_COLUMN + 6] in {"w", "b"}
    )
    head = [f"XXR {tournament['rounds']}", f"XXC {'white1' if first == 'w' else 'black1'}"]
    for number in range(1, tournament["rounds"] + 1):
        expected = set(_pairs(players, number))
        if expected:
            text = "\n".join([*head, *(_asked(line, number) for line in players.values())])
            yield read_report(text.encode(), "asked"), expected


def _entries(line: str) -> list[str]:
    return [line[at : at + 8] for at in range(FIRST_COLUMN, len(line), 10)]


def _pairs(players: dict[int, str], number: int) -> Iterator[Pair]:
    for player, line in players.items():
        for entry in _entries(line)[number - 1 : number]:
            if entry[7:8] == "U":
                yield player, None
            elif entry[5:6] == "w":
                yield player, int(entry[:4])


def _asked(line: str, number: int) -> str:
    entries = _entries(line)
    past, coming = entries[: number - 1], entries[number - 1 : number]
    points = sum(POINTS.get(entry[7:8], 0.0) for entry in past)
    kept = [each for each in coming if each[:4] in {"0000", "    "} and each[7:8] != "U"]
    return f"{line[:80]}{points:4.1f}{line[84:91]}" + "  ".join([*past, *kept])
