"""Positions to learn from: replays games and writes each row as the network's input."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Game
from engine.kernel import generic as kernel
from engine.kernel.bits import int64
from engine.kernel.generic import Array, Record, compiled, jitable
from engine.training.records import GameArrays


class Samples(NamedTuple):
    """One row per position, from the view of the player to move.

    - `codes` and `numbers` are what `kernel.features` writes, `turned` is what it returns.
    - `result` is 1, 0 or a half. `value` is what the search expected, 0 to 1.
    - `policy` is the row of `visits`, shape (rows with a policy, n_steps), or -1.
    - `owners` (rows, n_cells) has the owner of each cell at the end of the game: 0 none, 1 the
      player to move, 2 the opponent.
    - `game` is the number of the game.
    """

    codes: NDArray[np.uint8]
    numbers: NDArray[np.float32]
    turned: NDArray[np.uint8]
    result: NDArray[np.float32]
    value: NDArray[np.float32]
    policy: NDArray[np.int32]
    owners: NDArray[np.uint8]
    game: NDArray[np.int64]
    visits: NDArray[np.uint16]

    def taken(self, rows: NDArray[np.bool_]) -> "Samples":
        """Return these rows, with all visits; `rows` is a mask."""
        fields = self._asdict()
        each = {name: array[rows] for name, array in fields.items() if name != "visits"}
        return Samples(**each, visits=self.visits)


def samples_of(game: Game, games: GameArrays) -> Samples:
    """Return the samples of all rows of the games, in the same order."""
    count, n_cells = len(games.row_at), len(game.board.cells)
    samples = Samples(
        codes=np.zeros((count, n_cells), np.uint8),
        numbers=np.zeros((count, game.rules.encoding.numbers), np.float32),
        turned=np.zeros(count, np.uint8),
        result=np.zeros(count, np.float32),
        value=games.row_value,
        policy=games.row_policy,
        owners=np.zeros((count, n_cells), np.uint8),
        game=np.repeat(np.arange(len(games.winner)), np.diff(games.row_start)),
        visits=games.visits,
    )
    state = game.mechanics.new_state()
    owner = np.zeros(game.mechanics.n_steps, np.int8)
    movers = np.zeros(count, np.int8)
    _replay(game.record, state, games, samples, Room(owner, movers, game.kinds))
    return samples


class Room(NamedTuple):
    """The buffers of a replay: the owner of each placement at the end, the mover in each row."""

    owner: Array
    movers: Array
    kinds: int


@compiled
def _replay(board: Record, state: Record, games: GameArrays, samples: Samples, room: Room) -> None:
    for game in range(games.winner.shape[0]):
        _look(board, state, games, samples, room, game)
        kernel.owners(board, state, room.owner)
        for row in range(games.row_start[game], games.row_start[game + 1]):
            _look_back(board, samples, room, row, int64(games.winner[game]))


@jitable
def _look(
    board: Record, state: Record, games: GameArrays, samples: Samples, room: Room, game: int
) -> None:
    """Play the game to its end and write the features of its rows."""
    kernel.start(board, state)
    row, last = games.row_start[game], games.row_start[game + 1]
    begin, end = games.step_start[game], games.step_start[game + 1]
    for at in range(begin, end):
        if row < last and games.row_at[row] == at - begin:
            codes, numbers = samples.codes[row], samples.numbers[row]
            samples.turned[row] = kernel.features(board, state, codes, numbers)
            room.movers[row] = state.player
            row += 1
        kernel.play_step(board, state, int64(games.steps[at]))


@jitable
def _look_back(board: Record, samples: Samples, room: Room, row: int, winner: int) -> None:
    """Write the result of a row and the owners, from the view of its player to move."""
    mover = int64(room.movers[row])
    samples.result[row] = 0.5 if winner == 0 else 1.0 if winner == mover else 0.0
    for cell in range(board.n_cells):
        whose = int64(room.owner[room.kinds * cell])
        samples.owners[row, cell] = 0 if whose == 0 else 1 if whose == mover else 2
