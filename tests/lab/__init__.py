"""Measurements for developers: `make lab` lists them, and runs them against the real programs.

Each measurement is a function under `bot.cli.measurements.measurement`. What owners of a machine
measure is in `bluestone bench`. The lab imports `bot` and `engine`; they never import the lab.
"""
