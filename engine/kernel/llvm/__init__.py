"""What needs a compiler: how Numba compiles kernels, and functions that are generated as LLVM IR.

Nothing imports this folder unless kernels are compiled here (`engine.kernel.mode`).
"""
