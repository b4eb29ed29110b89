"""How the optional dependencies are installed."""


def how_to_install(extra: str) -> str:
    """Return what an operator does to install an extra of pyproject.toml.

    It names the clone, not the package: an index has no package of this project, and whoever
    registers its name there would run code on the machines of operators.
    """
    in_a_clone = f".venv/bin/pip install -c constraints.txt -e '.[{extra}]'"
    return f"run in the clone: {in_a_clone}, or install the wheel's file again as 'FILE[{extra}]'"
