"""Batches of samples for torch, at random rotated, mirrored and with colours exchanged."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.game import Game
from engine.training.model import Place, place_of
from engine.training.samples import Samples

HELD_OUT = 16
"""One game of this many is not learnt from, but held out to measure progress."""

Ints = NDArray[np.int64]
Codes = NDArray[np.uint8] | NDArray[np.int64]


class Batch(NamedTuple):
    """Rows of one board as `Samples` has them; `policy` has the shape (rows, cells * kinds)."""

    codes: Tensor
    numbers: Tensor
    result: Tensor
    value: Tensor
    policy: Tensor
    has_policy: Tensor
    owners: Tensor
    place: Place


def split(samples: Samples) -> tuple[Samples, Samples]:
    """Split into the samples to learn from and the held-out ones, which are of other games."""
    held_out = samples.game % HELD_OUT == HELD_OUT - 1
    return samples.taken(~held_out), samples.taken(held_out)


class BoardSource:
    """Batches of the samples of one board on a device; `chance` draws the rows."""

    def __init__(
        self, game: Game, samples: Samples, chance: np.random.Generator, device: str
    ) -> None:
        self.samples = samples
        self.chance = chance
        self._encoding = game.rules.encoding
        self._kinds = game.kinds
        self._device = device
        self._place = place_of(game.board, device)
        self._turns = [np.argsort(image) for image in game.board.symmetries]

    def __len__(self) -> int:
        return len(self.samples.result)

    def drawn(self, size: int) -> Batch:
        """Return `size` random rows, all transformed by the same random symmetry."""
        rows = self.chance.integers(0, len(self), size)
        turn = self._turns[int(self.chance.integers(len(self._turns)))]
        return self._batch(rows, turn, swap=int(self.chance.integers(4)))

    def in_order(self, rows: Ints) -> Batch:
        """Return these rows as they were played, without a transformation."""
        return self._batch(rows, np.arange(self.samples.codes.shape[1]), swap=0)

    def _batch(self, rows: Ints, turn: Ints, swap: int) -> Batch:
        samples = self.samples
        codes, policy = self._swapped(rows, swap)
        return Batch(
            codes=self._tensor(codes[:, turn].astype(np.int32)),
            numbers=self._tensor(samples.numbers[rows]),
            result=self._tensor(samples.result[rows]),
            value=self._tensor(samples.value[rows]),
            policy=self._tensor(policy[:, turn].reshape(len(rows), -1)),
            has_policy=self._tensor(samples.policy[rows] >= 0),
            owners=self._tensor(samples.owners[rows][:, turn].astype(np.int64)),
            place=self._place,
        )

    def _swapped(self, rows: Ints, swap: int) -> tuple[Codes, NDArray[np.float32]]:
        """Return codes and policy with colours exchanged.

        `swap` is a bit set: 1 for the opponent's two colours, 2 for the player's own.
        """
        encoding, policy = self._encoding, self._policy(rows)
        codes: Codes = self.samples.codes[rows]
        if encoding.enemy_swap is not None and swap & 1:
            codes = encoding.enemy_swap[codes]
        if encoding.own_swap is not None and swap & 2:
            # In the middle of a turn the two colours of the player to move are not equivalent.
            free = self.samples.numbers[rows, 0] == 0
            codes = np.where(free[:, None], encoding.own_swap[codes], codes)
            policy = np.where(free[:, None, None], policy[:, :, ::-1], policy)
        return codes, policy

    def _policy(self, rows: Ints) -> NDArray[np.float32]:
        """Return visits as shares, shape (rows, cells, kinds).

        The kind that the network takes for the first comes first.
        """
        samples = self.samples
        if not len(samples.visits):
            return np.zeros((len(rows), samples.codes.shape[1], self._kinds), np.float32)
        visits = samples.visits[np.maximum(samples.policy[rows], 0)].astype(np.float32)
        visits /= np.maximum(visits.sum(1, keepdims=True), 1)
        visits = visits.reshape(len(rows), -1, self._kinds)
        turned = samples.turned[rows].astype(bool)
        return np.where(turned[:, None, None], visits[:, :, ::-1], visits)

    def _tensor(self, array: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)


class BatchSources:
    """Batches of several boards: each batch is of one board, drawn by its share of all rows."""

    def __init__(self, each: Sequence[BoardSource], chance: np.random.Generator) -> None:
        self.each = each
        self.chance = chance
        rows = np.array([len(source) for source in each], np.float64)
        self._shares = rows / max(1, rows.sum())

    def __len__(self) -> int:
        return sum(len(source) for source in self.each)

    def drawn(self, size: int) -> Batch:
        """Return a batch of one board, as `Source.drawn` does."""
        which = 0 if len(self.each) == 1 else self.chance.choice(len(self.each), p=self._shares)
        return self.each[which].drawn(size)
