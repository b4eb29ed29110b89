"""`bluestone bench`: what this machine can do, a command for each figure."""

from typing import Annotated

from cyclopts import App, Parameter, validators

from bot.cli.games import Board, Rules, chosen_game
from bot.cli.output import print_json
from bot.cli.records import Json

app = App(name="bench", help="Measure speed, strength and latency on this machine.")


@app.command
def playouts(
    *,
    board: Board = "pent-6",
    rules: Rules = "official",
    seconds: Annotated[float, Parameter(validator=validators.Number(gt=0, lte=3600))] = 3.0,
    seed: Annotated[int, Parameter(validator=validators.Number(gte=0, lt=2**32))] = 1,
    as_json: Json = False,
) -> None:
    """Uniformly random games a second, on one thread."""
    import engine

    game = chosen_game(board, rules)
    speed = engine.benchmark(game, seconds=seconds, seed=seed)
    if as_json:
        figures = {"board": board, "rules": rules, "seconds": seconds, "seed": seed}
        print_json({**figures, "playouts_a_second": round(speed, 1)})
    else:
        print(f"{board}, {rules} rules: {speed:,.0f} playouts a second on one thread")
