"""Working memory on the stack, for `engine.kernel.scratch`."""

from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

LLVM: TypeAlias = Any


@intrinsic
def scratch_record(typing_context: LLVM, like: LLVM) -> tuple[object, Callable[..., LLVM]]:
    del typing_context

    def generate(context: LLVM, builder: LLVM, signature: LLVM, arguments: LLVM) -> LLVM:
        del arguments
        record = signature.return_type
        kind = ir.ArrayType(ir.IntType(64), -(-record.size // 8))
        place = cgutils.alloca_once(builder, kind)
        return builder.bitcast(place, context.get_value_type(record))

    return like(like), generate
