"""The inspiration of stones in Stargazers, updated after each stone.

A player's stones that see each other, directly or through others, form a *group*. They share a
label, which is the cell of one of them, and are inspired if any of them sees a star. A new stone
joins groups of its player, may split groups of the enemy, and ends views of stars of both players.
"""

from engine.kernel.bits import count_ones, int64, uint64
from engine.kernel.generic import Record, jitable

_COUNTED = -1
"""Replaces the view count of a label whose stones were subtracted from the uninspired stones."""


@jitable
def opposite(direction: int) -> int:
    return direction + 3 if direction < 3 else direction - 3


@jitable
def is_inspired(state: Record, cell: int) -> bool:
    """Return whether the stone on `cell` is inspired."""
    return bool(state.views[int64(state.label[cell])] > 0)


@jitable
def is_of(state: Record, stone: int, side: int) -> bool:
    """Return whether `stone`, an entry of `seen`, is a stone of player `side` + 1."""
    return bool(stone >= 0 and state.cells[stone] == side + 1)


@jitable
def lose_view(state: Record, stone: int) -> None:
    """Subtract one view of a star from the group of `stone`."""
    label = int64(state.label[stone])
    state.views[label] -= 1
    if state.views[label] == 0:
        side = state.cells[label] - 1
        state.uninspired[side] += group_size(state, label, side)


@jitable
def group_size(state: Record, label: int, side: int) -> int:
    size = 0
    for i in range(state.n_stones[side]):
        size += state.label[int64(state.stones[side, i])] == label
    return int64(size)


@jitable
def join_friends(state: Record, cell: int, side: int) -> None:
    """Merge the new stone on `cell` and the friendly groups that it sees into one group."""
    label = int64(state.label[cell])
    views = count_ones(uint64(state.gaze[cell]))
    for direction in range(6):
        friend = int64(state.seen[cell, direction])
        if not is_of(state, friend, side):
            continue
        other = int64(state.label[friend])
        if other == label:
            continue
        views += int64(state.views[other])
        if state.views[other] == 0:
            state.uninspired[side] -= group_size(state, other, side)
        relabel(state, label, other, side)
        label = other
    state.views[label] = views
    if views == 0:
        state.uninspired[side] += group_size(state, label, side)


@jitable
def relabel(state: Record, old: int, new: int, side: int) -> None:
    for i in range(state.n_stones[side]):
        stone = int64(state.stones[side, i])
        if state.label[stone] == old:
            state.label[stone] = new


@jitable
def part_enemies(state: Record, cell: int, side: int) -> None:
    """Recompute the groups of player `side` + 1 that the new stone on `cell` may have split.

    Each part of a group that was split contains a stone that the new stone sees.
    """
    parted = 0
    for direction in range(3):
        stone = int64(state.seen[cell, direction])
        if is_of(state, stone, side) and is_of(state, int64(state.seen[cell, direction + 3]), side):
            parted |= 9 << direction
            label = int64(state.label[stone])
            if state.views[label] == 0:
                state.uninspired[side] -= group_size(state, label, side)
                state.views[label] = _COUNTED
    if not parted:
        return
    for i in range(state.n_stones[side]):
        state.reached[int64(state.stones[side, i])] = 0
    for direction in range(6):
        stone = int64(state.seen[cell, direction])
        if parted >> direction & 1 and not state.reached[stone]:
            label_group(state, stone, side)


@jitable
def label_group(state: Record, start: int, side: int) -> None:
    """Give the group of the stone on `start` that cell as its label.

    No stone of the group may be marked in `state.reached` before.
    """
    state.reached[start] = 1
    state.stack[0] = start
    views, size, depth = 0, 0, 1
    while depth:
        depth -= 1
        cell = int64(state.stack[depth])
        state.label[cell] = start
        size += 1
        views += count_ones(uint64(state.gaze[cell]))
        for direction in range(6):
            other = int64(state.seen[cell, direction])
            if is_of(state, other, side) and not state.reached[other]:
                state.reached[other] = 1
                state.stack[depth] = other
                depth += 1
    state.views[start] = views
    if views == 0:
        state.uninspired[side] += size
