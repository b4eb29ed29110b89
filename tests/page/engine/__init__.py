"""The engine as WebAssembly, compared with the same kernels as native code."""
