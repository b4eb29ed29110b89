"""What builds the project: packages, the page's bundle, documents, pictures and lessons.

Each tool is a program, and a target of the Makefile calls it. Tools are not in the wheel. They
import `bot` and `engine`, which never import them.
"""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
"""The folder of the checkout."""
