"""Memory that this process has freed goes back to the system."""

import ctypes
import sys


def return_free_memory() -> None:
    """Return what is free, where the C library can do that (glibc); worth it after a start.

    Otherwise the library keeps it for later, such as what compressing the page took.
    """
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)
