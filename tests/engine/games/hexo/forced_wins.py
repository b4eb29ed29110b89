"""Forced wins in HeXO by brute force over sets of cells, with nothing shared with the engine."""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

Cell = tuple[int, int]
Stones = dict[Cell, int]
Turn = tuple[Cell, ...]

AXES = ((1, 0), (0, 1), (1, -1))


def lines(stones: Stones, player: int, least: int) -> Iterator[tuple[set[Cell], int]]:
    """The empty cells of each six in a row that `player` alone has stones on, and how many."""
    for dq, dr in AXES:
        starts = {
            (q - k * dq, r - k * dr)
            for (q, r), owner in stones.items()
            if owner == player
            for k in range(6)
        }
        for q, r in starts:
            six = [(q + k * dq, r + k * dr) for k in range(6)]
            owners = [stones.get(cell, 0) for cell in six]
            if 3 - player not in owners and owners.count(player) >= least:
                yield {cell for cell in six if cell not in stones}, owners.count(player)


def needs(stones: Stones, player: int) -> list[set[Cell]]:
    """What completes six in one turn of two stones."""
    return [empty for empty, _ in lines(stones, player, 4)]


def can_win_now(stones: Stones, player: int, n_stones: int = 2) -> bool:
    return any(len(need) <= n_stones for need in needs(stones, player))


def covers(unmet: list[set[Cell]]) -> Iterator[Turn]:
    """Every set of one or two cells that meets all of them."""
    cells = sorted(set().union(*unmet))
    for size in (1, 2):
        for chosen in combinations(cells, size):
            if all(need & set(chosen) for need in unmet):
                yield chosen


def answers(stones: Stones, attacker: int, around: Iterable[Cell]) -> Iterator[Turn]:
    """Every turn of the defender that stops the attacker from winning in his next one.

    A stone that is free goes to each cell of `around`.
    """
    unmet = needs(stones, attacker)
    given = set()
    for cover in covers(unmet):
        others = (cell for cell in around if cell not in stones and cell not in cover)
        turns = [cover] if len(cover) == 2 else [(*cover, other) for other in others]
        for turn in turns:
            if frozenset(turn) not in given:
                given.add(frozenset(turn))
                yield turn


def with_turn(stones: Stones, turn: Turn, player: int) -> Stones:
    return stones | dict.fromkeys(turn, player)


Prover = Callable[[Stones, int], tuple[int, Turn]]
"""Takes stones and the attacker; returns in how many turns he wins, 0 if not, and his turn."""


def refutation(
    stones: Stones, attacker: int, prove: Prover, around: Iterable[Cell], n_stones: int = 2
) -> str | None:
    """Play out a claimed win against every answer; return what is wrong with it.

    `n_stones` are those left in the attacker's first turn.
    """
    turns, turn = prove(stones, attacker)
    if turns == 0:
        return f"no win found in {stones}"
    if len(turn) > n_stones or any(cell in stones for cell in turn):
        return f"{turn} cannot be played in {stones}"
    after = with_turn(stones, turn, attacker)
    if any(not empty for empty in needs(after, attacker)):
        return None
    if turns == 1:
        return f"{turn} does not win in {stones}"
    if can_win_now(after, 3 - attacker):
        return f"{turn} lets the other player win in {stones}"
    if not needs(after, attacker):
        return f"{turn} does not threaten in {stones}"
    for answer in answers(after, attacker, around):
        found = refutation(with_turn(after, answer, 3 - attacker), attacker, prove, around)
        if found is not None:
            return f"{turn} {answer}: {found}"
    return None


def wins_by_force(stones: Stones, attacker: int, turns: int, n_stones: int = 2) -> bool:
    """Whether the attacker wins in `turns` turns, each of which needs both stones of the answer."""
    if can_win_now(stones, attacker, n_stones):
        return True
    if turns < 2:
        return False
    seen = set()
    for turn in forcing_turns(stones, attacker, n_stones):
        if frozenset(turn) in seen:
            continue
        seen.add(frozenset(turn))
        after = with_turn(stones, turn, attacker)
        if can_win_now(after, 3 - attacker):
            continue
        replies = list(covers(needs(after, attacker)))
        if all(
            len(reply) == 2
            and wins_by_force(with_turn(after, reply, 3 - attacker), attacker, turns - 1)
            for reply in replies
        ):
            return True
    return False


def forcing_turns(stones: Stones, attacker: int, n_stones: int) -> Iterator[Turn]:
    """Turns that threaten, whose stones are on lines of two or more or block the other player."""
    blocks = {cell for need in needs(stones, 3 - attacker) for cell in need}
    for first in sorted(line_cells(stones, attacker) | blocks):
        after = with_turn(stones, (first,), attacker)
        turns: list[Turn] = [(first,)]
        if n_stones == 2:
            turns = [(first, cell) for cell in sorted(line_cells(after, attacker) | blocks)]
        for turn in turns:
            if len(set(turn)) == n_stones and needs(with_turn(stones, turn, attacker), attacker):
                yield turn


def line_cells(stones: Stones, player: int) -> set[Cell]:
    return set().union(*(empty for empty, _ in lines(stones, player, 2)))
