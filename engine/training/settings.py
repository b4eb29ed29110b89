"""How a network is trained: how games are played, how many, and what a candidate has to show."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SelfPlay:
    """How games are played: `full` and `quick` playouts a turn, the share of turns that get the
    full number, how many turns at most begin a game at random, and up to which turn they are drawn
    by visits, to the power 1 / `spread`.
    """

    full: int = 1200
    quick: int = 250
    full_share: float = 0.25
    random_turns: int = 4
    drawn_turns: int = 14
    spread: float = 1.25
    fewest_visits: int = 30
    """Visits below which a node's children say nothing of a policy."""


@dataclass(frozen=True)
class Plan:
    """What a generation consists of.

    The first one plays `first_games`, each one after it `growth` times as many as the one before,
    up to `games`: the first networks need few games to be better than nothing, and soon there are
    better games.
    """

    games: int = 1000
    first_games: int = 100
    growth: float = 1.6
    window: int = 20_000
    """So many of the latest games are learnt from."""
    reuse: float = 8.0
    """How often a position is learnt from, on average, while its generation is the latest."""
    fewest_steps: int = 500
    match_games: int = 100
    match_nodes: int = 800
    """Playouts a turn, the same for both."""
    needed: float = 0.55
    """The share of a match that makes a candidate the best."""
    self_play: SelfPlay = field(default_factory=SelfPlay)

    def games_of(self, generation: int, *, from_a_network: bool = False) -> int:
        """How many games the generation of that number, from 1, plays; all of them where a network
        was there from the beginning.
        """
        if from_a_network:
            return self.games
        return min(self.games, round(self.first_games * self.growth ** min(generation - 1, 100)))

    def steps_for(self, rows: int, batch: int) -> int:
        """How many steps are learnt after a generation with so many new positions."""
        return max(self.fewest_steps, round(self.reuse * rows / batch))


@dataclass(frozen=True)
class Identity:
    """What a folder holds from its first day to its last.

    `board` names one or several boards with commas between them: the network is for all of them.
    `start` is how the weights that it begins with were asked for; None: there are none.
    """

    game: str
    board: str
    seed: int
    layers: int
    rules: str = "official"
    start: str | None = None

    @property
    def boards(self) -> tuple[str, ...]:
        return tuple(self.board.split(","))

    def board_of(self, task: int) -> str:
        """The board on which games of the task of that number are played: they take turns."""
        return self.boards[task % len(self.boards)]
