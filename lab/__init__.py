"""Measurements for developers: `make lab` lists them, and runs them against the real programs.

Each measurement is a function under `bot.cli.measurements.measurement`. Measurements for owners of
a machine are in `bluestone bench`. The lab is not in the wheel. It imports `bot`, `engine` and the
fakes of the tests; the product never imports the lab.
"""
