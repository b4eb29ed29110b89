"""The Dutch system by py4swiss, whose matching is compiled: where it has wheels.

Its rules are those of C.04.3 that were in force until January 2026.
"""

from typing import Final

from py4swiss.engines.common import PairingError
from py4swiss.engines.dutch.engine import Engine
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import (
    ColorToken,
    ResultToken,
    RoundResult,
    ScoringPointSystem,
    ScoringPointSystemCode,
)
from py4swiss.trf.sections import PlayerSection, XSection
from py4swiss.trf.sections.x_section import XSectionConfiguration

from bot.tournaments.formats import swiss_weights
from bot.tournaments.formats.swiss_card import Card, Line, Pair, RoundToPair, Unpairable

swiss_weights.install()

PLAYED: Final = {1.0: ResultToken.WIN, 0.5: ResultToken.DRAW, 0.0: ResultToken.LOSS}
DEFAULTED: Final = {1.0: ResultToken.FORFEIT_WIN, 0.0: ResultToken.FORFEIT_LOSS}


def pair(to_pair: RoundToPair) -> list[Pair]:
    """As `SwissPairer`."""
    try:
        pairs = Engine.generate_pairings(_report(to_pair))
    except PairingError as error:
        raise Unpairable from error
    return [(each.white, each.black or None) for each in pairs]


def _report(to_pair: RoundToPair) -> ParsedTrf:
    return ParsedTrf(
        player_sections=[_section(card) for card in to_pair.cards],
        x_section=XSection(
            number_of_rounds=to_pair.rounds,
            zeroed_ids={card.number for card in to_pair.cards if card.is_absent},
            scoring_point_system=_points(to_pair),
            configuration=XSectionConfiguration(first_round_color=to_pair.first_sits_first),
            forbidden_pairs={_ordered(each) for each in to_pair.forbidden},
        ),
    )


def _section(card: Card) -> PlayerSection:
    return PlayerSection(
        code=PlayerCode.PLAYER,
        starting_number=card.number,
        points_times_ten=round(card.points * 10),
        rank=card.number,
        results=[_result(line) for line in card.lines],
    )


def _result(line: Line) -> RoundResult:
    if line.opponent is None or (not line.was_played and line.points not in DEFAULTED):
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=_without_opponent(line))
    tokens = PLAYED if line.was_played else DEFAULTED
    color = ColorToken.WHITE if line.sat_first else ColorToken.BLACK
    return RoundResult(id=line.opponent, color=color, result=tokens[line.points])


def _without_opponent(line: Line) -> ResultToken:
    if line.is_bye:
        return ResultToken.PAIRING_ALLOCATED_BYE
    return ResultToken.HALF_POINT_BYE if line.points else ResultToken.ZERO_POINT_BYE


def _points(to_pair: RoundToPair) -> ScoringPointSystem:
    """A bye's points are the tournament's own."""
    system = ScoringPointSystem()
    byes = {line.points for card in to_pair.cards for line in card.lines if line.is_bye}
    for points in byes:
        system.apply_code(ScoringPointSystemCode.PAIRING_ALLOCATED_BYE, round(points * 10))
    return system


def _ordered(numbers: frozenset[int]) -> tuple[int, int]:
    one, two = sorted(numbers)
    return one, two
