"""Who is tied to whom by points taken from each other, directly or through others."""

import numpy as np
from numpy.typing import NDArray


def groups(players: int, takers: NDArray[np.intp], givers: NDArray[np.intp]) -> list[list[int]]:
    """The strongly connected parts of the graph of points taken.

    Ratings have a maximum of their likelihood if and only if there is one part (L. R. Ford, 1957):
    between two, one side has lost no point, or they never met.
    """
    reach = np.eye(players, dtype=np.bool_)
    reach[takers, givers] = True
    for _ in range(max(1, players.bit_length())):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    mutual = reach & reach.T
    firsts = mutual.argmax(axis=1)
    return [np.flatnonzero(firsts == first).tolist() for first in np.unique(firsts)]
