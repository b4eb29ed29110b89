"""Compile the engine's kernels ahead of time: libraries for the wheel, WebAssembly for browsers.

    python -m tools.ahead                   # for all targets, into build/ahead
    python -m tools.ahead --targets wasm32  # for some

Numba translates each kernel that Python calls into LLVM IR, which depends on no processor; LLVM
compiles that for each target. LLVM comes with Numba. The linkers are those of LLVM (`lld`, a
package of Debian), or of the package `ziglang`.
"""
