"""A perfect matching of maximum weight in a general graph, with integer weights of any size.

Edmonds' blossom algorithm with vertex duals, after Galil, "Efficient algorithms for finding maximum
matching in graphs" (1986). One alternating tree grows at a time, from an unmatched vertex to
another one; a heap orders the events by the dual change at which they happen.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Final

# The problem: find the perfect matching of maximum weight. The graph is not bipartite, any two
# players may meet. The weights of `weights.py` can be far wider than a machine word.
#
# The idea: each vertex has a dual, and each blossom has one too. An edge is tight when the duals of
# its ends add up to its weight; a perfect matching of tight edges has maximum weight. The search
# grows an alternating tree of tight edges from an unmatched vertex. When no edge is tight, the
# duals change: those of outer vertices fall, those of inner vertices rise, until an edge becomes
# tight. A cycle of odd length in the tree is a blossom, and shrinks to a single node.
#
# Three measures save work:
# - `_now` is the sum of all changes of duals in this search. A vertex stores its dual as of
#   `_since`, and brings it up to date when it changes sides: a change of all duals costs nothing.
# - A heap orders the edges and blossoms by the value of `_now` at which something happens. Entries
#   are never removed: an entry that is out of date is recognised when it is taken, and skipped.
# - `_limit` is the earliest known end of the search. Edges that become tight later are not stored.
#
# All weights are doubled: the duals of both ends of an edge between two outer vertices fall, so the
# time until it is tight is half of the slack, which must be an integer.
#
# Rejected:
# - A search that may leave vertices unmatched. Every player must be paired or get the bye, so the
#   search ends with False as soon as one vertex has no partner.
# - Floating-point duals. Sums of weights must be exact, or a less important criterion is lost.

Edge = tuple[int, int]

NONE: Final = -1
FREE, OUTER, INNER = 0, 1, 2
REACH, GROW, MEET, EXPAND = 0, 1, 2, 3
"""The kinds of events: an edge of the tree becomes tight, to an unmatched node (REACH), to a
matched node (GROW) or to another outer node (MEET); an inner blossom's dual reaches 0 (EXPAND)."""


