from contextlib import suppress

import pytest

from bot.tournaments.dutch.card import Points
from bot.tournaments.dutch.pairing import pair
from bot.tournaments.trf.reading import MOST_BYTES, AllRoundsPaired, BadReport, read_report

HEAD = ("012 Autumn Open", "XXR 5", "XXC white1")


def row(number: int, points: str, *entries: str) -> str:
    start = f"001 {number:4}      Player {number}"
    return f"{start:80}{points:>4} {number:4}" + "".join(f"  {entry}" for entry in entries)


ONE_ROUND = (
    row(1, "1.0", "   3 w 1"),
    row(2, "0.5", "   4 b ="),
    row(3, "0.0", "   1 b 0"),
    row(4, "0.5", "   2 w ="),
    row(5, "1.0", "0000 - U"),
)


def report(*lines: str) -> bytes:
    return "\n".join(lines).encode()


def test_the_round_after_those_of_the_file_is_paired() -> None:
    coming = read_report(report(*HEAD, *ONE_ROUND), "open.trf")

    assert (coming.number, coming.rounds, coming.first_sits_first) == (2, 5, True)
    assert [card.points for card in coming.cards] == [1.0, 0.5, 0.0, 0.5, 1.0]
    # 2 and 4 have met, so 1 and 5 cannot meet: the bye goes to the lowest score.
    assert pair(coming) == [(2, 1), (5, 4), (3, None)]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_all_line_ends_and_latin_1_are_read(ends: str) -> None:
    text = ends.join((*HEAD, "022 Zürich\u2028", *ONE_ROUND))

    for content in (text.encode("utf-8-sig"), text.replace("\u2028", "\x85").encode("latin-1")):
        assert read_report(content, "open.trf") == read_report(report(*HEAD, *ONE_ROUND), "")


@pytest.mark.parametrize("absence", ["0000 - H", "0000 - F", "0000 - Z", "0000 - -", "       Z"])
def test_players_with_a_bye_in_the_next_column_are_not_paired(absence: str) -> None:
    lines = [*ONE_ROUND[:4], f"{ONE_ROUND[4]}  {absence}"]

    coming = read_report(report(*HEAD, *lines), "open.trf")

    assert [card.number for card in coming.cards if card.is_absent] == [5]
    assert {number for each in pair(coming) for number in each} == {1, 2, 3, 4}


@pytest.mark.parametrize("line", ["240 H 002    5", "XXZ 5"])
def test_absences_are_read_from_240_and_xxz(line: str) -> None:
    coming = read_report(report(*HEAD, line, *ONE_ROUND), "open.trf")

    assert [card.number for card in coming.cards if card.is_absent] == [5]


def test_a_round_with_byes_for_all_players_is_a_past_round() -> None:
    lines = [row(number, "0.5", "0000 - H") for number in (1, 2)]

    assert read_report(report(*HEAD, *lines), "open.trf").number == 2


@pytest.mark.parametrize("line", ["XXP 5 1", "260   1   2    5    1"])
def test_forbidden_pairs_do_not_meet(line: str) -> None:
    coming = read_report(report(*HEAD, line, *ONE_ROUND), "open.trf")

    assert not any({1, 5} == {*each} for each in pair(coming))


def test_a_ban_ends_with_its_last_round() -> None:
    ban = "260   1   1    5    1"

    assert not read_report(report(*HEAD, ban, *ONE_ROUND), "open.trf").forbidden


@pytest.mark.parametrize("line", ["XXA    4  0.0  1.0", "250       1.0   2   2    4    4"])
def test_acceleration_counts_for_pairing(line: str) -> None:
    coming = read_report(report(*HEAD, line, *ONE_ROUND), "open.trf")

    accelerated = coming.cards[3]
    assert (accelerated.points, accelerated.pairing_score(1)) == (0.5, 1.5)
    assert any({4, 1} == {*each} or {4, 5} == {*each} for each in pair(coming))


@pytest.mark.parametrize(
    "lines",
    [
        ("162  W 3.0    D 1.0    P 1.0",),
        ("BBW  3.0", "BBD  1.0", "BBU  1.0"),
        ("XXS W=3 D=1.0 PAB=1",),
        ("XXS WW=3.0 BW=3.0 WD=1 BD=1 ZPB=0 PAB=1",),
    ],
)
def test_other_points_are_read(lines: tuple[str, ...]) -> None:
    players = [
        row(1, "3.0", "   2 w 1"),
        row(2, "0.0", "   1 b 0"),
        row(3, "1.0", "0000 - U"),
    ]

    coming = read_report(report(*HEAD, *lines, *players), "open.trf")

    assert coming.points == Points(win=3.0, draw=1.0)
    assert [card.points for card in coming.cards] == [3.0, 0.0, 1.0]


