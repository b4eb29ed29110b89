"""`bluestone bench`: measure this machine, with one command for each measurement."""

from cyclopts import App

from bot.cli.bench_arena import arena, startup
from bot.cli.bench_engines import playouts, strength

app = App(name="bench", help="Measure speed, strength and latency on this machine.")
MEASUREMENTS = (playouts, strength, arena, startup)
for command in MEASUREMENTS:
    app.command(command)
