"""`bluestone bench`: measure this machine, with one command for each measurement."""

from cyclopts import App

from bot.cli.bench_analysis import analysis
from bot.cli.bench_arena import arena, latency, startup
from bot.cli.bench_engines import clocks, levels, playouts, pondering, strength
from bot.cli.bench_network import calibration, network

app = App(name="bench", help="Measure speed, strength and latency on this machine.")
MEASUREMENTS = (
    *(playouts, strength, levels, clocks, pondering),
    *(network, calibration),
    *(arena, analysis, latency, startup),
)
for command in MEASUREMENTS:
    app.command(command)
