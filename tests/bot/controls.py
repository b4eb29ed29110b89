"""Time controls of every kind, for property tests."""

from hypothesis import strategies as st

from bot.time_controls import (
    Absolute,
    ByoYomi,
    Correspondence,
    Fischer,
    PerTurn,
    TimeControl,
    Untimed,
)

_seconds = st.integers(0, 10_000_000).map(lambda ms: ms / 1000)
_positive = st.integers(1, 10_000_000).map(lambda ms: ms / 1000)
_days = st.integers(1, 365).map(lambda days: days * 86_400.0)

timed_controls: st.SearchStrategy[TimeControl] = st.one_of(
    st.builds(Fischer, initial_s=_positive, increment_s=_seconds),
    st.builds(ByoYomi, main_s=_seconds, period_s=_positive, periods=st.integers(1, 100)),
    st.builds(PerTurn, turn_s=_positive),
    st.builds(Absolute, initial_s=_positive),
    st.builds(Correspondence, initial_s=_days, increment_s=_days, maximum_s=_days),
)
controls: st.SearchStrategy[TimeControl] = st.one_of(timed_controls, st.just(Untimed()))
