from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tournaments.dutch.matching import Matcher

Weights = list[dict[int, int]]


@st.composite
def graphs(draw: st.DrawFn) -> Weights:
    """Vertices of a few kinds, so that many weights are equal or differ by little."""
    size = 2 * draw(st.integers(1, 5))
    kinds = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    table = draw(st.lists(st.integers(0, 3), min_size=9, max_size=9))
    scale = draw(st.sampled_from([1, 16, 2**300]))
    weights: Weights = [{} for _ in range(size)]
    for one in range(size):
        for two in range(one):
            if draw(st.integers(0, 3)):
                alike = table[kinds[one] * 3 + kinds[two]] + table[kinds[two] * 3 + kinds[one]]
                weight = alike * scale - draw(st.integers(0, 4))
                weights[one][two] = weights[two][one] = weight
    return weights


def perfect(weights: Weights, left: tuple[int, ...]) -> Iterator[int]:
    """The weight of each perfect matching."""
    if not left:
        yield 0
        return
    one, *others = left
    for two in others:
        if two in weights[one]:
            rest = tuple(each for each in others if each != two)
            yield from (weights[one][two] + more for more in perfect(weights, rest))


@settings(max_examples=300)
@given(weights=graphs())
def test_no_perfect_matching_weighs_more(weights: Weights) -> None:
    matcher = Matcher(weights)
    best = max(perfect(weights, tuple(range(len(weights)))), default=None)

    assert matcher.solve() == (best is not None)

    if best is not None:
        pairs = {frozenset((one, two)) for one, two in enumerate(matcher.mate)}
        assert all(matcher.mate[two] == one for one, two in enumerate(matcher.mate))
        assert sum(weights[min(pair)][max(pair)] for pair in pairs) == best
