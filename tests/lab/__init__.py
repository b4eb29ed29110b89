"""Measurements for developers: `make lab` lists them, and runs them against the real programs.

Each measurement is a function under `bot.cli.measurements.measurement`. Measurements for owners of
a machine are in `bluestone bench`. The lab imports `bot` and `engine`; they never import the lab.
"""
