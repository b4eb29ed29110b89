"""How a module is run as a program of its own."""

import sys
from typing import Final

PYTHON_M: Final = (sys.executable, "-P", "-m")
"""What precedes the module's name. Without `-P` Python would look for modules in the working
directory first, and a `random.py` that lies there would be run in place of its own.
"""
