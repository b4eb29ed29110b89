"""The errors of training."""

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
"""Exceptions raised on reading a file of NumPy arrays that is truncated, damaged or not an
archive.
"""


class TrainingError(EngineError):
    """Training cannot continue with this folder; the message usually names the file."""
