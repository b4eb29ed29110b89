"""The interface of engines: what its signals do."""

from engine.contract import Signal, Signals


def test_a_signal_calls_its_listener_when_it_is_set() -> None:
    signal, calls = Signal(), list[bool]()
    signal.listen(lambda: calls.append(signal.is_set()))
    assert calls == []
    signal.set()
    assert calls == [True]


def test_a_listener_that_comes_later_is_called_at_once() -> None:
    signal, calls = Signal(), list[int]()
    signal.set()
    signal.listen(lambda: calls.append(1))
    assert calls == [1]


def test_a_removed_listener_is_not_called() -> None:
    signal, calls = Signal(), list[int]()
    signal.listen(lambda: calls.append(1))
    signal.listen(None)
    signal.set()
    assert calls == []


def test_both_signals_of_a_search_can_call() -> None:
    signals = Signals()
    assert isinstance(signals.stop, Signal)
    assert isinstance(signals.ponderhit, Signal)
