"""The network in torch, which computes the same function as `engine.neural.evaluation`."""

from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from engine.boards.grid import Board
from engine.game import Game
from engine.neural.geometry import STATIC, TAPS, static_planes, taps
from engine.neural.parameters import Parameters
from engine.neural.sizes import CHANNELS

FAST: Final = torch.bfloat16
"""Precision of the factors in matrix products; many processors multiply it much faster."""
EXACT: Final = torch.float32
"""Precision for comparisons with the search."""
HIDDEN: Final = 32
"""Units of the hidden layer between the pooled planes and the value."""


class Place(NamedTuple):
    """The geometry of a board as input of the network, whose weights are the same on all boards.

    `reads` has the cell that each tap of each cell reads, tap by tap, shape (7 cells,). Its value
    is the number of cells for a tap outside the board. `static` has the shape (STATIC, cells, 1).
    """

    reads: Tensor
    static: Tensor


def place_of(board: Board, device: str) -> Place:
    """Return the input of the network for this board, on a torch device."""
    inside = taps(board)
    reads = torch.tensor(np.where(inside < 0, len(board.cells), inside).T.reshape(-1))
    static = torch.tensor(static_planes(board).T).unsqueeze(2)
    return Place(reads.to(device), static.to(device))


class Convolution(nn.Module):
    """A convolution over each cell and its neighbours.

    The batch is the last dimension, so one product of large matrices computes all positions.
    """

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs * TAPS, CHANNELS)

    def forward(self, planes: Tensor, reads: Tensor, precision: torch.dtype) -> Tensor:
        """Map planes of shape (inputs, cells, batch) to (C, cells, batch)."""
        inputs, cells, batch = planes.shape
        planes = planes.to(precision)
        outside = planes.new_zeros((inputs, 1, batch))
        read = torch.cat([planes, outside], 1).index_select(1, reads)
        weight = self.linear.weight.to(precision)
        sums = (weight @ read.reshape(inputs * TAPS, cells * batch)).float()
        return (sums + self.linear.bias.unsqueeze(1)).reshape(CHANNELS, cells, batch)


class Model(nn.Module):
    """The network. `forward` takes codes (batch, cells) and numbers (batch, N) of one board.

    It returns the policy (batch, cells, kinds), the value (batch,) as a logit, and the owners
    (batch, 3, cells). The owners are an auxiliary target, which improves the other two.
    """

    def __init__(self, game: Game, layers: int, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.precision = FAST
        encoding = game.rules.encoding
        self.register_buffer("planes", torch.tensor(encoding.planes), persistent=False)
        self.first = Convolution(encoding.planes.shape[1] + STATIC)
        self.numbers = nn.Linear(encoding.numbers, CHANNELS, bias=False)
        self.layers = nn.ModuleList(Convolution(CHANNELS) for _ in range(layers))
        self.pooled = nn.ModuleList(
            nn.Linear(2 * CHANNELS, CHANNELS, bias=False) for _ in range(layers // 2)
        )
        self.policy = nn.Linear(CHANNELS, game.kinds, bias=False)
        self.hidden = nn.Linear(2 * CHANNELS, hidden)
        self.value = nn.Linear(hidden, 1)
        self.owners = nn.Linear(CHANNELS, 3)

    def forward(
        self, codes: Tensor, numbers: Tensor, place: Place
    ) -> tuple[Tensor, Tensor, Tensor]:
        planes = functional.embedding(codes.T, self.planes).permute(2, 0, 1)
        planes = torch.cat([planes, place.static.expand(-1, -1, codes.shape[0])], 0)
        sums = self.first(planes, place.reads, self.precision) + self.numbers(numbers).T.unsqueeze(
            1
        )
        for number, layer in enumerate(self.layers):
            active = functional.relu(sums)
            added = layer(active, place.reads, self.precision)
            if number % 2 == 1:
                added = added + self.pooled[number // 2](pooled(active)).T.unsqueeze(1)
            sums = sums + added
        active = functional.relu(sums)
        value = self.value(functional.relu(self.hidden(pooled(active))))[:, 0]
        policy = torch.einsum("kc,cnb->bnk", self.policy.weight, active)
        owners = torch.einsum("oc,cnb->bon", self.owners.weight, active)
        return policy, value, owners + self.owners.bias.unsqueeze(1)

    def parameters_of(self) -> Parameters:
        """Return the weights in the form that the search reads."""
        half = len(self.pooled)
        arrays = Parameters(
            first=_taps_first(self.first),
            first_bias=_plain(self.first.linear.bias),
            numbers=_plain(self.numbers.weight).T,
            layers=np.stack([_taps_first(layer) for layer in self.layers]),
            biases=np.stack([_plain(layer.linear.bias) for layer in self.layers]),
            pooled=np.array([_plain(each.weight).T for each in self.pooled]).reshape(
                half, 2 * CHANNELS, CHANNELS
            ),
            policy=_plain(self.policy.weight).T,
            hidden=_plain(self.hidden.weight).T,
            hidden_bias=_plain(self.hidden.bias),
            value=_plain(self.value.weight)[0],
            value_bias=_plain(self.value.bias),
        )
        return Parameters(*(np.ascontiguousarray(array, np.float32) for array in arrays))

    @torch.no_grad()
    def take(self, parameters: Parameters) -> None:
        """Copy these weights into the model: the inverse of `parameters_of`.

        They must have as many layers and hidden units as the model. Weights that the search does
        not use remain unchanged.
        """
        _take_taps(self.first, parameters.first, parameters.first_bias)
        _copy(self.numbers.weight, parameters.numbers.T)
        for layer, weights, bias in zip(
            self.layers, parameters.layers, parameters.biases, strict=True
        ):
            _take_taps(layer, weights, bias)
        for each, weights in zip(self.pooled, parameters.pooled, strict=True):
            _copy(each.weight, weights.T)
        _copy(self.policy.weight, parameters.policy.T)
        _copy(self.hidden.weight, parameters.hidden.T)
        _copy(self.hidden.bias, parameters.hidden_bias)
        _copy(self.value.weight, parameters.value[None])
        _copy(self.value.bias, parameters.value_bias)


def _taps_first(layer: Convolution) -> NDArray[np.float32]:
    weight = _plain(layer.linear.weight)
    return weight.reshape(CHANNELS, -1, TAPS).transpose(2, 1, 0)


def _take_taps(layer: Convolution, weights: NDArray[np.float32], bias: NDArray[np.float32]) -> None:
    _copy(layer.linear.weight, weights.transpose(2, 1, 0).reshape(CHANNELS, -1))
    _copy(layer.linear.bias, bias)


def _copy(into: Tensor, array: NDArray[np.float32]) -> None:
    """Copy `array` into a tensor. Raises RuntimeError if the shapes differ."""
    if into.shape != array.shape:
        raise RuntimeError(f"weights of the shape {array.shape} for {tuple(into.shape)}")
    into.copy_(torch.from_numpy(np.ascontiguousarray(array)))


def _plain(tensor: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.detach().cpu().numpy()
    return array


def pooled(active: Tensor) -> Tensor:
    """Return mean and maximum over the cells, shape (batch, 2 C)."""
    return torch.cat([active.mean(1), active.amax(1)], 0).T
