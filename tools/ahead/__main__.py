"""Run `python -m tools.ahead`."""

from tools.ahead.build import main

if __name__ == "__main__":
    main()
