"""What training refuses, and why."""

import lzma
import struct
import tokenize
import zipfile
import zlib
from typing import Final

from engine.errors import EngineError

BROKEN_ARCHIVE: Final = (
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    OverflowError,
    RuntimeError,  # an archive with a password; NotImplementedError, an unknown compression
    SyntaxError,
    TypeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a file of NumPy's arrays raises where it is cut, overwritten or something else."""


class TrainingError(EngineError):
    """A folder that cannot be gone on with; the message names the file."""
