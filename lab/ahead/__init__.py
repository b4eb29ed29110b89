"""The speed of the engine compiled ahead of time: as WebAssembly, and as a library."""
