"""Run `python -m tools.npm`."""

from tools.npm.package import main

if __name__ == "__main__":
    main()
