"""What is to happen when."""

from bot.guests.abstract_play.rehearsal.agenda import Agenda


def test_actions_come_by_their_moments_and_then_in_order() -> None:
    agenda, done = Agenda(), list[str]()
    agenda.at(20, lambda now: done.append(f"late at {now}"))
    agenda.at(10, lambda now: done.append(f"first at {now}"))
    agenda.at(10, lambda now: done.append(f"second at {now}"))
    assert agenda.next_due == 10
    agenda.advance(15)
    assert done == ["first at 10", "second at 10"]
    agenda.advance(20)
    assert done[2:] == ["late at 20"]
    assert agenda.next_due is None


def test_actions_added_during_others_run_too() -> None:
    agenda, done = Agenda(), list[int]()
    agenda.at(10, lambda now: agenda.at(now + 5, done.append))
    agenda.advance(15)
    assert done == [15]
