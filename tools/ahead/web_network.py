"""The shipped networks, for hosts in JavaScript.

`GAME-BOARD.bin` has the weights of the network that was trained on that board: the arrays of
`engine.neural.network.Network` one after the other, without the fields of OF_BOARD. Of each array
come the lowest bytes of all numbers, then the next ones, which compresses a tenth better. The
layout of the game has the shapes. What depends on the board is in the layout of the board.
"""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

import engine
from engine.catalogue import game_info
from engine.neural.network import Network
from engine.neural.shipped import LEARNT_RULES, shipped_file, shipped_network

OF_BOARD: Final = ("taps", "base")
"""The fields of a network that depend on the board."""


def write_weights(name: str, folder: Path) -> None:
    """Write the weights of each network of a game."""
    written = dict[str, bytes]()
    for board in game_info(name).boards:
        if network := shipped_network(engine.game(name, board=board)):
            file, content = _weights_file(name, board), b"".join(_weights(network))
            assert written.setdefault(file, content) == content, f"{file} depends on the board"
    for file, content in written.items():
        (folder / file).write_bytes(content)


def _weights_file(name: str, board: str) -> str:
    stored = shipped_file(name, board)
    assert stored is not None
    return f"{Path(stored.name).stem}.bin"


def _weights(network: Network) -> Iterator[bytes]:
    for field, array in network._asdict().items():
        if field not in OF_BOARD:
            each_byte = np.frombuffer(array.tobytes(), np.uint8).reshape(-1, array.itemsize)
            yield each_byte.T.tobytes()


def network_layout(name: str) -> dict[str, Any] | None:
    """Return the rule sets that a game's networks know, and the shapes; None without a network."""
    info = game_info(name)
    network = shipped_network(engine.game(name))
    if network is None:
        return None
    fields = {field: array.shape for field, array in network._asdict().items()}
    return {
        "rules": [each for each in info.rule_sets if each in LEARNT_RULES],
        "shapes": {field: shape for field, shape in fields.items() if field not in OF_BOARD},
    }


def board_network(name: str, board: str) -> dict[str, Any] | None:
    """Return what a network needs to know of a board; None if there is no network for it."""
    network = shipped_network(engine.game(name, board=board))
    if network is None:
        return None
    return {
        "weights": _weights_file(name, board),
        "taps": network.taps.ravel().tolist(),
        "base": base64.b64encode(network.base.tobytes()).decode(),
    }
