"""The lines of a report other than `001`: rounds, colours, points, byes, bans, acceleration.

Columns are those of FIDE's TRF26 and, for codes of letters, of the manuals of JaVaFo and
bbpPairings.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

from bot.tournaments.trf.entries import BadLine, PointSystem

MOST_ROUNDS: Final = 100
MOST_PLAYERS: Final = 2000
MOST_BANNED_PAIRS: Final = 100_000
MOST_RANGES: Final = 100
DUTCH: Final = frozenset({"FIDE_DUTCH", "FIDE_DUTCH_2025", "FIDE_DUTCH_2026"})
PAIRING_CODES: Final = ("XX", "BB", "24", "25", "26", "3", "8")
"""The beginnings of codes that may change a pairing. Lines with other codes are ignored."""
INFORMATION: Final = frozenset(f"{number:02}2" for number in range(1, 14))
"""Codes `012` to `132`: facts about the event."""
LEAST_OF_A_PLAYER: Final = 84
"""Columns of a `001` line up to the points."""
SCORING: Final[Mapping[str, tuple[str, ...]]] = {
    "W": ("WW", "BW", "FW", "FPB"),
    "D": ("WD", "BD", "HPB"),
    "L": ("WL", "BL"),
    **{each: (each,) for each in ("WW", "BW", "WD", "BD", "WL", "BL")},
    **{each: (each,) for each in ("ZPB", "HPB", "FPB", "PAB", "FW", "FL")},
}
"""The codes of `XXS`, and the results that each stands for."""
SCORED_AS: Final[Mapping[str, tuple[str, ...]]] = {
    "W": ("WW", "BW", "FW", "FPB"),
    "D": ("WD", "BD", "HPB"),
    "L": ("WL", "BL"),
    "Z": ("ZPB",),
    "A": ("FL",),
    "P": ("PAB",),
}
"""The results of `XXS` that have the points of one letter of `162`."""
UNSUPPORTED: Final[Mapping[str, str]] = {
    "013": "teams are not supported",
    "310": "teams are not supported",
    "320": "teams are not supported",
    "330": "teams are not supported",
    "801": "teams are not supported",
    "802": "teams are not supported",
    "299": "points assigned by an arbiter are not supported",
}


@dataclass(frozen=True)
class Ban:
    """Players who must not meet each other from one round to another, both included."""

    players: tuple[int, ...]
    first_round: int = 1
    last_round: int = MOST_ROUNDS

    def pairs(self, number: int) -> Iterator[frozenset[int]]:
        if self.first_round <= number <= self.last_round:
            yield from map(frozenset, combinations(self.players, 2))


@dataclass
class Header:
    """The content of the lines that are not about one player."""

    rounds: int | None = None
    first_sits_first: bool | None = None
    points: PointSystem = field(default_factory=PointSystem)
    bans: list[Ban] = field(default_factory=list)
    byes: dict[int, set[int]] = field(default_factory=dict)
    """Players who asked for a bye, by round."""
    absent: set[int] = field(default_factory=set)
    """Players who are away in the next round."""
    acceleration: dict[int, dict[int, float]] = field(default_factory=dict)
    """Added points by player and round."""
    players: int | None = None
    """The stated number of players."""
    _banned_pairs: int = 0
    _ranges: int = 0

    def read(self, code: str, line: str) -> None:
        """Read one line. Raises BadLine."""
        if code in UNSUPPORTED:
            raise BadLine(f"{code}: {UNSUPPORTED[code]}")
        match code:
            case "XXR" | "142":
                self.rounds = whole(line[3:], MOST_ROUNDS, "number of rounds")
            case "062":
                self._stated_players(line)
            case "XXC":
                self._colour_by_word(line)
            case "152":
                self._colour_by_letter(line)
            case "240":
                self._byes(line)
            case "XXZ":
                self.absent.update(_players(line[3:]))
            case "XXP":
                self._ban(Ban(_players(line[3:])))
            case "260":
                self._ban_for(line)
            case "XXA":
                self._accelerate(line)
            case "250":
                self._accelerate_range(line)
            case "192":
                self._system(line)
            case _:
                if not self._read_points(code, line):
                    _check_ignored(code, line)

    def _read_points(self, code: str, line: str) -> bool:
        """Read the points of results; returns whether the line has any."""
        match code:
            case "162":
                self._points(line)
            case "XXS":
                self._scoring(line)
            case "BBW" | "BBD" | "BBL" | "BBZ" | "BBF" | "BBU":
                self._worth_by_code(line)
            case _:
                return False
        return True

    def _stated_players(self, line: str) -> None:
        words = line[3:].split()
        if words and words[0].isascii() and words[0].isdigit() and len(words[0]) <= 9:
            self.players = int(words[0])

    def _colour_by_word(self, line: str) -> None:
        for word in line[3:].split():
            if word not in {"white1", "black1"}:
                raise BadLine(f"XXC: `{word}` is not supported (known: white1, black1)")
            self.first_sits_first = word == "white1"

    def _colour_by_letter(self, line: str) -> None:
        letter = line[3:].strip()
        if letter not in {"W", "B"}:
            raise BadLine(f"152: the initial colour must be W or B, not `{letter}`")
        self.first_sits_first = letter == "W"

    def _points(self, line: str) -> None:
        for at in range(5, len(line.rstrip()), 9):
            self._worth(line[at], line[at + 1 : at + 5])

    def _worth_by_code(self, line: str) -> None:
        letter = {"BBU": "P", "BBF": "A"}.get(line[:3], line[2])
        self._worth(letter, line[3:], is_alone=True)

    def _scoring(self, line: str) -> None:
        """Read the scoring system of JaVaFo's manual: words such as `W=3.0`, `BD=1` or `PAB=0`."""
        stated: dict[str, float] = {}
        for word in line[3:].split():
            code, _, text = word.partition("=")
            if code not in SCORING:
                raise BadLine(f"XXS: `{word}` is unknown (known: {', '.join(SCORING)})")
            for each in SCORING[code]:
                stated[each] = score(text)
        for letter, codes in SCORED_AS.items():
            values = {stated[each] for each in codes if each in stated}
            if len(values) > 1:
                raise BadLine(f"XXS: different points for {', '.join(codes)} are not supported")
            for worth in values:
                self._set_worth(letter, worth)
        if self.points.results.win != 1.0 and self.points.allocated_bye is None:
            raise BadLine("XXS: state the points of an allocated bye too, such as PAB=1")

    def _worth(self, letter: str, text: str, *, is_alone: bool = False) -> None:
        worth = score(text)
        if letter == "Z" and not is_alone:
            self._set_worth("A", worth)
        self._set_worth(letter, worth)

    def _set_worth(self, letter: str, worth: float) -> None:
        system = self.points
        match letter:
            case "W":
                system = replace(system, results=replace(system.results, win=worth))
            case "D":
                system = replace(system, results=replace(system.results, draw=worth))
            case "L":
                system = replace(system, results=replace(system.results, loss=worth))
            case "Z":
                system = replace(system, zero_point_bye=worth)
            case "A":
                system = replace(system, forfeit_loss=worth)
            case "P":
                system = replace(system, allocated_bye=worth)
            case _:
                raise BadLine(f"162: points of `{letter}` are not supported")
        self.points = system

    def _byes(self, line: str) -> None:
        number = whole(line[6:9], MOST_ROUNDS, "round")
        self.byes.setdefault(number, set()).update(_players(line[9:]))

    def _ban_for(self, line: str) -> None:
        first = whole(line[4:7], MOST_ROUNDS, "first round")
        last = whole(line[8:11], 999, "last round")
        self._ban(Ban(_players(line[11:]), first, last))

    def _ban(self, ban: Ban) -> None:
        self._banned_pairs += len(ban.players) * (len(ban.players) - 1) // 2
        if self._banned_pairs > MOST_BANNED_PAIRS:
            raise BadLine(f"more than {MOST_BANNED_PAIRS:,} forbidden pairs")
        self.bans.append(ban)

    def _accelerate(self, line: str) -> None:
        player = whole(line[4:8], MOST_PLAYERS, "number of a player")
        given = [line[at : at + 4] for at in range(9, len(line.rstrip()), 5)]
        if len(given) > MOST_ROUNDS:
            raise BadLine(f"XXA: more than {MOST_ROUNDS} rounds")
        for number, text in enumerate(given, start=1):
            self.acceleration.setdefault(player, {})[number] = score(text) if text.strip() else 0.0

    def _accelerate_range(self, line: str) -> None:
        if line[4:8].strip() and score(line[4:8]):
            raise BadLine("250: match points are for teams, which are not supported")
        self._ranges += 1
        if self._ranges > MOST_RANGES:
            raise BadLine(f"250: more than {MOST_RANGES} lines")
        points = score(line[9:13])
        rounds = [whole(line[at : at + 3], MOST_ROUNDS, "round") for at in (14, 18)]
        players = [whole(line[at : at + 4], MOST_PLAYERS, "number of a player") for at in (22, 27)]
        for player in range(players[0], players[1] + 1):
            for number in range(rounds[0], rounds[1] + 1):
                self.acceleration.setdefault(player, {})[number] = points

    def _system(self, line: str) -> None:
        if (system := line[3:].strip()) not in DUTCH:
            raise BadLine(f"192: the system `{system}` is not supported (known: FIDE_DUTCH)")


def _check_ignored(code: str, line: str) -> None:
    """Raises BadLine for an unknown line whose content would be missed."""
    if code.startswith(PAIRING_CODES):
        raise BadLine(f"{code}: this code is unknown, and it may change the pairing")
    number = line[4:8].strip()
    is_numbered = number.isascii() and number.isdigit()
    is_long = len(line.rstrip()) >= LEAST_OF_A_PLAYER
    if code not in INFORMATION and is_numbered and is_long:
        raise BadLine(f"`{code}`: this code is unknown; the line looks like a player (001)")


def whole(text: str, most: int, what: str) -> int:
    """A whole number from 1 to `most`. Raises BadLine, which names it as `what`."""
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= most):
        raise BadLine(f"`{text}` is not a {what} from 1 to {most}")
    return int(text)


def score(text: str) -> float:
    """Points with at most one decimal, such as `1.5`. Raises BadLine."""
    text = text.strip()
    if re.fullmatch(r"[0-9]{1,4}(\.[0-9]?)?|\.[0-9]", text) is None:
        raise BadLine(f"`{text}` is not a number of points")
    return float(text)


def _players(text: str) -> tuple[int, ...]:
    return tuple(whole(each, MOST_PLAYERS, "number of a player") for each in text.split())
