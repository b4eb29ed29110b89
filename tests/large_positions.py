"""The positions and games that take most memory."""

REACH = 8
"""The farthest that a stone of HeXO may be from the nearest one."""


def spread_hexo(turns: int, number: int = 0) -> list[str]:
    """Turns of HeXO with as many legal cells as possible; `number` chooses one of many positions.

    The stones are in a row, each as far from the one before as it may be. The last one is beside
    another one, so that positions of different numbers share no turn that an arena remembers.
    """
    row = [f"{REACH * place}:0" for place in range(2 * turns - 2)]
    pairs = [f"{one},{two}" for one, two in zip(row[1::2], row[2::2], strict=False)]
    beside = f"{REACH * (number % len(row)) + 1 + number // len(row)}:1"
    return [row[0], *pairs[: turns - 2], f"{row[-1]},{beside}"]
