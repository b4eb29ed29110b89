"""The settings of a training: how games are played, how many, and when a candidate is accepted."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SelfPlay:
    """How games of self-play are played.

    - `full`, `quick`: playouts per turn of a long and of a short search.
    - `full_share`: the share of turns with a long search.
    - `random_turns`: random turns at most at the beginning of a game.
    - `drawn_turns`: up to this turn number, turns are drawn by visits to the power 1 / `spread`.
    """

    full: int = 1200
    quick: int = 250
    full_share: float = 0.25
    random_turns: int = 4
    drawn_turns: int = 14
    spread: float = 1.25
    fewest_visits: int = 30
    """Visits of a node below which those of its children are not used as a policy."""


@dataclass(frozen=True)
class TrainingPlan:
    """The extent of each generation.

    The first generation plays `first_games` games, each later one `growth` times as many, up to
    `games`. The first networks need few games to be better than none, and better games soon follow.
    """

    games: int = 1000
    first_games: int = 100
    growth: float = 1.6
    window: int = 20_000
    """The number of latest games to learn from."""
    reuse: float = 8.0
    """How often training uses a position, on average, while its generation is the latest."""
    fewest_steps: int = 500
    match_games: int = 100
    match_nodes: int = 800
    """Playouts per turn, the same for both players."""
    needed: float = 0.55
    """The score, as a share of the games, from which a candidate is accepted as the best."""
    self_play: SelfPlay = field(default_factory=SelfPlay)

    def games_of(self, generation: int, *, from_a_network: bool = False) -> int:
        """Return the number of games of a generation; the first is 1.

        With `from_a_network`, if the training begins with a network, it is always `games`.
        """
        if from_a_network:
            return self.games
        return min(self.games, round(self.first_games * self.growth ** min(generation - 1, 100)))

    def steps_for(self, rows: int, batch: int) -> int:
        """Return the steps of learning in a generation with `rows` new positions."""
        return max(self.fewest_steps, round(self.reuse * rows / batch))


@dataclass(frozen=True)
class Identity:
    """The properties of a training that never change.

    `board` names one or several boards, separated by commas; the network is for all of them.
    `start` is the name, as given by the user, of the weights with which it begins; None: without.
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
        """Return the board of task number `task`; tasks alternate between the boards."""
        return self.boards[task % len(self.boards)]
