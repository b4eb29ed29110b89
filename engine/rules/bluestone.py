"""Bluestone, compiled: both rule sets on every board.

The method is that of the fastest known playouts. Who may place where is never searched for: each player has a list of open
cells, from which cells are taken when they die. A stone can only cut a region off if its neighbours of its own
colour form two or more runs that already belong together (or to the edge), or if it lies on the edge; only
then are the regions next to it flooded, and a flood ends as soon as it has met four blue stones or a cell known to live.

Why the lists are exact: a region that is dead for a player holds none of his stones (they would have been captured), so it is all empty and
walled in by one chain of the enemy, which touches four blue stones itself or lives by others. No stone placed
there could capture that wall. So the closed regions of `abstractplay` and the dead placements that `official`
forbids are the same cells. They open again only when the wall itself is captured; then they are part of the
region that dies, and all of it becomes open to the capturer.
"""

from numba import int64, uint64
from numba.extending import intrinsic  # noqa: F401

from engine.rules import kernel
from engine.rules.bits import count_ones, lowest_one
from engine.rules.bluestone_state import ABSENT, STATE
from engine.rules.kernel import PASS, STOP, Codes, Record, compiled, implements
