"""The command of training, as the door `bluestone.commands` gives it."""

from typing import Final

from bot.runtime.doors import Command

TRAIN: Final = Command(
    "bot.guests.training.train:train",
    "Train a network for a game and a board by self-play.",
)