def test_the_initial_colour_follows_from_the_first_games() -> None:
    """Player 1 came late and does not count among the players of the first games."""
    players = [
        row(1, "0.0", "0000 - Z"),
        row(2, "1.0", "   3 b 1"),
        row(3, "0.0", "   2 w 0"),
    ]

    assert not read_report(report("XXR 5", *players), "open.trf").first_sits_first
    assert read_report(report("142 5", "152 W", *players), "open.trf").first_sits_first


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ((), "open.trf: the file has no player"),
        (ONE_ROUND, "open.trf: the number of rounds is missing: add a line `XXR 9`"),
        (("XXR 5", row(1, "0.0")), "open.trf: the initial colour is missing"),
        (("XXR many",), "open.trf:1: `many` is not a number of rounds from 1 to 100"),
        (("XXR 5", "XXC rank"), "open.trf:2: XXC: `rank` is not supported"),
        (("152 X",), "open.trf:1: 152: the initial colour must be W or B"),
        (("XXS W=3",), "open.trf:1: XXS: state the points of an allocated bye too"),
        (("XXS WW=3 BW=2",), "open.trf:1: XXS: different points for WW, BW, FW, FPB are not"),
        (("XXS WX=3",), "open.trf:1: XXS: `WX=3` is unknown"),
        (("XXS W",), "open.trf:1: `` is not a number of points"),
        ((row(1, "0.0").replace("001", "0O1", 1),), "open.trf:1: `0O1`: this code is unknown"),
        ((row(1, "0.0").replace("001", "101", 1),), "open.trf:1: `101`: this code is unknown"),
        (
            (*HEAD, "062 6", *ONE_ROUND),
            r"open.trf: 6 players are stated \(062\), and 5 have a line",
        ),
        *(
            (
                (*HEAD, row(1, "1.0", f"   2 w {one}"), row(2, "1.0", f"   1 b {two}")),
                "open.trf:4: round 1: the line of player 2 does not agree",
            )
            for one, two in ("11", "1=", "=1", "++", "WD", "DW")
        ),
        (
            ("XXR 1", *HEAD[2:], row(1, "1.0", "   2 w 1"), row(2, "1.0", "   1 b 1")),
            "open.trf:3: round 1: the line of player 2 does not agree",
        ),
        (("310 team",), "open.trf:1: 310: teams are not supported"),
        (("XXQ 1",), "open.trf:1: XXQ: this code is unknown"),
        (("192 FIDE_DUBOV",), "open.trf:1: 192: the system `FIDE_DUBOV` is not supported"),
        (("162  X 1.0",), "open.trf:1: 162: points of `X` are not supported"),
        (("BBW one",), "open.trf:1: `one` is not a number of points"),
        (("001    x",), "open.trf:1: `x` is not a number of a player from 1 to 2000"),
        (("001 ",), "open.trf:1: `` is not a number of a player"),
        ((row(1, "0.0"), row(1, "0.0")), "open.trf:2: player 1 is also in line 1"),
        ((row(1, "zero"),), "open.trf:1: `zero` is not a number of points"),
        ((row(1, "0.0", "   x w 1"),), "open.trf:1: round 1: `x` is not the number"),
        ((row(1, "0.0", "   2 g 1"),), "open.trf:1: round 1: `2 g 1` has an unknown colour"),
        ((row(1, "0.0", "   2 w ?"),), "open.trf:1: round 1: `2 w \\?` has an unknown colour"),
        ((row(1, "0.0", "   2 w  "),), "open.trf:1: round 1: the game against 2 has no result"),
        ((row(1, "0.0", "   2 - 1"),), "open.trf:1: round 1: the game against 2 has no colour"),
        ((row(1, "0.0", "0000 w 1"),), "open.trf:1: round 1: `0000 w 1` has a game without"),
        ((row(1, "0.0", "   2 w 1x"),), "open.trf:1: round 1: .* does not fit its columns"),
        ((*HEAD, row(1, "1.0", "   2 w 1")), "open.trf:4: round 1: the line of player 2"),
        (
            (*HEAD, row(1, "1.0", "   2 w 1"), row(2, "1.0", "   1 w 1")),
            "open.trf:4: round 1: the line of player 2 does not agree",
        ),
        ((*HEAD, row(1, "1.0", "   1 w 1")), "open.trf:4: round 1: the line of player 1"),
        (
            (*HEAD, row(1, "9.0", "   2 w 1"), row(2, "0.0", "   1 b 0")),
            "open.trf:4: player 1 has 1 points by the results, not 9",
        ),
        ((*HEAD, "XXZ 7", *ONE_ROUND), "open.trf: player 7 is absent .* has no line"),
        (("XXP " + " ".join(map(str, range(1, 600))),), "open.trf:1: more than 100,000 forbidden"),
        ((row(1, "0.0", *["0000 - Z"] * 101),), "open.trf:1: more than 100 rounds"),
    ],
)
def test_a_report_that_cannot_be_paired_is_refused_with_the_line(
    lines: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(BadReport, match=f"^{problem}"):
        read_report(report(*lines), "open.trf")


@pytest.mark.parametrize("results", ["10", "01", "==", "00", "=0", "0=", "+-", "-+", "--"])
def test_both_lines_of_a_game_may_have_these_results(results: str) -> None:
    points = {"1": "1.0", "+": "1.0", "=": "0.5"}
    one, two = (points.get(result, "0.0") for result in results)
    players = row(1, one, f"   2 w {results[0]}"), row(2, two, f"   1 b {results[1]}")
    assert read_report(report(*HEAD, "062 2", *players), "open.trf").number == 2


@pytest.mark.parametrize("line", ["XXR 1", "142 1"])
def test_a_report_of_all_rounds_is_told_apart_from_a_wrong_one(line: str) -> None:
    with pytest.raises(AllRoundsPaired, match=r"^open.trf: all rounds are paired already"):
        read_report(report(line, *ONE_ROUND), "open.trf")


def test_a_file_that_is_too_long_is_refused() -> None:
    with pytest.raises(BadReport, match=r"open.trf: longer than 4,000,000 bytes"):
        read_report(b"0" * (MOST_BYTES + 1), "open.trf")


@pytest.mark.parametrize("at", range(0, 300, 7))
def test_a_damaged_file_is_paired_or_refused_and_nothing_else(at: int) -> None:
    content = bytearray(report(*HEAD, *ONE_ROUND))
    for place in range(at, len(content), 97):
        content[place] = (content[place] * 7 + at) % 256

    with suppress(BadReport, AllRoundsPaired):
        pair(read_report(bytes(content), "open.trf"))
