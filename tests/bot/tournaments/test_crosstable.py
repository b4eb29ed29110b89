"""Who did what against whom."""

from bot.tournaments.crosstable import crosstable
from bot.tournaments.state import replayed
from tests.bot.matches.made_up import tournament


def test_both_see_the_same_games() -> None:
    made = replayed(event for _at, event in tournament())
    table = crosstable(made)
    for (one, other), meeting in table.items():
        turned = table[other, one]
        assert [game for game, _ in meeting.games] == [game for game, _ in turned.games]
        assert meeting.points + turned.points == len(meeting.games)
    assert sum(len(each.games) for each in table.values()) == 2 * len(made.played)
    assert ("Basalt", "Slate") not in table
