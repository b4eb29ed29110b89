"""`bluestone arena ratings`: compare the ratings with the finished games, or compute them again."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Parameter

from bot.arena.operator.command_line import Config, Data, place_of
from bot.errors import HostError
from bot.runtime.doors import Command
from bot.runtime.output import Json, print_json, print_table

if TYPE_CHECKING:
    from bot.arena.ratings.rating_fold import RatingTables
    from bot.arena.settings import Place

DIFFERENT: Final = 1
"""The exit code if stored and computed ratings differ."""
SHOWN: Final = 10


def ratings(
    *,
    rebuild: Annotated[
        bool, Parameter(negative="", help="replace the ratings by those of the finished games")
    ] = False,
    data: Data = None,
    config: Config = None,
    as_json: Json = False,
) -> int:
    """Compute all ratings again from the finished games, and compare them with the stored ones.

    The comparison is exact: each number must have the same bits. The exit code is 1 if anything
    differs. Games that have ended and are not rated yet are left out. With --rebuild the computed
    ratings replace the stored ones, in one transaction. The command works while the arena runs.
    """
    place = place_of(data, config)
    before, computed = asyncio.run(_compare(place, rebuild=rebuild))
    differ = _differences(before, computed)
    if as_json:
        print_json(
            {
                "ratings": len(computed.ratings),
                "changes": len(computed.changes),
                "stored": before.digest(),
                "computed": computed.digest(),
                "different": len(differ),
                "rebuilt": rebuild,
            }
        )
    else:
        _print(before, computed, differ, rebuild=rebuild)
    return DIFFERENT if differ and not rebuild else 0


async def _compare(place: "Place", *, rebuild: bool) -> "tuple[RatingTables, RatingTables]":
    from bot.arena.ratings.rating_store import ratings_in
    from bot.arena.store.opening import why_missing

    if (why := why_missing(place)) is not None:
        raise HostError(f"{place.folder}: {why}")
    async with ratings_in(place) as store:
        if rebuild:
            return await store.stored(), await store.rebuild()
        return await store.compare()


def _differences(before: "RatingTables", computed: "RatingTables") -> list[tuple[Any, ...]]:
    """The rows of both tables that only one side has, the stored ones first."""
    sides = [{*each.ratings, *each.changes} for each in (before, computed)]
    return [*sorted(sides[0] - sides[1], key=repr), *sorted(sides[1] - sides[0], key=repr)]


def _print(
    before: "RatingTables",
    computed: "RatingTables",
    differ: Sequence[tuple[Any, ...]],
    *,
    rebuild: bool,
) -> None:
    accounts = Counter(str(row[1]) for row in computed.ratings)
    changes = Counter(str(row[3]) for row in computed.changes)
    rows = [[game, f"{count:,}", f"{changes[game] // 2:,}"] for game, count in accounts.items()]
    print_table(["game", "accounts", "rated games"], sorted(rows))
    print(f"stored:   {before.digest()}")
    print(f"computed: {computed.digest()}")
    if not differ:
        print("the stored ratings are what the finished games give, to the last bit")
        return
    for row in differ[:SHOWN]:
        print(f"different: {', '.join(map(str, row))}")
    done = "the computed ones have replaced them" if rebuild else "--rebuild replaces them"
    print(f"{len(differ):,} rows differ; {done}")


RATINGS: Final = Command(f"{__name__}:ratings")
