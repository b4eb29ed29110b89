"""The compilation of functions that only kernels call: once each, without machine code.

By default Numba makes a library of every function. It optimises the function together with all its
callees and generates machine code with entries for Python and C. So a function six calls deep is
optimised seven times. Here the library of an inner function stays unoptimised LLVM IR. Numba
optimises it only as part of the kernel that Python calls.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numba
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.typed_passes import AnnotateTypes
from numba.core.typing.templates import AbstractTemplate, infer_global

Typing: TypeAlias = Any
"""An argument or result of Numba whose type Numba does not document."""
Arguments: TypeAlias = tuple[types.Type, ...]


class _NoEngine:
    """A stand-in for the execution engine: without machine code there are no environments."""

    def set_env(self, name: str, environment: object) -> None:
        pass


class InnerLibrary(JITCodeLibrary):
    """The library of a function and its callees, linked but neither optimised nor executable."""

    codegen = _NoEngine()

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        del name
        self._ensure_finalized()
        return 0


@register_pass(mutates_CFG=False, analysis_only=True)
class ChooseLibrary(LoweringPass):
    """A compiler pass that selects an `InnerLibrary` for the code."""

    _name = "choose_inner_library"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Typing) -> bool:
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return True


class InnerCompiler(Compiler):
    """Numba's compiler with `ChooseLibrary` before lowering."""

    def define_pipelines(self) -> Typing:
        pipelines = super().define_pipelines()
        for passes in pipelines:
            passes.add_pass_after(ChooseLibrary, AnnotateTypes)
            passes.finalize()
        return pipelines


def inner(function: Callable[..., Any]) -> Typing:
    """Return a dispatcher that kernels may call. Python must not: it has no machine code.

    The function must not create arrays, so that Numba need not count references.
    """
    njit: Typing = numba.njit
    return njit(
        error_model="numpy",
        pipeline_class=InnerCompiler,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        _nrt=False,
    )(function)


def resolve(function: Callable[..., Any], choose: Callable[[Arguments], Typing]) -> None:
    """Make kernels that call `function` call the dispatcher that `choose` returns.

    Numba's `overload` would compile the same code again for each set of options of a caller.

    Args:
        function: The function that kernels name.
        choose: Returns the dispatcher for the types of the arguments; None if there is none.
    """

    def generic(self: Typing, given: Arguments, keywords: Typing) -> Typing:
        dispatcher = choose(given)
        if dispatcher is None:
            return None
        return types.Dispatcher(dispatcher).get_call_type(self.context, given, keywords)

    def get_impl_key(_: Typing, signature: Typing) -> Typing:
        return choose(signature.args).get_overload(signature)

    members = {"key": function, "generic": generic, "get_impl_key": get_impl_key}
    template = type(function.__name__, (AbstractTemplate,), members)
    infer_global(function, types.Function(template))
