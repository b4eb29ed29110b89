"""Any notations of HeXO, for Hypothesis."""

from hypothesis import strategies as st

from bot.guests.hexo.htttx import (
    Cell,
    Evaluation,
    Line,
    Move,
    Notation,
    Setup,
    Turn,
    Version,
    Visual,
)

numbers = st.integers(-(10**9) + 1, 10**9 - 1)
cells = st.tuples(numbers, numbers)
labels = st.text("ABCXYZ0123456789", min_size=1, max_size=6)
visuals = st.builds(
    Visual, cells, st.none() | st.sampled_from(["", "N", "X", "O"]), st.none() | labels
)
evaluations = st.builds(Evaluation, st.sampled_from(["%", "#"]), numbers)
keys = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,39}", fullmatch=True).filter(
    lambda key: key != "version"
)
values = st.text(st.characters(exclude_characters="]", exclude_categories=["Cs"]), max_size=30)
tags = st.dictionaries(keys, values, max_size=4).map(lambda found: tuple(found.items()))


def moves(version: Version, stones: st.SearchStrategy[Cell | None]) -> st.SearchStrategy[Move]:
    if version == 1:
        return st.builds(Move, stones)
    clocks = st.none() | st.integers(0, 10**9 - 1)
    marks = st.lists(visuals, max_size=2).map(tuple)
    return st.builds(Move, stones, clocks, st.none() | evaluations, marks)


@st.composite
def lines(draw: st.DrawFn, version: Version, number: int = 1, depth: int = 0) -> Line:
    turns = []
    count = draw(st.integers(1 if depth else 0, 4 - depth))
    for at in range(number, number + count):
        is_last = at == number + count - 1
        first = draw(moves(version, cells))
        ends = is_last and draw(st.booleans())
        if version == 1:
            second = None if ends else draw(moves(version, cells))
            turns.append(Turn(at, first, second, draw(st.integers(0, 3))))
            continue
        second = draw(moves(version, st.none() if ends else cells))
        inner = draw(st.integers(0, 2)) if depth < 2 else 0
        variations = tuple(draw(lines(version, at, depth + 1)) for _ in range(inner))
        turns.append(Turn(at, first, second, 0, variations))
    return tuple(turns)


setups = st.builds(
    Setup,
    st.sampled_from(["x", "o"]),
    st.lists(cells, max_size=4).map(tuple),
    st.lists(cells, max_size=4).map(tuple),
    st.lists(visuals, max_size=2).map(tuple),
)
notations = st.one_of(
    st.builds(Notation, st.just(1), tags, lines(1), st.none()),
    st.builds(Notation, st.just(2), tags, lines(2), st.none() | setups),
)
