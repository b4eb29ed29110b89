"""How functions are compiled that only kernels call: once, and into nothing that runs by itself.

Numba makes a library of every function: it optimises it together with all that it calls and turns
that into machine code, with entries for Python and C, so that what lies six calls deep is optimised
seven times. Here a library stays as LLVM's plain code until the kernel that Python calls is made
of it.
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
"""What Numba takes and gives where it says nowhere what that is."""
Arguments: TypeAlias = tuple[types.Type, ...]


class _NoEngine:
    """Where no machine code is, no function has an environment there."""

    def set_env(self, name: str, environment: object) -> None:
        pass


class InnerLibrary(JITCodeLibrary):
    """A function and those that it calls, linked but neither optimised nor runnable."""

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
    """Have the code go into an `InnerLibrary`."""

    _name = "choose_inner_library"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Typing) -> bool:
        state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return True


class InnerCompiler(Compiler):
    """Numba's compiler with that pass before lowering."""

    def define_pipelines(self) -> Typing:
        pipelines = super().define_pipelines()
        for passes in pipelines:
            passes.add_pass_after(ChooseLibrary, AnnotateTypes)
            passes.finalize()
        return pipelines


def inner(function: Callable[..., Any], *, allocates: bool) -> Typing:
    """A dispatcher that kernels may call; Python must not, there is nothing behind it to run.

    References are counted only where arrays are made: elsewhere all are borrowed.
    """
    njit: Typing = numba.njit
    return njit(
        error_model="numpy",
        pipeline_class=InnerCompiler,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        _nrt=allocates,
    )(function)


def resolve(function: Callable[..., Any], choose: Callable[[Arguments], Typing]) -> None:
    """Have kernels that name `function` call the dispatcher that `choose` finds for the types of
    the arguments, or None.

    Numba's `overload` would compile the same code anew for each set of options that a caller has.
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