class Matcher:
    """Finds the perfect matching of maximum weight. `mate` has the partner of each vertex.

    Nodes below `len(weights)` are vertices, the others are blossoms.
    """

    def __init__(self, weights: Sequence[dict[int, int]]) -> None:
        """`weights[u][v]` is the weight of the edge between u and v, given in both directions."""
        size = len(weights)
        self._edges = [[(v, 2 * weight) for v, weight in row.items()] for row in weights]
        self.mate = [NONE] * size
        self._dual = [max((weight // 2 for _, weight in row), default=0) for row in self._edges]
        self._top = list(range(size))
        self._base = list(range(size))
        self._parent = [NONE] * size
        self._children: list[list[int]] = [[] for _ in range(size)]
        self._links: list[list[Edge]] = [[] for _ in range(size)]
        self._thickness = [0] * size
        """The dual of a blossom."""
        self._forget_tree()
        self._match_tight_edges()

    def solve(self) -> bool:
        """Complete `mate`. Returns False if no perfect matching exists."""
        return all(
            self._augment_from(vertex)
            for vertex in range(len(self.mate))
            if self.mate[vertex] == NONE
        )

    def _match_tight_edges(self) -> None:
        dual, mate = self._dual, self.mate
        for u, row in enumerate(self._edges):
            if row:
                dual[u] = max(weight - dual[v] for v, weight in row)
        for u, row in enumerate(self._edges):
            if mate[u] == NONE:
                for v, weight in row:
                    if mate[v] == NONE and dual[u] + dual[v] == weight:
                        mate[u], mate[v] = v, u
                        break

    def _forget_tree(self) -> None:
        size = len(self.mate)
        self._now = 0
        self._side = [FREE] * size
        self._since = [0] * size
        """The value of `_now` when a vertex took its side and its dual was last updated."""
        self._best: list[tuple[int, int] | None] = [None] * size
        """For a free vertex: when its first edge to the tree becomes tight, and the other end."""
        self._limit: int | None = None
        self._label: dict[int, int] = {}
        self._labelled_at: dict[int, int] = {}
        self._entry: dict[int, Edge] = {}
        """For an inner node: the edge by which the tree reached it, outer vertex first."""
        self._events: list[tuple[int, int, int, int]] = []

    def _augment_from(self, root: int) -> bool:
        self._forget_tree()
        self._become_outer(self._top[root])
        while self._events:
            self._now, kind, u, v = heappop(self._events)
            if kind == EXPAND:
                if self._parent[u] == NONE and self._label.get(u) == INNER and self._children[u]:
                    self._expand_inner(u)
            elif kind == MEET:
                if self._top[u] != self._top[v]:
                    self._shrink(u, v)
            elif self._side[v] == FREE and self._best[v] == (self._now, u):
                if kind == REACH:
                    self._augment(u, v)
                    self._settle()
                    return True
                self._grow(u, v)
        return False

    def _leaves(self, node: int) -> Iterator[int]:
        if not self._children[node]:
            yield node
        else:
            for child in self._children[node]:
                yield from self._leaves(child)

    def _become_outer(self, node: int) -> None:
        self._update_thickness(node)
        self._label[node] = OUTER
        self._labelled_at[node] = self._now
        self._scan(list(self._leaves(node)))

    def _scan(self, vertices: list[int]) -> None:
        """Make vertices outer, and find when their edges become tight."""
        now, side, since, dual = self._now, self._side, self._since, self._dual
        top, best, events, mate, base = self._top, self._best, self._events, self.mate, self._base
        for u in vertices:
            if side[u] == INNER:
                dual[u] += now - since[u]
            side[u], since[u] = OUTER, now
        limit = self._limit
        for u in vertices:
            own, home = now + dual[u], top[u]
            for v, weight in self._edges[u]:
                where = side[v]
                if where == FREE:
                    at = own + dual[v] - weight
                    if limit is not None and at > limit:
                        continue
                    known = best[v]
                    if known is None or at < known[0]:
                        best[v] = at, u
                        if mate[base[top[v]]] == NONE:
                            limit = at
                            heappush(events, (at, REACH, u, v))
                        else:
                            heappush(events, (at, GROW, u, v))
                elif where == OUTER and top[v] != home:
                    at = now + (own + dual[v] + since[v] - 2 * now - weight) // 2
                    if limit is None or at <= limit:
                        heappush(events, (at, MEET, u, v))
        self._limit = limit

    def _grow(self, u: int, v: int) -> None:
        node = self._top[v]
        self._become_inner(node, (u, v))
        for leaf in self._leaves(node):
            self._side[leaf], self._since[leaf] = INNER, self._now
        self._become_outer(self._top[self.mate[self._base[node]]])

    def _become_inner(self, node: int, entry: Edge) -> None:
        self._label[node] = INNER
        self._labelled_at[node] = self._now
        self._entry[node] = entry
        if self._children[node]:
            at = self._now + self._thickness[node] // 2
            heappush(self._events, (at, EXPAND, node, NONE))

    def _update_thickness(self, node: int) -> None:
        """Update the dual of a blossom that loses its label or its place at the top."""
        label = self._label.pop(node, FREE)
        if label != FREE and self._children[node]:
            change = 2 * (self._now - self._labelled_at[node])
            self._thickness[node] += change if label == OUTER else -change

    def _way_up(self, vertex: int) -> tuple[list[int], list[Edge]]:
        """The nodes from a vertex up to the root, and the edges between them, lower end first."""
        node = self._top[vertex]
        nodes, links = [node], []
        while (mate := self.mate[self._base[node]]) != NONE:
            links.append((self._base[node], mate))
            inner = self._top[mate]
            outer, entered = self._entry[inner]
            links.append((entered, outer))
            node = self._top[outer]
            nodes += [inner, node]
        return nodes, links

    def _shrink(self, u: int, v: int) -> None:
        """Turn the cycle that the edge between two outer vertices closes into a blossom."""
        left, left_links = self._way_up(u)
        right, right_links = self._way_up(v)
        shared = 1
        while shared < min(len(left), len(right)) and left[-shared - 1] == right[-shared - 1]:
            shared += 1
        left_end, right_end = len(left) - shared, len(right) - shared
        children = left[left_end::-1] + right[:right_end]
        links = [(there, here) for here, there in left_links[:left_end][::-1]]
        links += [(u, v), *right_links[:right_end]]
        blossom = self._new_blossom(children, links)
        inner = [child for child in children if self._label[child] == INNER]
        for child in children:
            self._update_thickness(child)
            self._parent[child] = blossom
        for leaf in self._leaves(blossom):
            self._top[leaf] = blossom
        self._label[blossom] = OUTER
        self._labelled_at[blossom] = self._now
        self._scan([leaf for child in inner for leaf in self._leaves(child)])

    def _new_blossom(self, children: list[int], links: list[Edge]) -> int:
        self._base.append(self._base[children[0]])
        self._parent.append(NONE)
        self._children.append(children)
        self._links.append(links)
        self._thickness.append(0)
        return len(self._base) - 1

    def _dissolve(self, blossom: int) -> list[int]:
        """Replace a blossom by its children. Returns them, the one with the base first."""
        children = self._children[blossom]
        self._children[blossom] = []
        for child in children:
            self._parent[child] = NONE
            for leaf in self._leaves(child):
                self._top[leaf] = child
        return children

    def _expand_inner(self, blossom: int) -> None:
        """Expand an inner blossom. The children between the entry and the base stay in the tree."""
        outer, entered = self._entry[blossom]
        self._update_thickness(blossom)
        links = self._links[blossom]
        children = self._dissolve(blossom)
        at = children.index(self._top[entered])
        step = 1 if at % 2 else -1
        new_outer = []
        stay = [children[at]]
        self._become_inner(children[at], (outer, entered))
        while at % len(children):
            middle = (at + step) % len(children)
            end = (middle + step) % len(children)
            here, there = links[middle] if step == 1 else links[end][::-1]
            self._become_inner(children[end], (here, there))
            new_outer.append(children[middle])
            stay += [children[middle], children[end]]
            at = end
        for child in children:
            if child not in stay:
                self._leave_tree(child)
        for child in new_outer:
            self._become_outer(child)

    def _leave_tree(self, node: int) -> None:
        for v in self._leaves(node):
            self._dual[v] += self._now - self._since[v]
            self._side[v] = FREE
            self._best[v] = None
        for v in self._leaves(node):
            for u, weight in self._edges[v]:
                if self._side[u] == OUTER:
                    at = self._dual[u] + self._since[u] + self._dual[v] - weight
                    known = self._best[v]
                    if known is None or at < known[0]:
                        self._best[v] = at, u
                        heappush(self._events, (at, GROW, u, v))

    def _augment(self, u: int, v: int) -> None:
        """Swap the matching along the path from an unmatched node, at v, to the root."""
        self._turn(self._top[v], v)
        self.mate[v] = u
        while True:
            node = self._top[u]
            before = self.mate[self._base[node]]
            self._turn(node, u)
            self.mate[u] = v
            if before == NONE:
                return
            inner = self._top[before]
            outer, entered = self._entry[inner]
            self._turn(inner, entered)
            self.mate[entered] = outer
            u, v = outer, entered

    def _turn(self, node: int, vertex: int) -> None:
        """Make a vertex the base of the blossom around it, and match the other vertices inside."""
        if not self._children[node]:
            return
        child = vertex
        while self._parent[child] != node:
            child = self._parent[child]
        self._turn(child, vertex)
        children, links = self._children[node], self._links[node]
        start = children.index(child)
        children = children[start:] + children[:start]
        links = links[start:] + links[:start]
        for at in range(1, len(children), 2):
            one, two = links[at]
            self._turn(children[at], one)
            self._turn(children[at + 1], two)
            self.mate[one], self.mate[two] = two, one
        self._children[node], self._links[node] = children, links
        self._base[node] = vertex

    def _settle(self) -> None:
        """Update the duals, and dissolve the blossoms whose dual is 0."""
        for v, side in enumerate(self._side):
            if side != FREE:
                change = self._now - self._since[v]
                self._dual[v] += change if side == INNER else -change
        for node in list(self._label):
            self._update_thickness(node)
            if not self._thickness[node]:
                self._dissolve_empty(node)

    def _dissolve_empty(self, node: int) -> None:
        if self._children[node] and not self._thickness[node]:
            for child in self._dissolve(node):
                self._dissolve_empty(child)
