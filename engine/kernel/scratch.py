"""Working memory of a kernel on its own stack, which it need not be given."""

import numpy as np

from engine.kernel.generic import Record
from engine.kernel.mode import generated_by


@generated_by("engine.kernel.llvm.scratch")
def scratch_record(like: Record) -> Record:
    """Return a record of the same type, whose content is arbitrary. It lasts until the kernel ends.

    Each call in the text of a kernel has one record, also in a loop.
    """
    return np.zeros(1, like.dtype)[0]
