"""The parameters of the search, and which of them a game's search has by default."""

from typing import Final, NamedTuple

from engine.games.mechanics import Mechanics


class Tuning(NamedTuple):
    """The parameters of the search; their values were chosen by matches (docs/performance.md).

    The defaults are those of a search without a network. `BY_PRIORS` and `WITH_NETWORK` have the
    differences of the others.
    """

    amaf_bias: float = 300.0
    """Visits after which a step's own mean outweighs a well-founded AMAF mean."""
    reference_visits: int = 50
    """Visits from which a node reads its own table; before that, it reads its ancestor's."""
    table_visits: int = 4
    """Visits at which a node gets its own table; -1: the search has no tables."""
    expand_visits: int = 2
    """Visits at which a leaf gets edges; `visits_to_expand` raises it as memory fills."""
    guided_playouts: bool = True
    """Whether playouts choose steps by the game's knowledge."""
    priors: bool = True
    """Whether the game's knowledge gives priors to the steps of a new node."""
    prior_weight: float = 0.4
    """What a prior of 100 adds to the worth of a step without visits (progressive bias: Chaslot et
    al., 2008)."""
    prior_visits: float = 20.0
    """Visits of a step at which half of that is left."""
    revision_visits: int = 12
    """Visits at which a node's priors are revised, which is expensive; -1 for never."""
    exploration: float = 0.0
    """Weight of the priors in the upper confidence bound; 0: AMAF values take its place."""
    unseen_loss: float = 0.2
    """How far below the mean of its node the bound expects a step without visits."""
    proof_nodes: int = 300
    """Positions that a game with a prover may look at for each node that gets edges."""
    proof_visits: int = 30
    """Visits at which the game looks for a proof again, then at ten times as many, and so on; -1
    for never."""
    nodes_per_visit: int = 100
    """Positions that it may look at then, for each of the node's visits."""
    network_share: float = 0.5
    """The weight of the network's value in a result; the playout has the rest."""
    prior_range: float = 3.0
    """How far below the best a step's logit must be for a prior of 0."""


PLAYOUTS_ALONE: Final = Tuning()
BY_PRIORS: Final = Tuning(table_visits=-1, exploration=1.0)
WITH_NETWORK: Final = Tuning(expand_visits=0, prior_weight=0.15, revision_visits=-1)
"""Every leaf gets edges at once: one evaluation gives both its value and its priors."""


def usual_tuning(mechanics: Mechanics, *, with_network: bool) -> Tuning:
    """Return the parameters for a game at full strength."""
    if with_network:
        return WITH_NETWORK
    return BY_PRIORS if mechanics.selects_by_priors else PLAYOUTS_ALONE
