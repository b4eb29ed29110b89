"""One target under atheris, as a program: `python -m lab.fuzz_process TARGET OPTIONS...`.

The options are those of libFuzzer, which ends the process when it is done. Compiled kernels cannot
be instrumented: only modules of pure Python are.
"""

import shlex
import sys

import atheris

INSTRUMENTED = (
    *("bot", "engine.boards", "engine.catalogue", "engine.contract", "engine.game"),
    *("engine.notation", "engine.ugi", "engine.training.weights"),
    *("tomllib", "json", "ipaddress", "zipfile", "email", "socketio", "engineio"),
)

if __name__ == "__main__":
    with atheris.instrument_imports(include=list(INSTRUMENTED)):
        from tests.fuzz.targets import target
    name, *options = sys.argv[1:]
    tried = target(name)
    for example in tried.seeds():  # compiles kernels, which would count as the time of an input
        tried.attempt(example)
    again = shlex.join([sys.executable, "-m", "lab.fuzz_process", name])
    atheris.Setup([again, *options], tried.attempt)  # a merge starts itself by a shell
    atheris.Fuzz()
