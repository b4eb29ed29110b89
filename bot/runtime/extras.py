"""How the optional dependencies are installed."""


def how_to_install(extra: str) -> str:
    """Return what an operator does to install an extra of pyproject.toml.

    It names the clone, not the package: an index has no package of this project, and whoever
    registers its name there would run code on the machines of operators.
    """
    return f"run in the clone: .venv/bin/pip install -c constraints.txt -e '.[{extra}]'"
